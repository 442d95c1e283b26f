//! Scenarios: failures on purpose, for those who test a client. A request asks for one with `Prefer`;
//! chaos has some requests meet one that did not ask.

mod stage;
mod asked;
mod chaos;
mod outcome;

pub(crate) use outcome::{Origin, Outcome, RETRY_AFTER_SECONDS, Scenario};
pub(crate) use stage::{Scenarios, Stage};
