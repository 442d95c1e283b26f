//! The regions compared in one chart.

use askama::Template;
use ghi_engine::{Costs, Day, Decimal, Model, RegionIndex};

use crate::chart::{ChartForm, ChartSource, ChartSvg, FileTexts, HEAD, Margins};
use crate::dates::long_date;
use crate::numbers::{Amount, Percent, Unit};
use crate::scale::{Scale, ScaleStyle, Tick};
use crate::svg::{isolated, rendered, short, shortened, small_width_of, width_of};

/// The heights above the bars, for the label of the dashed line, and below them, for the numbers, in pixels.
const TOP: u32 = 26;
const FOOT: u32 = 24;

/// The height of a region's row, in pixels.
const BAR_HEIGHT: u32 = 32;

/// The widest name with its share, in pixels.
const NAME_MAX: f64 = 300.0;

/// The space between a name or an amount and the plot, in pixels.
const GAP: f64 = 12.0;

struct RegionBar {
    name: String,
    share: Percent,
    amount: String,
    middle: u32,
    /// Minimum, average and maximum, in percent of the plot.
    costs: [f64; 3],
}

#[derive(Template)]
#[template(path = "regions_chart.svg", escape = "html")]
struct RegionsPlot {
    margins: Margins,
    bottom: u32,
    ticks: Vec<Tick>,
    /// The labels below the plot, and the anchor of each.
    numbers: Vec<(Tick, &'static str)>,
    bars: Vec<RegionBar>,
    worldwide: f64,
    worldwide_amount: String,
}

/// Draws a file that compares the regions: bars from minimum to maximum, points at the averages, and the
/// worldwide average as a dashed line. `shown` must not be empty.
pub fn regions_chart(
    day: &Day,
    model: &Model,
    shown: &[RegionIndex],
    source: ChartSource<'_>,
) -> String {
    let costs = shown.iter().map(|region| {
        let Costs { min_usd, avg_usd, max_usd } = day.regions[region.get()];
        let [min, avg, max] = [min_usd, avg_usd, max_usd].map(Amount);
        let name = isolated(&model.registry()[*region].name);
        format!("{name} {min} to {max}, average {avg}")
    });
    let description = format!(
        "Cost by region on {}, USD per {}: {}. Worldwide average {}.",
        long_date(day.date),
        model.coin().unit(),
        costs.collect::<Vec<_>>().join("; "),
        Amount(day.global.avg_usd)
    );
    let plot = RegionsPlot::new(day, model, shown);
    let subtitle = "Cost in USD and share of the hashrate: bars from minimum to maximum, points at the average";
    rendered(&ChartSvg {
        form: ChartForm::File,
        margins: plot.margins,
        plot_height: plot.bottom + FOOT,
        plot: rendered(&plot),
        id: "regions",
        heading: &heading(day, model, shown),
        description: &description,
        file: Some(FileTexts { subtitle, date: day.date, source }),
    })
}

impl RegionsPlot {
    fn new(day: &Day, model: &Model, shown: &[RegionIndex]) -> Self {
        let worldwide = day.global.avg_usd;
        let costs = shown.iter().map(|region| day.regions[region.get()]);
        let low = costs.clone().map(|costs| costs.min_usd).fold(worldwide, Ord::min);
        let high = costs.map(|costs| costs.max_usd).fold(worldwide, Ord::max);
        let unit = Unit::of([high]);
        let style = ScaleStyle { ticks_max: 5, is_brief: false };
        let scale = Scale::covering(low, high, [0.0, 100.0], style);
        let percent = |cost: Decimal| short(scale.place(cost));
        let bar = |(index, region): (u32, &RegionIndex)| {
            let Costs { min_usd, avg_usd, max_usd } = day.regions[region.get()];
            let share = Percent(day.hashrate_shares_pct[region.get()]);
            let name_max = NAME_MAX - width_of(&share.to_string());
            RegionBar {
                name: isolated(&shortened(&model.registry()[*region].name, name_max)),
                share,
                amount: unit.written(avg_usd),
                middle: TOP + BAR_HEIGHT * index + BAR_HEIGHT / 2,
                costs: [min_usd, avg_usd, max_usd].map(percent),
            }
        };
        let bars: Vec<RegionBar> = (0..).zip(shown).map(bar).collect();
        let name_width = |bar: &RegionBar| width_of(&format!("{} {}", bar.name, bar.share));
        let left = bars.iter().map(name_width).fold(0.0, f64::max);
        let right = bars.iter().map(|bar| width_of(&bar.amount)).fold(24.0, f64::max);
        let margins = Margins::new(left + GAP, right + GAP, ChartForm::File);
        Self {
            margins,
            numbers: axis_numbers(scale.ticks(), margins, margins.plot_width(ChartForm::File)),
            bottom: TOP + BAR_HEIGHT * shown.len() as u32,
            ticks: scale.ticks(),
            bars,
            worldwide: percent(worldwide),
            worldwide_amount: unit.written(worldwide),
        }
    }
}

/// Returns the labels of the ticks that fit next to each other, all of them or the first and the last, and the
/// anchor of each.
fn axis_numbers(
    mut ticks: Vec<Tick>,
    margins: Margins,
    plot_width: f64,
) -> Vec<(Tick, &'static str)> {
    ticks[0].label.insert(0, '$');
    // The ends of a label, in pixels from the left of the plot.
    let ends = |tick: &Tick| {
        let (at, half) = (tick.at * plot_width / 100.0, small_width_of(&tick.label) / 2.0);
        [at - half, at + half]
    };
    if !ticks.windows(2).all(|pair| ends(&pair[1])[0] - ends(&pair[0])[1] >= 8.0) {
        ticks.drain(1..ticks.len() - 1);
    }
    let number = |tick: Tick| match ends(&tick) {
        [start, _] if start < -f64::from(margins.left) => (tick, "start"),
        [_, end] if end > plot_width + f64::from(margins.right) => (tick, "end"),
        _ => (tick, "middle"),
    };
    ticks.into_iter().map(number).collect()
}

/// Returns the heading: which of the regions shown are the cheapest and the most expensive.
fn heading(day: &Day, model: &Model, shown: &[RegionIndex]) -> String {
    let average = |region: &RegionIndex| day.regions[region.get()].avg_usd;
    let of_all = shown.len() == day.regions.len();
    // In pixels at the usual font size.
    let name_max = if of_all { 130.0 } else { 85.0 };
    let name =
        |region: &RegionIndex| isolated(&shortened(&model.registry()[*region].name, name_max));
    let mut regions = shown.to_vec();
    regions.sort_by_key(average);
    let [low, high] = [&regions[0], &regions[regions.len() - 1]];
    let cost = Amount(average(low)).rounded();
    if average(low) < average(high) {
        let of = if of_all { String::new() } else { format!("Of {} shown, ", shown.len()) };
        return format!("{of}{} is the cheapest and {} the most expensive", name(low), name(high));
    }
    let coin = &model.coin().name;
    match shown.len() {
        1 => format!("{}: one {coin} costs ${cost} on average", name(low)),
        count => format!("One {coin} costs ${cost} in each of {count} regions on average"),
    }
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;
    use jiff::civil::date;

    use super::*;

    #[track_caller]
    fn check(labels: [&str; 3], expected: &[(&str, &str)]) {
        let ticks = [10.0, 50.0, 98.0].into_iter().zip(labels);
        let ticks = ticks.map(|(at, label)| Tick { at, label: label.into() }).collect();
        let numbers = axis_numbers(ticks, Margins { left: 30, right: 30 }, 228.0);
        let shown: Vec<_> = numbers.iter().map(|(tick, anchor)| (&*tick.label, *anchor)).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn numbers_that_do_not_fit_are_left_out() {
        check(["40k", "60k", "80k"], &[("$40k", "middle"), ("60k", "middle"), ("80k", "middle")]);
        let long = ["0.0000000010", "0.0000000012", "0.0000000014"];
        check(long, &[("$0.0000000010", "middle"), ("0.0000000014", "end")]);
    }

    #[test]
    fn each_region_has_a_bar_a_point_and_its_average() {
        let model = Model::new(Inputs::default());
        let day = model.day(date(2026, 11, 16)).unwrap();
        let shown: Vec<RegionIndex> = model.registry().indices().collect();
        let source = ChartSource { data: "Synthetic data", host: None };
        let svg = regions_chart(&day, &model, &shown, source);
        assert_eq!([svg.matches("rx=\"2\"").count(), svg.matches("<circle").count()], [3, 3]);
        for region in &shown {
            let average = Unit::ONE.written(day.regions[region.get()].avg_usd);
            assert!(svg.contains(&format!(">{average}<")), "{svg}");
            assert!(svg.contains(&format!(">{} <", model.registry()[*region].name)), "{svg}");
        }
        assert!(svg.contains(&format!(">Worldwide {}<", Unit::ONE.written(day.global.avg_usd))));
    }
}
