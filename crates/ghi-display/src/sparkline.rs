//! A line so small that it stands in a row of a table.

use askama::Template;
use ghi_engine::Decimal;

use crate::frame::rendered;
use crate::path::{Point, path, point};

/// In half pixels: whole ones are as exact as a screen, and short to write. The stylesheet has the size in
/// pixels, and the looks.
const WIDTH: f64 = 200.0;
const HEIGHT: f64 = 48.0;

/// Between the line and the edge, so that neither the line nor its end is clipped, in half pixels.
const MARGIN: f64 = 6.0;

/// How averages moved: a line without numbers. One that stands still is in the middle.
pub fn sparkline(averages: &[Decimal]) -> String {
    let costs = || averages.iter().map(|cost| cost.count() as f64);
    let low = costs().fold(f64::INFINITY, f64::min);
    let span = costs().fold(f64::NEG_INFINITY, f64::max) - low;
    let step = (WIDTH - 2.0 * MARGIN) / averages.len().saturating_sub(1).max(1) as f64;
    let places = costs().enumerate().map(|(place, cost)| {
        let part = if span > 0.0 { (cost - low) / span } else { 0.5 };
        let (x, y) = (step * place as f64, part * (HEIGHT - 2.0 * MARGIN));
        ((MARGIN + x).round() as i64, (HEIGHT - MARGIN - y).round())
    });
    let places: Vec<(i64, f64)> = places.collect();
    let points: Vec<Point> = places.iter().map(|(x, y)| point(*x, *y)).collect();
    let end = places.last().copied();
    rendered(&Sparkline { width: WIDTH, height: HEIGHT, path: path(&points), end })
}

#[derive(Template)]
#[template(path = "sparkline.svg", escape = "html")]
struct Sparkline {
    width: f64,
    height: f64,
    path: String,
    end: Option<(i64, f64)>,
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
        assert!(svg.contains("d=\"M6 42l94-36 94 18\""), "{svg}");
        assert!(svg.contains("<circle cx=\"194\" cy=\"24\""), "{svg}");
    }

    #[test]
    fn what_stands_still_is_in_the_middle_and_one_point_is_a_dot() {
        assert!(sparkline(&costs(&[5, 5])).contains("d=\"M6 24l188 0\""));
        assert!(sparkline(&costs(&[5])).contains("<circle cx=\"6\" cy=\"24\""));
        assert!(!sparkline(&[]).contains("<circle"));
    }

    proptest! {
        #[test]
        fn any_averages_stay_inside(counts in prop::collection::vec(0..10_u64.pow(15), 1..400)) {
            let svg = sparkline(&costs(&counts));
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
            let end = svg.split("cy=\"").nth(1).unwrap().split('"').next().unwrap();
            prop_assert!((6.0..=42.0).contains(&end.parse().unwrap()));
        }
    }
}
