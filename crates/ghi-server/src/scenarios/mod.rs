//! Scenarios: deliberate failures for testing clients. A request selects one with `Prefer`; with `--fail` and
//! `--chaos`, the server does.

mod fault_plan;
mod startup;
mod requested;
mod recovery;
mod scenario;
mod altered;

pub(crate) use fault_plan::{FaultPlan, Scenarios};
#[cfg(feature = "internals")]
pub use requested::preference_values;
pub(crate) use scenario::Scenario;
pub(crate) use startup::check_fail_flag;
