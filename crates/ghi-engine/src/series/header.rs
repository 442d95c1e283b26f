//! The header of a series.

use csv::StringRecord;

use crate::problems::{InputFile, Location, ProblemReport};
use crate::text::{listed, suggestion};

/// The number of required columns, which come first in the list of known columns.
pub(super) const REQUIRED: usize = 2;

/// The prefix of columns for other programs.
const IGNORED_PREFIX: &str = "x_";

/// A column that a series may have.
#[derive(Clone, Copy)]
pub(super) struct SeriesColumn {
    pub(super) name: &'static str,
    /// Its index in a row, if the file has it.
    pub(super) index: Option<usize>,
}

/// Finds the columns of a series in its header. Returns `None` if the rows below it cannot be read.
pub(super) fn read<const N: usize>(
    header: &StringRecord,
    line: usize,
    file: InputFile,
    names: [&'static str; N],
    problems: &ProblemReport,
) -> Option<[SeriesColumn; N]> {
    let required = &names[..REQUIRED];
    if let Some(problem) = not_a_header(header) {
        let message = format!("{problem}: {}", required.join(","));
        problems.add(Location::row(file, line), &message);
        return None;
    }
    let mut columns = names.map(|name| SeriesColumn { name, index: None });
    let is_absent = |name: &&str| header.iter().all(|cell| cell != *name);
    let absent: Vec<&str> = names.into_iter().filter(is_absent).collect();
    let mut suggested = Vec::new();
    for (index, cell) in header.iter().enumerate() {
        let location = Location::cell(file, line, index + 1, cell);
        match columns.iter_mut().find(|column| column.name == cell) {
            Some(SeriesColumn { index: Some(_), .. }) => {
                problems.add(location, "duplicate column; each column must appear once");
            }
            Some(column) => column.index = Some(index),
            None if cell.starts_with(IGNORED_PREFIX) => {}
            None => {
                let meant = suggested_column(cell, &absent);
                suggested.extend(meant);
                problems.add(location, &unknown_column(cell, meant, &names));
            }
        }
    }
    // A misspelled column is not reported a second time as missing.
    let is_missing = |name: &&str| absent.contains(name) && !suggested.contains(name);
    let missing: Vec<&str> = required.iter().copied().filter(is_missing).collect();
    if !missing.is_empty() {
        let message = format!("missing column {}", listed(&missing));
        problems.add(Location::row(file, line), &message);
    }
    columns[..REQUIRED].iter().all(|column| column.index.is_some()).then_some(columns)
}

/// Explains why the first line is not a header of comma-separated names. An example follows the message.
fn not_a_header(header: &StringRecord) -> Option<String> {
    let first = header.get(0).unwrap_or_default();
    if first.starts_with('#') {
        return Some("the first line is a comment; expected the header".to_owned());
    }
    if first.to_lowercase().starts_with("sep=") {
        return Some("the first line sets the separator; expected the header".to_owned());
    }
    if header.len() == 1
        && let Some(separator) = [';', '\t', '|'].into_iter().find(|char| first.contains(*char))
    {
        let separator = if separator == '\t' { "tabs".into() } else { format!("\"{separator}\"") };
        return Some(format!("cells are separated by {separator}; expected commas"));
    }
    let is_data = first.starts_with(|char: char| char.is_ascii_digit());
    is_data.then(|| "the header is missing; the first line must name the columns".to_owned())
}

/// Finds the column that was probably meant, among those that the file does not have. For a field with
/// three values, a name without a suffix means the mean.
fn suggested_column(cell: &str, absent: &[&'static str]) -> Option<&'static str> {
    let name = cell.trim().to_lowercase();
    let mean = format!("{name}_mean");
    let same = absent.iter().copied().find(|absent| *absent == name || *absent == mean);
    same.or_else(|| suggestion(cell, absent))
}

fn unknown_column(cell: &str, meant: Option<&str>, names: &[&'static str]) -> String {
    let known = format!("{}; names starting with {IGNORED_PREFIX} are ignored", listed(names));
    match meant {
        _ if cell.trim().is_empty() => format!("the column has no name; known columns: {known}"),
        Some(meant) => format!("unknown column; did you mean {meant}? Known columns: {known}"),
        None => format!("unknown column; known columns: {known}"),
    }
}
