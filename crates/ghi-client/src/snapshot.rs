//! The snapshot in any version and form.

use ghi_contract::SnapshotRegion;
use serde::{Deserialize, Serialize};

/// Today's costs, as any server may send them.
///
/// Like [`ghi_contract::Snapshot`], except that `region_count` and `regions` are present only in the full form, and
/// the three `global_*` fields only since v1.1 of the API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnySnapshot {
    /// The API version of this document.
    pub version: String,
    /// The UTC time of the response.
    pub timestamp_utc: String,
    /// The engine's version, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// The number of regions. Absent in the reduced form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region_count: Option<usize>,
    /// The costs of every region, in the order of the list of regions. Absent in the reduced form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<Vec<SnapshotRegion>>,
    /// The lowest regional minimum in USD per coin. Absent in v1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_min_cost_usd: Option<f64>,
    /// The worldwide average in USD per coin. Absent in v1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_avg_cost_usd: Option<f64>,
    /// The highest regional maximum in USD per coin. Absent in v1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_max_cost_usd: Option<f64>,
}
