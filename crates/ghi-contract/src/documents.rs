//! The documents, field by field.
//!
//! Three fields recur. `version` is the API version of the document. `timestamp_utc` is the time
//! of the answer, `YYYY-MM-DDTHH:MM:SS.ffffffZ`. `engine_sandbox_version` names the engine that
//! made the figures, `<version>-sandbox`. Costs are USD per coin.

use serde::{Deserialize, Serialize};

/// What the service is and where its documents live.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Metadata {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the answer.
    pub timestamp_utc: String,
    /// The engine's version, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// Always `sandbox`: the figures are synthetic.
    pub environment: String,
    /// The API version to build against, `1.1`.
    pub api_current: String,
    /// Every API version that is served, the current one first.
    pub api_supported: Vec<String>,
    /// The paths of the documents that take no id.
    pub available_endpoints: Vec<String>,
}

/// The registry of regions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Regions {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the answer.
    pub timestamp_utc: String,
    /// The engine's version, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// The regions, in the order of the inputs.
    pub regions: Vec<Region>,
    /// How many entries `regions` has.
    pub region_count: usize,
}

/// An entry of the registry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Region {
    /// What requests call the region by: a short lowercase code.
    pub id: String,
    /// What people call the region by.
    pub name: String,
}

/// One region's costs of today and its weight. It alone carries no `engine_sandbox_version`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RegionDetail {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the answer.
    pub timestamp_utc: String,
    /// The region's id.
    pub region_id: String,
    /// The region's display name.
    pub name: String,
    /// Cost with the best fleet on the cheapest power, USD per coin.
    pub min_cost_usd: f64,
    /// Cost with the mean fleet on power at the mean price, USD per coin.
    pub avg_cost_usd: f64,
    /// Cost with the worst fleet on the dearest power, USD per coin.
    pub max_cost_usd: f64,
    /// The region's part of the network's hashrate, percent.
    pub hashrate_share_pct: f64,
}

/// Today's costs everywhere. The full form has the regions; the reduced form has the global costs
/// alone. Clients must tolerate both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Snapshot {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the answer.
    pub timestamp_utc: String,
    /// The engine's version, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// How many entries `regions` has. Not there in the reduced form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub region_count: Option<usize>,
    /// Every region's costs, in the order of the registry. Not there in the reduced form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub regions: Option<Vec<SnapshotRegion>>,
    /// The lowest of the regions' minima, USD per coin.
    pub global_min_cost_usd: f64,
    /// The mean of the regions' averages, weighted by hashrate share, USD per coin.
    pub global_avg_cost_usd: f64,
    /// The highest of the regions' maxima, USD per coin.
    pub global_max_cost_usd: f64,
}

impl Snapshot {
    /// The reduced form.
    #[must_use]
    pub fn reduced(self) -> Self {
        Self { region_count: None, regions: None, ..self }
    }
}

/// One region's costs within a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SnapshotRegion {
    /// The region's id.
    pub id: String,
    /// The region's display name.
    pub name: String,
    /// The same as `id`.
    pub region_id: String,
    /// Always `USD`.
    pub currency: String,
    /// Cost with the best fleet on the cheapest power, USD per coin.
    pub min_cost_usd: f64,
    /// Cost with the mean fleet on power at the mean price, USD per coin.
    pub avg_cost_usd: f64,
    /// Cost with the worst fleet on the dearest power, USD per coin.
    pub max_cost_usd: f64,
}

/// A week of daily costs, global or of one region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct History {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the answer.
    pub timestamp_utc: String,
    /// The engine's version, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// `global`, or the region's id.
    pub region_id: String,
    /// A point a day, the oldest first, today last.
    pub points: Vec<HistoryPoint>,
}

/// The costs of one UTC day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HistoryPoint {
    /// The UTC day, `YYYY-MM-DD`.
    pub date: String,
    /// Always `USD`.
    pub currency: String,
    /// The day's minimum, USD per coin.
    pub min_cost_usd: f64,
    /// The day's average, USD per coin.
    pub avg_cost_usd: f64,
    /// The day's maximum, USD per coin.
    pub max_cost_usd: f64,
}

/// The state of the synthetic network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Network {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the answer.
    pub timestamp_utc: String,
    /// The engine's version, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// Hashes per second worldwide, EH/s.
    pub hashrate_eh: f64,
    /// How many times harder than the easiest possible it is to find a block.
    pub difficulty: f64,
    /// Mean fee of a transaction, USD.
    pub avg_fee_usd: f64,
}

/// What the global average is expected to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Forecast {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the answer.
    pub timestamp_utc: String,
    /// The engine's version, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// The horizon that was asked for, days.
    pub forecast_days: u16,
    /// The predicted global average, USD per coin; the same for every horizon.
    pub predicted_avg_cost_usd: f64,
}

/// v1.0: the global costs of today.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Indicator {
    /// API version of this document, `1.0`.
    pub version: String,
    /// UTC time of the answer.
    pub timestamp_utc: String,
    /// The engine's version, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// The UTC day, `YYYY-MM-DD`.
    pub date: String,
    /// Always `USD`.
    pub currency: String,
    /// The day's minimum, USD per coin.
    pub min_cost_usd: f64,
    /// The day's average, USD per coin.
    pub avg_cost_usd: f64,
    /// The day's maximum, USD per coin.
    pub max_cost_usd: f64,
}

/// What an error looks like: `application/problem+json`, RFC 9457.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Problem))]
pub struct ProblemDocument {
    /// Reference to a page that explains the kind of problem, relative to the base address.
    #[serde(rename = "type")]
    pub type_: String,
    /// The kind of problem in a few words, the same for every occurrence.
    pub title: String,
    /// The HTTP status of the answer.
    pub status: u16,
    /// What was wrong with this request, and what would be right.
    pub detail: String,
    /// The path that was asked for, percent-encoded, and cut where it is very long.
    pub instance: String,
    /// The kind of problem as a word that a program can compare.
    pub code: String,
}
