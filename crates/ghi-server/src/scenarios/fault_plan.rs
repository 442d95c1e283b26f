//! Assigns scenarios to requests, along with the resources they need.

use std::sync::Arc;
use std::time::Instant;

use ghi_engine::RecentDays;
use hyper::{HeaderMap, Method, Request, Response};

use crate::config::Config;
use crate::edition::{Edition, Editions, RequestDay, TooManyDays};
use crate::http::problem::Problem;
use crate::net::{ClientKey, Content, Permit, PermitPool, Wait};
use crate::scenarios::chaos::Chaos;
use crate::scenarios::fail_flags::FailFlags;
use crate::scenarios::recovery::RecoveryKeys;
use crate::scenarios::requested::{Target, select, without_effect};
use crate::scenarios::scenario::{Failure, Origin, Recovery, Scenario};

/// The share of all connections that may wait for a delayed response: one in two.
const WAITING_SHARE: usize = 2;

/// The share of these that one client may use: one in four.
const CLIENT_SHARE: usize = 4;

/// The scenarios of a server.
#[derive(Debug)]
pub(crate) struct Scenarios {
    /// Whether requests may select scenarios.
    are_on: bool,
    fail_flags: FailFlags,
    chaos: Option<Chaos>,
    recovery_keys: RecoveryKeys,
    /// Limits the number of delayed responses that wait.
    pub(crate) waiting: Arc<PermitPool>,
}

/// A scenario with the resources it needs.
#[derive(Debug)]
pub(crate) struct FaultPlan {
    pub(crate) scenario: Scenario,
    /// Why the request is rejected, if it has `handling=strict` and one of its preferences would be
    /// ignored.
    pub(crate) rejection: Option<Problem>,
    /// The requested day, if the request names one or changes its data.
    pub(crate) day: Option<RequestDay>,
    pub(crate) wait: Option<Wait>,
    /// The permit for a response that is sent slowly.
    slow: Option<Permit>,
}

impl FaultPlan {
    /// Applies the scenario to a response, which is made from today's edition unless the plan has another.
    pub(crate) fn apply(&mut self, response: &mut Response<Content>, today: &Edition) {
        let edition = self.day.as_ref().map_or(today, RequestDay::edition);
        self.scenario.apply(response, edition, self.slow.take());
    }

    /// Returns why a response is replaced by an error, if it is: `handling=strict` rejects a failure that
    /// shows to have no effect.
    pub(crate) fn reject(&mut self, response: &Response<Content>) -> Option<Problem> {
        let is_drip = self.scenario.failure == Some(Failure::Drip);
        let is_streamed = response.body().len().is_none();
        let is_rejected = self.scenario.is_strict && is_drip && is_streamed;
        is_rejected.then(|| {
            self.scenario = Scenario { is_strict: true, ..Scenario::default() };
            without_effect("break=drip has no effect on a table for a range of days")
        })
    }

    /// Returns whether the connection is reset instead of sending the response.
    pub(crate) fn is_reset(&self) -> bool {
        self.scenario.failure == Some(Failure::Reset)
    }
}

impl Scenarios {
    pub(crate) fn new(config: &Config) -> Self {
        let waiting = (config.max_connections / WAITING_SHARE).max(1);
        Self {
            are_on: config.scenarios,
            fail_flags: FailFlags::new(&config.fail),
            chaos: Chaos::new(config.chaos_percent, config.chaos_path.clone()),
            recovery_keys: RecoveryKeys::default(),
            waiting: PermitPool::new(waiting, (waiting / CLIENT_SHARE).max(1)),
        }
    }

    /// Returns the scenario of a valid API request for a route, if it has one. `seed` is the seed of the inputs.
    pub(crate) fn of(
        &self,
        request: &Request<()>,
        route: &str,
        has_prefer: bool,
        seed: impl FnOnce() -> u64,
    ) -> Option<Scenario> {
        if !has_prefer && self.chaos.is_none() && self.fail_flags.are_none() {
            return None;
        }
        let is_head = *request.method() == Method::HEAD;
        if !is_head && *request.method() != Method::GET {
            return None;
        }
        let (path, target) = (request.uri().path(), Target { route, is_head });
        // A request's own preferences replace those of the flags.
        let selected = match self.are_on && has_prefer {
            true => Some(self.requested(request.headers(), path, target)),
            false => self.fail_flags.select(path, target),
        };
        let selected = selected.filter(Scenario::has_effect);
        let chaos = self.chaos.as_ref().filter(|chaos| chaos.includes(path, route));
        let failure = chaos.and_then(|chaos| chaos.next(seed(), !is_head));
        // A selected failure takes precedence.
        let is_selected = selected.as_ref().is_some_and(|selected| selected.failure.is_some());
        if failure.is_none() || is_selected {
            return selected;
        }
        Some(Scenario { origin: Origin::Chaos, failure, ..Scenario::default() })
    }

    /// Returns the scenario that a request selects, without what enough requests with its key have had.
    fn requested(&self, headers: &HeaderMap, path: &str, target: Target<'_>) -> Scenario {
        let (scenario, _) = select(headers, target, Origin::Request);
        let recovery = scenario.recovery.as_ref();
        let key = recovery.and_then(|Recovery { times, key }| Some((*times, key.as_ref()?)));
        match key {
            Some((times, key)) if !self.recovery_keys.count(path, key, times, Instant::now()) => {
                scenario.recovered()
            }
            _ => scenario,
        }
    }

    /// Acquires the resources of a scenario, within the limits per client and in total. A rejected request
    /// needs none.
    pub(crate) fn plan(
        &self,
        scenario: Scenario,
        rejection: Option<Problem>,
        (today, editions, days_drawn): (&RequestDay, &Editions, u32),
        client: Option<ClientKey>,
    ) -> Result<FaultPlan, Problem> {
        let permit = || {
            let bound = "Too many delayed responses are waiting (Prefer: delay, break=drip)";
            let permit = self.waiting.acquire(client);
            permit.ok_or_else(|| Problem::rate_limited(bound, 1))
        };
        if rejection.is_some() {
            let scenario = Scenario { is_strict: true, ..Scenario::default() };
            return Ok(FaultPlan { scenario, rejection, day: None, wait: None, slow: None });
        }
        let delay = scenario.delay.filter(|delay| !delay.is_zero());
        let wait = delay.map(|delay| permit().map(|permit| Wait { duration: delay, permit }));
        let wait = wait.transpose()?;
        let slow = (scenario.failure == Some(Failure::Drip)).then(permit).transpose()?;
        let too_many = |TooManyDays { retry_after_seconds }| {
            let bound = "Too many requests use Prefer: at or Prefer: figures";
            Problem::rate_limited(bound, retry_after_seconds)
        };
        let day = scenario.at.map(|moment| today.at(moment, (editions, days_drawn), client));
        let mut day = day.transpose().map_err(too_many)?;
        if let Some((_, percent)) = scenario.figures {
            let change = |days: &RecentDays| match percent {
                Some(percent) => days.with_costs_today_at(percent),
                None => days.with_equal_costs(),
            };
            let before = day.as_ref().unwrap_or(today);
            day = Some(before.with_days(change, editions, client).map_err(too_many)?);
        }
        Ok(FaultPlan { scenario, rejection, day, wait, slow })
    }
}
