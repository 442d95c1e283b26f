//! Scenarios: deliberate failures for testing clients. A request selects one with `Prefer`; with `--chaos`,
//! a share of all requests gets one.

mod fault_plan;
mod requested;
mod chaos;
mod scenario;

pub(crate) use fault_plan::{FaultPlan, Scenarios};
pub(crate) use scenario::{RETRY_AFTER_SECONDS, Scenario};
