//! The cost curve as a chart: cost against the cumulative share of the hashrate.

use ghi_display::{Scale, ScaleStyle};

use crate::show::costs::{at_scale, bounds};
use crate::show::table_file::CurveTable;

/// Rows of the plot.
const ROWS: usize = 16;

/// The fewest columns of the plot.
const PLOT_MIN: usize = 10;

/// Columns between the numbers and the plot: a space, and the axis.
const AXIS: usize = 2;

/// A region of the curve: the end of its share, percent, and its costs.
struct CurveRegion {
    end_pct: f64,
    min: f64,
    avg: f64,
    max: f64,
}

/// The chart of a curve, so many columns wide: for each share, the range of costs of the region that is
/// there, with a line at its average.
pub(crate) fn chart(curve: &CurveTable, width: usize) -> Result<String, String> {
    let regions = (0..curve.table.len()).map(|row| {
        let number = |column: &str| {
            let number = curve.table.cell(row, column).and_then(|cell| cell.parse::<f64>().ok());
            number.filter(|number| number.is_finite())
        };
        let region = || {
            Some(CurveRegion {
                end_pct: number("cumulative_share_pct")?,
                min: number("min_cost_usd")?,
                avg: number("avg_cost_usd")?,
                max: number("max_cost_usd")?,
            })
        };
        region().ok_or_else(|| "the cost curve has a row without its costs".to_owned())
    });
    let regions = regions.collect::<Result<Vec<_>, _>>()?;
    let price = curve.price.as_ref().and_then(|[price, _]| price.parse::<f64>().ok());
    let costs = regions.iter().flat_map(|region| [region.min, region.max]);
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
    // The cell of a row and a column.
    let cell = |row: usize, column: usize| {
        let share = (column as f64 + 0.5) / plot as f64 * 100.0;
        let region = regions.iter().find(|region| share <= region.end_pct);
        let is_in = |region: &CurveRegion| (row_of(region.max)..=row_of(region.min)).contains(&row);
        match region {
            Some(region) if row_of(region.avg) == row => '━',
            _ if price_row == Some(row) => '┄',
            Some(region) if is_in(region) => '░',
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
    Ok(text + &curve.finding())
}
