//! A JSON object in one of the server's documents.

use std::fmt::Display;
use std::rc::Rc;

use jiff::civil::DateTime;
use serde_json::Value;

use crate::check::response::{CheckResponse, Finding, Judgement, unjudged};

/// The JSON of a response, or an entry of a list in it.
pub(crate) struct JsonObject {
    pub(crate) response: Rc<CheckResponse>,
    /// The list and the index of an entry.
    entry: Option<(&'static str, usize)>,
}

impl JsonObject {
    pub(crate) fn whole(response: Rc<CheckResponse>) -> Self {
        Self { response, entry: None }
    }

    /// Returns the document in a response. A missing document breaks a separate rule.
    pub(crate) fn document(response: Rc<CheckResponse>) -> Result<Self, Finding> {
        if response.is_document() {
            return Ok(Self::whole(response));
        }
        let why = match (response.why_unjudged(), response.status) {
            (Some(why), _) => why.into(),
            (None, 0) => response.excerpt(),
            (None, 200) => "200 without a JSON object".into(),
            (None, status) => status.to_string(),
        };
        Err(unjudged(format!("no document from {}: {why}", response.request.target)))
    }

    pub(crate) fn entries(&self, list: &'static str) -> Vec<Self> {
        let count = self.list(list).map_or(0, Vec::len);
        let entry = |index| Self { response: self.response.clone(), entry: Some((list, index)) };
        (0..count).map(entry).collect()
    }

    /// Returns the value of a field. An entry of a list may be something other than an object.
    pub(crate) fn get(&self, field: &str) -> Option<&Value> {
        self.value()?.get(field)
    }

    fn value(&self) -> Option<&Value> {
        match self.entry {
            None => Some(&self.response.json),
            Some((list, index)) => self.response.json.get(list)?.get(index),
        }
    }

    pub(crate) fn field_names(&self) -> Vec<&str> {
        let fields = self.value().and_then(Value::as_object).into_iter().flatten();
        fields.map(|(name, _)| &**name).collect()
    }

    /// Returns the path of a field within the document, such as `points[3].date`.
    pub(crate) fn at(&self, field: &str) -> String {
        match self.entry {
            None => field.into(),
            Some((list, index)) => format!("{list}[{index}].{field}"),
        }
    }

    /// Describes the value of a field, with its type.
    fn described(&self, field: &str) -> String {
        let name = match self.get(field) {
            None => return "missing".into(),
            Some(Value::Null) => return "null".into(),
            Some(Value::Bool(_)) => "a boolean",
            Some(Value::Number(_)) => "a number",
            Some(Value::String(_)) => "a string",
            Some(Value::Array(_)) => "an array",
            Some(Value::Object(_)) => "an object",
        };
        format!("{name}, {}", self.get(field).unwrap_or(&Value::Null))
    }

    /// Returns the UTC time of the document.
    pub(crate) fn time(&self) -> Result<DateTime, Finding> {
        let target = &self.response.request.target;
        let missing = || unjudged(format!("no valid timestamp_utc in {target}"));
        self.response.time().ok_or_else(missing)
    }

    /// Reads a field. One of another type is not judged, since it breaks a separate rule.
    fn read<'a, T>(
        &'a self,
        field: &str,
        expected: &str,
        convert: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, Finding> {
        self.get(field).and_then(convert).ok_or_else(|| {
            let (at, got) = (self.at(field), self.described(field));
            unjudged(format!("{at}: expected {expected}, got {got}"))
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

    /// Judges a field.
    pub(crate) fn verify(&self, field: &str, is_right: bool, expected: impl Display) -> Judgement {
        // The field may be a long list, which is formatted only if it is wrong.
        if is_right {
            return Ok(());
        }
        let (at, got) = (self.at(field), self.described(field));
        self.response.verify(false, format_args!("{at}: {expected}"), format_args!("{at}: {got}"))
    }

    /// Judges a string field that must have this value.
    pub(crate) fn verify_text(&self, field: &str, expected: &str) -> Judgement {
        self.verify(field, self.text(field)? == expected, format_args!("{expected:?}"))
    }
}
