//! The history as a chart: the average as a line, minimum to maximum as a band.

use ghi_contract::History;
use ghi_engine::visible;
use ghi_server::{Scale, ScaleStyle};
use unicode_width::UnicodeWidthStr;

use crate::show::canvas::{Canvas, Letters, spans};
use crate::show::costs::{Costs, at_scale, bounds};
use crate::show::figures::grouped;
use crate::show::terminal::Terminal;

/// Rows of a plot for each column of the terminal, and the fewest and the most.
const ROWS_PER_COLUMN: f64 = 1.0 / 6.0;
const ROWS: [usize; 2] = [8, 20];

/// Columns beside the plot at its right: a space and three letters.
const NAME: usize = 4;

/// The fewest columns of a plot.
const PLOT_MIN: usize = 10;

/// The longest date that is shown, characters.
const DATE_MAX: usize = 10;

/// The chart of a history.
pub(crate) fn chart(history: &History, terminal: &Terminal) -> Result<String, String> {
    let costs: Vec<Costs> = history.points.iter().map(Costs::from).collect();
    let (Some(first), Some(last)) = (history.points.first(), history.points.last()) else {
        return Err("the history has no points to draw".into());
    };
    let width = terminal.width_of_chart();
    let letters = Letters::new(terminal.is_utf8);
    let height = ((width as f64 * ROWS_PER_COLUMN) as usize).clamp(ROWS[0], ROWS[1]);
    let bounds = bounds(&costs)?;
    let [across, down] = letters.dots;
    let bottom = (height * down - 1) as f64;
    let style = ScaleStyle { ticks_max: (height as u64 / 2).max(4), is_brief: width < 60 };
    let scale = Scale::covering(bounds[0], bounds[1], [bottom, 0.0], style);
    let dot =
        |cost: f64| scale.place(at_scale(cost, bounds[0])).round().clamp(0.0, bottom) as usize;

    let ticks: Vec<(usize, String)> = scale
        .ticks()
        .into_iter()
        .map(|tick| (tick.at.round() as usize / down, format!("${}", tick.label)))
        .collect();
    let labels = ticks.iter().map(|(_, label)| label.len()).max().unwrap_or_default();
    let plot = width.saturating_sub(labels + 2 + NAME).max(PLOT_MIN);

    let mut canvas = Canvas::new(letters, plot, height);
    let of = |pick: fn(&Costs) -> f64| costs.iter().map(pick).collect::<Vec<f64>>();
    let [mins, avgs, maxs] = [of(|it| it.min), of(|it| it.avg), of(|it| it.max)];
    let band = std::iter::zip(spans(&mins, plot), spans(&maxs, plot));
    for (column, ([low, _], [_, high])) in band.enumerate() {
        canvas.shade(column, dot(high) / down, dot(low) / down);
    }
    for (column, [low, high]) in spans(&avgs, plot * across).into_iter().enumerate() {
        canvas.line(column, dot(high), dot(low));
    }

    let end = costs[costs.len() - 1];
    // Where two of them share a row, the average is named.
    let names = [(end.avg, "avg"), (end.max, "max"), (end.min, "min")];
    let mut text = String::new();
    for (row, drawn) in canvas.into_rows().enumerate() {
        let tick = ticks.iter().find(|(at, _)| *at == row);
        let label = tick.map_or("", |(_, label)| label);
        let side = if tick.is_some() { letters.tick } else { letters.side };
        let name = names.iter().find(|(cost, _)| dot(*cost) / down == row);
        let name = name.map_or("", |(_, name)| name);
        text += format!("{label:>labels$} {side}{drawn} {name}").trim_end();
        text.push('\n');
    }
    let rule = letters.rule.to_string().repeat(plot);
    text += &format!("{:labels$} {}{rule}\n", "", letters.corner);
    text += &dates(labels + 2, plot, &first.date, &last.date);
    let decimals = end.decimals();
    let figure = |name: &str, cost: f64| format!("{name} ${}", grouped(cost, decimals));
    let date = visible(&last.date, DATE_MAX);
    text += &wrapped(
        &[date, figure("avg", end.avg), figure("min", end.min), figure("max", end.max)],
        width,
    );
    Ok(text)
}

/// The first and the last day below the ends of a plot; one of them where they are the same, or where
/// there is no room for two.
fn dates(indent: usize, plot: usize, first: &str, last: &str) -> String {
    let [first, last] = [first, last].map(|date| visible(date, DATE_MAX));
    let between = plot.saturating_sub(first.width() + last.width());
    let both = first != last && between > 0;
    let first = if both { first } else { String::new() };
    let space = plot.saturating_sub(first.width() + last.width());
    format!("{:indent$}{first}{:space$}{last}\n", "", "")
}

/// Parts in lines of at most some columns.
fn wrapped(parts: &[String], width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.width() + 2 + part.width() <= width => *line += &format!("  {part}"),
            _ => lines.push(part.clone()),
        }
    }
    format!("\n{}\n", lines.join("\n"))
}
