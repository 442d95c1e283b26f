//! A JSON object in one of the server's documents.

use std::fmt::Display;
use std::rc::Rc;

use jiff::civil::{Date, DateTime};
use serde_json::Value;

use crate::check::response::{Finding, Judgement, RecordedResponse, judged};

/// The JSON of a response, or an entry of a list in it.
pub(crate) struct JsonObject {
    pub(crate) response: Rc<RecordedResponse>,
    /// The list and the index of an entry.
    entry: Option<(&'static str, usize)>,
}

impl JsonObject {
    /// The JSON of a response.
    pub(crate) fn whole(response: Rc<RecordedResponse>) -> Self {
        Self { response, entry: None }
    }

    /// Returns the JSON value. An entry of a list may be something other than an object.
    pub(crate) fn value(&self) -> Option<&Value> {
        let whole = self.response.http()?.json.as_ref().ok()?;
        match self.entry {
            None => Some(whole),
            Some((list, index)) => whole.get(list)?.get(index),
        }
    }

    pub(crate) fn get(&self, field: &str) -> Option<&Value> {
        self.value()?.get(field)
    }

    pub(crate) fn field_names(&self) -> Vec<&str> {
        let fields = self.value().and_then(Value::as_object).into_iter().flatten();
        fields.map(|(name, _)| &**name).collect()
    }

    /// Returns the path of a field within the document, `points[3].date`, or of an entry, `points[3]`.
    pub(crate) fn at(&self, field: &str) -> String {
        match self.entry {
            None => field.into(),
            Some((list, index)) if field.is_empty() => format!("{list}[{index}]"),
            Some((list, index)) => format!("{list}[{index}].{field}"),
        }
    }

    pub(crate) fn entries(&self, list: &'static str) -> Vec<Self> {
        let count = self.get(list).and_then(Value::as_array).map_or(0, Vec::len);
        let entry =
            |index| Self { response: Rc::clone(&self.response), entry: Some((list, index)) };
        (0..count).map(entry).collect()
    }

    /// Returns the UTC time of the document.
    pub(crate) fn time(&self) -> Option<DateTime> {
        self.response.http()?.time()
    }

    /// Returns the UTC date of the document.
    pub(crate) fn day(&self) -> Option<Date> {
        self.time().map(DateTime::date)
    }

    /// Reads a field. One of another type is not judged, since it breaks a separate rule.
    fn read<'a, T>(
        &'a self,
        field: &str,
        expected: &str,
        convert: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, Finding> {
        let value = self.get(field);
        value.and_then(convert).ok_or_else(|| {
            let (at, got) = (self.at(field), value.map_or("nothing".into(), typed));
            Finding::Unjudged(format!("{at}: expected {expected}, got {got}"))
        })
    }

    pub(crate) fn text(&self, field: &str) -> Result<&str, Finding> {
        self.read(field, "a string", Value::as_str)
    }

    pub(crate) fn number(&self, field: &str) -> Result<f64, Finding> {
        self.read(field, "a number", Value::as_f64)
    }

    pub(crate) fn integer(&self, field: &str) -> Result<f64, Finding> {
        let whole = |value: &Value| value.as_f64().filter(|number| number.fract() == 0.0);
        self.read(field, "an integer", whole)
    }

    pub(crate) fn list(&self, field: &str) -> Result<&Vec<Value>, Finding> {
        self.read(field, "an array", Value::as_array)
    }

    pub(crate) fn texts(&self, field: &str) -> Result<Vec<&str>, Finding> {
        self.read(field, "an array of strings", |value| {
            value.as_array()?.iter().map(Value::as_str).collect()
        })
    }

    /// Judges a field.
    pub(crate) fn verify(&self, field: &str, is_right: bool, expected: impl Display) -> Judgement {
        // The field may be a long list, which is formatted only if it is wrong.
        if is_right {
            return Ok(());
        }
        let (at, got) = (self.at(field), self.get(field).map_or("missing".into(), typed));
        judged(false, format_args!("{at}: {expected}"), format_args!("{at}: {got}"))
    }

    /// Judges a string field that must have this value.
    pub(crate) fn verify_text(&self, field: &str, expected: &str) -> Judgement {
        self.verify(field, self.text(field)? == expected, format_args!("{expected:?}"))
    }
}

/// Formats a value with its type.
pub(crate) fn typed(value: &Value) -> String {
    let name = match value {
        Value::Null => return "null".into(),
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    format!("{name}, {value}")
}
