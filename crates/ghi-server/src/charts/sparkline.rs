//! A line so small that it stands in a row of a table.

use askama::Template;
use ghi_engine::Decimal;

use crate::charts::frame::rendered;
use crate::charts::path::{path, short, tenths};

/// In pixels.
const WIDTH: f64 = 100.0;
const HEIGHT: f64 = 24.0;

/// Between the line and the edge, so that neither the line nor its end is clipped, in pixels.
const MARGIN: f64 = 3.0;

/// How averages moved: a line without numbers. One that stands still is in the middle.
pub(crate) fn sparkline(averages: &[Decimal]) -> String {
    let costs = || averages.iter().map(|cost| cost.count() as f64);
    let low = costs().fold(f64::INFINITY, f64::min);
    let span = costs().fold(f64::NEG_INFINITY, f64::max) - low;
    let step = (WIDTH - 2.0 * MARGIN) / averages.len().saturating_sub(1).max(1) as f64;
    let places = costs().enumerate().map(|(place, cost)| {
        let part = if span > 0.0 { (cost - low) / span } else { 0.5 };
        (MARGIN + step * place as f64, HEIGHT - MARGIN - part * (HEIGHT - 2.0 * MARGIN))
    });
    let places: Vec<(f64, f64)> = places.collect();
    let points: Vec<_> = places.iter().map(|(x, y)| (tenths(*x), tenths(*y))).collect();
    let end = places.last().map(|(x, y)| (short(*x), short(*y)));
    rendered(&Sparkline { width: WIDTH, height: HEIGHT, path: path(&points), end })
}

#[derive(Template)]
#[template(path = "charts/sparkline.svg", escape = "html")]
struct Sparkline {
    width: f64,
    height: f64,
    path: String,
    end: Option<(f64, f64)>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn costs(counts: &[u64]) -> Vec<Decimal> {
        counts.iter().map(|count| Decimal::new(*count, 2)).collect()
    }

    #[test]
    fn the_lowest_is_at_the_bottom_and_the_last_has_a_dot() {
        let svg = sparkline(&costs(&[100, 300, 200]));
        assert!(svg.contains("d=\"M3 21l47-18 47 9\""), "{svg}");
        assert!(svg.contains("<circle cx=\"97\" cy=\"12\""), "{svg}");
    }

    #[test]
    fn what_stands_still_is_in_the_middle_and_one_point_is_a_dot() {
        assert!(sparkline(&costs(&[5, 5])).contains("d=\"M3 12l94 0\""));
        assert!(sparkline(&costs(&[5])).contains("<circle cx=\"3\" cy=\"12\""));
        assert!(!sparkline(&[]).contains("<circle"));
    }

    proptest! {
        #[test]
        fn any_averages_stay_inside(counts in prop::collection::vec(0..10_u64.pow(15), 1..400)) {
            let svg = sparkline(&costs(&counts));
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
            let end = svg.split("cy=\"").nth(1).unwrap().split('"').next().unwrap();
            prop_assert!((3.0..=21.0).contains(&end.parse().unwrap()));
        }
    }
}
