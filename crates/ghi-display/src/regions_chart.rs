//! Charts of the regions: all of them compared, and small charts without numbers for tables and text.

use askama::Template;
use ghi_engine::{Costs, Day, Decimal, Model, RegionIndex};

use crate::numbers::{Unit, grouped, long_date, rounded, share_percent};
use crate::scale::{Scale, Tick};
use crate::selection::shown_regions;
use crate::svg::{
    ChartForm, ChartFrame, HEAD, Margins, Point, isolated, path, short, shortened, small_width_of,
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
    /// The ticks whose numbers are below the plot.
    numbers: Vec<Tick>,
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
    let (form, margins, heading) = (ChartForm::File, plot.margins, heading(model, day, &shown));
    let (plot, texts) = ((plot.bottom + FOOT, plot), ["regions", &*heading, &*description]);
    ChartFrame { form, margins, plot, texts, file: Some([subtitle, source]) }.to_string()
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
            numbers: numbered(scale.ticks(), margins.plot_width(ChartForm::File)),
            bottom: TOP + BAR_HEIGHT * shown.len() as u32,
            ticks: scale.ticks(),
            bars,
            worldwide: percent(worldwide),
            worldwide_amount: unit.written(worldwide),
        }
    }
}

/// Returns the ticks whose numbers are shown: all or, if they don't fit next to each other, the first and the last.
fn numbered(mut ticks: Vec<Tick>, width: f64) -> Vec<Tick> {
    ticks[0].label.insert(0, '$');
    let widths = ticks.iter().map(|tick| small_width_of(&tick.label) + GAP);
    if widths.sum::<f64>() > width {
        ticks.drain(1..ticks.len() - 1);
    }
    ticks
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
    if average(low) == average(high) {
        return format!("One {} costs ${} on average", model.coin().name, rounded(average(low)));
    }
    let of = if of_all { String::new() } else { format!("Of {} shown, ", shown.len()) };
    format!("{of}{} is the cheapest and {} the most expensive", name(low), name(high))
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

/// Returns where the average is in the range from minimum to maximum, in percent.
pub fn average_in_range(costs: &Costs) -> f64 {
    let [min, avg, max] =
        [costs.min_usd, costs.avg_usd, costs.max_usd].map(|cost| cost.count() as f64);
    short(if max > min { 100.0 * (avg - min) / (max - min) } else { 50.0 })
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_that_do_not_fit_are_left_out() {
        let shown = |labels: [&str; 3]| {
            let ticks = labels.map(|label| Tick { at: 50.0, label: label.into() });
            let shown = numbered(ticks.into(), 228.0).into_iter().map(|tick| tick.label);
            shown.collect::<Vec<_>>()
        };
        assert_eq!(shown(["40k", "60k", "80k"]), ["$40k", "60k", "80k"]);
        let long = ["0.0000000010", "0.0000000012", "0.0000000014"];
        assert_eq!(shown(long), ["$0.0000000010", "0.0000000014"]);
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

    #[test]
    fn the_average_of_equal_costs_is_in_the_middle() {
        let at = |counts: [u64; 3]| {
            let [min_usd, avg_usd, max_usd] = counts.map(|count| Decimal::new(count, 2));
            average_in_range(&Costs { min_usd, avg_usd, max_usd })
        };
        assert_eq!([at([4_943_299, 6_285_405, 7_627_510]), at([0, 25, 100])], [50.0, 25.0]);
        assert_eq!(at([5, 5, 5]), 50.0);
    }
}
