//! Charts of characters: a history as lines, regions as bars, and the cost curve as blocks.

use std::env;

use ghi_client::Resource;
use ghi_contract::GLOBAL;
use ghi_display::{Scale, Unit, grouped};
use ghi_engine::{Decimal, visible};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::output::terminal_width;
use crate::show::document::entries;
use crate::show::table::DATE_MAX;
use crate::source::parse_document;
use crate::text_table::{GAP, aligned, cut, decimals, plain};

/// The minimum width of a chart, the width without a terminal, and the maximum, in columns.
const WIDTHS: [usize; 3] = [24, 80, 400];

const PLOT_MIN: usize = 10;

/// Columns between the numbers of a vertical scale and the plot: a space, and the axis.
const AXIS: usize = 2;

/// The names of the costs of a day, in the order of their values.
const BOUNDS: [&str; 3] = ["min", "avg", "max"];

/// Draws the history, the cost curve or the snapshot in a document, as wide as the terminal.
pub(super) fn chart(json: &str) -> Result<String, String> {
    let mut document: Value = parse_document(json)?;
    let columns = || variable("COLUMNS").and_then(|text| text.parse().ok());
    let [min, default, max] = WIDTHS;
    let width = terminal_width().or_else(columns).unwrap_or(default).clamp(min, max);
    let chart = match (document["points"].as_array(), document["rows"].as_array()) {
        (Some(points), _) => history_chart(points, width)?,
        (_, Some(rows)) => curve_chart(rows, document["price_usd"].as_f64(), width)?,
        _ => regions_chart(&entries(&Resource::Snapshot, &mut document), width)?,
    };
    Ok(in_locale(&chart))
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Converts a chart to ASCII unless the locale is UTF-8.
fn in_locale(chart: &str) -> String {
    // The first one that is set takes precedence, as in other programs.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable).unwrap_or_default();
    if ["utf-8", "utf8"].iter().any(|encoding| locale.to_lowercase().contains(encoding)) {
        return chart.into();
    }
    let ascii = |char| match char {
        '│' => '|',
        '┊' | '░' => ':',
        '─' | '┄' => '-',
        '┤' | '├' | '┴' | '└' => '+',
        '●' | '\u{2800}'..='\u{28ff}' => '*',
        '━' => '=',
        char => char,
    };
    chart.chars().map(ascii).collect()
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

/// The largest cost in a chart, in units of its last decimal: beyond it, floats are more than a unit apart.
const UNITS_MAX: f64 = 1e15;

const DECIMALS_MAX: usize = 15;

fn decimal(cost: f64, decimals: u8) -> Decimal {
    Decimal::new((cost * 10_f64.powi(decimals.into())).round() as u64, decimals)
}

/// The places of costs on an axis of characters or dots.
struct ChartScale {
    scale: Scale,
    decimals: u8,
    last: usize,
}

impl ChartScale {
    /// Creates a scale with these places for the lowest and the highest cost.
    fn covering(
        [low, high]: [f64; 2],
        ends: [usize; 2],
        ticks_max: usize,
        is_brief: bool,
    ) -> Result<Self, String> {
        if low < 0.0 {
            return Err(format!("cannot draw a cost of {low} USD; costs must be positive"));
        }
        // The decimals of large costs are insignificant.
        let fits = |decimals: &usize| {
            *decimals <= DECIMALS_MAX && high * 10_f64.powi(*decimals as i32) <= UNITS_MAX
        };
        let decimals = [decimals([low, high]), 0].into_iter().find(fits);
        let too_large = || format!("cannot draw a cost of {high:e} USD; it is too large");
        let decimals = decimals.ok_or_else(too_large)? as u8;
        let [low, high] = [low, high].map(|cost| decimal(cost, decimals));
        let (unit, last) = (Unit::of([high]), ends[0].max(ends[1]));
        let (ends, ticks_max) = (ends.map(|end| end as f64), ticks_max as u64);
        let scale = Scale::linear(unit, [low, high], ends, ticks_max, is_brief);
        Ok(Self { scale, decimals, last })
    }

    fn place(&self, cost: f64) -> usize {
        let place = self.scale.place(decimal(cost, self.decimals)).round();
        place.clamp(0.0, self.last as f64) as usize
    }

    fn ticks(&self) -> Vec<(usize, String)> {
        let ticks = self.scale.ticks().into_iter();
        ticks.map(|tick| (tick.at.round() as usize, format!("${}", tick.label))).collect()
    }
}

fn label_width<'a>(ticks: impl IntoIterator<Item = &'a (usize, String)>) -> usize {
    ticks.into_iter().map(|(_, label)| label.len()).max().unwrap_or_default()
}

/// Formats the rows of a plot with the ticks of a vertical scale, whose labels have this width.
fn with_axis(
    rows: impl IntoIterator<Item = String>,
    ticks: &[(usize, String)],
    width: usize,
) -> String {
    let line = |(row, cells): (usize, String)| {
        let tick = ticks.iter().find(|(at, _)| *at == row);
        let label = tick.map_or("", |(_, label)| label);
        let axis = if tick.is_some() { '┤' } else { '│' };
        format!("{label:>width$} {axis}{cells}").trim_end().to_owned() + "\n"
    };
    rows.into_iter().enumerate().map(line).collect()
}

/// Formats the horizontal axis of a plot, with a text below each end.
fn horizontal_axis(label_width: usize, plot: usize, start: &str, end: &str) -> String {
    let space = plot.saturating_sub(start.width() + end.width());
    let axis = format!("{:label_width$} └{}\n", "", "─".repeat(plot));
    axis + &format!("{:indent$}{start}{:space$}{end}\n", "", "", indent = label_width + AXIS)
}

const CURVE_ROWS: usize = 16;

/// Draws the cost against the cumulative share of the hashrate. Each region is a block that reaches from its minimum
/// to its maximum; a line across the block marks its average.
fn curve_chart(rows: &[Value], price: Option<f64>, width: usize) -> Result<String, String> {
    let region = |row: &Value| Some((row["cumulative_share_pct"].as_f64()?, costs(row)?));
    let regions: Option<Vec<(f64, [f64; 3])>> = rows.iter().map(region).collect();
    let regions = regions.ok_or("the cost curve has costs or shares that are not numbers")?;
    let drawn = regions.iter().flat_map(|(_, costs)| *costs).chain(price).chain([0.0]);
    let scale = ChartScale::covering(range(drawn), [CURVE_ROWS - 1, 0], 8, true)?;
    let ticks = scale.ticks();
    let label_width = label_width(&ticks);
    let plot = width.saturating_sub(label_width + AXIS).max(PLOT_MIN);
    let price = price.map(|price| scale.place(price));
    let cell = |row: usize, column: usize| {
        let share = (column as f64 + 0.5) / plot as f64 * 100.0;
        let region = regions.iter().find(|(end, _)| share <= *end);
        let places = region.map(|(_, costs)| costs.map(|cost| scale.place(cost)));
        // Without a region, below the plot.
        let [min, avg, max] = places.unwrap_or([0, CURVE_ROWS, CURVE_ROWS]);
        match row {
            _ if row == avg => '━',
            _ if price == Some(row) => '┄',
            _ if (max..=min).contains(&row) => '░',
            _ => ' ',
        }
    };
    let rows = (0..CURVE_ROWS).map(|row| (0..plot).map(|column| cell(row, column)).collect());
    let axis = horizontal_axis(label_width, plot, "0%", "100% of the hashrate");
    Ok(with_axis(rows, &ticks, label_width) + &axis)
}

/// Terminal columns per row of a history, and the minimum and maximum number of rows.
const COLUMNS_PER_ROW: usize = 6;
const ROWS: [usize; 2] = [9, 21];

/// The minimum number of rows of a panel, one for each number on its scale.
const PANEL_ROWS: usize = 3;

/// Columns at the right of the plot: a space, and a name of three letters.
const NAME: usize = 4;

/// Below this width of the terminal, thousands are written as `k`.
const BRIEF_BELOW: usize = 60;

/// Braille patterns: the first of them, without dots, and the bits of the dots by row and column.
const BRAILLE: u32 = 0x2800;
const BRAILLE_DOTS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
const DOTS_ACROSS: usize = 2;
const DOTS_DOWN: usize = 4;

/// Draws the minimum, average and maximum as lines. The axis skips the gaps between them; otherwise the average would
/// look flat.
fn history_chart(points: &[Value], width: usize) -> Result<String, String> {
    let days: Vec<[f64; 3]> = points.iter().filter_map(costs).collect();
    let (Some(first), Some(last), Some(costs)) = (points.first(), points.last(), days.last())
    else {
        return Err("the history has no points to draw".into());
    };
    let panels = panels(&days, width)?;
    let ticks: Vec<Vec<_>> = panels.iter().map(ChartPanel::ticks).collect();
    let label_width = label_width(ticks.iter().flatten());
    let plot = width.saturating_sub(label_width + AXIS + NAME).max(PLOT_MIN);
    let drawn: Vec<String> = panels
        .iter()
        .zip(ticks)
        .map(|(panel, ticks)| with_axis(panel.drawn(&days, plot), &ticks, label_width))
        .collect();

    // The first and the last date, or only the last if they are the same or don't both fit.
    let date = |point: &Value| visible(point["date"].as_str().unwrap_or_default(), DATE_MAX);
    let [from, to] = [first, last].map(date);
    let from = if from != to && from.width() + to.width() < plot { &*from } else { "" };
    let text = drawn.join(&format!("{:label_width$} ┊\n", ""));
    let text = text + &horizontal_axis(label_width, plot, from, &to);

    let decimals = decimals(*costs);
    let cost =
        |bound: usize| format!("{} ${}", BOUNDS[bound], grouped(plain(costs[bound], decimals)));
    let summary = [to, cost(1), cost(0), cost(2)];
    let line = summary.join("  ");
    let fits = line.width() <= width;
    Ok(text + "\n" + &if fits { line } else { summary.join("\n") } + "\n")
}

/// Lines close to each other that share a part of the axis.
struct ChartPanel {
    bounds: Vec<usize>,
    rows: usize,
    scale: ChartScale,
}

/// Arranges the lines in panels, the uppermost first. Panels get rows in proportion to their range, so that a
/// row stands for about the same amount in each.
fn panels(days: &[[f64; 3]], width: usize) -> Result<Vec<ChartPanel>, String> {
    let range_of = |bounds: &[usize]| {
        range(days.iter().flat_map(|costs| bounds.iter().map(|bound| costs[*bound])))
    };
    let extent = |bounds: &[usize]| {
        let [low, high] = range_of(bounds);
        high - low
    };
    let moved: f64 = (0..3).rev().map(|bound| extent(&[bound])).sum();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for bound in (0..3).rev() {
        let high = range_of(&[bound])[1];
        match groups.last_mut() {
            // A gap must be large enough to be worth a break.
            Some(above) if range_of(above)[0] - high <= moved / 2.0 => above.push(bound),
            _ => groups.push(vec![bound]),
        }
    }
    let shown: f64 = groups.iter().map(|bounds| extent(bounds)).sum();
    let rows = (width / COLUMNS_PER_ROW).clamp(ROWS[0], ROWS[1]);
    let panel = |bounds: Vec<usize>| {
        let share = if shown > 0.0 { extent(&bounds) / shown } else { 0.0 };
        let rows = ((rows as f64 * share).round() as usize).max(PANEL_ROWS);
        let ends = [rows * DOTS_DOWN - 1, 0];
        let is_brief = width < BRIEF_BELOW;
        let scale = ChartScale::covering(range_of(&bounds), ends, (rows / 2).max(4), is_brief)?;
        Ok(ChartPanel { bounds, rows, scale })
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

    /// Draws the lines, each with its name at its end.
    fn drawn(&self, days: &[[f64; 3]], plot: usize) -> Vec<String> {
        let mut dots = vec![vec![BRAILLE; plot]; self.rows];
        let mut names = vec![""; self.rows];
        for bound in self.bounds.iter().rev() {
            let values: Vec<f64> = days.iter().map(|costs| costs[*bound]).collect();
            let spans = spans(&values, plot * DOTS_ACROSS);
            for (column, [low, high]) in spans.into_iter().enumerate() {
                for dot in self.scale.place(high)..=self.scale.place(low) {
                    let bit = BRAILLE_DOTS[dot % DOTS_DOWN][column % DOTS_ACROSS];
                    dots[dot / DOTS_DOWN][column / DOTS_ACROSS] |= bit;
                }
            }
            let end = values.last().map_or(0, |cost| self.scale.place(*cost));
            names[end / DOTS_DOWN] = BOUNDS[*bound];
        }
        let letter = |dots| char::from_u32(dots).filter(|_| dots != BRAILLE).unwrap_or(' ');
        let row = |(dots, name): (Vec<u32>, &str)| {
            let drawn: String = dots.into_iter().map(letter).collect();
            format!("{drawn} {name}")
        };
        dots.into_iter().zip(names).map(row).collect()
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

/// The minimum width of a bar with costs next to it, in columns.
const BAR_BESIDE_COSTS: usize = 24;

/// Columns per number on the scale.
const COLUMNS_PER_TICK: usize = 14;

/// With more bars than this, the scale is repeated below them.
const BARS_OF_A_SCREEN: usize = 20;

const ID_MAX: usize = 32;

/// From this value on, costs next to a bar are in whole dollars.
const WHOLE_FROM: f64 = 1_000.0;

/// Draws a bar from minimum to maximum with the average marked, for worldwide and for each region in the order of the
/// inputs.
fn regions_chart(entries: &[Value], width: usize) -> Result<String, String> {
    if !entries.iter().any(|entry| entry["region_id"] != GLOBAL) {
        return Err("the snapshot is in the reduced form, which has no regions to draw".into());
    }
    let bar = |entry: &Value| {
        let id = visible(entry["region_id"].as_str().unwrap_or_default(), ID_MAX);
        Some((cut(&id, width / 4), costs(entry)?))
    };
    let (ids, costs): (Vec<String>, Vec<[f64; 3]>) = entries.iter().filter_map(bar).unzip();

    let id_width = ids.iter().map(|id| id.width()).max().unwrap_or_default().max("region".len());
    let beside = width.saturating_sub(id_width + GAP.len());
    let (texts, texts_width) = costs_beside(&costs, beside);
    let bar = beside.saturating_sub(texts_width).max(PLOT_MIN);
    let range = range(costs.iter().flatten().copied());
    let ticks_max = (bar / COLUMNS_PER_TICK).max(4);
    let scale = ChartScale::covering(range, [0, bar - 1], ticks_max, bar < 48)?;
    let ticks = scale.ticks();
    let is_tick = |column: usize| ticks.iter().any(|(at, _)| *at == column);
    let rule = (0..bar).map(|column| if is_tick(column) { '┴' } else { '─' }).collect();
    let rule = vec![String::new(), rule];

    let ids = ["region".to_owned()].into_iter().chain(ids);
    let bars = costs.iter().map(|costs| range_bar(costs.map(|cost| scale.place(cost)), bar));
    let bars = [numbers(&ticks, bar)].into_iter().chain(bars);
    let rows = ids.zip(bars).zip(texts).map(|((id, bar), texts)| [vec![id, bar], texts].concat());
    let mut rows: Vec<Vec<String>> = rows.collect();
    rows.insert(1, rule.clone());
    if costs.len() > BARS_OF_A_SCREEN {
        rows.extend([rule, rows[0].clone()]);
    }
    Ok(aligned(&rows))
}

/// Formats costs with their names as the first row, and their width: all three, the average or none, whichever leaves
/// enough space for a bar.
fn costs_beside(costs: &[[f64; 3]], width: usize) -> (Vec<Vec<String>>, usize) {
    let decimals = decimals(costs.iter().flatten().copied());
    let rounded = |cost: f64| match cost {
        WHOLE_FROM.. => grouped(plain(cost.round(), 0)),
        _ => grouped(plain(cost, decimals)),
    };
    let rows = [BOUNDS.map(String::from)].into_iter().chain(costs.iter().map(|it| it.map(rounded)));
    let rows: Vec<[String; 3]> = rows.collect();
    let column = |bound: usize| rows.iter().map(move |row| row[bound].len()).max();
    let width_of = |bounds: &[usize]| -> usize {
        bounds.iter().map(|bound| GAP.len() + column(*bound).unwrap_or_default()).sum()
    };
    let fits = |bounds: &&[usize]| width_of(bounds) + BAR_BESIDE_COSTS <= width;
    let bounds = [&[0, 1, 2][..], &[1]].into_iter().find(fits).unwrap_or_default();
    let cells = |row: &[String; 3]| bounds.iter().map(|bound| row[*bound].clone()).collect();
    (rows.iter().map(cells).collect(), width_of(bounds))
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

fn range_bar([min, avg, max]: [usize; 3], width: usize) -> String {
    let letter = |column| match column {
        column if column == avg => '●',
        column if column == min => '├',
        column if column == max => '┤',
        column if (min..max).contains(&column) => '─',
        _ => ' ',
    };
    (0..width).map(letter).collect()
}
