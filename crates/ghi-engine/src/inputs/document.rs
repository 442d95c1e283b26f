//! The TOML text as a tree whose every value knows its line.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::syntax;
use super::table::Table;
use crate::problems::{Place, Problems};

/// The fields and tables of an inputs file.
const FIELDS: [&str; 6] = ["seed", "network", "decimals", "movement", "region", "series"];

/// A text that is TOML.
pub(super) struct Document<'a> {
    root: DeTable<'a>,
    lines: Lines,
}

impl<'a> Document<'a> {
    /// Reads a text. What is no TOML is told by line, as far as the parser finds its way.
    pub(super) fn parse(text: &'a str, problems: &mut Problems) -> Option<Self> {
        let lines = Lines::of(text);
        let (root, errors) = DeTable::parse_recoverable(text);
        if errors.is_empty() {
            return Some(Self { root: root.into_inner(), lines });
        }
        for (at, message) in syntax::messages(text, errors) {
            problems.push(Place::inputs(Some(lines.line(at))), || message);
        }
        None
    }

    /// The file as the table that it is.
    pub(super) fn root(&self, problems: &mut Problems) -> Table<'_> {
        Table::new(&self.root, &self.lines, None, "the file", "", &FIELDS, problems)
    }

    /// Where the value at this path stands, or what would hold it.
    pub(super) fn place(&self, path: &[&str]) -> Place<'static> {
        self.place_below(None, &self.root, path)
    }

    /// Where a value of the Nth region stands, counted from 0, or what would hold it.
    pub(super) fn region_place(&self, region: usize, path: &[&str]) -> Place<'static> {
        let regions = self.root.get("region").and_then(|regions| regions.get_ref().as_array());
        match regions.and_then(|regions| regions.get(region)) {
            Some(region) => self.place_in(region, path),
            None => self.place(&["region"]),
        }
    }

    fn place_in(&self, value: &Spanned<DeValue<'_>>, path: &[&str]) -> Place<'static> {
        let line = Some(self.lines.line(value.span().start));
        match value.get_ref().as_table() {
            Some(table) => self.place_below(line, table, path),
            None => Place::inputs(line),
        }
    }

    fn place_below(
        &self,
        line: Option<usize>,
        table: &DeTable<'_>,
        path: &[&str],
    ) -> Place<'static> {
        match path.split_first().and_then(|(name, rest)| Some((table.get(*name)?, rest))) {
            Some((value, rest)) => self.place_in(value, rest),
            None => Place::inputs(line),
        }
    }
}

/// Where the lines of a text begin.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(ends.map(|(at, _)| at + 1).collect())
    }

    /// The line of a byte, counted from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        1 + self.0.partition_point(|start| *start <= at)
    }
}
