//! The JSON objects of the contract and their fields, from the OpenAPI document.

use serde_json::Value;

use crate::openapi::DOCUMENT;
use ObjectKind::*;

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

/// The kinds of documents whose fields the contract defines.
pub(crate) const V1_1_DOCUMENTS: [ObjectKind; 7] =
    [Metadata, Regions, RegionDetail, Snapshot, History, Network, Forecast];

/// The kinds of documents.
pub(crate) const DOCUMENTS: [ObjectKind; 8] =
    [Metadata, Regions, RegionDetail, Snapshot, History, Network, Forecast, Indicator];

/// The kinds of entries of lists.
pub(crate) const ENTRIES: [ObjectKind; 3] = [Region, SnapshotRegion, HistoryPoint];

impl ObjectKind {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        DOCUMENTS.into_iter().chain(ENTRIES)
    }

    /// Returns the list that contains objects of this kind, if they are entries.
    pub(crate) fn list(self) -> Option<&'static str> {
        match self {
            Region | SnapshotRegion => Some("regions"),
            HistoryPoint => Some("points"),
            _ => None,
        }
    }

    /// Returns the fields that an object of this kind may have.
    pub(crate) fn fields(self) -> impl Iterator<Item = Field> {
        let object = &DOCUMENT["components"]["schemas"][format!("{self:?}")];
        let required = object["required"].as_array();
        let is_required = move |name: &str| required.is_some_and(|all| all.contains(&name.into()));
        let properties = object["properties"].as_object().into_iter().flatten();
        properties.map(move |(name, schema)| Field { name, schema, is_required: is_required(name) })
    }

    /// Returns the fields that only some objects of this kind have: those of the full snapshot.
    pub(crate) fn optional_fields(self) -> impl Iterator<Item = Field> {
        self.fields().filter(|field| !field.is_required)
    }
}

/// A field of an object.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) is_required: bool,
    schema: &'static Value,
}

impl Field {
    pub(crate) fn is_float(&self) -> bool {
        self.schema["type"] == "number"
    }

    pub(crate) fn is_numeric(&self) -> bool {
        self.is_float() || self.schema["type"] == "integer"
    }

    /// Returns whether a value has the right type. JSON has one number type, so `3.0` is an integer and `7` a float.
    /// The contract doesn't rule out null for floats.
    pub(crate) fn accepts(&self, value: &Value) -> bool {
        match self.type_name() {
            "a string" => value.is_string(),
            "a number" => is_number_or_null(value),
            "an integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "an array of strings" => {
                value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
            }
            _ => value.is_array(),
        }
    }

    /// Returns whether a value has the right type, or breaks `figures-are-numbers` and is reported there.
    pub(crate) fn accepts_or_defers(&self, value: &Value) -> bool {
        self.accepts(value) || self.is_numeric() && !is_number_or_null(value)
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match (self.schema["type"].as_str(), self.schema["items"]["type"].as_str()) {
            (Some("string"), _) => "a string",
            (Some("number"), _) => "a number",
            (Some("integer"), _) => "an integer",
            (_, Some("string")) => "an array of strings",
            _ => "an array",
        }
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
            let types = ["string", "number", "integer", "array"];
            assert!(
                kind.fields().all(|field| types.contains(&field.schema["type"].as_str().unwrap()))
            );
        }
        let optional =
            |kind: ObjectKind| kind.optional_fields().map(move |field| (kind, field.name));
        let optional: Vec<_> = ObjectKind::all().flat_map(optional).collect();
        let snapshot = ObjectKind::Snapshot;
        assert_eq!(optional, [(snapshot, "region_count"), (snapshot, "regions")]);
    }
}
