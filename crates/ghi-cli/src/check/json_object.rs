//! A JSON object in one of the server's documents.

use std::rc::Rc;

use jiff::civil::DateTime;
use serde_json::Value;

use crate::check::response::RecordedResponse;

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

    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        self.get(field)?.as_str()
    }

    pub(crate) fn number(&self, field: &str) -> Option<f64> {
        self.get(field)?.as_f64()
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
    pub(crate) fn day(&self) -> Option<String> {
        Some(self.time()?.date().to_string())
    }
}
