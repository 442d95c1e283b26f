//! What a scenario does to a response.

use std::mem;
use std::time::Duration;

use hyper::Response;
use hyper::header::{CACHE_CONTROL, CONTENT_ENCODING, ETAG, HeaderValue};

use crate::clock::Moment;
use crate::http::prefer::add_applied;
use crate::http::problem::{Code, Problem};
use crate::net::{Content, CutAt};

/// When to try again after a problem that was asked for, seconds: so that a test which waits as it is
/// told does not take long.
pub(crate) const RETRY_AFTER_SECONDS: u64 = 1;

/// What stands where JSON should: as from a proxy that answers in the server's place.
const NOT_JSON: &str = "<!doctype html><title>Not JSON</title><p>A scenario: this is not JSON, whatever the Content-Type says.</p>\n";

/// What is to become of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) origin: Origin,
    /// What happens to the answer, if anything does.
    pub(crate) failure: Option<Failure>,
    /// The instant whose answer it is.
    pub(crate) at: Option<Moment>,
    /// How much later the answer is sent.
    pub(crate) delay: Option<Duration>,
}

/// Who wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Request,
    Chaos,
}

/// How an answer fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It is this problem.
    Code(Code),
    /// The body ends before its length.
    Truncate,
    /// The body is no JSON.
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
    /// Every failure that can be asked for.
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

    /// As a request asks for it.
    pub(crate) fn preference(self) -> String {
        match self {
            Self::Code(code) => format!("code={}", code.describe().status.as_u16()),
            Self::Truncate => "break=truncate".into(),
            Self::NotJson => "break=json".into(),
            Self::Cut => "break=cut".into(),
        }
    }

    /// Breaks a response, unless it is a problem.
    fn apply(self, response: &mut Response<Content>) {
        let whole = mem::take(response.body_mut());
        *response.body_mut() = match self {
            Self::Code(_) => whole,
            Self::Truncate => whole.cut(CutAt::Middle),
            Self::Cut => whole.cut(CutAt::Start),
            Self::NotJson => {
                response.headers_mut().remove(CONTENT_ENCODING);
                // The tag is not of this.
                response.headers_mut().remove(ETAG);
                NOT_JSON.into()
            }
        };
    }
}

impl Scenario {
    /// What it is counted as: of several things that happened to a request, the one that changed its answer
    /// most.
    pub(crate) fn kind(&self) -> String {
        match (self.failure, self.at) {
            (Some(failure), _) => failure.preference(),
            (None, Some(_)) => "at".into(),
            (None, None) => "delay".into(),
        }
    }

    /// The problem that it answers with, if it does.
    pub(crate) fn problem(&self) -> Option<Problem> {
        let Some(Failure::Code(code)) = self.failure else { return None };
        let detail = match self.origin {
            Origin::Request => format!(
                "A scenario: the request asked for this answer with Prefer: code={}.",
                code.describe().status.as_u16()
            ),
            Origin::Chaos => {
                "A scenario: this server makes a share of all requests fail (--chaos).".into()
            }
        };
        let retry_after = matches!(code, Code::RateLimited | Code::NoFigures);
        Some(Problem::provoked(code, detail, retry_after.then_some(RETRY_AFTER_SECONDS)))
    }

    /// Whether the answer is broken, and must have a body for that.
    pub(crate) fn is_break(&self) -> bool {
        !matches!(self.failure, None | Some(Failure::Code(_)))
    }

    /// Does to a response what the scenario wants.
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
