//! The cost model: computes a day's data from inputs and a date.
//!
//! Nothing here depends on a clock, a file or the network. [`Inputs`] is the checked description of a mining
//! network, [`Model`] computes with it, and [`Day`] is the data of a UTC day. [`Registry`] lists the regions,
//! [`Scope`] is one of them or worldwide, [`RecentDays`] is a history, and [`Explanation`] shows how costs
//! are computed.
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
mod derivation;
mod what_if;
mod recent_days;
mod cost_change;
mod economics;
mod cost_curve;
mod provenance;
mod model;
mod cost;
mod movement;
mod wave;
mod day;
mod registry;
mod warnings;
mod inputs;
mod series;
mod fields;
mod problems;
mod interval;
mod calendar;
mod decimal;
mod text;

pub use calendar::{Coverage, InvalidDate, NoFigures, parse_date};
pub use cost::{capital_usd_per_coin, cost_usd_per_coin, energy_kwh, hashes_per_coin};
pub use cost_change::{CostChange, CostFactor, FactorChange, UsdChange};
pub use cost_curve::{CostCurve, CurveRow};
pub use day::{CostKind, Costs, Day, NetworkState};
pub use decimal::{Decimal, DisplayNumber};
pub use derivation::{CostCase, CostSteps, MeanMiner};
pub use economics::{CapitalCost, Economics};
pub use explanation::{Explanation, MiningStats, RegionContribution};
pub use fields::{REGION_COLUMNS, Variable};
pub use inputs::{Coin, DEFAULT_INPUTS, Fingerprint, Inputs};
pub use model::Model;
pub use problems::{InputsError, InputsProblem};
pub use provenance::{DayInputs, Provenance};
pub use recent_days::RecentDays;
pub use registry::{RegionIndex, RegisteredRegion, Registry, Scope, WHOLE_NETWORK_PCT};
pub use text::{is_invisible, listed, suggestion, visible};
pub use wave::splitmix64;
pub use what_if::WhatIf;

/// The engine's version in JSON documents.
pub const ENGINE_SANDBOX_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "-sandbox");
