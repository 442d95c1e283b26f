//! The production-cost index over HTTP.
//!
//! Tests of a client start a [`Sandbox`]; programs that serve start a [`Server`]:
//!
//! ```
//! use std::io::{Read, Write};
//! use std::net::TcpStream;
//! use ghi_server::{Clock, Config, Sandbox};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let clock = Clock::at("2026-11-15T12:00:00Z".parse()?);
//! let sandbox = Sandbox::start(Config { clock, ..Config::default() })?;
//!
//! let mut stream = TcpStream::connect(sandbox.address())?;
//! stream.write_all(b"GET /v1/ghi/forecast HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! stream.read_to_string(&mut answer)?;
//! assert!(answer.ends_with("\"predicted_avg_cost_usd\":55223.09}"));
//! # Ok(()) }
//! ```
//!
//! Each module depends only on those below it:

mod server;
mod reload;
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

pub use clock::{Clock, InvalidMoment, InvalidSpeed, Moment, Speed};
pub use config::{Config, InvalidPublicUrl, PublicUrl, SnapshotForm};
pub use edition::{Documents, document_json};
pub use ghi_engine::{Inputs, InputsError};
pub use ipnet::IpNet;
pub use net::Listener;
pub use observe::process::LOG_LINES_DROPPED;
pub use reload::Reload;
pub use routes::csv::{SNAPSHOT_COLUMNS, cost_curve_table, csv_table};
pub use routes::daily_rows::economics_table;
pub use routes::date_range::{DateRange, InvalidDateRange};
pub use routes::discovery::{OPENAPI, OPENAPI_3_0};
pub use routes::explain_csv::explanation_csv;
pub use routes::explanation_document::explanation_json;
pub use server::{PROBE_CONNECTIONS, Sandbox, Server};

/// Internals for the project's own tools: the generator of `openapi.json`, the benchmark and the fuzzer.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use crate::edition::bench::RenderedDay;
    pub use crate::http::problem::codes;
    pub use crate::router::Operations;
    pub use crate::routes::parameters::{RANGES, THEMES};

    use std::net::IpAddr;
    use std::sync::Arc;

    use hyper::{Request, Response};

    use crate::api::{Api, Connection};
    use crate::config::Config;
    use crate::net::{Arrival, Content, Service};

    /// A server without sockets, with a single connection.
    pub struct InProcess {
        api: Arc<Api>,
        connection: Arc<Connection>,
    }

    impl InProcess {
        /// Starts a server with a connection from a peer.
        pub fn new(config: Config, peer: IpAddr) -> Self {
            let api = Arc::new(Api::new(config, ([127, 0, 0, 1], 8000).into(), 1));
            let connection = Arc::new(api.connect(peer, 0));
            Self { api, connection }
        }

        /// Returns the response to a request, with its whole body.
        pub fn respond(&self, request: Request<String>) -> Response<bytes::Bytes> {
            let has_body = !request.body().is_empty();
            let started = crate::clock::MonotonicTime::now();
            let arrival = Arrival { request: request.map(|_| ()), has_body, defect: None, started };
            let reply = self.api.respond(&self.connection, arrival);
            reply.into_response().map(Content::into_bytes)
        }
    }
}
