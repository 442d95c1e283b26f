//! The cost curve as a chart: cost against the cumulative share of the hashrate.

use serde::Deserialize;

use crate::show::chart_scale::{AXIS, ChartScale, PLOT_MIN, range, with_axis};

const ROWS: usize = 16;

/// The cost curve, sorted by cost.
#[derive(Deserialize)]
pub(super) struct DrawnCurve {
    rows: Vec<DrawnRegion>,
    price_usd: Option<f64>,
}

#[derive(Deserialize)]
struct DrawnRegion {
    /// Where the region ends on the horizontal axis.
    cumulative_share_pct: f64,
    min_cost_usd: f64,
    avg_cost_usd: f64,
    max_cost_usd: f64,
}

/// Draws a curve with this width. Each region is a block that reaches from its minimum to its maximum; a
/// line across the block marks its average.
pub(super) fn chart(curve: &DrawnCurve, width: usize) -> Result<String, String> {
    let costs = curve.rows.iter().flat_map(|region| [region.min_cost_usd, region.max_cost_usd]);
    let costs = range(costs.chain(curve.price_usd).chain([0.0]));
    let scale = ChartScale::covering(costs, [ROWS - 1, 0], 8, true)?;
    let ticks = scale.ticks();
    let labels = ticks.iter().map(|(_, label)| label.len()).max().unwrap_or_default();
    let plot = width.saturating_sub(labels + AXIS).max(PLOT_MIN);
    let price = curve.price_usd.map(|price| scale.place(price));
    let cell = |row: usize, column: usize| {
        let share = (column as f64 + 0.5) / plot as f64 * 100.0;
        let region = curve.rows.iter().find(|region| share <= region.cumulative_share_pct);
        let [min, avg, max] = match region {
            Some(it) => {
                [it.min_cost_usd, it.avg_cost_usd, it.max_cost_usd].map(|it| scale.place(it))
            }
            // Below the plot.
            None => [0, ROWS, ROWS],
        };
        match row {
            _ if row == avg => '━',
            _ if price == Some(row) => '┄',
            _ if (max..=min).contains(&row) => '░',
            _ => ' ',
        }
    };
    let rows = (0..ROWS).map(|row| (0..plot).map(|column| cell(row, column)).collect());
    let mut text = with_axis(rows, &ticks, labels);
    text += &format!("{:labels$} └{}\n", "", "─".repeat(plot));
    let end = "100% of the hashrate";
    let space = plot.saturating_sub("0%".len() + end.len());
    text += &format!("{:indent$}0%{:space$}{end}\n", "", "", indent = labels + AXIS);
    Ok(text)
}
