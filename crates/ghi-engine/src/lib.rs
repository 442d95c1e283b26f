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
mod cost_change;
mod forecast;
mod economics;
mod cost_curve;
mod model;
mod movement;
mod warnings;
mod inputs;
mod series;
mod cost;
mod fields;
mod day;
mod problems;
mod calendar;
mod numbers;
mod text;

pub use calendar::{Coverage, InvalidDate, NoFigures, parse_date};
pub use cost::{WhatIf, cost_usd_per_coin, hashes_per_coin};
pub use cost_change::{CostChange, CostFactor, FactorChange, UsdChange};
pub use cost_curve::{CostCurve, CurveRow, MeritPart};
pub use day::{
    CostKind, Costs, Day, NetworkState, RegionIndex, RegisteredRegion, Registry, Scope,
    WHOLE_NETWORK_PCT,
};
pub use economics::{CapitalCost, CostLevels, Economics};
pub use explanation::{
    CostCase, CostSteps, Explanation, MeanMiner, MiningStats, RegionContribution,
};
pub use fields::{REGION_COLUMNS, Variable};
pub use forecast::{DayForecast, ExpectedRetarget, ForecastRecord, ForecastScore, Outlook};
pub use inputs::{About, Coin, DEFAULT_INPUTS, DataSource, Event, Inputs, SourceKind};
pub use model::{DayInputs, Model, Provenance, RecentDays};
pub use movement::splitmix64;
pub use numbers::{Decimal, DisplayNumber};
pub use problems::InputsError;
pub use series::{CostScope, PublishedEstimate};
pub use text::{is_invisible, listed, suggestion, visible};

/// The engine's version in JSON documents.
pub const ENGINE_SANDBOX_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "-sandbox");
