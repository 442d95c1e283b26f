//! The types of the Global HashCost Index (GHI) API.
//!
//! Each document of the API is a struct whose fields are in the order in which they are sent, so
//! [`documents`] reads as the contract. [`paths`] has the path of each document. [`explanation`] is a document
//! of this project that is not part of the contract.
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

use std::str::FromStr;

pub mod documents;
pub mod explanation;
pub mod paths;

pub use documents::{
    Forecast, History, HistoryPoint, Indicator, Metadata, Network, ProblemDocument, Region,
    RegionDetail, Regions, Snapshot, SnapshotRegion,
};

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

/// The `region_id` for worldwide data, which is the default. No region may have this id.
pub const GLOBAL: &str = "global";

/// The form of a region id as a regular expression. [`REGION_ID_MAX`] limits its length.
pub const REGION_ID_PATTERN: &str = r"^[a-z][a-z0-9\-]*$";

/// The maximum length of a region id in characters.
pub const REGION_ID_MAX: usize = 32;

/// Whether a string has the form of a region id.
pub fn is_region_id(text: &str) -> bool {
    text.len() <= REGION_ID_MAX
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// The horizon of a forecast in days, always between [`MIN`](Self::MIN) and [`MAX`](Self::MAX).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForecastDays(u16);

impl ForecastDays {
    /// The shortest horizon in days.
    pub const MIN: u16 = 1;
    /// The longest horizon in days.
    pub const MAX: u16 = 365;
    /// The default horizon in days.
    pub const DEFAULT: u16 = 7;

    /// Returns the horizon, or `None` if it is out of range.
    pub fn new(days: u16) -> Option<Self> {
        (Self::MIN..=Self::MAX).contains(&days).then_some(Self(days))
    }

    /// The horizon in days.
    pub fn get(self) -> u16 {
        self.0
    }
}

impl Default for ForecastDays {
    fn default() -> Self {
        Self(Self::DEFAULT)
    }
}

impl FromStr for ForecastDays {
    type Err = &'static str;

    /// Accepts only ASCII digits: no sign, space, fraction, exponent or leading zero.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
        let days = if plain { text.parse().ok() } else { None };
        days.and_then(Self::new).ok_or(
            "must be a whole number from 1 to 365, in plain decimal digits without sign, space or leading zero",
        )
    }
}
