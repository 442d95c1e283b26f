//! The snapshot of any version and form.

use ghi_contract::SnapshotRegion;
use serde::{Deserialize, Serialize};

/// Today's costs everywhere, as any deployment may send them.
///
/// `region_count` and `regions` are there in the full form. The three `global_*` fields are there
/// since v1.1 of the API. Otherwise it is a [`ghi_contract::Snapshot`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnySnapshot {
    /// API version of this document.
    pub version: String,
    /// UTC time of the answer.
    pub timestamp_utc: String,
    /// The engine's version, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// How many entries `regions` has. Not there in the reduced form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region_count: Option<usize>,
    /// Every region's costs, in the order of the registry. Not there in the reduced form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<Vec<SnapshotRegion>>,
    /// The lowest of the regions' minima, USD per coin. Not there in v1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_min_cost_usd: Option<f64>,
    /// The average worldwide, USD per coin. Not there in v1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_avg_cost_usd: Option<f64>,
    /// The highest of the regions' maxima, USD per coin. Not there in v1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_max_cost_usd: Option<f64>,
}
