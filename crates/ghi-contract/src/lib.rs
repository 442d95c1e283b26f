//! The production-cost index API, as types.
//!
//! Each document that the API answers with is a struct whose fields stand in the order in which
//! they are sent, so [`documents`] reads as the contract. [`paths`] names where each of them lives
//! and [`parameters`] what a request may ask for.
//!
//! ```
//! let point: ghi_contract::HistoryPoint = serde_json::from_str(
//!     r#"{"date":"2026-11-15","currency":"USD",
//!         "min_cost_usd":50000.0,"avg_cost_usd":60000.0,"max_cost_usd":70000.0}"#,
//! )?;
//! assert!(point.min_cost_usd < point.max_cost_usd);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! The feature `openapi` adds the schemas of the documents.

pub mod documents;
pub mod parameters;
pub mod paths;
#[cfg(feature = "openapi")]
pub mod schemas;

pub use documents::{
    Forecast, History, HistoryPoint, Indicator, Metadata, Network, ProblemDocument, Region,
    RegionDetail, Regions, Snapshot, SnapshotRegion,
};
pub use parameters::{ForecastDays, GLOBAL, REGION_ID_MAX, REGION_ID_PATTERN, is_region_id};

/// The version of the API that this package describes.
pub const API_CURRENT: &str = "1.1";

/// The version before it, of which the indicator is left.
pub const API_PREVIOUS: &str = "1.0";

/// Every version that a server supports, the current one first.
pub const API_SUPPORTED: [&str; 2] = [API_CURRENT, API_PREVIOUS];

/// The one environment there is: all figures are synthetic.
pub const ENVIRONMENT: &str = "sandbox";

/// The currency of every cost.
pub const CURRENCY: &str = "USD";

/// How many days a history covers, today included.
pub const HISTORY_DAYS: usize = 7;
