//! The JSON objects of the contract and their fields.

use serde_json::Value;

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldType {
    Text,
    Float,
    Integer,
    List,
    TextList,
}

/// A field's name and type.
pub(crate) type FieldSchema = (&'static str, FieldType);

impl FieldType {
    pub(crate) fn is_numeric(self) -> bool {
        matches!(self, Self::Float | Self::Integer)
    }

    /// Returns whether a value has this type. JSON has one number type, so `3.0` is an integer and `7` a float.
    /// The contract doesn't rule out null for floats.
    pub(crate) fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Float => is_number_or_null(value),
            Self::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Self::List => value.is_array(),
            Self::TextList => {
                value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
            }
        }
    }

    /// Returns whether a value has this type, or breaks `figures-are-numbers` and is reported there.
    pub(crate) fn accepts_or_defers(self, value: &Value) -> bool {
        self.accepts(value) || self.is_numeric() && !is_number_or_null(value)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Float => "a number",
            Self::Integer => "an integer",
            Self::List => "an array",
            Self::TextList => "an array of strings",
        }
    }
}

pub(crate) fn is_number_or_null(value: &Value) -> bool {
    value.is_number() || value.is_null()
}

/// A kind of JSON object: a document, or an entry of a list in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Metadata,
    Regions,
    Region,
    RegionDetail,
    Snapshot,
    SnapshotRegion,
    History,
    HistoryPoint,
    Network,
    Forecast,
    /// The document of v1.0, which the contract names without its fields.
    Indicator,
}

use FieldType::{Float, Integer, List, Text, TextList};

const ENVELOPE: &[FieldSchema] =
    &[("version", Text), ("timestamp_utc", Text), ("engine_sandbox_version", Text)];

const COSTS: &[FieldSchema] =
    &[("min_cost_usd", Float), ("avg_cost_usd", Float), ("max_cost_usd", Float)];

/// The fields that only the full form of the snapshot has.
pub(crate) const FULL_SNAPSHOT: [FieldSchema; 2] = [("region_count", Integer), ("regions", List)];

impl ObjectKind {
    pub(crate) const ALL: [Self; 11] = [
        Self::Metadata,
        Self::Regions,
        Self::RegionDetail,
        Self::Snapshot,
        Self::History,
        Self::Network,
        Self::Forecast,
        Self::Region,
        Self::SnapshotRegion,
        Self::HistoryPoint,
        Self::Indicator,
    ];

    /// Returns the document and the list that contain this object.
    pub(crate) fn list(self) -> Option<(Self, &'static str)> {
        match self {
            Self::Region => Some((Self::Regions, "regions")),
            Self::SnapshotRegion => Some((Self::Snapshot, "regions")),
            Self::HistoryPoint => Some((Self::History, "points")),
            _ => None,
        }
    }

    /// Returns whether the contract defines the fields.
    pub(crate) fn is_shown(self) -> bool {
        self != Self::Indicator
    }

    /// Returns the fields that every object of this kind has.
    pub(crate) fn required_fields(self) -> impl Iterator<Item = FieldSchema> {
        let groups: &[&[FieldSchema]] = match self {
            Self::Metadata => &[
                ENVELOPE,
                &[("environment", Text), ("api_current", Text)],
                &[("api_supported", TextList), ("available_endpoints", TextList)],
            ],
            Self::Regions => &[ENVELOPE, &[("regions", List), ("region_count", Integer)]],
            Self::Region => &[&[("id", Text), ("name", Text)]],
            Self::RegionDetail => &[
                &[("version", Text), ("timestamp_utc", Text), ("region_id", Text), ("name", Text)],
                COSTS,
                &[("hashrate_share_pct", Float)],
            ],
            Self::Snapshot => &[
                ENVELOPE,
                &[("global_min_cost_usd", Float), ("global_avg_cost_usd", Float)],
                &[("global_max_cost_usd", Float)],
            ],
            Self::SnapshotRegion => {
                &[&[("id", Text), ("name", Text), ("region_id", Text), ("currency", Text)], COSTS]
            }
            Self::History => &[ENVELOPE, &[("region_id", Text), ("points", List)]],
            Self::HistoryPoint => &[&[("date", Text), ("currency", Text)], COSTS],
            Self::Network => &[
                ENVELOPE,
                &[("hashrate_eh", Float), ("difficulty", Float), ("avg_fee_usd", Float)],
            ],
            Self::Forecast => {
                &[ENVELOPE, &[("forecast_days", Integer), ("predicted_avg_cost_usd", Float)]]
            }
            Self::Indicator => &[ENVELOPE, &[("date", Text), ("currency", Text)], COSTS],
        };
        groups.iter().copied().flatten().copied()
    }

    /// Returns the fields that an object of this kind may have.
    pub(crate) fn fields(self) -> impl Iterator<Item = FieldSchema> {
        let optional: &[_] = if self == Self::Snapshot { &FULL_SNAPSHOT } else { &[] };
        self.required_fields().chain(optional.iter().copied())
    }

    pub(crate) fn has_field(self, name: &str) -> bool {
        self.fields().any(|(field, _)| field == name)
    }
}
