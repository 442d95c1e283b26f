//! The regions side by side.

use askama::Template;
use ghi_engine::{Day, Model, RegionIndex};

use crate::amounts::{Amount, Percent};
use crate::finding::finding_of_regions;
use crate::frame::{Caption, Form, Place, Rooms, Source, framed, rendered};
use crate::path::short;
use crate::scale::{Scale, ScaleStyle, Tick};
use crate::text::{SIZE, SMALL, isolated, shortened, width_of};
use crate::unit::Unit;

/// Above the rows, room for the name of the dashed line, in pixels.
const TOP: u32 = 26;

/// Below the rows, room for the numbers, in pixels.
const FOOT: u32 = 24;

/// The height of a region, in pixels.
const ROW_HEIGHT: u32 = 32;

/// The longest name with its share, in pixels.
const NAME_MAX: f64 = 300.0;

/// Between a name or an amount and the plot, in pixels.
const GAP: f64 = 12.0;

/// The regions side by side: bars from minimum to maximum, averages as points, and the worldwide
/// average as a dashed line, as a picture that stands alone.
pub fn regions(day: &Day, model: &Model, shown: &[RegionIndex], source: Source<'_>) -> String {
    let form = Form::Alone(source);
    let costs = || shown.iter().map(|region| day.regions[region.get()]);
    let worldwide = day.global.avg_usd;
    let low = costs().map(|costs| costs.min_usd).fold(worldwide, Ord::min);
    let high = costs().map(|costs| costs.max_usd).fold(worldwide, Ord::max);
    let unit = Unit::of([high]);
    let style = ScaleStyle { ticks_max: 5, is_brief: false };
    let scale = Scale::covering(low, high, [0.0, 100.0], style);
    let percent = |cost| short(scale.place(cost));

    let names: Vec<Name> = shown.iter().map(|region| Name::new(*region, day, model)).collect();
    let amounts: Vec<String> = costs().map(|costs| unit.written(costs.avg_usd)).collect();
    let rows = names.iter().zip(amounts.iter().zip(costs())).zip(0..).map(|(row, place)| {
        let (name, (amount, costs)) = row;
        let [from, to] = [costs.min_usd, costs.max_usd].map(percent);
        let middle = TOP + ROW_HEIGHT * place + ROW_HEIGHT / 2;
        let (average, length) = (percent(costs.avg_usd), short(to - from));
        Row { name, amount, middle, from, length, average }
    });
    let rows = rows.collect();
    let left = names.iter().map(Name::width).fold(0.0, f64::max);
    let right = amounts.iter().map(|amount| width_of(amount)).fold(24.0, f64::max);
    let rooms = Rooms::new(left + GAP, right + GAP, form);
    let bottom = TOP + ROW_HEIGHT * shown.len() as u32;
    let Place { x, y, width } = Place::new(rooms, 0, form);
    let at = percent(worldwide);
    let plot = Plot {
        x,
        y,
        width,
        height: bottom + FOOT,
        start: -i64::from(rooms.left),
        end: rooms.right,
        top: TOP,
        bottom,
        numbers: numbers(scale.ticks(), rooms, form),
        ticks: scale.ticks(),
        rows,
        worldwide: at,
        // The name of the line stays within the plot.
        anchor: match at {
            ..25.0 => "start",
            75.0.. => "end",
            _ => "middle",
        },
        worldwide_amount: unit.written(worldwide),
    };

    let described = shown.iter().zip(costs()).map(|(region, costs)| {
        format!(
            "{} {} to {}, average {}",
            isolated(&model.registry()[*region].name),
            Amount(costs.min_usd),
            Amount(costs.max_usd),
            Amount(costs.avg_usd)
        )
    });
    let described = described.collect::<Vec<_>>().join("; ");
    let date = day.date.strftime("%-d %B %Y");
    let caption = Caption {
        name: "regions",
        heading: &finding_of_regions(day, model, shown),
        subtitle: "Cost of one coin, USD, and share of the hashrate: bars from minimum to maximum, points at the average",
        description: &format!(
            "Cost of one coin by region on {date}, USD: {described}. Worldwide average {}.",
            Amount(worldwide)
        ),
        date: day.date,
    };
    framed(&rendered(&plot), plot.height, rooms, &caption, form)
}

/// A number below the plot.
struct Number {
    at: f64,
    label: String,
    anchor: &'static str,
}

/// The numbers that have room beside each other: all, or the first and the last.
fn numbers(mut ticks: Vec<Tick>, rooms: Rooms, form: Form<'_>) -> Vec<Number> {
    ticks[0].label.insert(0, '$');
    let plot = rooms.plot_width(form);
    let half = |tick: &Tick| width_of(&tick.label) * SMALL / SIZE / 2.0;
    let have_room = |pair: &[Tick]| {
        (pair[1].at - pair[0].at) * plot / 100.0 >= half(&pair[0]) + half(&pair[1]) + 8.0
    };
    if !ticks.windows(2).all(have_room) {
        ticks.drain(1..ticks.len() - 1);
    }
    let number = |tick: Tick| {
        let (middle, half) = (tick.at * plot / 100.0, half(&tick));
        let anchor = match middle {
            _ if middle - half < -f64::from(rooms.left) => "start",
            _ if middle + half > plot + f64::from(rooms.right) => "end",
            _ => "middle",
        };
        Number { at: tick.at, label: tick.label, anchor }
    };
    ticks.into_iter().map(number).collect()
}

/// A region beside its bar.
struct Name {
    name: String,
    share: Percent,
}

impl Name {
    fn new(region: RegionIndex, day: &Day, model: &Model) -> Self {
        let share = Percent(day.hashrate_shares_pct[region.get()]);
        let room = NAME_MAX - width_of(&share.to_string());
        Self { name: isolated(&shortened(&model.registry()[region].name, room)), share }
    }

    fn width(&self) -> f64 {
        width_of(&format!("{} {}", self.name, self.share))
    }
}

struct Row<'a> {
    name: &'a Name,
    amount: &'a str,
    /// The height of the middle of its bar.
    middle: u32,
    /// Percent of the plot.
    from: f64,
    length: f64,
    average: f64,
}

#[derive(Template)]
#[template(path = "regions.svg", escape = "html")]
struct Plot<'a> {
    x: u32,
    y: u32,
    width: String,
    height: u32,
    /// Where names begin.
    start: i64,
    /// Where amounts end, beyond the plot.
    end: u32,
    top: u32,
    bottom: u32,
    ticks: Vec<Tick>,
    numbers: Vec<Number>,
    rows: Vec<Row<'a>>,
    worldwide: f64,
    anchor: &'static str,
    worldwide_amount: String,
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;
    use jiff::civil::date;

    use super::*;

    fn ticks(labels: [&str; 3]) -> Vec<Tick> {
        [10.0, 50.0, 98.0]
            .into_iter()
            .zip(labels)
            .map(|(at, label)| Tick { at, label: label.into() })
            .collect()
    }

    #[track_caller]
    fn check(labels: [&str; 3], expected: &[(&str, &str)]) {
        let rooms = Rooms { left: 30, right: 30 };
        let numbers = numbers(ticks(labels), rooms, Form::Narrow);
        let shown: Vec<_> = numbers.iter().map(|number| (&*number.label, number.anchor)).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn numbers_that_have_no_room_are_left_out() {
        check(["40k", "60k", "80k"], &[("$40k", "middle"), ("60k", "middle"), ("80k", "middle")]);
        let long = ["0.0000000010", "0.0000000012", "0.0000000014"];
        check(long, &[("$0.0000000010", "middle"), ("0.0000000014", "end")]);
    }

    #[test]
    fn each_region_has_a_bar_a_point_and_its_average() {
        let model = Model::new(Inputs::default());
        let day = model.day(date(2026, 11, 16)).unwrap();
        let shown: Vec<RegionIndex> = model.registry().indices().collect();
        let source = Source { data: "Synthetic data", host: None };
        let svg = regions(&day, &model, &shown, source);
        assert_eq!([svg.matches("rx=\"2\"").count(), svg.matches("<circle").count()], [3, 3]);
        for region in &shown {
            let average = Unit::ONE.written(day.regions[region.get()].avg_usd);
            assert!(svg.contains(&format!(">{average}<")), "{svg}");
            assert!(svg.contains(&format!(">{} <", model.registry()[*region].name)), "{svg}");
        }
        assert!(svg.contains(&format!(">Worldwide {}<", Unit::ONE.written(day.global.avg_usd))));
    }
}
