//! The HTTP server of the Global HashCost Index (GHI).
//!
//! Client tests start a [`Sandbox`]; programs that serve the API start a [`Server`]:
//!
//! ```
//! use ghi_server::{Clock, Config, Sandbox};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let clock = Clock::at("2026-11-15T12:00:00Z".parse()?);
//! let sandbox = Sandbox::start(Config { clock, ..Config::default() })?;
//! assert!(sandbox.url().starts_with("http://127.0.0.1:"));
//! # Ok(()) }
//! ```
//!
//! Each module depends only on those below it.

mod server;
mod worker;
mod api;
mod router;
mod routes;
mod observe;
mod scenarios;
mod edition;
mod http;
mod net;
mod config;
mod clock;

pub use clock::{Clock, Moment, is_system_time_in_range};
pub use config::{Config, PublicUrl, SnapshotForm};
pub use edition::document_json;
pub use ghi_engine::{Inputs, InputsError};
pub use http::site::own_address;
pub use ipnet::IpNet;
pub use net::Listener;
pub use observe::metrics::LOG_LINES_DROPPED;
pub use router::{check_fail_flag, is_api_path};
pub use routes::files::csv::csv_table;
pub use routes::operations::discovery::{OPENAPI, OPENAPI_3_0};
pub use server::{InProcess, PROBE_CONNECTIONS, Reload, Sandbox, Server};

/// Internals for the project's own tools: the generator of `openapi.json`, the benchmark and the fuzzer.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use crate::InProcess;
    pub use crate::http::problem::codes;
    pub use crate::router::{Operations, query_parameters};
    pub use crate::scenarios::preference_values;
}
