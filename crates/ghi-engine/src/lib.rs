//! The cost model: inputs and a date give figures.
//!
//! Nothing here knows a clock, a file or the wire. [`Inputs`] is the checked description of a
//! network, [`Model`] computes from it, [`Day`] is what a UTC day publishes. [`Registry`] lists the
//! regions, [`Scope`] names one of them or all of them, worldwide, [`RecentDays`] is a history, and an
//! [`Explanation`] says where figures come from.
//!
//! ```
//! use ghi_engine::{Inputs, Model};
//! use jiff::civil::date;
//!
//! let model = Model::new(Inputs::default());
//! let day = model.day(date(2026, 11, 15))?;
//! assert!(day.global.min_usd < day.global.avg_usd);
//! assert_eq!(day, model.day(date(2026, 11, 15))?);
//! # Ok::<(), ghi_engine::NoFigures>(())
//! ```

mod explanation;
mod mean_miner;
mod derivation;
mod shown;
mod warnings;
mod recent_days;
mod model;
mod movement;
mod wave;
mod what_if;
mod cost;
mod inputs;
mod series;
mod scope;
mod registry;
mod problems;
mod bounds;
mod levels;
mod number;
mod nearest;
mod fingerprint;
mod figures;
mod decimal;
mod calendar;
mod date;
mod visible;

pub use calendar::{Coverage, NoFigures};
pub use cost::{cost_usd_per_coin, energy_kwh, hashes_per_coin};
pub use date::{InvalidDate, parse_date};
pub use decimal::Decimal;
pub use derivation::{Bound, Scenario};
pub use explanation::{Explanation, Mining, Part, Sensitivity};
pub use figures::{Costs, Day, NetworkFigures};
pub use fingerprint::Fingerprint;
pub use inputs::{DEFAULT_INPUTS, Inputs};
pub use mean_miner::MeanMiner;
pub use model::Model;
pub use problems::{InputsError, Problem};
pub use recent_days::RecentDays;
pub use registry::{RegionIndex, RegisteredRegion, Registry, WHOLE_NETWORK_PCT};
pub use scope::Scope;
pub use shown::Shown;
pub use visible::visible;
pub use what_if::{Variable, WhatIf};

/// The engine's version as the documents carry it.
pub const ENGINE_SANDBOX_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "-sandbox");
