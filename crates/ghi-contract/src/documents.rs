//! The documents, field by field.
//!
//! Three fields recur: `version`, the API version of the document; `timestamp_utc`, the time of the
//! response; and `engine_sandbox_version`, the version of the engine that computed the data. Costs are
//! in USD per coin.

use serde::{Deserialize, Serialize};

/// The API versions, the environment and the paths of the documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Metadata {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the response, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    pub timestamp_utc: String,
    /// Version of the engine, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// Always `sandbox`.
    pub environment: String,
    /// The API version to build against, `1.1`.
    pub api_current: String,
    /// Supported API versions, current first.
    pub api_supported: Vec<String>,
    /// Paths of the documents, except those that take an id.
    pub available_endpoints: Vec<String>,
}

/// The list of all regions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Regions {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the response, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    pub timestamp_utc: String,
    /// Version of the engine, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// Regions, in the order of the server's inputs.
    pub regions: Vec<Region>,
    /// Number of entries in `regions`.
    pub region_count: usize,
}

/// A region's id and name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Region {
    /// Region id: a short lowercase code, used in requests.
    pub id: String,
    /// Display name of the region.
    pub name: String,
}

/// One region's costs and hashrate share today. The only document without `engine_sandbox_version`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RegionDetail {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the response, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    pub timestamp_utc: String,
    /// Region id.
    pub region_id: String,
    /// Display name of the region.
    pub name: String,
    /// Cost with the most efficient hardware and the cheapest electricity, in USD per coin.
    pub min_cost_usd: f64,
    /// Cost with average hardware efficiency and the average electricity price, in USD per coin.
    pub avg_cost_usd: f64,
    /// Cost with the least efficient hardware and the most expensive electricity, in USD per coin.
    pub max_cost_usd: f64,
    /// The region's share of the network's hashrate in percent.
    pub hashrate_share_pct: f64,
}

/// Today's costs, worldwide and by region. Clients must also accept the reduced form, without regions.
// The worldwide costs are always present since version 1.1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Snapshot {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the response, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    pub timestamp_utc: String,
    /// Version of the engine, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// Number of entries in `regions`. Absent in the reduced form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub region_count: Option<usize>,
    /// Costs of every region, in the order of the list of regions. Absent in the reduced form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub regions: Option<Vec<SnapshotRegion>>,
    /// Lowest of the regions' minimum costs, in USD per coin.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub global_min_cost_usd: Option<f64>,
    /// Average of the regions' average costs, weighted by hashrate share, in USD per coin.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub global_avg_cost_usd: Option<f64>,
    /// Highest of the regions' maximum costs, in USD per coin.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub global_max_cost_usd: Option<f64>,
}

/// One region's costs in a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SnapshotRegion {
    /// Region id.
    pub id: String,
    /// Display name of the region.
    pub name: String,
    /// The same as `id`.
    pub region_id: String,
    /// Always `USD`.
    pub currency: String,
    /// Cost with the most efficient hardware and the cheapest electricity, in USD per coin.
    pub min_cost_usd: f64,
    /// Cost with average hardware efficiency and the average electricity price, in USD per coin.
    pub avg_cost_usd: f64,
    /// Cost with the least efficient hardware and the most expensive electricity, in USD per coin.
    pub max_cost_usd: f64,
}

/// Daily costs of the last seven days, worldwide or for one region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct History {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the response, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    pub timestamp_utc: String,
    /// Version of the engine, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// `global` or a region id.
    pub region_id: String,
    /// One point per day, oldest first, ending today.
    pub points: Vec<HistoryPoint>,
}

/// Costs on one UTC date.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HistoryPoint {
    /// The UTC date, `YYYY-MM-DD`.
    pub date: String,
    /// Always `USD`.
    pub currency: String,
    /// Minimum cost on this date in USD per coin.
    pub min_cost_usd: f64,
    /// Average cost on this date in USD per coin.
    pub avg_cost_usd: f64,
    /// Maximum cost on this date in USD per coin.
    pub max_cost_usd: f64,
}

/// The network today.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Network {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the response, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    pub timestamp_utc: String,
    /// Version of the engine, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// Worldwide hashrate in EH/s.
    pub hashrate_eh: f64,
    /// Difficulty of finding a block, relative to the minimum of 1.
    pub difficulty: f64,
    /// Average transaction fee in USD.
    pub avg_fee_usd: f64,
}

/// The predicted worldwide average cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Forecast {
    /// API version of this document, `1.1`.
    pub version: String,
    /// UTC time of the response, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    pub timestamp_utc: String,
    /// Version of the engine, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// Requested horizon in days.
    pub forecast_days: u16,
    /// Predicted worldwide average cost in USD per coin, `forecast_days` days ahead.
    pub predicted_avg_cost_usd: f64,
}

/// Today's worldwide costs (v1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Indicator {
    /// API version of this document, `1.0`.
    pub version: String,
    /// UTC time of the response, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    pub timestamp_utc: String,
    /// Version of the engine, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// The UTC date, `YYYY-MM-DD`.
    pub date: String,
    /// Always `USD`.
    pub currency: String,
    /// Minimum cost on this date in USD per coin.
    pub min_cost_usd: f64,
    /// Average cost on this date in USD per coin.
    pub avg_cost_usd: f64,
    /// Maximum cost on this date in USD per coin.
    pub max_cost_usd: f64,
}

/// An error: `application/problem+json`, RFC 9457.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Problem))]
pub struct ProblemDocument {
    /// URL of the page that explains this type of problem; may be relative.
    #[serde(rename = "type")]
    pub type_: String,
    /// Short summary of the type of problem, the same for every occurrence.
    pub title: String,
    /// HTTP status of the response.
    pub status: u16,
    /// What is wrong with this request, and what is allowed.
    pub detail: String,
    /// Path of the request, percent-encoded and shortened if very long.
    pub instance: String,
    /// Stable code for programs.
    pub code: String,
}
