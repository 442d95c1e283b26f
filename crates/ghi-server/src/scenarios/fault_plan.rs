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
use crate::edition::{Editions, RequestDay};
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
        let delay = scenario.delay.filter(|delay| !delay.is_zero());
        let wait = delay.map(|duration| permit().map(|permit| Wait { duration, permit }));
        let slow = (scenario.failure == Some(Failure::Drip)).then(permit);
        let (wait, slow) = (wait.transpose()?, slow.transpose()?);
        let limit = "Too many requests use Prefer: at or Prefer: figures";
        let too_many = |seconds| Problem::rate_limited(limit, seconds);
        let mut day = today.clone();
        if let Some(moment) = scenario.at {
            day = editions.other_day(moment, days_drawn, client).map_err(too_many)?;
        }
        if let Some((_, percent)) = scenario.figures {
            let change = |days: &RecentDays| match percent {
                Some(percent) => days.with_costs_today_at(percent),
                None => days.with_equal_costs(),
            };
            day = editions.changed(&day, change, client).map_err(too_many)?;
        }
        Ok(FaultPlan { scenario, rejection: None, day, wait, slow })
    }
}

/// A scenario with the resources it needs.
#[derive(Debug)]
pub(crate) struct FaultPlan {
    pub(crate) scenario: Scenario,
    /// Why the request is rejected, if it has `handling=strict` and one of its preferences would be ignored.
    rejection: Option<Problem>,
    /// Today, or the day that the request names, maybe with other data.
    day: RequestDay,
    pub(crate) wait: Option<Wait>,
    slow: Option<Permit>,
}

impl FaultPlan {
    /// Returns the plan for a request with `handling=strict` that is rejected, which needs nothing.
    pub(crate) fn rejection(problem: Problem, today: &RequestDay) -> Self {
        let scenario = Scenario { is_strict: true, ..Scenario::default() };
        Self { scenario, rejection: Some(problem), day: today.clone(), wait: None, slow: None }
    }

    /// Returns the scenario's error, or the response that a route serves on the scenario's day.
    pub(crate) fn respond(
        &mut self,
        (site, route, request): (&Site, &str, &HeaderMap),
        serve: impl FnOnce(&HeaderMap, &RequestDay) -> Result<Response<Content>, Problem>,
    ) -> Result<Response<Content>, Problem> {
        if let Some(problem) = self.rejection.take() {
            return Err(problem);
        }
        let (failure, mut headers) = (self.scenario.failure, request.clone());
        match failure {
            Some(Failure::ProxyError(status)) => return Ok(proxy_error(site, status)),
            // Data is never missing there, but with many regions the server may be busy.
            Some(Failure::Code(Code::NoFigures))
                if matches!(route, paths::REGIONS | paths::METADATA) =>
            {
                return Err(self.problem(Code::Busy));
            }
            Some(Failure::Code(code)) => return Err(self.problem(code)),
            // A document must not be compressed if it is to be changed.
            Some(Failure::Altered(_)) => _ = headers.remove(ACCEPT_ENCODING),
            _ => {}
        }
        // A 304 has no body to break.
        if failure.is_some() {
            headers.remove(IF_NONE_MATCH);
        }
        let response = serve(&headers, &self.day)?;
        let is_streamed = response.body().len().is_none();
        if self.scenario.is_strict && failure == Some(Failure::Drip) && is_streamed {
            self.scenario = Scenario { is_strict: true, ..Scenario::default() };
            let reason = "break=drip has no effect on a table for a range of days";
            return Err(without_effect(reason));
        }
        Ok(response)
    }

    fn problem(&self, code: Code) -> Problem {
        let status = Problem::new(code, "").describe().status.as_u16();
        let origin = match self.scenario.origin {
            Origin::Request => format!(", requested with Prefer: code={status}."),
            Origin::Flag => format!(", set with --fail code={status}."),
            Origin::Chaos => ": the server makes a share of all requests fail (--chaos).".into(),
        };
        let mut problem = Problem::new(code, format!("This is a test scenario{origin}"));
        problem.retry_after = problem.retry_after.and(Some(RETRY_AFTER_SECONDS));
        problem
    }

    pub(crate) fn is_reset(&self) -> bool {
        self.scenario.failure == Some(Failure::Reset)
    }

    /// Applies the scenario to a response.
    pub(crate) fn apply(&mut self, response: &mut Response<Content>) {
        let failure = self.scenario.failure.filter(|failure| self.fail(*failure, response));
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
    fn fail(&mut self, failure: Failure, response: &mut Response<Content>) -> bool {
        let body = mem::take(response.body_mut());
        let (body, is_applied) = match (failure, self.slow.take()) {
            (Failure::Truncate, _) => (body.cut(50), true),
            (Failure::Cut, _) => (body.cut(0), true),
            (Failure::Drip, Some(permit)) if body.len().is_some() => (body.drip(permit), true),
            (Failure::Drip, _) => (body, false),
            (Failure::Code(_) | Failure::ProxyError(_) | Failure::Reset, _) => (body, true),
            (Failure::NotJson, _) => (NOT_JSON.into(), true),
            (Failure::Altered(alteration), _) => {
                let text = body.into_bytes();
                match alteration.apply(&text, &self.day.edition) {
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

fn proxy_error(site: &Site, status: StatusCode) -> Response<Content> {
    let page = format!(
        "<html>\n<head><title>{status}</title></head>\n<body>\n<h1>{status}</h1>\n<p>This is a test scenario.</p>\n</body>\n</html>\n"
    );
    site.response(status, "text/html", page)
}

pub(crate) fn without_effect(reason: &str) -> Problem {
    Problem::new(Code::UnknownPreference, format!("In Prefer, {reason}."))
}
