//! A table of the TOML, read field by field: each is there, of its kind and within its bounds, or
//! a problem says what is wrong and what would be right.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::bounds::Bounds;
use crate::inputs::syntax;
use crate::inputs::text::Text;
use crate::nearest::{listed, nearest};
use crate::problems::{Place, Problems};

/// A table and how messages speak of it.
pub(super) struct Table<'a> {
    entries: &'a DeTable<'a>,
    text: &'a Text,
    line: Option<usize>,
    /// What stands before the names of its fields: `network.`
    prefix: String,
    /// Fields that stand there under a name with a slip; they are not missing.
    misspelt: Vec<&'static str>,
}

impl<'a> Table<'a> {
    /// A table with these fields and no others, called by their names behind `prefix`.
    pub(super) fn new(
        entries: &'a DeTable<'a>,
        text: &'a Text,
        line: Option<usize>,
        prefix: &str,
        fields: &[&'static str],
        problems: &mut Problems,
    ) -> Self {
        let mut misspelt = Vec::new();
        for key in entries.keys() {
            let name = &**key.get_ref();
            if fields.contains(&name) || text.is_astray(name) {
                continue;
            }
            let meant = nearest(name, fields).filter(|meant| !entries.contains_key(*meant));
            misspelt.extend(meant);
            problems.push(Place::inputs(Some(text.line(key.span().start))), || {
                let fields = listed(fields);
                match meant {
                    _ if name == "seed" => {
                        format!("{prefix}seed is unknown; seed belongs above the first table")
                    }
                    Some(meant) => {
                        format!(
                            "{prefix}{name} is unknown; did you mean {meant}? Known are {fields}"
                        )
                    }
                    None => format!("{prefix}{name} is unknown; known are {fields}"),
                }
            });
        }
        Self { entries, text, line, prefix: prefix.to_owned(), misspelt }
    }

    /// How messages call a field.
    pub(super) fn field(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// A value, if it is there.
    pub(super) fn get(&self, name: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.entries.get(name)
    }

    /// Where a field stands, or the table where it does not.
    pub(super) fn place(&self, name: &str) -> Place<'static> {
        Place::inputs(match self.get(name) {
            Some(value) => Some(self.text.line(value.span().start)),
            None => self.line,
        })
    }

    /// The value of a field that must be there, whatever it is.
    fn required(
        &self,
        name: &str,
        expected: impl FnOnce() -> String,
        problems: &mut Problems,
    ) -> Option<&'a DeValue<'a>> {
        let value = self.get(name).map(Spanned::get_ref);
        if value.is_none() && !self.misspelt.contains(&name) {
            problems.push(self.place(name), || {
                format!("{} is missing; it must be {}", self.field(name), expected())
            });
        }
        value
    }

    fn is_not(&self, name: &str, value: &DeValue<'_>, expected: &str, problems: &mut Problems) {
        problems.push(self.place(name), || {
            format!("{} is {}; it must be {expected}", self.field(name), described(value))
        });
    }

    /// A number within bounds.
    pub(super) fn number(
        &self,
        name: &str,
        bounds: Bounds,
        problems: &mut Problems,
    ) -> Option<f64> {
        let value = self.required(name, || format!("a number {bounds}"), problems)?;
        match value_of(value) {
            Some(number) if bounds.contains(number) => Some(number),
            Some(_) => {
                self.is_not(name, value, &bounds.to_string(), problems);
                None
            }
            None => {
                let quotes = if value.is_str() { " without quotes," } else { "" };
                self.is_not(name, value, &format!("a number{quotes} {bounds}"), problems);
                None
            }
        }
    }

    /// A number within bounds, or what it is where it is not there.
    pub(super) fn number_or(
        &self,
        name: &str,
        default: f64,
        bounds: Bounds,
        problems: &mut Problems,
    ) -> Option<f64> {
        match self.get(name) {
            Some(_) => self.number(name, bounds, problems),
            None => Some(default),
        }
    }

    /// A whole number within bounds, or what it is where it is not there.
    pub(super) fn whole_or<T: TryFrom<i64>>(
        &self,
        name: &str,
        default: T,
        bounds: Bounds,
        problems: &mut Problems,
    ) -> Option<T> {
        let Some(value) = self.get(name).map(Spanned::get_ref) else { return Some(default) };
        let number = value_of(value).filter(|number| bounds.contains(*number));
        let whole =
            number.map(|number| number as i64).filter(|whole| Some(*whole as f64) == number);
        let whole = whole.and_then(|whole| T::try_from(whole).ok());
        if whole.is_none() {
            self.is_not(name, value, &format!("a whole number {bounds}"), problems);
        }
        whole
    }

    /// The seed: any whole number that TOML can hold and that is not negative.
    pub(super) fn seed(&self, name: &str, problems: &mut Problems) -> Option<u64> {
        const EXPECTED: &str = "a whole number from 0 to 2^63 - 1";
        let value = self.required(name, || EXPECTED.to_owned(), problems)?;
        let seed = value.as_integer().and_then(|integer| {
            let seed = i64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
            u64::try_from(seed).ok()
        });
        if seed.is_none() {
            self.is_not(name, value, EXPECTED, problems);
        }
        seed
    }

    /// A text.
    pub(super) fn text(&self, name: &str, problems: &mut Problems) -> Option<&'a str> {
        const EXPECTED: &str = "a text in quotes";
        let value = self.required(name, || EXPECTED.to_owned(), problems)?;
        if !value.is_str() {
            self.is_not(name, value, EXPECTED, problems);
        }
        value.as_str()
    }

    /// A table below this one: `[name]` in the file, with these fields.
    pub(super) fn table(
        &self,
        name: &str,
        fields: &[&'static str],
        problems: &mut Problems,
    ) -> Option<Table<'a>> {
        let value = self.get(name)?;
        if value.get_ref().is_array() {
            problems.push(self.place(name), || {
                format!("{name} is a list; it must be one table: [{name}], in single brackets")
            });
            return None;
        }
        let Some(entries) = value.get_ref().as_table() else {
            self.is_not(name, value.get_ref(), &format!("a table [{name}]"), problems);
            return None;
        };
        let line = Some(self.text.line(value.span().start));
        Some(Table::new(entries, self.text, line, &format!("{name}."), fields, problems))
    }

    /// A table that must be there. Of its fields, only the first must.
    pub(super) fn required_table(
        &self,
        name: &str,
        fields: &[&'static str],
        required: usize,
        problems: &mut Problems,
    ) -> Option<Table<'a>> {
        if self.get(name).is_none() && !self.misspelt.contains(&name) {
            problems.push(Place::inputs(None), || {
                let required = listed(&fields[..required]);
                format!("there is no table [{name}]; it must be there, with {required}")
            });
        }
        self.table(name, fields, problems)
    }

    /// A table in braces, with just these fields.
    pub(super) fn braces(
        &self,
        name: &str,
        fields: &[&'static str],
        problems: &mut Problems,
    ) -> Option<Table<'a>> {
        let expected = || format!("a table with {}", listed(fields));
        let value = self.required(name, expected, problems)?;
        let Some(entries) = value.as_table() else {
            self.is_not(name, value, &expected(), problems);
            return None;
        };
        let line = self.get(name).map(|value| self.text.line(value.span().start));
        let prefix = self.field(&format!("{name}."));
        Some(Table::new(entries, self.text, line, &prefix, fields, problems))
    }

    /// The tables of a list, `[[name]]` in the file, each with its line.
    pub(super) fn list(
        &self,
        name: &str,
        problems: &mut Problems,
    ) -> Option<Vec<(&'a DeTable<'a>, usize)>> {
        let brackets = || format!("each is written [[{name}]], in double brackets");
        let Some(value) = self.get(name) else {
            if !self.misspelt.contains(&name) {
                problems.push(Place::inputs(None), || {
                    format!("there is no {name}; there must be one at least, and {}", brackets())
                });
            }
            return None;
        };
        if value.get_ref().is_table() {
            problems.push(self.place(name), || syntax::single(name));
            return None;
        }
        let list = value.get_ref().as_array().map(|list| list.iter());
        let tables = list.and_then(|list| {
            list.map(|value| {
                Some((value.get_ref().as_table()?, self.text.line(value.span().start)))
            })
            .collect::<Option<Vec<_>>>()
        });
        if tables.is_none() {
            problems
                .push(self.place(name), || format!("{name} is no list of tables; {}", brackets()));
        }
        if tables.as_ref().is_some_and(Vec::is_empty) {
            problems.push(self.place(name), || {
                format!("there is no {name}; there must be one at least, and {}", brackets())
            });
        }
        tables
    }

    /// The text that this table stands in.
    pub(super) fn text_around(&self) -> &'a Text {
        self.text
    }
}

/// The number that is written, also one that is too large to be held.
fn value_of(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
        DeValue::Integer(integer) => {
            i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|whole| whole as f64)
        }
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    }
}

/// A value as messages repeat it.
fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text \"{text}\""),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(datetime) => format!("the date {datetime}"),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
