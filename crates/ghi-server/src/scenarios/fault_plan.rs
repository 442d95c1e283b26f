//! The scenarios of requests: which one a request gets, what it needs, and how it changes the response.

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ghi_contract::paths;
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
use crate::net::{ClientKey, Content, Permit, PermitPool};
use crate::scenarios::recovery::RecoveryKeys;
use crate::scenarios::scenario::{FIGURES, Failure, Origin, RETRY_AFTER_SECONDS, Scenario, find};
use crate::scenarios::startup::{Chaos, FailFlags};

/// A body that is not JSON, like a page from a proxy that answers in the server's place.
const NOT_JSON: &str = "<!doctype html><title>Not JSON</title><p>This is a test scenario: the body is not JSON, whatever the Content-Type says.</p>\n";

#[derive(Debug)]
pub(crate) struct Scenarios {
    are_on: bool,
    fail_flags: FailFlags,
    chaos: Chaos,
    recovery_keys: RecoveryKeys,
    pub(crate) waiting: Arc<PermitPool>,
}

impl Scenarios {
    pub(crate) fn new(config: &Config) -> Self {
        // Half of all connections may wait for a delayed response, and one client may use a quarter of these.
        let waiting = (config.max_connections / 2).max(1);
        let (percent, path) = (config.chaos_percent.into(), config.chaos_path.clone());
        Self {
            are_on: config.scenarios,
            fail_flags: FailFlags::new(&config.fail),
            chaos: Chaos { percent, path, ..Chaos::default() },
            recovery_keys: RecoveryKeys::default(),
            waiting: PermitPool::new(waiting, (waiting / 4).max(1)),
        }
    }

    /// Returns the scenario of a valid API request for a route, if it has one. `seed` is the seed of the inputs.
    pub(crate) fn of(&self, request: &Request<()>, route: &str, seed: u64) -> Option<Scenario> {
        let (headers, path) = (request.headers(), request.uri().path());
        let is_head = *request.method() == Method::HEAD;
        if !is_head && *request.method() != Method::GET {
            return None;
        }
        // A request's own preferences replace those of the flags.
        let selected = if self.are_on && headers.contains_key(PREFER) {
            let mut scenario = Scenario::select(headers, route, is_head, Origin::Request);
            self.recovery_keys.limit(&mut scenario, path, "", Instant::now());
            Some(scenario).filter(Scenario::has_effect)
        } else {
            self.fail_flags.select(path, route, is_head)
        };
        let chaos = self.chaos.next((path, route), seed, !is_head);
        // A selected failure takes precedence.
        match selected {
            Some(selected) if chaos.is_none() || selected.failure().is_some() => Some(selected),
            _ => chaos,
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
        let wait = match scenario.number("delay").map(Duration::from_millis) {
            None | Some(Duration::ZERO) => None,
            Some(duration) => Some((duration, permit()?)),
        };
        let is_slow = scenario.failure() == Some(Failure::Drip);
        let slow = if is_slow { Some(permit()?) } else { None };
        let limit = "Too many requests use Prefer: at or Prefer: figures";
        let too_many = |seconds| Problem::rate_limited(limit, seconds);
        let mut day = today.clone();
        if let Some(moment) = scenario.at() {
            day = editions.other_day(moment, days_drawn, client).map_err(too_many)?;
        }
        if let Some(percent) = scenario.get("figures").and_then(|it| find(&FIGURES, "figures", it))
        {
            let days = day.edition.days();
            let changed = percent.map(|percent| days.with_costs_today_at(percent));
            let changed = changed.unwrap_or_else(|| days.with_equal_costs());
            day = editions.changed(&day, changed, client).map_err(too_many)?;
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
    /// How long to wait before the response, and the permit for that.
    pub(crate) wait: Option<(Duration, Permit)>,
    slow: Option<Permit>,
}

impl FaultPlan {
    /// Returns the plan for a request with `handling=strict` that is rejected, which needs nothing.
    pub(crate) fn rejection(problem: Problem, mut scenario: Scenario, today: &RequestDay) -> Self {
        scenario.values.retain(|(name, _)| *name == "handling");
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
        let (failure, mut headers) = (self.scenario.failure(), request.clone());
        match failure {
            Some(Failure::ProxyError(status)) => return Ok(proxy_error(site, status)),
            // These documents need no data, so `code=503` means `busy`.
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
        serve(&headers, &self.day)
    }

    fn problem(&self, code: Code) -> Problem {
        let status = self.scenario.get("code").unwrap_or_default();
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
        self.scenario.failure() == Some(Failure::Reset)
    }

    /// Applies the scenario to a response.
    pub(crate) fn apply(&mut self, response: &mut Response<Content>) {
        let has_failed =
            self.scenario.failure().is_some_and(|failure| self.fail(failure, response));
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        match self.scenario.get("retry-after") {
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
            self.write_applied(has_failed, response);
        }
    }

    /// Changes the body of a response. Returns whether the response has the failure: an error response has it
    /// already, and a document that cannot be changed does not.
    fn fail(&mut self, failure: Failure, response: &mut Response<Content>) -> bool {
        let body = mem::take(response.body_mut());
        let (body, is_applied) = match (failure, self.slow.take()) {
            (Failure::Truncate, _) => (body.cut(50), true),
            (Failure::Cut, _) => (body.cut(0), true),
            (Failure::Drip, Some(permit)) => (body.drip(permit), true),
            (Failure::NotJson, _) => (NOT_JSON.into(), true),
            (Failure::Altered(alteration), _) => {
                let text = body.into_bytes();
                let text = String::from_utf8_lossy(&text);
                match alteration.apply(&text, &self.day.edition) {
                    Some(changed) => (changed.into(), true),
                    None => (text.into_owned().into(), false),
                }
            }
            _ => (body, true),
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
    fn write_applied(&self, has_failed: bool, response: &mut Response<Content>) {
        let status = response.status();
        let has_document = status.is_success() || status == StatusCode::NOT_MODIFIED;
        let mut applied = self.scenario.values.clone();
        applied.retain(|(name, _)| match *name {
            "code" | "break" => has_failed,
            "figures" => has_document,
            // The problem of a rejected request is the same on all days.
            "at" => !status.is_client_error(),
            _ => true,
        });
        let ends = |name: &str| matches!(name, "code" | "break" | "figures" | "delay");
        if !applied.iter().any(|(name, _)| ends(name)) {
            applied.retain(|(name, _)| !matches!(*name, "times" | "key"));
        }
        if self.scenario.failure() == Some(Failure::NotJson) {
            response.headers_mut().remove(PREFERENCE_APPLIED);
        }
        for (name, value) in applied {
            add_applied(response.headers_mut(), &format!("{name}={value}"));
        }
    }
}

fn proxy_error(site: &Site, status: StatusCode) -> Response<Content> {
    let page = format!(
        "<html>\n<head><title>{status}</title></head>\n<body>\n<h1>{status}</h1>\n<p>This is a test scenario.</p>\n</body>\n</html>\n"
    );
    site.response(status, "text/html", page)
}
