//! The history chart: minimum, average and maximum as lines. The axis skips the gaps between them; otherwise
//! the average would look flat.

use ghi_contract::{History, HistoryPoint};
use ghi_display::{Scale, ScaleStyle};
use ghi_engine::{Decimal, visible};
use unicode_width::UnicodeWidthStr;

use crate::show::costs::{at_scale, bounds, decimals, readable};

/// Terminal columns per row of the chart, and the minimum and maximum number of rows.
const COLUMNS_PER_ROW: usize = 6;
const ROWS: [usize; 2] = [9, 21];

/// The minimum number of rows of a panel, one for each number on its scale.
const PANEL_ROWS: usize = 3;

/// Columns between the numbers and the plot: a space, and the axis.
const AXIS: usize = 2;

/// Columns at the right of the plot: a space, and a name of three letters.
const NAME: usize = 4;

/// The minimum width of a plot in columns.
const PLOT_MIN: usize = 10;

/// Below this width of the terminal, thousands are written as `k`.
const BRIEF_BELOW: usize = 60;

/// The maximum length of a date in characters.
const DATE_MAX: usize = 10;

/// Braille patterns: the first of them, without dots, and the bits of the dots by row and column.
const BRAILLE: u32 = 0x2800;
const BRAILLE_DOTS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
const DOTS_ACROSS: usize = 2;
const DOTS_DOWN: usize = 4;

/// Draws the chart of a history at a width in columns.
pub(crate) fn chart(history: &History, width: usize) -> Result<String, String> {
    let cost = |point: &HistoryPoint| [point.min_cost_usd, point.avg_cost_usd, point.max_cost_usd];
    let costs: Vec<[f64; 3]> = history.points.iter().map(cost).collect();
    let (Some(first), Some(last), Some(&[min, avg, max])) =
        (history.points.first(), history.points.last(), costs.last())
    else {
        return Err("the history has no points to draw".into());
    };
    let panels = panels(&costs, width)?;
    let labels = panels.iter().flat_map(ChartPanel::labels).map(|(_, label)| label.len());
    let labels = labels.max().unwrap_or_default();
    let plot = width.saturating_sub(labels + AXIS + NAME).max(PLOT_MIN);

    let drawn: Vec<String> = panels.iter().map(|panel| panel.drawn(labels, plot)).collect();
    let mut text = drawn.join(&format!("{:labels$} ┊\n", ""));
    text += &format!("{:labels$} └{}\n", "", "─".repeat(plot));
    text += &dates(labels + AXIS, plot, &first.date, &last.date);
    let decimals = decimals([min, avg, max]);
    let figures = [("avg", avg), ("min", min), ("max", max)];
    let figures = figures.map(|(name, cost)| format!("{name} ${}", readable(cost, decimals)));
    let figures = [&[visible(&last.date, DATE_MAX)], &figures[..]].concat();
    let line = figures.join("  ");
    let fits = line.width() <= width;
    Ok(text + "\n" + &if fits { line } else { figures.join("\n") } + "\n")
}

/// Lines close to each other that share a part of the axis.
struct ChartPanel {
    lines: Vec<(&'static str, Vec<f64>)>,
    rows: usize,
    scale: Scale,
    /// The lowest cost; its decimals apply to all of them.
    low: Decimal,
}

/// Arranges the lines in panels, the uppermost first. Panels get rows in proportion to their range, so that a
/// row stands for about the same amount in each.
fn panels(costs: &[[f64; 3]], width: usize) -> Result<Vec<ChartPanel>, String> {
    let lines = [("max", 2), ("avg", 1), ("min", 0)]
        .map(|(name, bound)| (name, costs.iter().map(|costs| costs[bound]).collect::<Vec<f64>>()));
    let range = |lines: &[(&str, Vec<f64>)]| {
        let values = || lines.iter().flat_map(|(_, values)| values).copied();
        [values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max)]
    };
    let extent = |lines: &[(&str, Vec<f64>)]| range(lines)[1] - range(lines)[0];
    let moved: f64 = lines.chunks(1).map(extent).sum();
    let mut groups: Vec<Vec<(&str, Vec<f64>)>> = Vec::new();
    for line in lines {
        let high = range(std::slice::from_ref(&line))[1];
        match groups.last_mut() {
            // A gap must be large enough to be worth a break.
            Some(above) if range(above)[0] - high <= moved / 2.0 => above.push(line),
            _ => groups.push(vec![line]),
        }
    }
    let shown: f64 = groups.iter().map(|lines| extent(lines)).sum();
    let rows = (width / COLUMNS_PER_ROW).clamp(ROWS[0], ROWS[1]);
    let panel = |lines: Vec<(&'static str, Vec<f64>)>| {
        let share = if shown > 0.0 { extent(&lines) / shown } else { 0.0 };
        let rows = ((rows as f64 * share).round() as usize).max(PANEL_ROWS);
        let [low, high] = bounds(range(&lines).into_iter())?;
        let bottom = (rows * DOTS_DOWN - 1) as f64;
        let style =
            ScaleStyle { ticks_max: (rows as u64 / 2).max(4), is_brief: width < BRIEF_BELOW };
        let scale = Scale::covering(low, high, [bottom, 0.0], style);
        Ok(ChartPanel { lines, rows, scale, low })
    };
    groups.into_iter().map(panel).collect()
}

impl ChartPanel {
    /// Returns the numbers of the scale and their rows.
    fn labels(&self) -> Vec<(usize, String)> {
        let row = |at: f64| at.round() as usize / DOTS_DOWN;
        let ticks = self.scale.ticks();
        let every = |nth: usize| ticks.iter().step_by(nth).map(|tick| (row(tick.at), tick));
        // Few enough that no two share a row.
        let is_sparse = |nth: &usize| every(*nth).zip(every(*nth).skip(1)).all(|(a, b)| a.0 != b.0);
        let nth = (1..).find(is_sparse).unwrap_or(1);
        every(nth).map(|(row, tick)| (row, format!("${}", tick.label))).collect()
    }

    /// Returns the dot row of a cost, counted from the top.
    fn dot(&self, cost: f64) -> usize {
        let place = self.scale.place(at_scale(cost, self.low)).round();
        place.clamp(0.0, (self.rows * DOTS_DOWN - 1) as f64) as usize
    }

    fn drawn(&self, labels: usize, plot: usize) -> String {
        let mut dots = vec![vec![0; plot]; self.rows];
        for (_, values) in &self.lines {
            for (column, [low, high]) in spans(values, plot * DOTS_ACROSS).into_iter().enumerate() {
                for dot in self.dot(high)..=self.dot(low) {
                    let bit = BRAILLE_DOTS[dot % DOTS_DOWN][column % DOTS_ACROSS];
                    dots[dot / DOTS_DOWN][column / DOTS_ACROSS] |= bit;
                }
            }
        }
        let letter = |dots: u32| match dots {
            0 => ' ',
            dots => char::from_u32(BRAILLE + dots).unwrap_or(' '),
        };
        let ticks = self.labels();
        let end = |values: &[f64]| values.last().map(|cost| self.dot(*cost) / DOTS_DOWN);
        let mut text = String::new();
        for (row, dots) in dots.into_iter().enumerate() {
            let tick = ticks.iter().find(|(at, _)| *at == row);
            let label = tick.map_or("", |(_, label)| label);
            let axis = if tick.is_some() { '┤' } else { '│' };
            let drawn: String = dots.into_iter().map(letter).collect();
            let named = self.lines.iter().find(|(_, values)| end(values) == Some(row));
            let name = named.map_or("", |(name, _)| name);
            text += format!("{label:>labels$} {axis}{drawn} {name}").trim_end();
            text.push('\n');
        }
        text
    }
}

/// Returns, for each column, the lowest and the highest value of a line through these values.
fn spans(values: &[f64], columns: usize) -> Vec<[f64; 2]> {
    let last = values.len().saturating_sub(1) as f64;
    let at = |place: f64| {
        let [before, after] = [place.floor(), place.ceil()].map(|index| values[index as usize]);
        before + (after - before) * place.fract()
    };
    let span = |column: usize| {
        let [from, to] = [column, column + 1].map(|end| last * end as f64 / columns as f64);
        let within = values.iter().take(to.floor() as usize + 1).skip(from.ceil() as usize);
        let ends = [at(from), at(to.min(last))];
        within.chain(&ends).fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
            [low.min(*value), high.max(*value)]
        })
    };
    (0..columns).map(span).collect()
}

/// Formats the first and the last date below the plot, or only the last if they are the same or don't both
/// fit.
fn dates(indent: usize, plot: usize, first: &str, last: &str) -> String {
    let [first, last] = [first, last].map(|date| visible(date, DATE_MAX));
    let fits = first.width() + last.width() < plot;
    let first = if first != last && fits { first } else { String::new() };
    let space = plot.saturating_sub(first.width() + last.width());
    format!("{:indent$}{first}{:space$}{last}\n", "", "")
}
