//! The objects of the contract and their fields.

use serde_json::Value;

/// What the contract says that a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Text,
    Float,
    Integer,
    List,
    Texts,
}

/// Whether a value may be a figure: that it is one of the right kind is for each object to say.
pub(crate) fn is_number_or_null(value: &Value) -> bool {
    value.is_number() || value.is_null()
}

impl Type {
    /// Whether values of it are figures.
    pub(crate) fn is_numeric(self) -> bool {
        matches!(self, Self::Float | Self::Integer)
    }

    /// Whether a value is of this type. JSON has one type of numbers, so 3.0 is an integer and 7 a
    /// float. Nothing says that a float may not be null.
    pub(crate) fn is(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Float => is_number_or_null(value),
            Self::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Self::List => value.is_array(),
            Self::Texts => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Float => "a number",
            Self::Integer => "an integer",
            Self::List => "an array",
            Self::Texts => "an array of strings",
        }
    }
}

/// The objects that the documents are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
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
    Indicator,
}

/// The lists that only the full form of the snapshot has.
pub(crate) const FULL_FORM: [(&str, Type); 2] =
    [("region_count", Type::Integer), ("regions", Type::List)];

impl Shape {
    /// The fields that it always has.
    pub(crate) fn fields(self) -> &'static [(&'static str, Type)] {
        use Type::{Float, Integer, List, Text, Texts};
        match self {
            Self::Metadata => &[
                ("version", Text),
                ("timestamp_utc", Text),
                ("engine_sandbox_version", Text),
                ("environment", Text),
                ("api_current", Text),
                ("api_supported", Texts),
                ("available_endpoints", Texts),
            ],
            Self::Regions => &[
                ("version", Text),
                ("timestamp_utc", Text),
                ("engine_sandbox_version", Text),
                ("regions", List),
                ("region_count", Integer),
            ],
            Self::Region => &[("id", Text), ("name", Text)],
            Self::RegionDetail => &[
                ("version", Text),
                ("timestamp_utc", Text),
                ("region_id", Text),
                ("name", Text),
                ("min_cost_usd", Float),
                ("avg_cost_usd", Float),
                ("max_cost_usd", Float),
                ("hashrate_share_pct", Float),
            ],
            Self::Snapshot => &[
                ("version", Text),
                ("timestamp_utc", Text),
                ("engine_sandbox_version", Text),
                ("global_min_cost_usd", Float),
                ("global_avg_cost_usd", Float),
                ("global_max_cost_usd", Float),
            ],
            Self::SnapshotRegion => &[
                ("id", Text),
                ("name", Text),
                ("region_id", Text),
                ("currency", Text),
                ("min_cost_usd", Float),
                ("avg_cost_usd", Float),
                ("max_cost_usd", Float),
            ],
            Self::History => &[
                ("version", Text),
                ("timestamp_utc", Text),
                ("engine_sandbox_version", Text),
                ("region_id", Text),
                ("points", List),
            ],
            Self::HistoryPoint => &[
                ("date", Text),
                ("currency", Text),
                ("min_cost_usd", Float),
                ("avg_cost_usd", Float),
                ("max_cost_usd", Float),
            ],
            Self::Network => &[
                ("version", Text),
                ("timestamp_utc", Text),
                ("engine_sandbox_version", Text),
                ("hashrate_eh", Float),
                ("difficulty", Float),
                ("avg_fee_usd", Float),
            ],
            Self::Forecast => &[
                ("version", Text),
                ("timestamp_utc", Text),
                ("engine_sandbox_version", Text),
                ("forecast_days", Integer),
                ("predicted_avg_cost_usd", Float),
            ],
            Self::Indicator => &[
                ("version", Text),
                ("timestamp_utc", Text),
                ("engine_sandbox_version", Text),
                ("date", Text),
                ("currency", Text),
                ("min_cost_usd", Float),
                ("avg_cost_usd", Float),
                ("max_cost_usd", Float),
            ],
        }
    }

    /// The fields that it may have: those of the full form as well.
    pub(crate) fn fields_of_all_forms(self) -> impl Iterator<Item = (&'static str, Type)> {
        let full: &[_] = if self == Self::Snapshot { &FULL_FORM } else { &[] };
        self.fields().iter().chain(full).copied()
    }

    /// Whether a field is one of them.
    pub(crate) fn knows(self, name: &str) -> bool {
        self.fields_of_all_forms().any(|(known, _)| known == name)
    }
}
