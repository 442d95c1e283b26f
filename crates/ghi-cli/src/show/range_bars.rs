//! The regions chart: one bar per region from minimum to maximum, with the average marked.

use ghi_client::AnySnapshot;
use ghi_contract::GLOBAL;
use ghi_display::{Scale, ScaleStyle, Tick};
use ghi_engine::visible;
use unicode_width::UnicodeWidthStr;

use crate::show::costs::{at_scale, bounds, decimals, rounded};
use crate::text_table::cut;

/// The space between two columns.
const GAP: &str = "  ";

/// The minimum width, in columns, of a bar with costs next to it.
const BAR_BESIDE_FIGURES: usize = 24;

/// The minimum width of a bar in columns.
const BAR_MIN: usize = 10;

/// Columns per number on the scale.
const COLUMNS_PER_TICK: usize = 14;

/// With more bars than this, the scale is repeated below them.
const BARS_OF_A_SCREEN: usize = 20;

/// The maximum number of bars.
const BARS_MAX: usize = 20_000;

/// The maximum length of an id in characters.
const ID_MAX: usize = 32;

/// Draws a bar for worldwide, then one for each region in the order of the inputs.
pub(crate) fn chart(snapshot: &AnySnapshot, width: usize) -> Result<String, String> {
    let regions = snapshot.regions.as_deref().unwrap_or_default();
    let count = regions.len();
    if count == 0 {
        return Err("the snapshot is in the reduced form, which has no regions to draw".into());
    }
    if count > BARS_MAX {
        return Err(format!(
            "{count} regions are too many to draw; use show snapshot --format csv"
        ));
    }
    let worldwide = (|| {
        let min = snapshot.global_min_cost_usd?;
        Some((GLOBAL, [min, snapshot.global_avg_cost_usd?, snapshot.global_max_cost_usd?]))
    })();
    let regions = regions.iter().map(|region| {
        (&*region.id, [region.min_cost_usd, region.avg_cost_usd, region.max_cost_usd])
    });
    let (ids, costs): (Vec<&str>, Vec<[f64; 3]>) = worldwide.into_iter().chain(regions).unzip();
    let [low, high] = bounds(costs.iter().flatten().copied())?;

    let ids: Vec<String> = ids.iter().map(|id| cut(&visible(id, ID_MAX), width / 4)).collect();
    let id_width = ids.iter().map(|id| id.width()).max().unwrap_or_default().max("region".len());
    let (header, figures) = figures(&costs, width.saturating_sub(id_width + GAP.len()));
    let bar = width.saturating_sub(id_width + GAP.len() + header.len()).max(BAR_MIN);
    let style =
        ScaleStyle { ticks_max: (bar / COLUMNS_PER_TICK).max(4) as u64, is_brief: bar < 48 };
    let scale = Scale::covering(low, high, [0.0, (bar - 1) as f64], style);
    let column =
        |cost| scale.place(at_scale(cost, low)).round().clamp(0.0, (bar - 1) as f64) as usize;

    let line = |id: &str, bar: &str, figures: &str| {
        let space = " ".repeat(id_width - id.width());
        format!("{id}{space}{GAP}{bar}{figures}").trim_end().to_owned() + "\n"
    };
    let numbers = line("region", &numbers(&scale.ticks(), bar), &header);
    let rule = line("", &rule(&scale.ticks(), bar), "");
    let mut text = numbers.clone() + &rule;
    for ((id, costs), figures) in ids.iter().zip(&costs).zip(&figures) {
        text += &line(id, &drawn(costs.map(column), bar), figures);
    }
    if ids.len() > BARS_OF_A_SCREEN {
        text += &(rule + &numbers);
    }
    Ok(text)
}

/// Formats the costs next to the bars: all three, the average or none, whichever fits.
fn figures(costs: &[[f64; 3]], width: usize) -> (String, Vec<String>) {
    let decimals = decimals(costs.iter().flatten().copied());
    let with = |columns: &[(usize, &str)]| {
        let mut header = String::new();
        let mut rows = vec![String::new(); costs.len()];
        for (column, name) in columns {
            let cells: Vec<String> =
                costs.iter().map(|costs| rounded(costs[*column], decimals)).collect();
            let width = cells.iter().map(String::len).max().unwrap_or_default().max(name.len());
            header += &format!("{GAP}{name:>width$}");
            for (row, cell) in rows.iter_mut().zip(cells) {
                *row += &format!("{GAP}{cell:>width$}");
            }
        }
        (header, rows)
    };
    let choices: [&[(usize, &str)]; 2] = [&[(0, "min"), (1, "avg"), (2, "max")], &[(1, "avg")]];
    let mut choices = choices.into_iter().map(with);
    choices
        .find(|(header, _)| header.len() + BAR_BESIDE_FIGURES <= width)
        .unwrap_or_else(|| with(&[]))
}

/// Formats the numbers of a scale above their marks, as far as they fit.
fn numbers(ticks: &[Tick], width: usize) -> String {
    let mut text = String::new();
    for tick in ticks {
        let label = format!("${}", tick.label);
        let at = tick.at.round() as usize;
        let start = at.saturating_sub(label.len() / 2).min(width.saturating_sub(label.len()));
        if text.is_empty() || start > text.len() {
            text += &" ".repeat(start - text.len());
            text += &label;
        }
    }
    format!("{text:<width$}")
}

/// Draws a line with a mark at each number.
fn rule(ticks: &[Tick], width: usize) -> String {
    let is_tick = |column: usize| ticks.iter().any(|tick| tick.at.round() as usize == column);
    (0..width).map(|column| if is_tick(column) { '┴' } else { '─' }).collect()
}

/// Draws a bar from its minimum to its maximum.
fn drawn([min, avg, max]: [usize; 3], width: usize) -> String {
    let letter = |column| match column {
        column if column == avg => '●',
        column if column == min => '├',
        column if column == max => '┤',
        column if (min..max).contains(&column) => '─',
        _ => ' ',
    };
    (0..width).map(letter).collect()
}
