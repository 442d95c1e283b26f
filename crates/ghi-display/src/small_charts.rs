//! Charts without numbers, for use in text and tables. The stylesheet determines their appearance.

use ghi_engine::{Costs, Decimal};

use crate::svg::{Point, path, short};

/// The size of a sparkline, in half pixels, which is as precise as a screen and short to write.
const WIDTH: f64 = 200.0;
const HEIGHT: f64 = 48.0;

/// The padding of the line in half pixels, so that neither the line nor its end is clipped.
const MARGIN: f64 = 6.0;

/// The most points of a sparkline, so that a page with many stays small: every second of 31 days.
const POINTS_MAX: usize = 16;

/// Draws a sparkline of averages: a line with a dot at its end. A constant line is in the middle. If there
/// are too many averages, only some are drawn, including the first and the last.
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

/// Draws the range from minimum to maximum as a bar with the average marked, in the available width. The
/// page labels its ends.
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
    use proptest::prelude::*;

    use super::*;

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
