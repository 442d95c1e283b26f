//! The effect of a scenario on a response.

use std::mem;
use std::time::Duration;

use ghi_contract::paths;
use ghi_engine::RecentDays;
use hyper::header::{CACHE_CONTROL, CONTENT_ENCODING, ETAG, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde_json::Value;

use crate::clock::{Clock, Moment};
use crate::edition::{Edition, document_json};
use crate::http::prefer::add_applied;
use crate::http::problem::{Code, Problem};
use crate::http::site::Site;
use crate::net::{Content, CutAt, Permit};
use crate::scenarios::altered::{extend, remove_day, remove_first_cost};

/// The `Retry-After` of a requested error, in seconds. It is short, so that a test that waits for it is
/// quick.
pub(crate) const RETRY_AFTER_SECONDS: u64 = 1;

/// How far a `Retry-After` in the form of a date is ahead of `Date`, in seconds. The next second may begin at
/// once, so a client always waits for more than one.
const RETRY_DATE_SECONDS: u64 = 2;

/// A body that is not JSON, like a page from a proxy that answers in the server's place.
const NOT_JSON: &str = "<!doctype html><title>Not JSON</title><p>This is a test scenario: the body is not JSON, whatever the Content-Type says.</p>\n";

/// The preference that nothing be ignored.
const STRICT: &str = "handling=strict";

/// The documents without data, which are never missing.
const WITHOUT_DATA: [&str; 2] = [paths::REGIONS, paths::METADATA];

/// What happens to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) origin: Origin,
    /// The failure of the response, if any.
    pub(crate) failure: Option<Failure>,
    /// The `Retry-After` of the error, if it is not the usual one.
    pub(crate) retry_after: Option<RetryAfter>,
    /// The change of the costs.
    pub(crate) figures: Option<Figures>,
    /// The time that the response is for.
    pub(crate) at: Option<Moment>,
    /// The delay before the response is sent.
    pub(crate) delay: Option<Duration>,
    /// The number of requests with the failure and the delay, after which there is neither.
    pub(crate) recovery: Option<Recovery>,
    /// Whether a preference or parameter that would be ignored is an error.
    pub(crate) is_strict: bool,
}

/// The origin of a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    #[default]
    Request,
    Chaos,
}

/// A way in which a response fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It is this error.
    Code(Code),
    /// It is the page of a proxy, with this status.
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
    /// The first cost is null.
    Null,
    /// The document is that of a later release.
    Extra,
    /// The history lacks a day.
    Gap,
}

/// The `Retry-After` header of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryAfter {
    Seconds(u64),
    Date,
    Missing,
}

/// A change of the costs, the same in every document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figures {
    /// Today's costs are a quarter higher.
    Spike,
    /// Today's costs are a quarter lower.
    Drop,
    /// All days have today's costs.
    Flat,
}

/// The number of requests with a key that fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recovery {
    pub(crate) times: u8,
    pub(crate) key: String,
}

impl Origin {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Chaos => "chaos",
        }
    }
}

impl RetryAfter {
    fn preference(self) -> String {
        match self {
            Self::Seconds(seconds) => format!("retry-after={seconds}"),
            Self::Date => "retry-after=date".into(),
            Self::Missing => "retry-after=none".into(),
        }
    }

    /// Replaces the header of a response that has one.
    fn apply(self, response: &mut Response<Content>) {
        let value = match self {
            Self::Seconds(seconds) => Some(seconds.into()),
            Self::Date => Some(Clock::system().now().plus_seconds(RETRY_DATE_SECONDS).http_date()),
            Self::Missing => None,
        };
        let headers = response.headers_mut();
        headers.remove(RETRY_AFTER);
        value.map(|value| headers.insert(RETRY_AFTER, value));
    }
}

impl Figures {
    pub(crate) const ALL: [Self; 3] = [Self::Spike, Self::Drop, Self::Flat];

    /// Returns the preference that selects it.
    pub(crate) fn preference(self) -> &'static str {
        match self {
            Self::Spike => "figures=spike",
            Self::Drop => "figures=drop",
            Self::Flat => "figures=flat",
        }
    }

    pub(crate) fn change(self, days: &RecentDays) -> RecentDays {
        match self {
            Self::Spike => days.with_costs_today_at(125),
            Self::Drop => days.with_costs_today_at(75),
            Self::Flat => days.with_equal_costs(),
        }
    }
}

impl Failure {
    /// Every failure that a request can select.
    pub(crate) const ALL: [Self; 15] = [
        Self::Code(Code::InvalidParameter),
        Self::Code(Code::UnknownRegion),
        Self::Code(Code::RateLimited),
        Self::Code(Code::Internal),
        Self::ProxyError(StatusCode::BAD_GATEWAY),
        Self::Code(Code::NoFigures),
        Self::ProxyError(StatusCode::GATEWAY_TIMEOUT),
        Self::Truncate,
        Self::NotJson,
        Self::Cut,
        Self::Drip,
        Self::Reset,
        Self::Null,
        Self::Extra,
        Self::Gap,
    ];

    /// Returns the preference that selects it.
    pub(crate) fn preference(self) -> String {
        match self {
            Self::Code(code) => format!("code={}", code.describe().status.as_u16()),
            Self::ProxyError(status) => format!("code={}", status.as_u16()),
            Self::Truncate => "break=truncate".into(),
            Self::NotJson => "break=json".into(),
            Self::Cut => "break=cut".into(),
            Self::Drip => "break=drip".into(),
            Self::Reset => "break=reset".into(),
            Self::Null => "break=null".into(),
            Self::Extra => "break=extra".into(),
            Self::Gap => "break=gap".into(),
        }
    }

    /// Returns whether it can happen to responses of a route.
    pub(crate) fn is_possible_on(self, route: &str) -> bool {
        match self {
            Self::Null => {
                let is_document = route.starts_with(paths::PREFIX) && route != paths::NETWORK;
                is_document && !WITHOUT_DATA.contains(&route)
            }
            Self::Extra => route.starts_with(paths::PREFIX),
            Self::Gap => route == paths::HISTORY,
            _ => true,
        }
    }

    /// Returns whether the response is an error instead of the usual one.
    pub(crate) fn is_error(self) -> bool {
        matches!(self, Self::Code(_) | Self::ProxyError(_))
    }

    /// Returns whether `Retry-After` can be selected for it.
    pub(crate) fn has_retry_after(self) -> bool {
        matches!(self, Self::Code(Code::RateLimited | Code::NoFigures))
    }

    /// Breaks a response, unless it is an error. Returns whether that was possible.
    fn apply(
        self,
        response: &mut Response<Content>,
        edition: &Edition,
        permit: Option<Permit>,
    ) -> bool {
        let whole = mem::take(response.body_mut());
        *response.body_mut() = match (self, permit) {
            (Self::Truncate, _) => whole.cut(CutAt::Middle),
            (Self::Cut, _) => whole.cut(CutAt::Start),
            (Self::Drip, Some(permit)) if whole.len().is_some() => whole.drip(permit),
            (Self::Drip, _) => {
                *response.body_mut() = whole;
                return false;
            }
            (Self::NotJson, _) => {
                response.headers_mut().remove(CONTENT_ENCODING);
                // The ETag is not that of this body.
                response.headers_mut().remove(ETAG);
                NOT_JSON.into()
            }
            (Self::Null | Self::Extra | Self::Gap, _) => {
                let text = whole.into_bytes();
                let mut document = serde_json::from_slice(&text).unwrap_or_default();
                if !self.alter(&mut document, edition) {
                    *response.body_mut() = text.into();
                    return false;
                }
                response.headers_mut().remove(ETAG);
                document_json(&document).into()
            }
            (Self::Code(_) | Self::ProxyError(_) | Self::Reset, _) => whole,
        };
        true
    }

    /// Changes a document. Returns whether it has anything to change.
    fn alter(self, document: &mut Value, edition: &Edition) -> bool {
        match self {
            Self::Null => remove_first_cost(document),
            Self::Gap => remove_day(document),
            _ => {
                extend(document, edition);
                document.is_object()
            }
        }
    }
}

impl Scenario {
    /// Returns the label it is counted under: the part of the scenario that changed the response most.
    pub(crate) fn kind(&self) -> String {
        match self {
            Self { failure: Some(failure), .. } => failure.preference(),
            Self { figures: Some(figures), .. } => figures.preference().into(),
            Self { at: Some(_), .. } => "at".into(),
            Self { delay: Some(_), .. } => "delay".into(),
            _ => STRICT.into(),
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
        let detail = match self.origin {
            Origin::Request => format!(
                "This is a test scenario, requested with Prefer: code={}.",
                code.describe().status.as_u16()
            ),
            Origin::Chaos => {
                "This is a test scenario: the server makes a share of all requests fail (--chaos)."
                    .into()
            }
        };
        let retry_after = matches!(code, Code::RateLimited | Code::NoFigures | Code::Busy);
        let retry_after = retry_after.then_some(RETRY_AFTER_SECONDS);
        Some(Err(Problem::provoked(code, detail, retry_after)))
    }

    /// Returns the seconds until a rate limit that it simulates allows requests again.
    pub(crate) fn retry_after_seconds(&self) -> u64 {
        match self.retry_after {
            Some(RetryAfter::Seconds(seconds)) => seconds,
            _ => RETRY_AFTER_SECONDS,
        }
    }

    /// Returns whether the response is broken, which needs a body.
    pub(crate) fn is_break(&self) -> bool {
        self.failure.is_some_and(|failure| !failure.is_error())
    }

    /// Returns whether it changes a document, which must not be compressed then.
    pub(crate) fn alters(&self) -> bool {
        matches!(self.failure, Some(Failure::Null | Failure::Extra | Failure::Gap))
    }

    /// Applies the scenario to a response made from an edition. A body that is sent slowly needs a permit.
    pub(crate) fn apply(
        &self,
        response: &mut Response<Content>,
        edition: &Edition,
        permit: Option<Permit>,
    ) {
        let failure = self.failure.filter(|failure| failure.apply(response, edition, permit));
        if let Some(retry_after) = self.retry_after {
            retry_after.apply(response);
        }
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.origin == Origin::Request {
            let mut applied = Vec::from_iter(failure.map(Failure::preference));
            applied.extend(self.retry_after.map(RetryAfter::preference));
            applied.extend(self.figures.map(|figures| figures.preference().into()));
            applied.extend(self.at.map(|at| format!("at=\"{}\"", at.without_zero_fraction())));
            applied.extend(self.delay.map(|delay| format!("delay={}", delay.as_millis())));
            if let Some(Recovery { times, key }) = &self.recovery {
                applied.extend([format!("times={times}"), format!("key={key}")]);
            }
            applied.extend(self.is_strict.then(|| STRICT.into()));
            applied.iter().for_each(|preference| add_applied(headers, preference));
        }
    }
}
