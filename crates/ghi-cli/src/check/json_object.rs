//! The JSON objects in the server's documents, and their fields in the OpenAPI document.

use std::fmt::Display;
use std::rc::Rc;

use serde_json::Value;

use ObjectKind::*;

use crate::check::response::{CheckResponse, Finding, Judgement, unjudged};
use crate::reference::DOCUMENT;

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
        let why = response.excerpt();
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

    /// Returns the names of the fields in alphabetical order.
    pub(crate) fn field_names(&self) -> Vec<&str> {
        let fields = self.value().and_then(Value::as_object).into_iter().flatten();
        let mut names: Vec<&str> = fields.map(|(name, _)| &**name).collect();
        names.sort_unstable();
        names
    }

    /// Returns the path of a field within the document, such as `points[3].date`.
    pub(crate) fn at(&self, field: &str) -> String {
        match self.entry {
            None => field.into(),
            Some((list, index)) => format!("{list}[{index}].{field}"),
        }
    }

    fn described(&self, field: &str) -> String {
        self.get(field).map_or("missing".into(), Value::to_string)
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
        self.read(field, "an integer", |value| {
            value.as_f64().filter(|number| number.fract() == 0.0)
        })
    }

    pub(crate) fn list(&self, field: &str) -> Result<&Vec<Value>, Finding> {
        self.read(field, "an array", Value::as_array)
    }

    pub(crate) fn verify(&self, field: &str, is_right: bool, expected: impl Display) -> Judgement {
        // The field may be a long list, which is formatted only if it is wrong.
        if is_right {
            return Ok(());
        }
        let (at, got) = (self.at(field), self.described(field));
        self.response.verify(false, format_args!("{at}: {expected}"), format_args!("{at}: {got}"))
    }

    pub(crate) fn verify_text(&self, field: &str, expected: &str) -> Judgement {
        self.verify(field, self.text(field)? == expected, format_args!("{expected:?}"))
    }
}

/// A kind of JSON object: a document, or an entry of a list in one. The names are those of the schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Metadata,
    Regions,
    RegionDetail,
    Snapshot,
    History,
    Network,
    Forecast,
    Region,
    SnapshotRegion,
    HistoryPoint,
    /// The document of v1.0, which the contract names without its fields.
    Indicator,
}

pub(crate) const V1_1_DOCUMENTS: [ObjectKind; 7] =
    [Metadata, Regions, RegionDetail, Snapshot, History, Network, Forecast];

pub(crate) const DOCUMENTS: [ObjectKind; 8] =
    [Metadata, Regions, RegionDetail, Snapshot, History, Network, Forecast, Indicator];

pub(crate) const ENTRIES: [ObjectKind; 3] = [Region, SnapshotRegion, HistoryPoint];

impl ObjectKind {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        DOCUMENTS.into_iter().chain(ENTRIES)
    }

    pub(crate) fn fields(self) -> impl Iterator<Item = Field> {
        let schema = &DOCUMENT["components"]["schemas"][format!("{self:?}")];
        let required = schema["required"].as_array().into_iter().flatten();
        let fields = schema["properties"].as_object().into_iter().flatten();
        fields.map(move |(name, field)| Field {
            name,
            is_required: required.clone().any(|entry| entry == name),
            type_name: match (field["type"].as_str(), field["items"]["type"].as_str()) {
                (Some("string"), _) => "a string",
                (Some("number"), _) => "a number",
                (Some("integer"), _) => "an integer",
                (Some("array"), Some("string")) => "an array of strings",
                (Some("array"), _) => "an array",
                other => unreachable!("{other:?} is not a type of the contract"),
            },
        })
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// False for the fields that only some objects of the kind have: those of the full snapshot.
    pub(crate) is_required: bool,
    pub(crate) type_name: &'static str,
}

impl Field {
    pub(crate) fn is_float(&self) -> bool {
        self.type_name == "a number"
    }

    pub(crate) fn is_numeric(&self) -> bool {
        self.is_float() || self.type_name == "an integer"
    }

    /// Returns whether a value has the right type. JSON has one number type, so `3.0` is an integer and `7` a float.
    /// The contract doesn't rule out null for floats.
    pub(crate) fn accepts(&self, value: Option<&Value>) -> bool {
        value.is_some_and(|value| match self.type_name {
            "a string" => value.is_string(),
            "a number" => is_number_or_null(value),
            "an integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "an array" => value.is_array(),
            _ => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        })
    }

    /// Returns whether a value has the right type, or breaks `figures-are-numbers` and is reported there.
    pub(crate) fn accepts_or_defers(&self, value: Option<&Value>) -> bool {
        let is_deferred = value.is_some_and(|value| self.is_numeric() && !is_number_or_null(value));
        self.accepts(value) || is_deferred
    }
}

pub(crate) fn is_number_or_null(value: &Value) -> bool {
    value.is_number() || value.is_null()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_openapi_document_has_every_object() {
        for kind in ObjectKind::all() {
            assert!(kind.fields().count() > 1, "{kind:?}");
        }
        let optional = |kind: ObjectKind| {
            let fields = kind.fields().filter(|field| !field.is_required);
            fields.map(move |field| (kind, field.name))
        };
        let optional: Vec<_> = ObjectKind::all().flat_map(optional).collect();
        let snapshot = ObjectKind::Snapshot;
        assert_eq!(optional, [(snapshot, "region_count"), (snapshot, "regions")]);
    }
}
