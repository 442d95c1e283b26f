//! The header of a series: which column has which name.

use csv::StringRecord;

use crate::nearest::{listed, nearest};
use crate::problems::{Place, Problems, Source};

/// The columns that a series may have, the required ones first.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    pub(super) source: Source,
    pub(super) names: &'static [&'static str],
    pub(super) required: usize,
}

/// What a further column's name begins with; the engine does not read it.
const FURTHER: &str = "x_";

/// The place of each known column in a row, in the order of their names; none where the required
/// ones are not all there.
pub(super) fn read(
    header: &StringRecord,
    line: usize,
    columns: Columns,
    problems: &mut Problems,
) -> Option<Vec<Option<usize>>> {
    let Columns { source, names, required } = columns;
    let expected = names[..required].join(",");
    let first = header.get(0).unwrap_or_default();
    if first.starts_with('#') || first.to_lowercase().starts_with("sep=") {
        let what = if first.starts_with('#') { "a comment" } else { "a note of the separator" };
        problems.push(Place::row(source, line), || {
            format!("the first line is {what}; it must be the header: {expected}")
        });
        return None;
    }
    if header.len() == 1
        && let Some(separator) = [';', '\t', '|'].into_iter().find(|char| first.contains(*char))
    {
        let separator =
            if separator == '\t' { "tabs".to_owned() } else { format!("\"{separator}\"") };
        problems.push(Place::row(source, line), || {
            format!(
                "cells are separated by {separator}; they must be separated by commas: {expected}"
            )
        });
        return None;
    }
    if first.starts_with(|char: char| char.is_ascii_digit()) {
        problems.push(Place::row(source, line), || {
            format!("there is no header; the first line must name the columns: {expected}")
        });
        return None;
    }
    let absent: Vec<&str> =
        names.iter().copied().filter(|known| header.iter().all(|name| name != *known)).collect();
    let mut meant = Vec::new();
    let mut places = vec![None; names.len()];
    for (at, name) in header.iter().enumerate() {
        let place = Place::cell(source, line, at + 1, name);
        match names.iter().position(|known| *known == name) {
            Some(known) if places[known].is_some() => problems.push(place, || {
                format!("{name} stands here for the second time; each column must stand once")
            }),
            Some(known) => places[known] = Some(at),
            None if name.starts_with(FURTHER) => {}
            None => {
                let suggested = suggested(name, &absent);
                meant.extend(suggested);
                problems.push(place, || unknown(name, suggested, names));
            }
        }
    }
    let is_missing = |known: &usize| places[*known].is_none();
    // A column under a name with a slip is not missing as well.
    let missing = (0..required).filter(is_missing).map(|known| names[known]);
    let missing: Vec<&str> = missing.filter(|name| !meant.contains(name)).collect();
    if !missing.is_empty() {
        problems.push(Place::row(source, line), || {
            format!("there is no column {}; the header must have it", listed(&missing))
        });
    }
    if (0..required).any(|known| is_missing(&known)) { None } else { Some(places) }
}

/// The column that was meant, of those that the file does not have yet. Of three levels it is the
/// mean that stands for itself.
fn suggested(name: &str, absent: &[&'static str]) -> Option<&'static str> {
    let written = name.trim().to_lowercase();
    let mean = format!("{written}_mean");
    let same = absent.iter().copied().find(|known| *known == written || *known == mean);
    same.or_else(|| nearest(name, absent))
}

fn unknown(name: &str, suggested: Option<&str>, names: &[&'static str]) -> String {
    let further = format!("{}, and what begins with {FURTHER}", listed(names));
    match suggested {
        _ if name.trim().is_empty() => format!("the column has no name; known are {further}"),
        Some(meant) if meant == name.trim().to_lowercase() => {
            format!("\"{name}\" has capitals or spaces; the column must be named {meant}")
        }
        Some(meant) => {
            format!("the column is unknown; did you mean {meant}? Known are {further}")
        }
        None => format!("the column is unknown; known are {further}"),
    }
}
