//! Charts of the regions: all of them compared, and small charts without numbers for tables and text.

use askama::Template;
use ghi_engine::{Costs, Day, Decimal, Model, RegionIndex};

use crate::numbers::{Unit, grouped, long_date, rounded, share_percent};
use crate::scale::{Scale, Tick};
use crate::selection::shown_regions;
use crate::svg::{
    ChartForm, ChartSvg, HEAD, Margins, Point, isolated, path, short, shortened, small_width_of,
    width_of,
};

/// The heights above the bars, for the label of the dashed line, of a bar's row, and below the bars, in pixels.
const TOP: u32 = 26;
const BAR_HEIGHT: u32 = 32;
const FOOT: u32 = 24;

/// The widest name with its share, and the space between it or an amount and the plot, in pixels.
const NAME_MAX: f64 = 300.0;
const GAP: f64 = 12.0;

/// A region's row, with its costs in percent of the plot.
struct RegionBar {
    name: String,
    share: String,
    amount: String,
    middle: u32,
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

/// Draws a file that compares the regions with each other and with the worldwide average, and names its source.
pub fn regions_chart(model: &Model, day: &Day, source: &str) -> String {
    let shown = shown_regions(model, day);
    let costs = shown.iter().map(|region| {
        let Costs { min_usd, avg_usd, max_usd } = day.regions[region.get()];
        let [min, avg, max] = [min_usd, avg_usd, max_usd].map(grouped);
        let name = isolated(&model.registry()[*region].name);
        format!("{name} {min} to {max}, average {avg}")
    });
    let description = format!(
        "Cost by region on {}, USD per {}: {}. Worldwide average {}.",
        long_date(day.date),
        model.coin().unit(),
        costs.collect::<Vec<_>>().join("; "),
        grouped(day.global.avg_usd)
    );
    let plot = RegionsPlot::new(model, day, &shown);
    let subtitle = "Cost in USD and share of the hashrate: bars from minimum to maximum, points at the average";
    ChartSvg {
        form: ChartForm::File,
        margins: plot.margins,
        plot_height: plot.bottom + FOOT,
        plot: plot.to_string(),
        id: "regions",
        heading: &heading(model, day, &shown),
        description: &description,
        file: Some([subtitle, source]),
    }
    .to_string()
}

impl RegionsPlot {
    fn new(model: &Model, day: &Day, shown: &[RegionIndex]) -> Self {
        let worldwide = day.global.avg_usd;
        let costs = shown.iter().map(|region| day.regions[region.get()]);
        let low = costs.clone().map(|costs| costs.min_usd).fold(worldwide, Ord::min);
        let high = costs.map(|costs| costs.max_usd).fold(worldwide, Ord::max);
        let unit = Unit::of([high]);
        let scale = Scale::linear(unit, [low, high], [0.0, 100.0], 5, false);
        let percent = |cost: Decimal| short(scale.place(cost));
        let bar = |(index, region): (u32, &RegionIndex)| {
            let Costs { min_usd, avg_usd, max_usd } = day.regions[region.get()];
            let share = share_percent(day.hashrate_shares_pct[region.get()]);
            let name = shortened(&model.registry()[*region].name, NAME_MAX - width_of(&share));
            RegionBar {
                name: isolated(&name),
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

/// Returns the labels that fit next to each other, all of them or the first and the last, and the anchor of each.
fn axis_numbers(mut ticks: Vec<Tick>, margins: Margins, width: f64) -> Vec<(Tick, &'static str)> {
    ticks[0].label.insert(0, '$');
    // The ends of a label, in pixels from the left of the plot.
    let ends = |tick: &Tick| {
        let (at, half) = (tick.at * width / 100.0, small_width_of(&tick.label) / 2.0);
        [at - half, at + half]
    };
    if !ticks.windows(2).all(|pair| ends(&pair[1])[0] - ends(&pair[0])[1] >= 8.0) {
        ticks.drain(1..ticks.len() - 1);
    }
    let number = |tick: Tick| match ends(&tick) {
        [start, _] if start < -f64::from(margins.left) => (tick, "start"),
        [_, end] if end > width + f64::from(margins.right) => (tick, "end"),
        _ => (tick, "middle"),
    };
    ticks.into_iter().map(number).collect()
}

/// Returns the heading: which of the regions shown are the cheapest and the most expensive.
fn heading(model: &Model, day: &Day, shown: &[RegionIndex]) -> String {
    let average = |region: &RegionIndex| day.regions[region.get()].avg_usd;
    let of_all = shown.len() == day.regions.len();
    // In pixels at the usual font size.
    let name_max = if of_all { 130.0 } else { 85.0 };
    let name =
        |region: &RegionIndex| isolated(&shortened(&model.registry()[*region].name, name_max));
    let mut regions = shown.to_vec();
    regions.sort_by_key(average);
    let [low, high] = [&regions[0], &regions[regions.len() - 1]];
    let cost = rounded(average(low));
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

/// The size of a sparkline, and its padding, so that its end is not clipped, in half pixels, which are short to write.
const WIDTH: f64 = 200.0;
const HEIGHT: f64 = 48.0;
const MARGIN: f64 = 6.0;

/// The most points of a sparkline, so that a page with many stays small: every second of 31 days.
const POINTS_MAX: usize = 16;

/// Draws a sparkline: a line with a dot at its end. Of many averages, draws some, with the first and the last.
pub fn sparkline(averages: &[Decimal]) -> String {
    let drawn = averages.len().min(POINTS_MAX);
    let gaps = drawn.saturating_sub(1).max(1);
    let place = |index| index * averages.len().saturating_sub(1) / gaps;
    let costs = (0..drawn).map(|index| averages[place(index)].to_f64());
    let low = costs.clone().fold(f64::INFINITY, f64::min);
    let span = costs.clone().fold(f64::NEG_INFINITY, f64::max) - low;
    let step = (WIDTH - 2.0 * MARGIN) / gaps as f64;
    let point = |(index, cost): (usize, f64)| -> Point {
        let part = if span > 0.0 { (cost - low) / span } else { 0.5 };
        let (x, y) = (step * index as f64, part * (HEIGHT - 2.0 * MARGIN));
        ((MARGIN + x).round() as i64, (HEIGHT - MARGIN - y).round() as i64)
    };
    let points: Vec<Point> = costs.enumerate().map(point).collect();
    let end = points.last().map(|(x, y)| format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"5\"/>"));
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" aria-hidden=\"true\"><path d=\"{}\"/>{}</svg>",
        path(&points),
        end.unwrap_or_default()
    )
}

/// Draws the range from minimum to maximum as a bar with the average marked. The page labels its ends.
pub fn range_bar(costs: &Costs) -> String {
    let [min, avg, max] =
        [costs.min_usd, costs.avg_usd, costs.max_usd].map(|cost| cost.count() as f64);
    let average = if max > min { 100.0 * (avg - min) / (max - min) } else { 50.0 };
    format!(
        "<svg class=\"chart\" width=\"100%\" height=\"16\" overflow=\"visible\" aria-hidden=\"true\">\
         <rect width=\"100%\" y=\"3\" height=\"10\" rx=\"5\" fill=\"var(--range)\"/>\
         <circle cx=\"{}%\" cy=\"8\" r=\"7\" fill=\"var(--average)\" stroke=\"var(--card)\" stroke-width=\"2\"/></svg>",
        short(average)
    )
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;
    use jiff::civil::date;
    use proptest::prelude::*;

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
        let svg = regions_chart(&model, &day, "Synthetic data");
        assert_eq!([svg.matches("rx=\"2\"").count(), svg.matches("<circle").count()], [3, 3]);
        for region in &shown {
            let average = Unit::ONE.written(day.regions[region.get()].avg_usd);
            assert!(svg.contains(&format!(">{average}<")), "{svg}");
            assert!(svg.contains(&format!(">{} <", model.registry()[*region].name)), "{svg}");
        }
        assert!(svg.contains(&format!(">Worldwide {}<", Unit::ONE.written(day.global.avg_usd))));
    }

    fn costs(counts: &[u64]) -> Vec<Decimal> {
        counts.iter().map(|count| Decimal::new(*count, 2)).collect()
    }

    #[test]
    fn the_lowest_average_is_at_the_bottom_and_the_last_has_a_dot() {
        let svg = sparkline(&costs(&[100, 300, 200]));
        assert!(svg.contains("d=\"M6 42l94-36 94 18\""), "{svg}");
        assert!(svg.contains("<circle cx=\"194\" cy=\"24\""), "{svg}");
        let mut steps = [300; 31];
        steps[0] = 100;
        assert!(sparkline(&costs(&steps)).contains("d=\"M6 42l"), "the first is drawn");
    }

    #[test]
    fn a_constant_is_in_the_middle_and_one_point_is_a_dot() {
        assert!(sparkline(&costs(&[5, 5])).contains("d=\"M6 24l188 0\""));
        assert!(sparkline(&costs(&[5])).contains("<circle cx=\"6\" cy=\"24\""));
        assert!(!sparkline(&[]).contains("<circle"));
    }

    proptest! {
        #[test]
        fn any_averages_stay_inside_a_sparkline(counts in prop::collection::vec(0..10_u64.pow(15), 1..400)) {
            let svg = sparkline(&costs(&counts));
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
            let end = svg.split("cy=\"").nth(1).unwrap().split('"').next().unwrap();
            prop_assert!((6.0..=42.0).contains(&end.parse().unwrap()));
        }
    }

    fn bar(counts: [u64; 3]) -> String {
        let [min_usd, avg_usd, max_usd] = counts.map(|count| Decimal::new(count, 2));
        range_bar(&Costs { min_usd, avg_usd, max_usd })
    }

    #[test]
    fn a_range_bar_marks_the_average() {
        assert!(bar([4_943_299, 6_285_405, 7_627_510]).contains("cx=\"50%\""));
        assert!(bar([0, 25, 100]).contains("cx=\"25%\""));
    }

    #[test]
    fn the_average_of_equal_costs_is_in_the_middle() {
        assert!(bar([5, 5, 5]).contains("cx=\"50%\""));
    }
}
