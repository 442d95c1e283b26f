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
//! **Compatibility**: the client accepts both forms of the snapshot, v1.0 documents, unknown fields, versions and
//! problem codes, and errors that are not problem documents.
//!
//! **Caching**: documents are cached with their `ETag`. If a document has not changed, the server does not send it
//! again, and the call returns the cached one, with the `timestamp_utc` of the original response.
//!
//! **Retries**: after 429, 500, 502, 503 and 504, the client waits for `Retry-After`, or up to 0.5 s, 1 s, then
//! 2 s, and sends the request again. After a lost connection, it retries immediately the first time, since a GET is
//! safe to repeat. Retries are limited in number and time. Failing to connect, timeouts and all other errors are
//! final.
//!
//! **Limits**: see [`Builder`] and [`Resource::max_bytes`].

mod client;
mod resource;
mod error;
mod retries;
mod cache;
mod exchange;
mod http_client;

pub use client::{Builder, Client};
pub use error::Error;
pub use exchange::{ErrorKind, ExchangeFailure, WholeResponse, cause, exchange, reports_tls_port};
pub use ghi_contract::{
    Forecast, ForecastDays, GLOBAL, History, HistoryPoint, Indicator, Metadata, Network, Region,
    RegionDetail, Regions, SnapshotRegion,
};
pub use http_client::http_client_builder;
pub use reqwest::header::{HeaderName, HeaderValue};
pub use resource::{AnySnapshot, BaseUrl, InvalidBaseUrl, Resource, with_query};

/// Tests the examples in the guide to this package.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/client.md")]
struct ClientGuide;
