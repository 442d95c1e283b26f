//! A client for the Global HashCost Index API.
//!
//! [`Client`] has one method per document. It works with any server that implements the API, and with
//! earlier and later versions of its documents.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let clock = ghi_server::Clock::at("2026-11-15T12:00:00Z".parse()?);
//! # let config = ghi_server::Config { clock, ..Default::default() };
//! # let sandbox = ghi_server::Sandbox::start(config)?;
//! # let base_url = sandbox.url();
//! let client = ghi_client::Client::new(base_url)?;
//!
//! let history = client.history("us").await?;
//! for point in &history.points {
//!     println!("{}  {:>10.2} USD", point.date, point.avg_cost_usd);
//! }
//! # assert_eq!(history.points.len(), 7);
//! # Ok(()) }
//! ```
//!
//! The client accepts both forms of the snapshot, v1.0 documents, unknown fields, versions and problem codes, and
//! errors that are not problem documents. It caches documents by `ETag` and retries what may succeed; see [`Settings`]
//! for its limits.

mod client;
mod resource;
mod exchange;

pub use client::{Client, Settings};
pub use exchange::{Error, ErrorKind, WholeResponse, exchange, http_client};
pub use ghi_contract::{
    Forecast, ForecastDays, GLOBAL, History, HistoryPoint, Indicator, Metadata, Network, Region,
    RegionDetail, Regions, Snapshot, SnapshotRegion,
};
pub use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
pub use resource::{BaseUrl, InvalidBaseUrl, Resource, with_query};

/// Tests the examples in the guide to this package.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/client.md")]
struct ClientGuide;
