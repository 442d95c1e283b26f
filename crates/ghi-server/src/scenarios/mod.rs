//! Scenarios: deliberate failures for testing clients. A request selects one with `Prefer`; with `--chaos`,
//! a share of all requests gets one.

mod fault_plan;
mod requested;
mod fail_flags;
mod chaos;
mod recovery;
mod scenario;
mod altered;

pub(crate) use fail_flags::FailFlag;
pub(crate) use fault_plan::{FaultPlan, Scenarios};
pub(crate) use requested::ignored_preference;
#[cfg(feature = "internals")]
pub use requested::preference_values;
pub(crate) use scenario::{Failure, Scenario};
