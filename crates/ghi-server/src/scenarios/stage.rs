//! Which requests have a scenario, and what it needs before it is played.

use std::borrow::Cow;
use std::sync::Arc;

use hyper::header::IF_NONE_MATCH;
use hyper::{HeaderMap, Method, Request};

use crate::config::Config;
use crate::edition::{Editions, Now, TooManyDays};
use crate::http::problem::Problem;
use crate::net::{Wait, WaitingRoom};
use crate::scenarios::asked::asked_for;
use crate::scenarios::chaos::Chaos;
use crate::scenarios::outcome::{Origin, Scenario};

/// Of how many connections one may have an answer that waits.
const WAITING_SHARE: usize = 2;

/// The scenarios of a server.
#[derive(Debug)]
pub(crate) struct Scenarios {
    /// Whether requests may ask for them.
    are_on: bool,
    chaos: Option<Chaos>,
    /// Where answers wait that are to come later.
    waiting: Arc<WaitingRoom>,
}

/// A scenario with what it needs.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) scenario: Scenario,
    /// The moment that was asked for.
    pub(crate) now: Option<Now>,
    pub(crate) wait: Option<Wait>,
}

impl Scenarios {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            are_on: config.scenarios,
            chaos: Chaos::new(config.chaos_percent),
            waiting: Arc::new(WaitingRoom::new(config.max_connections / WAITING_SHARE)),
        }
    }

    pub(crate) fn waiting(&self) -> Arc<WaitingRoom> {
        Arc::clone(&self.waiting)
    }

    /// The scenario of a valid request for the API, if it has one. The seed is that of the inputs.
    pub(crate) fn of<B>(
        &self,
        request: &Request<B>,
        seed: impl FnOnce() -> u64,
    ) -> Option<Scenario> {
        let is_get = *request.method() == Method::GET;
        if !is_get && *request.method() != Method::HEAD {
            return None;
        }
        let asked = if self.are_on { asked_for(request.headers(), is_get) } else { None };
        let Some(chaos) = &self.chaos else { return asked };
        let failure = chaos.next(seed(), is_get);
        // Who asks for a failure gets that one.
        if failure.is_none() || asked.is_some_and(|asked| asked.failure.is_some()) {
            return asked;
        }
        Some(Scenario { origin: Origin::Chaos, failure, at: None, delay: None })
    }

    /// Gets what a scenario needs, within the bounds that all clients share.
    pub(crate) fn stage(&self, scenario: Scenario, editions: &Editions) -> Result<Stage, Problem> {
        let delay = scenario.delay.filter(|delay| !delay.is_zero());
        let wait = delay.map(|delay| self.waiting.enter(delay).ok_or(())).transpose();
        let wait = wait.map_err(|()| {
            Problem::bound_reached("As many answers wait already as may, for Prefer: delay", 1)
        })?;
        let now = scenario.at.map(|moment| Now::visit(moment, editions)).transpose();
        let now = now.map_err(|TooManyDays { retry_after_seconds }| {
            let bound = "Too many other days are asked for with Prefer: at";
            Problem::bound_reached(bound, retry_after_seconds)
        })?;
        Ok(Stage { scenario, now, wait })
    }
}

impl Stage {
    /// Leaves of a request's headers those that keep their meaning.
    pub(crate) fn change(&self, request: &mut Cow<'_, HeaderMap>) {
        if self.scenario.is_break() {
            // A 304 has no body to break.
            request.to_mut().remove(IF_NONE_MATCH);
        }
    }
}
