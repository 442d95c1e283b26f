//! The history as a chart: minimum, average and maximum as lines over one scale, of which the parts
//! between them are left out. Minimum and maximum are so far away that the average would look flat.

use ghi_contract::History;
use ghi_display::{Scale, ScaleStyle};
use ghi_engine::{Decimal, visible};
use unicode_width::UnicodeWidthStr;

use crate::show::canvas::{Canvas, Letters, spans};
use crate::show::costs::{Costs, at_scale, bounds};
use crate::show::figures::readable;
use crate::show::terminal::Terminal;

/// Columns of the terminal to a row of lines, and the fewest and the most rows.
const COLUMNS_PER_ROW: usize = 6;
const ROWS: [usize; 2] = [9, 21];

/// The fewest rows of a panel: so many numbers a scale has.
const PANEL_ROWS: usize = 3;

/// Columns between the numbers and the plot: a space, and the axis.
const AXIS: usize = 2;

/// Columns at the right of the plot: a space, and a name of three letters.
const NAME: usize = 4;

/// The fewest columns of a plot.
const PLOT_MIN: usize = 10;

/// Below this width of the terminal, thousands are written as `k`.
const BRIEF_BELOW: usize = 60;

/// The longest date that is shown, characters.
const DATE_MAX: usize = 10;

/// The chart of a history.
pub(crate) fn chart(history: &History, terminal: &Terminal) -> Result<String, String> {
    let costs: Vec<Costs> = history.points.iter().map(Costs::from).collect();
    let (Some(first), Some(last), Some(end)) =
        (history.points.first(), history.points.last(), costs.last())
    else {
        return Err("the history has no points to draw".into());
    };
    let letters = Letters::new(terminal.is_utf8);
    let width = terminal.width_of_chart();
    let panels = panels(&costs, width, letters)?;
    let labels = panels.iter().flat_map(Panel::labels).map(|(_, label)| label.len());
    let labels = labels.max().unwrap_or_default();
    let plot = width.saturating_sub(labels + AXIS + NAME).max(PLOT_MIN);

    let drawn: Vec<String> = panels.iter().map(|panel| panel.drawn(labels, plot)).collect();
    let mut text = drawn.join(&format!("{:labels$} {}\n", "", letters.broken));
    let rule = letters.rule.to_string().repeat(plot);
    text += &format!("{:labels$} {}{rule}\n", "", letters.corner);
    text += &dates(labels + AXIS, plot, &first.date, &last.date);
    let figure = |name: &str, cost: f64| format!("{name} ${}", readable(cost, end.decimals()));
    let figures = [figure("avg", end.avg), figure("min", end.min), figure("max", end.max)];
    let date = std::iter::once(visible(&last.date, DATE_MAX));
    Ok(text + "\n" + &wrapped(date.chain(figures), width))
}

/// A line of the chart.
struct Line {
    name: &'static str,
    values: Vec<f64>,
}

/// Lines that lie close to each other.
struct Group {
    lines: Vec<Line>,
    low: f64,
    high: f64,
}

impl Group {
    fn of(name: &'static str, values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { lines: vec![Line { name, values }], low, high }
    }

    fn join(&mut self, mut other: Self) {
        self.lines.append(&mut other.lines);
        (self.low, self.high) = (self.low.min(other.low), self.high.max(other.high));
    }

    fn range(&self) -> f64 {
        self.high - self.low
    }
}

/// A group over its part of the scale.
struct Panel {
    lines: Vec<Line>,
    letters: &'static Letters,
    rows: usize,
    scale: Scale,
    /// A cost of the group, which says how many decimals they have.
    cost: Decimal,
}

/// The lines in panels, the upper first. They share the rows by how far they move, so that a row is
/// worth about as much in each of them.
fn panels(costs: &[Costs], width: usize, letters: &'static Letters) -> Result<Vec<Panel>, String> {
    let line = |name, cost: fn(&Costs) -> f64| Group::of(name, costs.iter().map(cost));
    let lines = [line("max", |it| it.max), line("avg", |it| it.avg), line("min", |it| it.min)];
    let moved: f64 = lines.iter().map(Group::range).sum();
    let mut groups: Vec<Group> = Vec::new();
    for line in lines {
        match groups.last_mut() {
            // What is left out must be worth a break.
            Some(above) if above.low - line.high <= moved / 2.0 => above.join(line),
            _ => groups.push(line),
        }
    }
    let shown: f64 = groups.iter().map(Group::range).sum();
    let rows = (width / COLUMNS_PER_ROW).clamp(ROWS[0], ROWS[1]);
    let panel = |group: Group| {
        let share = if shown > 0.0 { group.range() / shown } else { 0.0 };
        let rows = ((rows as f64 * share).round() as usize).max(PANEL_ROWS);
        let [low, high] = bounds([group.low, group.high].into_iter())?;
        let bottom = (rows * letters.dots[1] - 1) as f64;
        let style =
            ScaleStyle { ticks_max: (rows as u64 / 2).max(4), is_brief: width < BRIEF_BELOW };
        let scale = Scale::covering(low, high, [bottom, 0.0], style);
        Ok(Panel { lines: group.lines, letters, rows, scale, cost: low })
    };
    groups.into_iter().map(panel).collect()
}

impl Panel {
    /// The numbers of the scale, and the rows that they stand at.
    fn labels(&self) -> Vec<(usize, String)> {
        let row = |at: f64| at.round() as usize / self.letters.dots[1];
        let ticks = self.scale.ticks();
        let every = |nth: usize| ticks.iter().step_by(nth).map(|tick| (row(tick.at), tick));
        // So few that no two of them share a row.
        let is_apt = |nth: &usize| every(*nth).zip(every(*nth).skip(1)).all(|(a, b)| a.0 != b.0);
        let nth = (1..).find(is_apt).unwrap_or(1);
        every(nth).map(|(row, tick)| (row, format!("${}", tick.label))).collect()
    }

    /// The row of dots that a cost stands at, from the top.
    fn dot(&self, cost: f64) -> usize {
        let place = self.scale.place(at_scale(cost, self.cost)).round();
        place.clamp(0.0, (self.rows * self.letters.dots[1] - 1) as f64) as usize
    }

    fn drawn(&self, labels: usize, plot: usize) -> String {
        let [across, down] = self.letters.dots;
        let mut canvas = Canvas::new(self.letters, plot, self.rows);
        for line in &self.lines {
            for (column, [low, high]) in spans(&line.values, plot * across).into_iter().enumerate()
            {
                canvas.line(column, self.dot(high), self.dot(low));
            }
        }
        let ticks = self.labels();
        let ends = |line: &Line| (self.dot(line.values[line.values.len() - 1]) / down, line.name);
        let names: Vec<(usize, &str)> = self.lines.iter().map(ends).collect();
        let mut text = String::new();
        for (row, drawn) in canvas.into_rows().enumerate() {
            let tick = ticks.iter().find(|(at, _)| *at == row);
            let label = tick.map_or("", |(_, label)| label);
            let side = if tick.is_some() { self.letters.tick } else { self.letters.side };
            let name = names.iter().find(|(at, _)| *at == row).map_or("", |(_, name)| name);
            text += format!("{label:>labels$} {side}{drawn} {name}").trim_end();
            text.push('\n');
        }
        text
    }
}

/// The first and the last day below the ends of a plot; the last alone where there is no room for two,
/// or where it is the first.
fn dates(indent: usize, plot: usize, first: &str, last: &str) -> String {
    let [first, last] = [first, last].map(|date| visible(date, DATE_MAX));
    let has_room = first.width() + last.width() < plot;
    let first = if first != last && has_room { first } else { String::new() };
    let space = plot.saturating_sub(first.width() + last.width());
    format!("{:indent$}{first}{:space$}{last}\n", "", "")
}

/// Parts in lines of at most some columns.
fn wrapped(parts: impl Iterator<Item = String>, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.width() + 2 + part.width() <= width => *line += &format!("  {part}"),
            _ => lines.push(part),
        }
    }
    lines.join("\n") + "\n"
}
