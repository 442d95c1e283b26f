//! Charts of characters: a history as lines, regions as bars, and the cost curve as blocks.

use std::env;

use ghi_client::Resource;
use ghi_contract::GLOBAL;
use ghi_display::grouped;
use ghi_engine::visible;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::output::terminal_width;
use crate::show::document::entries;
use crate::show::table::DATE_MAX;
use crate::source::parse_document;
use crate::text_table::{GAP, aligned, decimals, plain};

/// The minimum width of a chart, the width without a terminal, and the maximum, in columns.
const WIDTHS: [usize; 3] = [40, 80, 400];

/// The minimum width of a plot or a bar, and the width from which bars have all costs next to them, in columns.
const PLOT_MIN: usize = 10;
const ALL_COSTS_FROM: usize = 60;

/// The rows of a cost curve, and those of each line of a history.
const CURVE_ROWS: usize = 16;
const LINE_ROWS: usize = 5;

/// The names of the costs of a day, in the order of their values.
const BOUNDS: [&str; 3] = ["min", "avg", "max"];

const ID_MAX: usize = 32;

/// From this value on, costs are in whole dollars.
const WHOLE_FROM: f64 = 1_000.0;

/// Braille patterns: the first of them, without dots, and the bits of the dots by row and column.
const BRAILLE: u32 = 0x2800;
const BRAILLE_DOTS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
const DOTS_ACROSS: usize = 2;
const DOTS_DOWN: usize = 4;

/// Draws the history, the cost curve or the snapshot in a document, as wide as the terminal.
pub(super) fn chart(json: &str) -> Result<String, String> {
    let mut document: Value = parse_document(json)?;
    let columns = || env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let [min, default, max] = WIDTHS;
    let width = terminal_width().or_else(columns).unwrap_or(default).clamp(min, max);
    match (document["points"].as_array(), document["rows"].as_array()) {
        (Some(points), _) => history_chart(points, width),
        (_, Some(rows)) => curve_chart(rows, document["price_usd"].as_f64(), width),
        _ => regions_chart(&entries(&Resource::Snapshot, &mut document), width),
    }
}

fn costs(entry: &Value) -> Option<[f64; 3]> {
    let [min, avg, max] = BOUNDS.map(|bound| entry[format!("{bound}_cost_usd")].as_f64());
    Some([min?, avg?, max?])
}

fn range(numbers: impl IntoIterator<Item = f64>) -> [f64; 2] {
    numbers.into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], number| {
        [low.min(number), high.max(number)]
    })
}

fn dollars(cost: f64) -> String {
    let is_whole = cost >= WHOLE_FROM;
    let text = if is_whole { plain(cost.round(), 0) } else { plain(cost, decimals([cost])) };
    format!("${}", grouped(text))
}

/// Returns the place of a value among this many, from the first end to the last. Without a range, it is in the middle.
fn place(value: f64, [first, last]: [f64; 2], places: usize) -> usize {
    let part = if first == last { 0.5 } else { (value - first) / (last - first) };
    ((part * (places - 1) as f64).round() as usize).min(places - 1)
}

/// Formats the rows of a plot with labels of some rows at the left, and the ends of the horizontal axis below.
fn with_axes(rows: &[String], labels: &[(usize, String)], width: usize) -> String {
    let line = |(row, cells): (usize, &String)| {
        let label = labels.iter().find(|(at, _)| *at == row).map(|(_, label)| &**label);
        let axis = if label.is_some() { '┤' } else { '│' };
        format!("{:>width$} {axis}{cells}", label.unwrap_or_default()).trim_end().to_owned() + "\n"
    };
    rows.iter().enumerate().map(line).collect()
}

/// Formats the horizontal axis of a plot, with a text below each end.
fn horizontal_axis(label_width: usize, plot: usize, start: &str, end: &str) -> String {
    let space = plot.saturating_sub(start.width() + end.width()).max(GAP.len());
    let axis = format!("{:label_width$} └{}\n", "", "─".repeat(plot));
    axis + &format!("{:label_width$}  {start}{:space$}{end}\n", "", "")
}

/// Draws the cost against the cumulative share of the hashrate. Each region is a block that reaches from its minimum
/// to its maximum; a line across the block marks its average.
fn curve_chart(rows: &[Value], price: Option<f64>, width: usize) -> Result<String, String> {
    let region = |row: &Value| Some((row["cumulative_share_pct"].as_f64()?, costs(row)?));
    let regions: Option<Vec<(f64, [f64; 3])>> = rows.iter().map(region).collect();
    let regions = regions.ok_or("the cost curve has costs or shares that are not numbers")?;
    let [low, high] = range(regions.iter().flat_map(|(_, costs)| *costs).chain(price).chain([0.0]));
    let row_of = |cost| place(cost, [high, low], CURVE_ROWS);
    let labels = price.into_iter().chain([high, low]).map(|cost| (row_of(cost), dollars(cost)));
    let labels: Vec<_> = labels.collect();
    let label_width = labels.iter().map(|(_, label)| label.len()).max().unwrap_or_default();
    let plot = width.saturating_sub(label_width + 2).max(PLOT_MIN);
    let price = price.map(row_of);
    let cell = |row: usize, column: usize| {
        let share = (column as f64 + 0.5) / plot as f64 * 100.0;
        let region = regions.iter().find(|(end, _)| share <= *end);
        match region.map(|(_, costs)| costs.map(row_of)) {
            Some([_, avg, _]) if row == avg => '━',
            _ if price == Some(row) => '┄',
            Some([min, _, max]) if (max..=min).contains(&row) => '░',
            _ => ' ',
        }
    };
    let row = |row| (0..plot).map(|column| cell(row, column)).collect();
    let rows: Vec<String> = (0..CURVE_ROWS).map(row).collect();
    let axis = horizontal_axis(label_width, plot, "0%", "100% of the hashrate");
    Ok(with_axes(&rows, &labels, label_width) + &axis)
}

/// Draws maximum, average and minimum as lines, each on its own scale. On a common one, the average would look flat.
fn history_chart(points: &[Value], width: usize) -> Result<String, String> {
    let days: Vec<[f64; 3]> = points.iter().filter_map(costs).collect();
    let (Some(first), Some(last), Some(latest)) = (points.first(), points.last(), days.last())
    else {
        return Err("the history has no points to draw".into());
    };
    let decimals = decimals(*latest);
    let names = latest.map(|cost| format!(" ${}", grouped(plain(cost, decimals))));
    let label = |bound: usize| range(days.iter().map(|costs| costs[bound])).map(dollars);
    let labels = [label(0), label(1), label(2)];
    let longest = |texts: &[String]| texts.iter().map(String::len).max().unwrap_or_default();
    let label_width = longest(labels.as_flattened());
    let plot = width.saturating_sub(label_width + 2 + 4 + longest(&names)).max(PLOT_MIN);
    let panel = |bound: usize| {
        let values: Vec<f64> = days.iter().map(|costs| costs[bound]).collect();
        let [low, high] = range(values.iter().copied());
        let row_of = |cost| place(cost, [high, low], LINE_ROWS * DOTS_DOWN) / DOTS_DOWN;
        let mut rows = line(&values, plot);
        rows[row_of(latest[bound])] += &format!(" {}{}", BOUNDS[bound], names[bound]);
        let labels = [high, low].map(|cost| (row_of(cost), dollars(cost)));
        with_axes(&rows, &labels, label_width)
    };
    let panels = [2, 1, 0].map(panel).join(&format!("{:label_width$} ┊\n", ""));
    let date = |point: &Value| visible(point["date"].as_str().unwrap_or_default(), DATE_MAX);
    Ok(panels + &horizontal_axis(label_width, plot, &date(first), &date(last)))
}

/// Draws a line through values, from the highest in the first row to the lowest in the last.
fn line(values: &[f64], width: usize) -> Vec<String> {
    let [low, high] = range(values.iter().copied());
    let mut cells = vec![vec![BRAILLE; width]; LINE_ROWS];
    let (last, columns) = ((values.len() - 1) as f64, width * DOTS_ACROSS);
    let at = |day: f64| {
        let [before, after] = [day.floor(), day.ceil()].map(|day| values[day as usize]);
        before + (after - before) * day.fract()
    };
    for column in 0..columns {
        let [from, to] = [column, column + 1].map(|end| last * end as f64 / columns as f64);
        let within = values.iter().take(to.floor() as usize + 1).skip(from.ceil() as usize);
        let [bottom, top] = range(within.copied().chain([at(from), at(to.min(last))]));
        let dot_of = |cost| place(cost, [high, low], LINE_ROWS * DOTS_DOWN);
        for dot in dot_of(top)..=dot_of(bottom) {
            let bit = BRAILLE_DOTS[dot % DOTS_DOWN][column % DOTS_ACROSS];
            cells[dot / DOTS_DOWN][column / DOTS_ACROSS] |= bit;
        }
    }
    let letter = |dots| char::from_u32(dots).filter(|_| dots != BRAILLE).unwrap_or(' ');
    cells.into_iter().map(|row| row.into_iter().map(letter).collect()).collect()
}

/// Draws a bar from minimum to maximum with the average marked, for worldwide and for each region in the order of the
/// inputs.
fn regions_chart(entries: &[Value], width: usize) -> Result<String, String> {
    if !entries.iter().any(|entry| entry["region_id"] != GLOBAL) {
        return Err("the snapshot is in the reduced form, which has no regions to draw".into());
    }
    let shown: &[usize] = if width < ALL_COSTS_FROM { &[1] } else { &[0, 1, 2] };
    let header = ["region"].into_iter().chain(shown.iter().map(|bound| BOUNDS[*bound]));
    let mut rows = vec![header.map(String::from).collect::<Vec<_>>()];
    let mut regions = Vec::new();
    for entry in entries {
        let Some(costs) = costs(entry) else { continue };
        let id = visible(entry["region_id"].as_str().unwrap_or_default(), ID_MAX);
        let cells = shown.iter().map(|bound| dollars(costs[*bound]));
        rows.push([id].into_iter().chain(cells).collect());
        regions.push(costs);
    }
    let texts_width = aligned(&rows).lines().map(|line| line.width()).max().unwrap_or_default();
    let bar = width.saturating_sub(texts_width + GAP.len()).max(PLOT_MIN);
    let ends = range(regions.iter().flatten().copied());
    for (row, costs) in rows.iter_mut().skip(1).zip(regions) {
        let [min, avg, max] = costs.map(|cost| place(cost, ends, bar));
        let letter = |column| match column {
            _ if column == avg => '●',
            _ if column == min => '├',
            _ if column == max => '┤',
            _ if (min..max).contains(&column) => '─',
            _ => ' ',
        };
        row.insert(1, (0..bar).map(letter).collect());
    }
    rows[0].insert(1, String::new());
    Ok(aligned(&rows))
}
