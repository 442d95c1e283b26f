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
    if header.len() == 1
        && let Some(separator) = [';', '\t', '|'].into_iter().find(|char| first.contains(*char))
    {
        let separator = if separator == '\t' { "tabs".to_owned() } else { separator.to_string() };
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
    let before = problems.count();
    let mut places = vec![None; names.len()];
    for (at, name) in header.iter().enumerate() {
        let place = Place::cell(source, line, at + 1, name);
        match names.iter().position(|known| *known == name) {
            Some(known) if places[known].is_some() => problems.push(place, || {
                format!("{name} stands here for the second time; each column must stand once")
            }),
            Some(known) => places[known] = Some(at),
            None if name.starts_with(FURTHER) => {}
            None => problems.push(place, || unknown(name, names)),
        }
    }
    let missing = (0..required).filter(|known| places[*known].is_none());
    let missing: Vec<&str> = missing.map(|known| names[known]).collect();
    if !missing.is_empty() && problems.count() == before {
        problems.push(Place::row(source, line), || {
            format!("there is no column {}; the header must have it", listed(&missing))
        });
    }
    if missing.is_empty() { Some(places) } else { None }
}

fn unknown(name: &str, names: &[&'static str]) -> String {
    let same = names.iter().find(|known| **known == name.trim().to_lowercase());
    if let Some(known) = same {
        return format!("\"{name}\" has capitals or spaces; the column must be named {known}");
    }
    let known = listed(names);
    let further = format!("{known}, and what begins with {FURTHER}");
    match nearest(name, names) {
        _ if name.trim().is_empty() => format!("the column has no name; known are {further}"),
        Some(meant) => {
            format!("the column is unknown; did you mean {meant}? Known are {further}")
        }
        None => format!("the column is unknown; known are {further}"),
    }
}
