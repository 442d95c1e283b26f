//! The history chart: minimum, average and maximum as lines. The axis skips the gaps between them; otherwise
//! the average would look flat.

use ghi_contract::{History, HistoryPoint};
use ghi_engine::visible;
use unicode_width::UnicodeWidthStr;

use crate::show::chart_scale::{AXIS, ChartScale, PLOT_MIN, range, with_axis};
use crate::show::numbers::{decimals, readable};

/// Terminal columns per row of the chart, and the minimum and maximum number of rows.
const COLUMNS_PER_ROW: usize = 6;
const ROWS: [usize; 2] = [9, 21];

/// The minimum number of rows of a panel, one for each number on its scale.
const PANEL_ROWS: usize = 3;

/// Columns at the right of the plot: a space, and a name of three letters.
const NAME: usize = 4;

/// Below this width of the terminal, thousands are written as `k`.
const BRIEF_BELOW: usize = 60;

const DATE_MAX: usize = 10;

/// Braille patterns: the first of them, without dots, and the bits of the dots by row and column.
const BRAILLE: u32 = 0x2800;
const BRAILLE_DOTS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
const DOTS_ACROSS: usize = 2;
const DOTS_DOWN: usize = 4;

pub(crate) fn chart(history: &History, width: usize) -> Result<String, String> {
    let points = &history.points;
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Err("the history has no points to draw".into());
    };
    let panels = panels(points, width)?;
    let labels = panels.iter().flat_map(ChartPanel::ticks).map(|(_, label)| label.len());
    let labels = labels.max().unwrap_or_default();
    let plot = width.saturating_sub(labels + AXIS + NAME).max(PLOT_MIN);
    let drawn: Vec<String> = panels.iter().map(|panel| panel.drawn(labels, plot)).collect();
    let mut text = drawn.join(&format!("{:labels$} ┊\n", ""));
    text += &format!("{:labels$} └{}\n", "", "─".repeat(plot));

    // The first and the last date, or only the last if they are the same or don't both fit.
    let [from, to] = [first, last].map(|point| visible(&point.date, DATE_MAX));
    let from = if from != to && from.width() + to.width() < plot { from } else { String::new() };
    let space = plot.saturating_sub(from.width() + to.width());
    text += &format!("{:indent$}{from}{:space$}{to}\n", "", "", indent = labels + AXIS);

    let costs =
        [("avg", last.avg_cost_usd), ("min", last.min_cost_usd), ("max", last.max_cost_usd)];
    let decimals = decimals(costs.map(|(_, cost)| cost));
    let costs = costs.map(|(name, cost)| format!("{name} ${}", readable(cost, decimals)));
    let costs = [&[to], &costs[..]].concat();
    let line = costs.join("  ");
    let fits = line.width() <= width;
    Ok(text + "\n" + &if fits { line } else { costs.join("\n") } + "\n")
}

struct CostLine {
    name: &'static str,
    values: Vec<f64>,
    range: [f64; 2],
}

/// Lines close to each other that share a part of the axis.
struct ChartPanel {
    lines: Vec<CostLine>,
    rows: usize,
    scale: ChartScale,
}

/// Arranges the lines in panels, the uppermost first. Panels get rows in proportion to their range, so that a
/// row stands for about the same amount in each.
fn panels(points: &[HistoryPoint], width: usize) -> Result<Vec<ChartPanel>, String> {
    let costs: [(&str, fn(&HistoryPoint) -> f64); 3] = [
        ("max", |point| point.max_cost_usd),
        ("avg", |point| point.avg_cost_usd),
        ("min", |point| point.min_cost_usd),
    ];
    let lines = costs.map(|(name, cost)| {
        let values: Vec<f64> = points.iter().map(cost).collect();
        CostLine { name, range: range(values.iter().copied()), values }
    });
    let extent = |[low, high]: [f64; 2]| high - low;
    let range_of = |lines: &[CostLine]| range(lines.iter().flat_map(|line| line.range));
    let moved: f64 = lines.iter().map(|line| extent(line.range)).sum();
    let mut groups: Vec<Vec<CostLine>> = Vec::new();
    for line in lines {
        match groups.last_mut() {
            // A gap must be large enough to be worth a break.
            Some(above) if range_of(above)[0] - line.range[1] <= moved / 2.0 => above.push(line),
            _ => groups.push(vec![line]),
        }
    }
    let shown: f64 = groups.iter().map(|lines| extent(range_of(lines))).sum();
    let rows = (width / COLUMNS_PER_ROW).clamp(ROWS[0], ROWS[1]);
    let panel = |lines: Vec<CostLine>| {
        let range = range_of(&lines);
        let share = if shown > 0.0 { extent(range) / shown } else { 0.0 };
        let rows = ((rows as f64 * share).round() as usize).max(PANEL_ROWS);
        let bottom = rows * DOTS_DOWN - 1;
        let is_brief = width < BRIEF_BELOW;
        let scale = ChartScale::covering(range, [bottom, 0], (rows / 2).max(4), is_brief)?;
        Ok(ChartPanel { lines, rows, scale })
    };
    groups.into_iter().map(panel).collect()
}

impl ChartPanel {
    /// Returns the rows of the ticks and their labels: so few that no two share a row.
    fn ticks(&self) -> Vec<(usize, String)> {
        let ticks = self.scale.ticks();
        let every = |nth: usize| {
            ticks.iter().step_by(nth).map(|(dot, label)| (dot / DOTS_DOWN, label.clone()))
        };
        let is_sparse = |nth: &usize| every(*nth).zip(every(*nth).skip(1)).all(|(a, b)| a.0 != b.0);
        every((1..).find(is_sparse).unwrap_or(1)).collect()
    }

    fn drawn(&self, labels: usize, plot: usize) -> String {
        let mut dots = vec![vec![BRAILLE; plot]; self.rows];
        let mut names = vec![""; self.rows];
        for line in self.lines.iter().rev() {
            let spans = spans(&line.values, plot * DOTS_ACROSS);
            for (column, [low, high]) in spans.into_iter().enumerate() {
                for dot in self.scale.place(high)..=self.scale.place(low) {
                    let bit = BRAILLE_DOTS[dot % DOTS_DOWN][column % DOTS_ACROSS];
                    dots[dot / DOTS_DOWN][column / DOTS_ACROSS] |= bit;
                }
            }
            let end = line.values.last().map_or(0, |cost| self.scale.place(*cost));
            names[end / DOTS_DOWN] = line.name;
        }
        let letter = |dots| char::from_u32(dots).filter(|_| dots != BRAILLE).unwrap_or(' ');
        let row = |(dots, name): (Vec<u32>, &str)| {
            let drawn: String = dots.into_iter().map(letter).collect();
            format!("{drawn} {name}")
        };
        with_axis(dots.into_iter().zip(names).map(row), &self.ticks(), labels)
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
        range(within.copied().chain([at(from), at(to.min(last))]))
    };
    (0..columns).map(span).collect()
}
