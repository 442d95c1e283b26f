//! The regions as bars from minimum to maximum with the average marked, over one scale.

use ghi_client::AnySnapshot;
use ghi_contract::GLOBAL;
use ghi_display::{Scale, ScaleStyle, Tick};
use ghi_engine::visible;
use unicode_width::UnicodeWidthStr;

use crate::show::canvas::Letters;
use crate::show::costs::{Costs, at_scale, bounds, of_regions, worldwide};
use crate::show::figures::{decimals, rounded};
use crate::show::terminal::Terminal;
use crate::text_table::cut;

/// What stands between two columns.
const GAP: &str = "  ";

/// The fewest columns of a bar beside which figures stand.
const BAR_BESIDE_FIGURES: usize = 24;

/// The fewest columns of a bar.
const BAR_MIN: usize = 10;

/// Columns between two numbers of the scale, as many as one of them takes.
const COLUMNS_PER_TICK: usize = 14;

/// From so many bars on, the scale stands below them as well.
const BARS_OF_A_SCREEN: usize = 20;

/// The most bars: more regions than this are read by programs.
const BARS_MAX: usize = 20_000;

/// The longest id, characters.
const ID_MAX: usize = 32;

/// A bar for each region in the order of the registry, below that for all of them.
pub(crate) fn chart(snapshot: &AnySnapshot, terminal: &Terminal) -> Result<String, String> {
    let regions: Vec<(&str, Costs)> =
        of_regions(snapshot).map(|(id, _, costs)| (id, costs)).collect();
    if regions.is_empty() {
        return Err(
            "this deployment sends the reduced snapshot, which has no regions to draw".into()
        );
    }
    if regions.len() > BARS_MAX {
        return Err(format!(
            "{} regions are too many to draw; use show snapshot --format csv",
            regions.len()
        ));
    }
    let all: Vec<(&str, Costs)> =
        worldwide(snapshot).map(|costs| (GLOBAL, costs)).into_iter().chain(regions).collect();
    let costs: Vec<Costs> = all.iter().map(|(_, costs)| *costs).collect();
    let bounds = bounds(costs.iter().flat_map(|costs| costs.each()))?;

    let width = terminal.width_of_chart();
    let letters = Letters::new(terminal.is_utf8);
    let ids: Vec<String> = all.iter().map(|(id, _)| cut(&visible(id, ID_MAX), width / 4)).collect();
    let id_width = ids.iter().map(|id| id.width()).max().unwrap_or_default().max("region".len());
    let figures = Figures::new(&costs, width.saturating_sub(id_width + GAP.len()));
    let bar = width.saturating_sub(id_width + GAP.len() + figures.width()).max(BAR_MIN);

    let style =
        ScaleStyle { ticks_max: (bar / COLUMNS_PER_TICK).max(4) as u64, is_brief: bar < 48 };
    let scale = Scale::covering(bounds[0], bounds[1], [0.0, (bar - 1) as f64], style);
    let column =
        |cost| scale.place(at_scale(cost, bounds[0])).round().clamp(0.0, (bar - 1) as f64) as usize;

    let line = |id: &str, bar: &str, figures: &str| {
        let space = " ".repeat(id_width - id.width());
        format!("{id}{space}{GAP}{bar}{figures}").trim_end().to_owned() + "\n"
    };
    let numbers = numbers(&scale.ticks(), bar);
    let rule = rule(&scale.ticks(), bar, letters);
    let mut text = line("region", &numbers, &figures.header);
    text += &line("", &rule, "");
    for ((id, (_, costs)), figures) in ids.iter().zip(&all).zip(&figures.rows) {
        let [min, avg, max] = costs.each().map(column);
        text += &line(id, &drawn([min, avg, max], bar, letters), figures);
    }
    if all.len() > BARS_OF_A_SCREEN {
        text += &line("", &rule, "");
        text += &line("region", &numbers, &figures.header);
    }
    Ok(text)
}

/// The figures beside the bars: all three, the averages, or none, as there is room.
struct Figures {
    header: String,
    rows: Vec<String>,
}

impl Figures {
    fn new(costs: &[Costs], room: usize) -> Self {
        let decimals = decimals(costs.iter().flat_map(|costs| costs.each()));
        let names = ["min", "avg", "max"];
        let choices: [&[usize]; 3] = [&[0, 1, 2], &[1], &[]];
        let of = |columns: &[usize]| {
            let mut figures =
                Self { header: String::new(), rows: vec![String::new(); costs.len()] };
            for &column in columns {
                let cells: Vec<String> =
                    costs.iter().map(|costs| rounded(costs.each()[column], decimals)).collect();
                let width = cells.iter().map(String::len).max().unwrap_or_default().max(3);
                figures.header += &format!("{GAP}{:>width$}", names[column]);
                for (row, cell) in figures.rows.iter_mut().zip(cells) {
                    *row += &format!("{GAP}{cell:>width$}");
                }
            }
            figures
        };
        let fits = |figures: &Self| figures.width() + BAR_BESIDE_FIGURES <= room;
        choices.map(of).into_iter().find(fits).unwrap_or_else(|| of(&[]))
    }

    fn width(&self) -> usize {
        self.header.len()
    }
}

/// The numbers of a scale above their places, those of them that there is room for.
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

/// A rule with a mark at each number.
fn rule(ticks: &[Tick], width: usize, letters: &Letters) -> String {
    let is_tick = |column: usize| ticks.iter().any(|tick| tick.at.round() as usize == column);
    (0..width).map(|column| if is_tick(column) { letters.mark } else { letters.rule }).collect()
}

/// A bar from its minimum to its maximum.
fn drawn([min, avg, max]: [usize; 3], width: usize, letters: &Letters) -> String {
    let letter = |column| match column {
        column if column == avg => letters.average,
        column if column == min => letters.bar_ends[0],
        column if column == max => letters.bar_ends[1],
        column if (min..max).contains(&column) => letters.bar,
        _ => ' ',
    };
    (0..width).map(letter).collect()
}
