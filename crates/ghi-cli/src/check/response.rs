//! A request to the server, and its response.

use std::borrow::Cow;
use std::fmt::Display;

use ghi_client::{ErrorKind, ExchangeFailure, Resource, WholeResponse};
use ghi_contract::paths;
use ghi_server::Moment;
use jiff::civil::DateTime;
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderValue};
use serde::de::IgnoredAny;
use serde_json::Value;

pub(crate) const EXCERPT_MAX: usize = 200;

/// The memory of one JSON value in bytes, estimated from `[0]` and `{"":0}` in a list, which take
/// the most.
const VALUE_BYTES: usize = 256;

/// The limit on the estimated memory of one response in bytes. A snapshot of 256 regions takes 0.6 MB.
const MEMORY_MAX: usize = 28_000_000;

/// A request, relative to the base URL.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct CheckRequest {
    pub(crate) method: Method,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, String)>,
}

impl CheckRequest {
    pub(crate) fn new(method: Method, target: impl Into<String>) -> Self {
        Self { method, target: target.into(), headers: Vec::new() }
    }

    pub(crate) fn get(target: impl Into<String>) -> Self {
        Self::new(Method::GET, target)
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Returns the method and path, with `{id}` for the region: `GET /v1/ghi/regions/{id}`.
    pub(crate) fn endpoint(&self) -> String {
        let path = self.target.split('?').next().unwrap_or_default();
        let details = paths::REGION_DETAIL.trim_end_matches("{id}");
        let path = if path.starts_with(details) { paths::REGION_DETAIL } else { path };
        format!("{} {path}", self.method)
    }

    pub(crate) fn curl(&self, base_url: &str) -> String {
        let method = match self.method {
            Method::GET => String::new(),
            Method::HEAD => " -I".into(),
            ref method => format!(" -X {method}"),
        };
        let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}"));
        let headers: String = headers.map(|line| format!(" -H {}", quoted(&line))).collect();
        format!("curl -si{method}{headers} {}", quoted(&format!("{base_url}{}", self.target)))
    }
}

impl From<&Resource> for CheckRequest {
    fn from(resource: &Resource) -> Self {
        Self::get(resource.target())
    }
}

/// Quotes a word for the shell if necessary.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/%".contains(&byte);
    match word.bytes().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")).into(),
    }
}

pub(crate) type Judgement = Result<(), Finding>;

/// Why a response was not found right.
pub(crate) enum Finding {
    Wrong {
        request: CheckRequest,
        expected: String,
        got: String,
    },
    /// It cannot be judged, for this reason.
    Unjudged(String),
    /// Nothing beyond what is already recorded.
    Recorded,
}

pub(crate) fn unjudged(reason: impl Into<String>) -> Finding {
    Finding::Unjudged(reason.into())
}

#[derive(Default)]
pub(crate) struct CheckResponse {
    pub(crate) request: CheckRequest,
    /// 0 if there is no complete response.
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Null if the body was not parsed.
    pub(crate) json: Value,
    /// Why there is no response or no JSON.
    pub(crate) failure: Option<ExchangeFailure>,
    pub(crate) memory: usize,
}

impl CheckResponse {
    pub(crate) fn new(request: CheckRequest, response: WholeResponse) -> Self {
        let WholeResponse { status, headers, body } = response;
        let plain = body.len() + headers.values().map(HeaderValue::len).sum::<usize>();
        // Every value but the first follows one of these bytes; strings are copied.
        let values = body.iter().filter(|byte| b",[{".contains(byte)).count();
        let memory = plain + body.len() + values * VALUE_BYTES;
        let (json, failure, memory) = match parse_json(&body, memory > MEMORY_MAX) {
            Ok(json) => (json, None, memory),
            Err(failure) => (Value::Null, Some(failure), plain),
        };
        Self { request, status: status.as_u16(), headers, body, json, failure, memory }
    }

    /// Returns the values of a header, joined by commas.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let values = self.headers.get_all(name).iter();
        let values: Vec<_> =
            values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    pub(crate) fn requires_credentials(&self) -> bool {
        matches!(self.status, 401 | 403 | 407)
    }

    pub(crate) fn is_document(&self) -> bool {
        self.status == 200 && self.json.is_object()
    }

    /// Returns the UTC time of the document, from its `timestamp_utc`.
    pub(crate) fn time(&self) -> Option<DateTime> {
        let text = self.json.get("timestamp_utc").filter(|_| self.is_document())?.as_str()?;
        text.parse::<Moment>().ok()?;
        text.trim_end_matches('Z').parse().ok()
    }

    /// Returns why the response cannot be judged: the request was rate limited or not sent, or the response is too
    /// large. That breaks no rule.
    pub(crate) fn why_unjudged(&self) -> Option<&str> {
        let failure = self.failure.as_ref().filter(|_| matches!(self.status, 0 | 200))?;
        matches!(failure.kind, ErrorKind::Problem | ErrorKind::TooLarge).then_some(&failure.cause)
    }

    /// Returns the status and the start of the body, or the target of a redirect, as evidence.
    pub(crate) fn excerpt(&self) -> String {
        if let Some(failure) = self.failure.as_ref().filter(|_| self.status == 0) {
            // The hint is for servers that never respond.
            return failure.cause.split("; if the server expects TLS").take(1).collect();
        }
        if self.status / 100 == 3
            && let Some(location) = self.header("location")
        {
            return format!("{}, a redirect to {location}", self.status);
        }
        let start = &self.body[..self.body.len().min(4 * EXCERPT_MAX)];
        match String::from_utf8_lossy(start).trim() {
            "" => format!("{} without a body", self.status),
            body => format!("{} {body}", self.status),
        }
    }

    /// Judges the response. If it is wrong, `expected` and `got` become evidence.
    pub(crate) fn verify(
        &self,
        is_right: bool,
        expected: impl Display,
        got: impl Display,
    ) -> Judgement {
        if is_right {
            return Ok(());
        }
        let (expected, got) = (expected.to_string(), got.to_string());
        Err(Finding::Wrong { request: self.request.clone(), expected, got })
    }

    pub(crate) fn verify_header(
        &self,
        name: &str,
        expected: &str,
        is_right: impl FnOnce(&str) -> bool,
    ) -> Judgement {
        let value = self.header(name);
        let got = value.as_deref().unwrap_or("missing");
        let is_right = value.as_deref().is_some_and(is_right);
        self.verify(is_right, format_args!("{name}: {expected}"), format_args!("{name}: {got}"))
    }

    pub(crate) fn verify_header_is(&self, name: &str, value: &str) -> Judgement {
        self.verify_header(name, value, |found| found == value)
    }
}

fn parse_json(body: &[u8], is_too_large: bool) -> Result<Value, ExchangeFailure> {
    let limit = if is_too_large {
        "too large"
    } else if let Ok(value) = serde_json::from_slice(body) {
        return Ok(value);
    } else {
        "nested too deeply or with a number too large"
    };
    // JSON beyond a limit is told from other text without building values. The parser doesn't check the UTF-8
    // of strings that it skips.
    let text = str::from_utf8(body).map_err(|error| error.to_string());
    let skipped = text.and_then(|text| {
        serde_json::from_str::<IgnoredAny>(text).map_err(|error| error.to_string())
    });
    Err(match skipped {
        Ok(_) => ExchangeFailure {
            kind: ErrorKind::TooLarge,
            cause: format!("JSON, but {limit} to judge"),
        },
        Err(cause) => ExchangeFailure { kind: ErrorKind::NotTheDocument, cause },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_can_be_pasted_into_a_shell() {
        let base = "http://x";
        assert_eq!(CheckRequest::get("/v1").curl(base), "curl -si http://x/v1");
        let request = CheckRequest::new(Method::POST, "/v1?a=b").header("prefer", "it's");
        assert_eq!(request.curl(base), r"curl -si -X POST -H 'prefer: it'\''s' 'http://x/v1?a=b'");
        let head = CheckRequest::new(Method::HEAD, "/");
        assert_eq!(head.curl(base), "curl -si -I http://x/");
    }
}
