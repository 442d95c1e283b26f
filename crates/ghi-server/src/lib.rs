//! The production-cost index over HTTP.
//!
//! A request goes through these modules from top to bottom: `accept` takes its connection, `api`
//! finds its route in `router`, a handler picks a document out of the `edition` of the day, and
//! the document is stamped with the time of the [`Clock`]. What goes wrong on the way is a
//! `problem`.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use std::num::NonZeroUsize;
//! use std::time::Duration;
//! use ghi_server::{Clock, Config, Listener, serve};
//!
//! let listener = Listener::bind("127.0.0.1:0".parse()?, NonZeroUsize::MIN)?;
//! let config = Config { clock: Clock::at("2026-11-15T12:00:00Z".parse()?), ..Config::default() };
//! let shutdown = async { Duration::ZERO };
//! serve(listener, config, shutdown).await?;
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod serve;
mod listener;
mod accept;
mod connections;
mod stream;
mod refusal;
mod api;
mod form;
mod client;
mod limit;
mod router;
mod handlers;
mod operations;
mod dashboard;
mod pages;
mod assets;
mod pictures;
mod exports;
mod charts;
mod axis;
mod amounts;
mod discovery;
mod openapi;
mod recorder;
mod parameters;
mod prefer;
mod conditional;
mod conventions;
mod field_value;
mod problem;
mod edition;
mod rendered;
mod documents;
mod days;
mod clock;
mod metrics;
mod access_log;

use std::num::NonZeroU32;
use std::time::Duration;

pub use clock::{Clock, InvalidMoment, Moment};
pub use documents::Documents;
pub use edition::Edition;
pub use ghi_engine::Inputs;
pub use ipnet::IpNet;
pub use listener::Listener;
pub use openapi::openapi;
pub use parameters::Scope;
pub use rendered::Rendered;
pub use serve::serve;

/// What a server serves, and within which bounds.
#[derive(Clone, Debug)]
pub struct Config {
    /// The network whose figures are published.
    pub inputs: Inputs,
    /// Where the time comes from.
    pub clock: Clock,
    /// The snapshot that a request without preference gets.
    pub snapshot_form: SnapshotForm,
    /// Requests per second of one client, twice as many at once; `None` for any number.
    pub rate_limit: Option<NonZeroU32>,
    /// The proxies that are believed when they say for whom they speak.
    pub trusted_proxies: Vec<IpNet>,
    /// How many connections may be open; others wait.
    pub max_connections: usize,
    /// How long a client may take to send a request's head, or to take a response.
    pub patience: Duration,
    /// Whether to log a line for each request.
    pub access_log: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            inputs: Inputs::default(),
            clock: Clock::system(),
            snapshot_form: SnapshotForm::default(),
            rate_limit: NonZeroU32::new(100),
            trusted_proxies: Vec::new(),
            max_connections: 10_000,
            patience: Duration::from_secs(10),
            access_log: false,
        }
    }
}

/// The two forms of the snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnapshotForm {
    /// With the regions.
    #[default]
    Full,
    /// The global figures alone.
    Reduced,
}
