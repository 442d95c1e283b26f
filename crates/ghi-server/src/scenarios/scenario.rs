//! The effect of a scenario on a response.

use std::mem;
use std::time::Duration;

use hyper::Response;
use hyper::header::{CACHE_CONTROL, CONTENT_ENCODING, ETAG, HeaderValue};

use crate::clock::Moment;
use crate::http::prefer::add_applied;
use crate::http::problem::{Code, Problem};
use crate::net::{Content, CutAt};

/// The `Retry-After` of a requested error, in seconds. It is short, so that a test that waits for it is
/// quick.
pub(crate) const RETRY_AFTER_SECONDS: u64 = 1;

/// A body that is not JSON, like a page from a proxy that answers in the server's place.
const NOT_JSON: &str = "<!doctype html><title>Not JSON</title><p>This is a test scenario: the body is not JSON, whatever the Content-Type says.</p>\n";

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) origin: Origin,
    /// The failure of the response, if any.
    pub(crate) failure: Option<Failure>,
    /// The time that the response is for.
    pub(crate) at: Option<Moment>,
    /// The delay before the response is sent.
    pub(crate) delay: Option<Duration>,
}

/// The origin of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Request,
    Chaos,
}

/// A way in which a response fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It is this error.
    Code(Code),
    /// The body ends before its declared length.
    Truncate,
    /// The body is not JSON.
    NotJson,
    /// The connection ends after the head.
    Cut,
}

impl Origin {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Chaos => "chaos",
        }
    }
}

impl Failure {
    /// Every failure that a request can select.
    pub(crate) const ALL: [Self; 8] = [
        Self::Code(Code::InvalidParameter),
        Self::Code(Code::UnknownRegion),
        Self::Code(Code::RateLimited),
        Self::Code(Code::Internal),
        Self::Code(Code::NoFigures),
        Self::Truncate,
        Self::NotJson,
        Self::Cut,
    ];

    /// Returns the preference that selects it.
    pub(crate) fn preference(self) -> String {
        match self {
            Self::Code(code) => format!("code={}", code.describe().status.as_u16()),
            Self::Truncate => "break=truncate".into(),
            Self::NotJson => "break=json".into(),
            Self::Cut => "break=cut".into(),
        }
    }

    /// Breaks a response, unless it is an error.
    fn apply(self, response: &mut Response<Content>) {
        let whole = mem::take(response.body_mut());
        *response.body_mut() = match self {
            Self::Code(_) => whole,
            Self::Truncate => whole.cut(CutAt::Middle),
            Self::Cut => whole.cut(CutAt::Start),
            Self::NotJson => {
                response.headers_mut().remove(CONTENT_ENCODING);
                // The ETag is not that of this body.
                response.headers_mut().remove(ETAG);
                NOT_JSON.into()
            }
        };
    }
}

impl Scenario {
    /// Returns the label it is counted under: the part of the scenario that changed the response most.
    pub(crate) fn kind(&self) -> String {
        match (self.failure, self.at) {
            (Some(failure), _) => failure.preference(),
            (None, Some(_)) => "at".into(),
            (None, None) => "delay".into(),
        }
    }

    /// Returns the error that it responds with, if any.
    pub(crate) fn problem(&self) -> Option<Problem> {
        let Some(Failure::Code(code)) = self.failure else { return None };
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
        let retry_after = matches!(code, Code::RateLimited | Code::NoFigures);
        Some(Problem::provoked(code, detail, retry_after.then_some(RETRY_AFTER_SECONDS)))
    }

    /// Returns whether the response is broken, which needs a body.
    pub(crate) fn is_break(&self) -> bool {
        !matches!(self.failure, None | Some(Failure::Code(_)))
    }

    /// Applies the scenario to a response.
    pub(crate) fn apply(&self, response: &mut Response<Content>) {
        if let Some(failure) = self.failure {
            failure.apply(response);
        }
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.origin == Origin::Request {
            let failure = self.failure.map(Failure::preference);
            let at = self.at.map(|at| format!("at=\"{}\"", at.without_zero_fraction()));
            let delay = self.delay.map(|delay| format!("delay={}", delay.as_millis()));
            for preference in [failure, at, delay].into_iter().flatten() {
                add_applied(headers, &preference);
            }
        }
    }
}
