//! The regions chart: one bar per region from minimum to maximum, with the average marked.

use ghi_client::AnySnapshot;
use ghi_contract::GLOBAL;
use ghi_engine::visible;
use unicode_width::UnicodeWidthStr;

use crate::show::chart_scale::{ChartScale, PLOT_MIN, range};
use crate::show::numbers::{decimals, readable};
use crate::text_table::{GAP, cut};

/// The minimum width of a bar with costs next to it, in columns.
const BAR_BESIDE_COSTS: usize = 24;

/// Columns per number on the scale.
const COLUMNS_PER_TICK: usize = 14;

/// With more bars than this, the scale is repeated below them.
const BARS_OF_A_SCREEN: usize = 20;

const ID_MAX: usize = 32;

/// From this value on, costs next to a bar are in whole dollars.
const WHOLE_FROM: f64 = 1_000.0;

/// Draws a bar for worldwide, then one for each region in the order of the inputs.
pub(crate) fn chart(snapshot: &AnySnapshot, width: usize) -> Result<String, String> {
    let regions = snapshot.regions.as_deref().unwrap_or_default();
    if regions.is_empty() {
        return Err("the snapshot is in the reduced form, which has no regions to draw".into());
    }
    let worldwide = (|| {
        let min = snapshot.global_min_cost_usd?;
        Some((GLOBAL, [min, snapshot.global_avg_cost_usd?, snapshot.global_max_cost_usd?]))
    })();
    let regions = regions.iter().map(|region| {
        (&*region.id, [region.min_cost_usd, region.avg_cost_usd, region.max_cost_usd])
    });
    let (ids, costs): (Vec<&str>, Vec<[f64; 3]>) = worldwide.into_iter().chain(regions).unzip();

    let ids: Vec<String> = ids.iter().map(|id| cut(&visible(id, ID_MAX), width / 4)).collect();
    let id_width = ids.iter().map(|id| id.width()).max().unwrap_or_default().max("region".len());
    let beside = width.saturating_sub(id_width + GAP.len());
    // All three costs, the average or none, whichever fits.
    let choices: [&[(usize, &str)]; 3] =
        [&[(0, "min"), (1, "avg"), (2, "max")], &[(1, "avg")], &[]];
    let choices = choices.map(|columns| cost_columns(&costs, columns));
    let fits = |rows: &&Vec<String>| rows[0].len() + BAR_BESIDE_COSTS <= beside;
    let texts = choices.iter().find(fits).unwrap_or(&choices[2]);
    let bar = beside.saturating_sub(texts[0].len()).max(PLOT_MIN);
    let range = range(costs.iter().flatten().copied());
    let ticks_max = (bar / COLUMNS_PER_TICK).max(4);
    let scale = ChartScale::covering(range, [0, bar - 1], ticks_max, bar < 48)?;

    let line = |id: &str, bar: &str, costs: &str| {
        let space = " ".repeat(id_width - id.width());
        format!("{id}{space}{GAP}{bar}{costs}").trim_end().to_owned() + "\n"
    };
    let ticks = scale.ticks();
    let is_tick = |column: usize| ticks.iter().any(|(at, _)| *at == column);
    let rule: String = (0..bar).map(|column| if is_tick(column) { '┴' } else { '─' }).collect();
    let [numbers, rule] = [line("region", &numbers(&ticks, bar), &texts[0]), line("", &rule, "")];
    let mut text = numbers.clone() + &rule;
    for ((id, costs), beside) in ids.iter().zip(&costs).zip(&texts[1..]) {
        text += &line(id, &drawn(costs.map(|cost| scale.place(cost)), bar), beside);
    }
    if ids.len() > BARS_OF_A_SCREEN {
        text += &(rule + &numbers);
    }
    Ok(text)
}

/// Formats these costs of each row, right-aligned below their names.
fn cost_columns(costs: &[[f64; 3]], columns: &[(usize, &str)]) -> Vec<String> {
    let decimals = decimals(costs.iter().flatten().copied());
    let rounded = |cost: f64| match cost {
        WHOLE_FROM.. => readable(cost.round(), 0),
        _ => readable(cost, decimals),
    };
    let mut rows = vec![String::new(); costs.len() + 1];
    for (column, name) in columns {
        let cells = costs.iter().map(|costs| rounded(costs[*column]));
        let cells: Vec<String> = std::iter::once((*name).to_owned()).chain(cells).collect();
        let width = cells.iter().map(String::len).max().unwrap_or_default();
        for (row, cell) in rows.iter_mut().zip(cells) {
            *row += &format!("{GAP}{cell:>width$}");
        }
    }
    rows
}

/// Formats the numbers of a scale above their marks, as far as they fit.
fn numbers(ticks: &[(usize, String)], width: usize) -> String {
    let mut text = String::new();
    for (at, label) in ticks {
        let start = at.saturating_sub(label.len() / 2).min(width.saturating_sub(label.len()));
        if text.is_empty() || start > text.len() {
            text += &" ".repeat(start - text.len());
            text += label;
        }
    }
    format!("{text:<width$}")
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
