//! A line without axes, as high as a row of a table.

use std::fmt::Write as _;

use ghi_engine::Decimal;

/// Averages as a line.
pub(crate) fn sparkline(averages: &[Decimal]) -> String {
    let values: Vec<f64> = averages.iter().map(|average| average.to_f64()).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut points = String::new();
    for (place, value) in values.iter().enumerate() {
        let x = 3.0 + 94.0 * place as f64 / (values.len() - 1).max(1) as f64;
        let y = if high > low { 21.0 - 18.0 * (value - low) / (high - low) } else { 12.0 };
        _ = write!(points, "{x:.1},{y:.1} ");
    }
    format!(
        "<svg class=\"sparkline\" width=\"100\" height=\"24\" viewBox=\"0 0 100 24\" aria-hidden=\"true\">\
         <polyline points=\"{}\" fill=\"none\" stroke=\"var(--average)\" stroke-width=\"1.5\"/></svg>",
        points.trim_end()
    )
}
