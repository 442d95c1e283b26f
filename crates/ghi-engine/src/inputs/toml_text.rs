//! The text of an inputs file, with the location of each value.

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use crate::fields::FIELDS;
use crate::problems::{InputFile, Location, ProblemReport};
use crate::text::visible;

/// What the parser calls types of Rust, and the words of TOML for them.
const PLAIN_WORDS: [(&str, &str); 5] = [
    ("f64", "a number"),
    ("u64", "a whole number"),
    (" as i128", ""),
    ("type: map", "type: table"),
    ("a sequence", "a list"),
];

const LINE_MAX: usize = 64;

type Value<'a> = Spanned<DeValue<'a>>;

pub(super) struct TomlText<'a> {
    text: &'a str,
    /// The byte at which each line but the first starts.
    line_starts: Vec<usize>,
    root: Value<'a>,
    pub(super) problems: &'a ProblemReport,
}

impl<'a> TomlText<'a> {
    /// Parses a text that has the tables and fields of an inputs file.
    pub(super) fn parse(text: &'a str, problems: &'a ProblemReport) -> Result<Self, Error> {
        let table = DeTable::parse(text)?;
        let root = Spanned::new(table.span(), DeValue::Table(table.into_inner()));
        let line_starts = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        Ok(Self { text, line_starts, root, problems })
    }

    /// Finds a value by its path, such as `region.0.id`.
    fn find(&self, path: &str) -> Option<&Value<'a>> {
        path.split('.').try_fold(&self.root, |value, key| match key.parse::<usize>() {
            Ok(index) => value.get_ref().get(index),
            Err(_) => value.get_ref().get(key),
        })
    }

    fn location_of(&self, value: &Value<'_>) -> Location<'static> {
        let lines = self.line_starts.partition_point(|start| *start <= value.span().start);
        Location::line(InputFile::Toml, 1 + lines)
    }

    /// The location of a value. If there is none, the problem is not in one line.
    pub(super) fn location(&self, path: &str) -> Location<'static> {
        self.find(path).map_or(Location::INPUTS_FILE, |value| self.location_of(value))
    }

    pub(super) fn report(&self, path: &str, message: &str) {
        self.problems.add(self.location(path), message);
    }

    pub(super) fn refuse(&self, path: &str, expected: &str) {
        let written = self.find(path).map_or("", |value| &self.text[value.span()]);
        self.report(path, &format!("{} is {written}; expected {expected}", name_in(path)));
    }

    /// Checks every field on its own. Returns whether those of the regions are valid.
    pub(super) fn check_fields(&self) -> bool {
        let mut are_regions_valid = true;
        for (name, value) in self.root.get_ref().as_table().into_iter().flatten() {
            let before = self.problems.count();
            self.check_value(name.get_ref(), value);
            are_regions_valid &= name.get_ref() != "region" || self.problems.count() == before;
        }
        are_regions_valid
    }

    fn check_value(&self, path: &str, value: &Value<'_>) {
        match value.get_ref() {
            DeValue::Table(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_by_key(|(_, value)| value.span().start);
                for (name, value) in fields {
                    self.check_value(&format!("{path}.{}", name.get_ref()), value);
                }
            }
            DeValue::Array(items) => items.iter().for_each(|item| self.check_value(path, item)),
            _ => {
                let rule = FIELDS.iter().find(|(field, _)| *field == path);
                let (_, rule) = rule.expect("the table has every field");
                if let Some(problem) = rule.problem(value, &self.text[value.span()]) {
                    let message = format!("{} {problem}", name_in(path));
                    self.problems.add(self.location_of(value), &message);
                }
            }
        }
    }
}

/// The name of a field at the end of a path.
fn name_in(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or_default()
}

pub(super) fn report_toml(text: &str, error: &Error, problems: &ProblemReport) {
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or("the end of the file");
    let message = PLAIN_WORDS
        .iter()
        .fold(error.message().to_owned(), |message, (rust, plain)| message.replace(rust, plain));
    let line = visible(line.trim(), LINE_MAX);
    let message = format!("cannot read `{line}`: {message}");
    let number = 1 + text[..at].matches('\n').count();
    problems.add(Location::line(InputFile::Toml, number), &message);
}
