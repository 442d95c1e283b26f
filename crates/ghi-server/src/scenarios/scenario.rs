//! The effect of a scenario on a response.

use std::mem;
use std::time::{Duration, SystemTime};

use ghi_contract::paths;
use httpdate::fmt_http_date;
use hyper::header::{CACHE_CONTROL, CONTENT_ENCODING, ETAG, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};

use crate::clock::Moment;
use crate::edition::Edition;
use crate::http::prefer::{PREFERENCE_APPLIED, add_applied};
use crate::http::problem::{Code, Problem};
use crate::http::site::Site;
use crate::net::{Content, Permit};
use crate::scenarios::altered::Alteration;

/// The `Retry-After` of a requested error, in seconds. It is short, so that a test that waits for it is
/// quick.
pub(crate) const RETRY_AFTER_SECONDS: u64 = 1;

/// How far in the future a `Retry-After` date is. Dates have no fractions of a second, so a client waits
/// for one to two seconds.
const RETRY_DATE_AHEAD: Duration = Duration::from_secs(2);

/// A body that is not JSON, like a page from a proxy that answers in the server's place.
const NOT_JSON: &str = "<!doctype html><title>Not JSON</title><p>This is a test scenario: the body is not JSON, whatever the Content-Type says.</p>\n";

/// The preference that turns anything that would be ignored into an error.
const STRICT: &str = "handling=strict";

/// The documents without data, which are never missing.
const WITHOUT_DATA: [&str; 2] = [paths::REGIONS, paths::METADATA];

/// What happens to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) origin: Origin,
    /// The failure of the response, if any.
    pub(crate) failure: Option<Failure>,
    /// The `Retry-After` of the error, if it is not the usual one: seconds, `date` or `none`.
    pub(crate) retry_after: Option<String>,
    /// The change to the costs.
    pub(crate) figures: Option<Figures>,
    /// The time that the response is for.
    pub(crate) at: Option<Moment>,
    /// The delay before the response is sent.
    pub(crate) delay: Option<Duration>,
    /// How many requests get the failure, the delay and the changed costs, and their key.
    pub(crate) recovery: Option<Recovery>,
    /// Whether a preference or parameter that would be ignored is an error.
    pub(crate) is_strict: bool,
}

/// Who chose a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    #[default]
    Request,
    Flag,
    Chaos,
}

impl Origin {
    /// Returns its label in metrics and logs.
    fn label(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Flag => "fail",
            Self::Chaos => "chaos",
        }
    }

    /// Returns the detail of the problem for a scenario that is an error with this status.
    fn detail(self, status: StatusCode) -> String {
        let code = status.as_u16();
        let choice = match self {
            Self::Request => format!("requested with Prefer: code={code}"),
            Self::Flag => format!("set with --fail code={code}"),
            Self::Chaos => {
                return "This is a test scenario: the server makes a share of all requests fail (--chaos).".into();
            }
        };
        format!("This is a test scenario, {choice}.")
    }
}

/// A way in which a response fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The response is this error.
    Code(Code),
    /// The response is the error page of a proxy, with this status.
    ProxyError(StatusCode),
    /// The body ends before its declared length.
    Truncate,
    /// The body is not JSON.
    NotJson,
    /// The connection ends after the head.
    Cut,
    /// The body is sent slowly.
    Drip,
    /// The connection is reset before the first byte.
    Reset,
    /// The document is changed.
    Altered(Alteration),
}

/// A change to the costs, the same in every document: its preference, and today's costs as a percentage of
/// the real ones, or `None` if all days have today's costs.
pub(crate) type Figures = (&'static str, Option<u64>);

/// Every change to the costs.
pub(crate) const FIGURES: [Figures; 3] =
    [("figures=spike", Some(125)), ("figures=drop", Some(75)), ("figures=flat", None)];

/// The number of requests that a scenario affects: of those with a key, or of all if it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recovery {
    pub(crate) times: u8,
    pub(crate) key: Option<String>,
}

/// Every failure that a request can select, with the preference that selects it.
pub(crate) const FAILURES: [(&str, Failure); 17] = [
    ("code=400", Failure::Code(Code::InvalidParameter)),
    ("code=404", Failure::Code(Code::UnknownRegion)),
    ("code=429", Failure::Code(Code::RateLimited)),
    ("code=500", Failure::Code(Code::Internal)),
    ("code=502", Failure::ProxyError(StatusCode::BAD_GATEWAY)),
    ("code=503", Failure::Code(Code::NoFigures)),
    ("code=504", Failure::ProxyError(StatusCode::GATEWAY_TIMEOUT)),
    ("break=truncate", Failure::Truncate),
    ("break=json", Failure::NotJson),
    ("break=cut", Failure::Cut),
    ("break=drip", Failure::Drip),
    ("break=reset", Failure::Reset),
    ("break=null", Failure::Altered(Alteration::Null)),
    ("break=missing", Failure::Altered(Alteration::Missing)),
    ("break=string", Failure::Altered(Alteration::String)),
    ("break=extra", Failure::Altered(Alteration::Extra)),
    ("break=gap", Failure::Altered(Alteration::Gap)),
];

impl Failure {
    /// Returns the preference that selects it.
    fn preference(self) -> &'static str {
        let found = FAILURES.iter().find(|(_, failure)| *failure == self);
        found.map_or("", |(preference, _)| preference)
    }

    /// Returns whether it can happen to responses of a route.
    pub(crate) fn is_possible_on(self, route: &str) -> bool {
        match self {
            Self::Altered(alteration) => alteration.is_possible_on(route),
            _ => true,
        }
    }

    /// Returns whether nothing of the usual document is sent.
    pub(crate) fn replaces_document(self) -> bool {
        matches!(self, Self::Code(_) | Self::ProxyError(_) | Self::NotJson | Self::Reset)
    }

    /// Changes the body of a response. Returns whether the response has the failure: an error response has it
    /// already, and a document that cannot be changed does not.
    fn apply(
        self,
        response: &mut Response<Content>,
        edition: &Edition,
        permit: Option<Permit>,
    ) -> bool {
        let body = mem::take(response.body_mut());
        let (body, is_applied) = match (self, permit) {
            (Self::Truncate, _) => (body.cut(50), true),
            (Self::Cut, _) => (body.cut(0), true),
            (Self::Drip, Some(permit)) if body.len().is_some() => (body.drip(permit), true),
            (Self::Drip, _) => (body, false),
            (Self::Code(_) | Self::ProxyError(_) | Self::Reset, _) => (body, true),
            (Self::NotJson, _) => (NOT_JSON.into(), true),
            (Self::Altered(alteration), _) => {
                let text = body.into_bytes();
                match alteration.apply(&text, edition) {
                    Some(changed) => (changed.into(), true),
                    None => (text.into(), false),
                }
            }
        };
        *response.body_mut() = body;
        if is_applied && matches!(self, Self::NotJson | Self::Altered(_)) {
            response.headers_mut().remove(CONTENT_ENCODING);
            // The ETag belongs to the original body.
            response.headers_mut().remove(ETAG);
        }
        is_applied
    }
}

impl Scenario {
    /// Returns whether it changes anything.
    pub(crate) fn has_effect(&self) -> bool {
        *self != Self { origin: self.origin, ..Self::default() }
    }

    /// Returns what remains of it after enough requests.
    pub(crate) fn recovered(self) -> Self {
        let Self { origin, at, is_strict, .. } = self;
        Self { origin, at, is_strict, ..Self::default() }
    }

    /// Returns the label of its origin.
    pub(crate) fn origin(&self) -> &'static str {
        self.origin.label()
    }

    /// Returns the label it is counted under: the part of the scenario that changed the response most.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self { failure: Some(failure), .. } => failure.preference(),
            Self { figures: Some((preference, _)), .. } => preference,
            Self { at: Some(_), .. } => "at",
            Self { delay: Some(_), .. } => "delay",
            _ => STRICT,
        }
    }

    /// Returns the error that it responds with, if any, to a request for a route.
    pub(crate) fn error(
        &self,
        site: &Site,
        route: &str,
    ) -> Option<Result<Response<Content>, Problem>> {
        let code = match self.failure? {
            Failure::ProxyError(status) => {
                let page = format!(
                    "<html>\n<head><title>{status}</title></head>\n<body>\n<h1>{status}</h1>\n<p>This is a test scenario.</p>\n</body>\n</html>\n"
                );
                return Some(Ok(site.response(status, "text/html", page)));
            }
            // Data is never missing there, but with many regions the server may be busy.
            Failure::Code(Code::NoFigures) if WITHOUT_DATA.contains(&route) => Code::Busy,
            Failure::Code(code) => code,
            _ => return None,
        };
        let mut problem = Problem::new(code, "");
        problem = Problem::new(code, self.origin.detail(problem.describe().status));
        problem.retry_after = problem.retry_after.and(Some(RETRY_AFTER_SECONDS));
        Some(Err(problem))
    }

    /// Returns the seconds until a rate limit that it simulates allows requests again.
    pub(crate) fn retry_after_seconds(&self) -> u64 {
        let selected = self.retry_after.as_ref().and_then(|text| text.parse().ok());
        selected.unwrap_or(RETRY_AFTER_SECONDS)
    }

    /// Applies the scenario to a response made from an edition. A body that is sent slowly needs a permit.
    pub(crate) fn apply(
        &self,
        response: &mut Response<Content>,
        edition: &Edition,
        permit: Option<Permit>,
    ) {
        let failure = self.failure.filter(|failure| failure.apply(response, edition, permit));
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(text) = &self.retry_after {
            let value = match &**text {
                "date" => fmt_http_date(SystemTime::now() + RETRY_DATE_AHEAD),
                seconds => seconds.into(),
            };
            headers.insert(RETRY_AFTER, value.try_into().expect("a date is visible ASCII"));
            if text == "none" {
                headers.remove(RETRY_AFTER);
            }
        }
        if self.origin != Origin::Chaos {
            self.write_applied(failure, response);
        }
    }

    /// Adds the preferences that had an effect on a response to its `Preference-Applied`.
    fn write_applied(&self, failure: Option<Failure>, response: &mut Response<Content>) {
        let status = response.status();
        let headers = response.headers_mut();
        if failure == Some(Failure::NotJson) {
            headers.remove(PREFERENCE_APPLIED);
        }
        // The problem of a rejected request is the same on all days.
        let at = self.at.filter(|_| !status.is_client_error());
        let has_document = status.is_success() || status == StatusCode::NOT_MODIFIED;
        let figures = self.figures.filter(|_| has_document);
        let mut applied: Vec<String> =
            failure.map(|it| it.preference().into()).into_iter().collect();
        applied.extend(self.retry_after.as_ref().map(|text| format!("retry-after={text}")));
        applied.extend(figures.map(|(preference, _)| preference.into()));
        let at = at.map(|at| at.to_string().replace(".000000Z", "Z"));
        applied.extend(at.map(|at| format!("at=\"{at}\"")));
        applied.extend(self.delay.map(|delay| format!("delay={}", delay.as_millis())));
        let ends = failure.is_some() || figures.is_some() || self.delay.is_some();
        if let Some(Recovery { times, key }) = self.recovery.as_ref().filter(|_| ends) {
            applied.push(format!("times={times}"));
            applied.extend(key.as_ref().map(|key| format!("key={key}")));
        }
        applied.extend(self.is_strict.then(|| STRICT.into()));
        applied.iter().for_each(|preference| add_applied(headers, preference));
    }
}
