//! The TOML text as a tree whose every value knows its line.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fields::REQUIRED_TABLES;
use super::syntax;
use super::table::Table;
use super::text::Text;
use crate::problems::{Place, Problems};

/// The fields and tables of an inputs file.
const FIELDS: [&str; 6] = ["seed", "network", "decimals", "movement", "region", "series"];

/// A text that is TOML.
pub(super) struct Document<'a> {
    root: DeTable<'a>,
    text: Text,
}

impl<'a> Document<'a> {
    /// Reads a text. What is no TOML is told by line, as far as the parser finds its way.
    pub(super) fn parse(text: &'a str, problems: &mut Problems) -> Option<Self> {
        let mut around = Text::new(text);
        let (root, errors) = DeTable::parse_recoverable(text);
        for (at, message) in syntax::messages(text, errors) {
            problems.push(Place::inputs(Some(around.line(at))), || message);
        }
        if !problems.is_empty() {
            return None;
        }
        let root = root.into_inner();
        let missing = REQUIRED_TABLES.iter().filter(|(name, _)| !root.contains_key(*name));
        around.lead_astray(missing.flat_map(|(_, fields)| *fields).copied());
        Some(Self { root, text: around })
    }

    /// The file as the table that it is.
    pub(super) fn root(&self, problems: &mut Problems) -> Table<'_> {
        Table::new(&self.root, &self.text, None, "", &FIELDS, problems)
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
        let line = Some(self.text.line(value.span().start));
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
