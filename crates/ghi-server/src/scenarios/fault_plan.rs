//! The scenarios of requests: which one a request gets, what it needs, and how it changes the response.

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ghi_contract::paths;
use ghi_engine::RecentDays;
use httpdate::fmt_http_date;
use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, ETAG, HeaderValue, IF_NONE_MATCH, RETRY_AFTER,
};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};

use crate::config::Config;
use crate::edition::{Edition, Editions, RequestDay};
use crate::http::prefer::{PREFER, PREFERENCE_APPLIED, add_applied};
use crate::http::problem::{Code, Problem};
use crate::http::site::Site;
use crate::net::{ClientKey, Content, Permit, PermitPool, Wait};
use crate::scenarios::recovery::RecoveryKeys;
use crate::scenarios::requested::select;
use crate::scenarios::scenario::{Failure, Origin, RETRY_AFTER_SECONDS, STRICT, Scenario};
use crate::scenarios::startup::{Chaos, FailFlags};

/// A body that is not JSON, like a page from a proxy that answers in the server's place.
const NOT_JSON: &str = "<!doctype html><title>Not JSON</title><p>This is a test scenario: the body is not JSON, whatever the Content-Type says.</p>\n";

#[derive(Debug)]
pub(crate) struct Scenarios {
    are_on: bool,
    fail_flags: FailFlags,
    chaos: Option<Chaos>,
    recovery_keys: RecoveryKeys,
    pub(crate) waiting: Arc<PermitPool>,
}

impl Scenarios {
    pub(crate) fn new(config: &Config) -> Self {
        // Half of all connections may wait for a delayed response, and one client may use a quarter of these.
        let waiting = (config.max_connections / 2).max(1);
        Self {
            are_on: config.scenarios,
            fail_flags: FailFlags::new(&config.fail),
            chaos: Chaos::new(config.chaos_percent, config.chaos_path.clone()),
            recovery_keys: RecoveryKeys::default(),
            waiting: PermitPool::new(waiting, (waiting / 4).max(1)),
        }
    }

    /// Returns the scenario of a valid API request for a route, if it has one, and why the first of its preferences
    /// without effect has none. `seed` is the seed of the inputs.
    pub(crate) fn of(
        &self,
        request: &Request<()>,
        route: &str,
        seed: u64,
    ) -> Option<(Scenario, Option<String>)> {
        let (headers, path) = (request.headers(), request.uri().path());
        let is_head = *request.method() == Method::HEAD;
        if !is_head && *request.method() != Method::GET {
            return None;
        }
        // A request's own preferences replace those of the flags.
        let (selected, ignored) = if self.are_on && headers.contains_key(PREFER) {
            let (scenario, ignored) = select(headers, route, is_head, Origin::Request);
            (Some(self.recovery_keys.limit(scenario, path, "", Instant::now())), ignored)
        } else {
            (self.fail_flags.select(path, route, is_head), None)
        };
        let selected = selected.filter(Scenario::has_effect);
        let chaos = self.chaos.as_ref();
        let failure = chaos.and_then(|chaos| chaos.next((path, route), seed, !is_head));
        match selected {
            // A selected failure takes precedence.
            Some(selected) if failure.is_none() || selected.failure.is_some() => {
                Some((selected, ignored))
            }
            _ => Some((
                Scenario { origin: Origin::Chaos, failure: Some(failure?), ..Scenario::default() },
                None,
            )),
        }
    }

    /// Acquires the resources of a scenario, within the limits per client and in total.
    pub(crate) fn plan(
        &self,
        scenario: Scenario,
        today: &RequestDay,
        editions: &Editions,
        days_drawn: u32,
        client: Option<ClientKey>,
    ) -> Result<FaultPlan, Problem> {
        let permit = || {
            let limit = "Too many delayed responses are waiting (Prefer: delay, break=drip)";
            self.waiting.acquire(client).ok_or_else(|| Problem::rate_limited(limit, 1))
        };
        let mut plan = FaultPlan::default();
        if let Some(duration) = scenario.delay.filter(|delay| !delay.is_zero()) {
            plan.wait = Some(Wait { duration, permit: permit()? });
        }
        if scenario.failure == Some(Failure::Drip) {
            plan.slow = Some(permit()?);
        }
        let limit = "Too many requests use Prefer: at or Prefer: figures";
        let too_many = |seconds| Problem::rate_limited(limit, seconds);
        if let Some(moment) = scenario.at {
            plan.day = Some(editions.other_day(moment, days_drawn, client).map_err(too_many)?);
        }
        if let Some((_, percent)) = scenario.figures {
            let change = |days: &RecentDays| match percent {
                Some(percent) => days.with_costs_today_at(percent),
                None => days.with_equal_costs(),
            };
            let day = plan.day.as_ref().unwrap_or(today);
            plan.day = Some(editions.changed(day, change, client).map_err(too_many)?);
        }
        Ok(FaultPlan { scenario, ..plan })
    }
}

/// A scenario with the resources it needs.
#[derive(Debug, Default)]
pub(crate) struct FaultPlan {
    pub(crate) scenario: Scenario,
    /// Why the request is rejected, if it has `handling=strict` and one of its preferences would be ignored.
    rejection: Option<Problem>,
    /// The requested day, if the request names one or changes its data.
    pub(crate) day: Option<RequestDay>,
    pub(crate) wait: Option<Wait>,
    slow: Option<Permit>,
}

impl FaultPlan {
    /// Returns the plan for a request with `handling=strict` that is rejected, which needs nothing.
    pub(crate) fn rejection(problem: Problem) -> Self {
        let scenario = Scenario { is_strict: true, ..Scenario::default() };
        Self { scenario, rejection: Some(problem), ..Self::default() }
    }

    /// Returns the error that replaces the response of a route, if there is one.
    pub(crate) fn error(
        &mut self,
        site: &Site,
        route: &str,
    ) -> Option<Result<Response<Content>, Problem>> {
        if let Some(problem) = self.rejection.take() {
            return Some(Err(problem));
        }
        let code = match self.scenario.failure? {
            Failure::ProxyError(status) => {
                let page = format!(
                    "<html>\n<head><title>{status}</title></head>\n<body>\n<h1>{status}</h1>\n<p>This is a test scenario.</p>\n</body>\n</html>\n"
                );
                return Some(Ok(site.response(status, "text/html", page)));
            }
            // Data is never missing there, but with many regions the server may be busy.
            Failure::Code(Code::NoFigures) if matches!(route, paths::REGIONS | paths::METADATA) => {
                Code::Busy
            }
            Failure::Code(code) => code,
            _ => return None,
        };
        let status = Problem::new(code, "").describe().status.as_u16();
        let detail = match self.scenario.origin {
            Origin::Request => {
                format!("This is a test scenario, requested with Prefer: code={status}.")
            }
            Origin::Flag => format!("This is a test scenario, set with --fail code={status}."),
            Origin::Chaos => {
                "This is a test scenario: the server makes a share of all requests fail (--chaos)."
                    .into()
            }
        };
        let mut problem = Problem::new(code, detail);
        problem.retry_after = problem.retry_after.and(Some(RETRY_AFTER_SECONDS));
        Some(Err(problem))
    }

    /// Returns the headers that the route's handler gets instead of those of the request.
    pub(crate) fn headers(&self, request: &HeaderMap) -> HeaderMap {
        let mut headers = request.clone();
        // A 304 has no body to break.
        if self.scenario.failure.is_some() {
            headers.remove(IF_NONE_MATCH);
        }
        // A document must not be compressed if it is to be changed.
        if matches!(self.scenario.failure, Some(Failure::Altered(_))) {
            headers.remove(ACCEPT_ENCODING);
        }
        headers
    }

    /// Returns the error that replaces a response if `handling=strict` rejects a failure that has no effect on it.
    pub(crate) fn reject(&mut self, response: &Response<Content>) -> Option<Problem> {
        let is_drip = self.scenario.failure == Some(Failure::Drip);
        let is_streamed = response.body().len().is_none();
        let is_rejected = self.scenario.is_strict && is_drip && is_streamed;
        is_rejected.then(|| {
            self.scenario = Scenario { is_strict: true, ..Scenario::default() };
            without_effect("break=drip has no effect on a table for a range of days")
        })
    }

    pub(crate) fn is_reset(&self) -> bool {
        self.scenario.failure == Some(Failure::Reset)
    }

    /// Applies the scenario to a response, which is made from today's edition unless the plan has another.
    pub(crate) fn apply(&mut self, response: &mut Response<Content>, today: &Edition) {
        let failure = self.scenario.failure.filter(|failure| self.fail(*failure, response, today));
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        match self.scenario.retry_after.as_deref() {
            None => {}
            Some("none") => _ = headers.remove(RETRY_AFTER),
            Some(text) => {
                // Dates have no fractions of a second, so a client waits for one to two seconds.
                let date = || fmt_http_date(SystemTime::now() + Duration::from_secs(2));
                let value = if text == "date" { date() } else { text.into() };
                headers.insert(RETRY_AFTER, value.try_into().expect("a date is visible ASCII"));
            }
        }
        if self.scenario.origin != Origin::Chaos {
            self.write_applied(failure, response);
        }
    }

    /// Changes the body of a response. Returns whether the response has the failure: an error response has it
    /// already, and a document that cannot be changed does not.
    fn fail(
        &mut self,
        failure: Failure,
        response: &mut Response<Content>,
        today: &Edition,
    ) -> bool {
        let body = mem::take(response.body_mut());
        let (body, is_applied) = match (failure, self.slow.take()) {
            (Failure::Truncate, _) => (body.cut(50), true),
            (Failure::Cut, _) => (body.cut(0), true),
            (Failure::Drip, Some(permit)) if body.len().is_some() => (body.drip(permit), true),
            (Failure::Drip, _) => (body, false),
            (Failure::Code(_) | Failure::ProxyError(_) | Failure::Reset, _) => (body, true),
            (Failure::NotJson, _) => (NOT_JSON.into(), true),
            (Failure::Altered(alteration), _) => {
                let edition = self.day.as_ref().map_or(today, |day| &day.edition);
                let text = body.into_bytes();
                match alteration.apply(&text, edition) {
                    Some(changed) => (changed.into(), true),
                    None => (text.into(), false),
                }
            }
        };
        *response.body_mut() = body;
        if is_applied && matches!(failure, Failure::NotJson | Failure::Altered(_)) {
            response.headers_mut().remove(CONTENT_ENCODING);
            // The ETag belongs to the original body.
            response.headers_mut().remove(ETAG);
        }
        is_applied
    }

    /// Lists the preferences that changed the response.
    fn write_applied(&self, failure: Option<Failure>, response: &mut Response<Content>) {
        let scenario = &self.scenario;
        let status = response.status();
        if failure == Some(Failure::NotJson) {
            response.headers_mut().remove(PREFERENCE_APPLIED);
        }
        // The problem of a rejected request is the same on all days.
        let at = scenario.at.filter(|_| !status.is_client_error());
        let at = at.map(|at| at.to_string().replace(".000000Z", "Z"));
        let has_document = status.is_success() || status == StatusCode::NOT_MODIFIED;
        let figures = scenario.figures.filter(|_| has_document);
        let ends = failure.is_some() || figures.is_some() || scenario.delay.is_some();
        let times = scenario.times.filter(|_| ends);
        let key = scenario.key.as_ref().filter(|_| ends);
        let applied = [
            failure.map(|failure| failure.preference().into()),
            scenario.retry_after.as_ref().map(|text| format!("retry-after={text}")),
            figures.map(|(preference, _)| preference.into()),
            at.map(|at| format!("at=\"{at}\"")),
            scenario.delay.map(|delay| format!("delay={}", delay.as_millis())),
            times.map(|times| format!("times={times}")),
            key.map(|key| format!("key={key}")),
            scenario.is_strict.then(|| STRICT.into()),
        ];
        for preference in applied.into_iter().flatten() {
            add_applied(response.headers_mut(), &preference);
        }
    }
}

pub(crate) fn without_effect(reason: &str) -> Problem {
    Problem::new(Code::UnknownPreference, format!("In Prefer, {reason}."))
}
