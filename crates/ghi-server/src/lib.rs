//! The production-cost index over HTTP.
//!
//! A request goes through these modules from top to bottom: [`serve`] accepts its connection,
//! `api` finds its route in `router`, a handler picks a document out of the `edition` of the day,
//! and the document is stamped with the time of the [`Clock`]. What goes wrong on the way is a
//! `problem`.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use ghi_server::{Clock, Config, serve};
//!
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! let config = Config { clock: Clock::at("2026-11-15T12:00:00Z".parse()?), ..Config::default() };
//! let shutdown = async {};
//! serve(listener, config, shutdown).await;
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accept;
mod api;
mod clock;
mod document;
mod documents;
mod edition;
mod handlers;
mod pages;
mod parameters;
mod prefer;
mod problem;
mod router;

pub use accept::serve;
pub use clock::{Clock, InvalidMoment, Moment};
pub use documents::Documents;
pub use ghi_engine::Inputs;
pub use parameters::Scope;

/// What a server serves.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The network whose figures are published.
    pub inputs: Inputs,
    /// Where the time comes from.
    pub clock: Clock,
    /// The snapshot that a request without preference gets.
    pub snapshot_form: SnapshotForm,
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
