//! Assigns scenarios to requests, along with the resources they need.

use std::sync::Arc;

use hyper::{Method, Request};

use crate::config::Config;
use crate::edition::{Editions, RequestDay, TooManyDays};
use crate::http::problem::Problem;
use crate::net::{ClientKey, PermitPool, Wait};
use crate::scenarios::chaos::Chaos;
use crate::scenarios::requested::requested_scenario;
use crate::scenarios::scenario::{Origin, Scenario};

/// The part of all connections that may wait for a delayed response: one in two.
const WAITING_SHARE: usize = 2;

/// The part of these that one client may use: one in four.
const CLIENT_SHARE: usize = 4;

/// The scenarios of a server.
#[derive(Debug)]
pub(crate) struct Scenarios {
    /// Whether requests may select scenarios.
    are_on: bool,
    chaos: Option<Chaos>,
    /// Limits the number of delayed responses that wait.
    waiting: Arc<PermitPool>,
}

/// A scenario with the resources it needs.
#[derive(Debug)]
pub(crate) struct FaultPlan {
    pub(crate) scenario: Scenario,
    /// The requested day, if the request names one.
    pub(crate) day: Option<RequestDay>,
    pub(crate) wait: Option<Wait>,
}

impl Scenarios {
    pub(crate) fn new(config: &Config) -> Self {
        let waiting = (config.max_connections / WAITING_SHARE).max(1);
        Self {
            are_on: config.scenarios,
            chaos: Chaos::new(config.chaos_percent),
            waiting: Arc::new(PermitPool::new(waiting, (waiting / CLIENT_SHARE).max(1))),
        }
    }

    /// Returns the permits for delayed responses.
    pub(crate) fn waiting(&self) -> Arc<PermitPool> {
        Arc::clone(&self.waiting)
    }

    /// Returns the scenario of a valid API request, if it has one. The seed is that of the inputs.
    #[inline]
    pub(crate) fn of(
        &self,
        request: &Request<()>,
        has_prefer: bool,
        seed: impl FnOnce() -> u64,
    ) -> Option<Scenario> {
        if !has_prefer && self.chaos.is_none() {
            return None;
        }
        let is_get = *request.method() == Method::GET;
        if !is_get && *request.method() != Method::HEAD {
            return None;
        }
        let requested =
            if self.are_on { requested_scenario(request.headers(), is_get) } else { None };
        let Some(chaos) = &self.chaos else { return requested };
        let failure = chaos.next(seed(), is_get);
        // A requested failure takes precedence.
        if failure.is_none() || requested.is_some_and(|requested| requested.failure.is_some()) {
            return requested;
        }
        Some(Scenario { origin: Origin::Chaos, failure, at: None, delay: None })
    }

    /// Acquires the resources of a scenario, within the limits per client and in total.
    pub(crate) fn plan(
        &self,
        scenario: Scenario,
        editions: &Editions,
        client: Option<ClientKey>,
    ) -> Result<FaultPlan, Problem> {
        let wait = match scenario.delay.filter(|delay| !delay.is_zero()) {
            None => None,
            Some(delay) => {
                let permit = self.waiting.acquire(client).ok_or_else(|| {
                    Problem::bound_reached(
                        "Too many delayed responses are waiting (Prefer: delay)",
                        1,
                    )
                })?;
                Some(Wait::new(delay, permit))
            }
        };
        let day = scenario.at.map(|moment| RequestDay::other(moment, editions, client));
        let day = day.transpose().map_err(|TooManyDays { retry_after_seconds }| {
            let bound = "Too many other days are being requested (Prefer: at)";
            Problem::bound_reached(bound, retry_after_seconds)
        })?;
        Ok(FaultPlan { scenario, day, wait })
    }
}
