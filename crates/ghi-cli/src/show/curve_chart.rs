//! The cost curve as a chart: cost against the cumulative share of the hashrate.

use ghi_display::{Scale, ScaleStyle};

use crate::show::costs::{at_scale, bounds};
use crate::show::table_file::TableFile;

/// The columns that the chart shows. The cumulative share is where a region ends on the horizontal axis.
const COLUMNS: [&str; 4] = ["cumulative_share_pct", "min_cost_usd", "avg_cost_usd", "max_cost_usd"];

/// The height of the plot and its minimum width in characters.
const ROWS: usize = 16;
const PLOT_MIN: usize = 10;

/// The width of the axis and the space before it.
const AXIS: usize = 2;

/// Draws a curve with this width. Each region is a block that reaches from its minimum to its maximum; a
/// line across the block marks its average.
pub(crate) fn chart(curve: &TableFile, width: usize) -> Result<String, String> {
    let mut regions = Vec::new();
    for row in 0..curve.len() {
        let number = |column: &str| curve.cell(row, column)?.parse::<f64>().ok();
        let numbers = COLUMNS.map(|column| number(column).unwrap_or(f64::NAN));
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err("the cost curve has a row without costs".into());
        }
        regions.push(numbers);
    }
    let price = curve.price.as_ref().and_then(|[price, _]| price.parse::<f64>().ok());
    let costs = regions.iter().flat_map(|[_, min, _, max]| [*min, *max]);
    let [low, high] = bounds(costs.chain(price).chain([0.0]))?;
    let style = ScaleStyle { ticks_max: 8, is_brief: true };
    let scale = Scale::covering(low, high, [(ROWS - 1) as f64, 0.0], style);
    let row_of =
        |cost: f64| scale.place(at_scale(cost, low)).round().clamp(0.0, (ROWS - 1) as f64) as usize;
    let ticks: Vec<(usize, String)> =
        scale.ticks().into_iter().map(|tick| (tick.at.round() as usize, tick.label)).collect();
    let labels = ticks.iter().map(|(_, label)| label.len() + 1).max().unwrap_or_default();
    let plot = width.saturating_sub(labels + AXIS).max(PLOT_MIN);
    let price_row = price.map(row_of);
    let cell = |row: usize, column: usize| {
        let share = (column as f64 + 0.5) / plot as f64 * 100.0;
        match regions.iter().find(|[end_pct, ..]| share <= *end_pct) {
            Some([_, _, avg, _]) if row_of(*avg) == row => '━',
            _ if price_row == Some(row) => '┄',
            Some([_, min, _, max]) if (row_of(*max)..=row_of(*min)).contains(&row) => '░',
            _ => ' ',
        }
    };
    let mut text = String::new();
    for row in 0..ROWS {
        let tick = ticks.iter().find(|(at, _)| *at == row);
        let label = tick.map_or(String::new(), |(_, label)| format!("${label}"));
        let axis = if tick.is_some() { '┤' } else { '│' };
        let cells: String = (0..plot).map(|column| cell(row, column)).collect();
        text += &(format!("{label:>labels$} {axis}{cells}").trim_end().to_owned() + "\n");
    }
    text += &format!("{:labels$} └{}\n", "", "─".repeat(plot));
    let end = "100% of the hashrate";
    let space = plot.saturating_sub("0%".len() + end.len());
    text += &format!("{:indent$}0%{:space$}{end}\n", "", "", indent = labels + AXIS);
    Ok(text)
}
