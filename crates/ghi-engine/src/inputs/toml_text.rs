//! The text of an inputs file, with the location of each value.

use std::ops::Range;

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
    root: Value<'a>,
    pub(super) problems: &'a ProblemReport,
}

impl<'a> TomlText<'a> {
    /// Parses a text that has the tables and fields of an inputs file.
    pub(super) fn parse(text: &'a str, problems: &'a ProblemReport) -> Result<Self, Error> {
        let table = DeTable::parse(text)?;
        let root = Spanned::new(table.span(), DeValue::Table(table.into_inner()));
        Ok(Self { text, root, problems })
    }

    /// Finds a value by its path, such as `region.0.id`.
    fn find(&self, path: &str) -> Option<&Value<'a>> {
        path.split('.').try_fold(&self.root, |value, key| match key.parse::<usize>() {
            Ok(index) => value.get_ref().get(index),
            Err(_) => value.get_ref().get(key),
        })
    }

    /// The location of a value. If there is none, the problem is not in one line.
    pub(super) fn location(&self, path: &str) -> Location {
        self.find(path)
            .map_or((InputFile::Toml, None), |value| location_of(self.text, value.span()))
    }

    pub(super) fn report(&self, path: &str, message: &str) {
        self.problems.add(self.location(path), message);
    }

    pub(super) fn refuse(&self, path: &str, expected: &str) {
        self.refuse_value(path, self.find(path).unwrap_or(&self.root), expected);
    }

    /// Checks every field on its own.
    pub(super) fn check_fields(&self) {
        for (name, value) in self.root.get_ref().as_table().into_iter().flatten() {
            self.check_value(name.get_ref(), value);
        }
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
                if !rule.accepts(value) {
                    self.refuse_value(path, value, &rule.to_string());
                }
            }
        }
    }

    fn refuse_value(&self, path: &str, value: &Value<'_>, expected: &str) {
        let name = path.rsplit('.').next().unwrap_or_default();
        let written = &self.text[value.span()];
        let message = format!("{name} is {written}; expected {expected}");
        self.problems.add(location_of(self.text, value.span()), &message);
    }
}

fn location_of(text: &str, span: Range<usize>) -> Location {
    (InputFile::Toml, Some(1 + text[..span.start].matches('\n').count()))
}

pub(super) fn report_toml(text: &str, error: &Error, problems: &ProblemReport) {
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or("the end of the file");
    let mut message = format!("cannot read `{}`: ", visible(line.trim(), LINE_MAX));
    let plain = |message: String, (rust, plain): &(&str, &str)| message.replace(rust, plain);
    message += &PLAIN_WORDS.iter().fold(error.message().to_owned(), plain);
    problems.add(location_of(text, at..at), &message);
}
