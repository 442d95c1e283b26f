//! A table of the TOML file, read field by field.
//!
//! A field that is missing, unknown, of the wrong type or out of range is reported, and its value is
//! replaced with a placeholder, so that one pass finds every problem.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::calendar::{InvalidDate, day_number, parse_date};
use crate::number::parse_plain;
use crate::problems::{Location, ProblemReport};
use crate::ranges::ValidRange;
use crate::text::{listed, suggestion, visible};

/// The longest id that a message repeats, in characters.
const ID_MAX: usize = 32;

/// The file that tables belong to.
pub(super) struct TomlFile<'a> {
    problems: &'a ProblemReport,
    /// The byte at which each line but the first starts.
    line_starts: Vec<usize>,
    /// Whether the header of a required table is missing, so that its fields end up in another table.
    has_orphans: bool,
    empty: DeTable<'a>,
}

impl<'a> TomlFile<'a> {
    pub(super) fn new(text: &str, problems: &'a ProblemReport) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = newlines.map(|(at, _)| at + 1).collect();
        Self { problems, line_starts, has_orphans: false, empty: DeTable::new() }
    }

    /// The line of a byte, counted from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        1 + self.line_starts.partition_point(|start| *start <= at)
    }

    /// Reads the fields of the whole file, some of which are required tables.
    pub(super) fn read<T>(
        mut self,
        entries: &DeTable<'a>,
        required_tables: &[&str],
        read: impl FnOnce(&mut Table<'_>) -> T,
    ) -> T {
        self.has_orphans = required_tables.iter().any(|name| !entries.contains_key(*name));
        let mut root = Table::new(&self, entries, None, String::new());
        let result = read(&mut root);
        root.report_unknown_and_missing();
        result
    }
}

/// A table that is being read.
pub(super) struct Table<'a> {
    file: &'a TomlFile<'a>,
    entries: &'a DeTable<'a>,
    line: Option<usize>,
    /// The text before the names of its fields in messages: `network.`
    prefix: String,
    /// The fields that were read so far, which are the known ones.
    fields: Vec<&'static str>,
    /// The required fields that it does not have, and their expected values.
    missing: Vec<(&'static str, String)>,
}

impl<'a> Table<'a> {
    fn new(
        file: &'a TomlFile<'a>,
        entries: &'a DeTable<'a>,
        line: Option<usize>,
        prefix: String,
    ) -> Self {
        Self { file, entries, line, prefix, fields: Vec::new(), missing: Vec::new() }
    }

    /// The problems in the whole file.
    pub(super) fn problems(&self) -> &'a ProblemReport {
        self.file.problems
    }

    /// The location of a field, or of the table if the field is missing.
    pub(super) fn location(&self, name: &str) -> Location<'static> {
        let value = self.entries.get(name);
        Location::toml(value.map(|value| self.file.line(value.span().start)).or(self.line))
    }

    /// Reports a problem with a field. The message follows the field's name.
    pub(super) fn report(&self, name: &str, message: &str) {
        let message = format!("{}{name} {message}", self.prefix);
        self.file.problems.add(self.location(name), &message);
    }

    fn get(&mut self, name: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        if !self.fields.contains(&name) {
            self.fields.push(name);
        }
        self.entries.get(name)
    }

    /// Whether the table has a field.
    pub(super) fn has(&mut self, name: &'static str) -> bool {
        self.get(name).is_some()
    }

    fn value<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        parse: impl FnOnce(&'a DeValue<'a>) -> Option<T>,
    ) -> Option<T> {
        let Some(value) = self.get(name) else {
            self.missing.push((name, expected.to_owned()));
            return None;
        };
        let value = value.get_ref();
        let parsed = parse(value);
        if parsed.is_none() {
            let is_quoted = value.as_str().is_some_and(|text| parse_plain(text).is_some());
            let quotes = if is_quoted { ", without quotes" } else { "" };
            self.report(name, &format!("is {}; expected {expected}{quotes}", described(value)));
        }
        parsed
    }

    /// Reads a number within a range.
    pub(super) fn number(&mut self, name: &'static str, range: ValidRange) -> f64 {
        let in_range = |value| float(value).filter(|number| range.contains(*number));
        self.value(name, &format!("a number {range}"), in_range).unwrap_or(range.min)
    }

    /// Reads a number within a range. Returns the default if the field is missing.
    pub(super) fn number_or(&mut self, name: &'static str, default: f64, range: ValidRange) -> f64 {
        if self.has(name) { self.number(name, range) } else { default }
    }

    /// Reads a whole number within a range. Returns the default if the field is missing.
    pub(super) fn whole_or<T: TryFrom<i64> + Copy>(
        &mut self,
        name: &'static str,
        default: T,
        range: ValidRange,
    ) -> T {
        if !self.has(name) {
            return default;
        }
        let whole = |value| {
            let number = float(value).filter(|number| range.contains(*number))?;
            if number.fract() == 0.0 { T::try_from(number as i64).ok() } else { None }
        };
        self.value(name, &format!("a whole number {range}"), whole).unwrap_or(default)
    }

    /// Reads a whole number from 0 to the largest integer of TOML.
    pub(super) fn seed(&mut self, name: &'static str) -> u64 {
        let seed = |value: &DeValue<'_>| {
            let integer = value.as_integer()?;
            let seed = i64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
            u64::try_from(seed).ok()
        };
        self.value(name, "a whole number from 0 to 2^63 - 1", seed).unwrap_or_default()
    }

    /// Reads a string.
    pub(super) fn string(&mut self, name: &'static str) -> Option<&'a str> {
        self.value(name, "a string in quotes", DeValue::as_str)
    }

    /// Reads a date in quotes, as its day number.
    pub(super) fn day(&mut self, name: &'static str) -> Option<i64> {
        let text = self.get(name).and_then(|value| value.get_ref().as_str());
        let expected = match text.map(parse_date) {
            Some(Err(InvalidDate::NoSuchDay)) => "a valid calendar date, such as \"2028-04-17\"",
            _ => "a date in quotes such as \"2028-04-17\"",
        };
        self.value(name, expected, |value| parse_date(value.as_str()?).ok().map(day_number))
    }

    /// Reads a table in this one. It may be missing if all its fields are optional.
    pub(super) fn table<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Table<'a>) -> T,
    ) -> T {
        let value = self.get(name);
        let entries = value.and_then(|value| value.get_ref().as_table());
        let line = value.map(|value| self.file.line(value.span().start));
        let prefix = format!("{}{name}.", self.prefix);
        let mut table = Table::new(self.file, entries.unwrap_or(&self.file.empty), line, prefix);
        let result = read(&mut table);
        let required: Vec<&str> = table.missing.iter().map(|(field, _)| *field).collect();
        let header = if self.prefix.is_empty() { format!(" [{name}]") } else { String::new() };
        let expected = format!("a table{header} with {}", listed(&required));
        match value {
            Some(_) if entries.is_some() => table.report_unknown_and_missing(),
            Some(value) => {
                let found = described(value.get_ref());
                self.report(name, &format!("is {found}; expected {expected}"));
            }
            None if required.is_empty() => {}
            None => self.missing.push((name, expected)),
        }
        result
    }

    /// Reads the tables of a list, each written `[[name]]`. Messages name them by their id.
    pub(super) fn tables<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&mut Table<'a>) -> T,
    ) -> Vec<T> {
        let file = self.file;
        let list = |value: &'a DeValue<'a>| {
            let table = |value: &'a Spanned<DeValue<'a>>| {
                Some((value.get_ref().as_table()?, file.line(value.span().start)))
            };
            let tables: Option<Vec<_>> = value.as_array()?.iter().map(table).collect();
            tables.filter(|tables| !tables.is_empty())
        };
        let path = format!("{}{name}", self.prefix);
        let expected = format!("a list of tables, each written [[{path}]] in double brackets");
        let tables = self.value(name, &expected, list).unwrap_or_default();
        let read = |(index, (entries, line)): (usize, (&'a DeTable<'a>, usize))| {
            let prefix = match entries.get("id").and_then(|id| id.get_ref().as_str()) {
                Some(id) => format!("{path} \"{}\": ", visible(id, ID_MAX)),
                None => format!("{path} number {}: ", index + 1),
            };
            let mut table = Table::new(file, entries, Some(line), prefix);
            let result = read(&mut table);
            table.report_unknown_and_missing();
            result
        };
        let tables = tables.into_iter().enumerate();
        tables.take_while(|_| !file.problems.is_full()).map(read).collect()
    }

    fn report_unknown_and_missing(self) {
        let mut suggested = Vec::new();
        let fields = &self.fields;
        for (key, value) in self.entries {
            let name = &**key.get_ref();
            let is_orphan = self.file.has_orphans && !value.get_ref().is_table();
            if fields.contains(&name) || is_orphan || self.file.problems.is_full() {
                continue;
            }
            let meant = suggestion(name, fields).filter(|field| !self.entries.contains_key(*field));
            suggested.extend(meant);
            let hint = match meant {
                _ if name == "seed" => "seed belongs above the first table".to_owned(),
                Some(field) => format!("did you mean {field}? Known fields: {}", listed(fields)),
                None => format!("known fields: {}", listed(fields)),
            };
            self.report(name, &format!("is unknown; {hint}"));
        }
        // A misspelled field is not reported a second time as missing.
        for (name, expected) in self.missing.iter().filter(|(name, _)| !suggested.contains(name)) {
            self.report(name, &format!("is missing; expected {expected}"));
        }
    }
}

/// Parses a number, even if it is too large for an integer or a float.
fn float(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
        DeValue::Integer(integer) => {
            i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|whole| whole as f64)
        }
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    }
}

/// Describes a value for a message.
fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string \"{text}\""),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(datetime) => format!("the date {datetime}"),
        DeValue::Array(list) if list.is_empty() => "an empty list".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
