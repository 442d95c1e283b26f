//! The types of the Global HashCost Index (GHI) API.
//!
//! Each document of the API is a struct whose fields are in the order in which they are sent, so
//! [`documents`] reads as the contract. [`paths`] has the path of each document, and [`parameters`] the
//! parameters of requests. [`explanation`] is a document of this project that is not part of the contract.
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
//! The feature `openapi` adds OpenAPI schemas for the documents.

pub mod documents;
pub mod explanation;
pub mod parameters;
pub mod paths;

pub use documents::{
    Forecast, History, HistoryPoint, Indicator, Metadata, Network, ProblemDocument, Region,
    RegionDetail, Regions, Snapshot, SnapshotRegion,
};
pub use parameters::{ForecastDays, GLOBAL, REGION_ID_MAX, REGION_ID_PATTERN, is_region_id};

/// The version of the API that this package describes.
pub const API_CURRENT: &str = "1.1";

/// The previous version, of which only the indicator remains.
pub const API_PREVIOUS: &str = "1.0";

/// The versions that a server supports, current first.
pub const API_SUPPORTED: [&str; 2] = [API_CURRENT, API_PREVIOUS];

/// The only environment.
pub const ENVIRONMENT: &str = "sandbox";

/// The currency of every cost.
pub const CURRENCY: &str = "USD";

/// The number of days in a history, including today.
pub const HISTORY_DAYS: usize = 7;
