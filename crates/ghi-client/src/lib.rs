//! A client of the production-cost index API.
//!
//! [`Client`] has a method for each document. It works with any deployment of the API, and reads what
//! a later release or the one before it may send.
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
//! **It tolerates** both forms of the snapshot, documents of v1.0, fields and versions that it does not
//! know, codes of problems that it does not know, and errors that are not problem documents.
//!
//! **It caches** documents by their `ETag`: a server does not send a document again that has not changed,
//! and the call returns the cached one. Its `timestamp_utc` is the time at which it was sent, not that
//! of the last call.
//!
//! **It sends a request again** after 429, 500, 502, 503 and 504, not before `Retry-After` or else
//! after up to half a second, one, two; and after a connection that broke, at once: every request of this
//! API is a GET and may be repeated. Retries are bounded in number and time. A failure to connect, a
//! timeout and any other error are final.
//!
//! **Waiting and reading are bounded**: [`Builder`] and [`Resource::max_bytes`] have the bounds.

mod client;
mod builder;
mod base_url;
mod resource;
mod snapshot;
mod error;
mod retries;
mod exchange;
mod cache;
mod http_client;

pub use base_url::{BaseUrl, InvalidBaseUrl};
pub use builder::Builder;
pub use client::Client;
pub use error::Error;
pub use exchange::{ErrorKind, cause, says_that_it_speaks_tls};
pub use ghi_contract::{
    Forecast, ForecastDays, GLOBAL, History, HistoryPoint, Indicator, Metadata, Network, Region,
    RegionDetail, Regions, SnapshotRegion,
};
pub use http_client::http_client_builder;
pub use reqwest::header::{HeaderName, HeaderValue};
pub use resource::{MAX_DOCUMENT_BYTES, Resource};
pub use snapshot::AnySnapshot;

/// The examples of the page about this package.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/client.md")]
struct ClientGuide;
