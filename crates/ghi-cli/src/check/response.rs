//! A request to the server, and its response as evidence.

use std::borrow::Cow;
use std::fmt::Display;

use ghi_client::{Resource, WholeResponse};
use ghi_contract::paths;
use ghi_engine::visible;
use ghi_server::Moment;
use jiff::civil::DateTime;
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderValue};
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// The maximum number of characters of an excerpt in a report.
pub(crate) const EXCERPT_MAX: usize = 200;

/// The maximum number of characters of a request in a report.
const REQUEST_MAX: usize = 600;

/// The memory of one JSON value in bytes, estimated from `[0]` and `{"":0}` in a list, which take
/// the most.
const VALUE_BYTES: usize = 256;

/// The limit on the estimated memory of one response in bytes. A snapshot of 256 regions takes 0.6 MB.
const RESPONSE_MEMORY_MAX: usize = 28_000_000;

/// A request, relative to the base URL.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

    /// Returns the request as a shell command.
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

/// The result of judging a response.
pub(crate) type Judgement = Result<(), Finding>;

/// Why a response was not found right.
pub(crate) enum Finding {
    Wrong(Evidence),
    /// It cannot be judged, for this reason.
    Unjudged(String),
}

/// A request, the response that the rule demands, and the actual one.
#[derive(Serialize)]
pub(crate) struct Evidence {
    /// A shell command.
    pub(crate) request: String,
    pub(crate) expected: String,
    pub(crate) got: String,
}

pub(crate) fn unjudged(reason: impl Into<String>) -> Finding {
    Finding::Unjudged(reason.into())
}

/// A request and its response.
pub(crate) struct RecordedResponse {
    pub(crate) request: CheckRequest,
    /// The request as a shell command.
    pub(crate) command: String,
    pub(crate) result: HttpResult,
}

/// The response, or why there is none to judge.
pub(crate) type HttpResult = Result<HttpResponse, (NoResponse, String)>;

/// The kind of a missing response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoResponse {
    /// The client cannot connect.
    Unreachable,
    /// The server closed the connection too early, or sent something other than HTTP.
    Closed,
    TimedOut,
    /// The request was rate limited or not sent, or the response is too large. That breaks no rule.
    Unjudged,
}

/// A complete HTTP response.
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) json: Result<Value, UnreadableJson>,
    /// The estimated memory of the response in bytes.
    pub(crate) memory: usize,
}

/// Why a body was not parsed.
pub(crate) enum UnreadableJson {
    NotJson(String),
    /// JSON beyond the limits of this program.
    TooMuch(&'static str),
}

impl HttpResponse {
    pub(crate) fn new(response: WholeResponse) -> Self {
        let WholeResponse { status, headers, body } = response;
        let plain = body.len() + headers.values().map(HeaderValue::len).sum::<usize>();
        // Every value but the first follows one of these bytes; strings are copied.
        let values = body.iter().filter(|byte| b",[{".contains(byte)).count();
        let parsed = plain + body.len() + values * VALUE_BYTES;
        let json = match parsed > RESPONSE_MEMORY_MAX {
            true => Err(UnreadableJson::new(&body, "JSON, but too large to judge")),
            false => serde_json::from_slice(&body).map_err(|_| {
                let limits = "JSON, but nested too deeply or with a number too large to judge";
                UnreadableJson::new(&body, limits)
            }),
        };
        let memory = if json.is_ok() { parsed } else { plain };
        Self { status: status.as_u16(), headers, body, json, memory }
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

    /// Returns the document: a JSON object with status 200.
    pub(crate) fn document(&self) -> Option<&Value> {
        self.json.as_ref().ok().filter(|json| self.status == 200 && json.is_object())
    }

    /// Returns the UTC time of the document, from its `timestamp_utc`.
    pub(crate) fn time(&self) -> Option<DateTime> {
        let text = self.document()?.get("timestamp_utc")?.as_str()?;
        text.parse::<Moment>().ok()?;
        text.trim_end_matches('Z').parse().ok()
    }

    /// Returns the code of the problem document.
    pub(crate) fn problem_code(&self) -> Option<&Value> {
        self.json.as_ref().ok().filter(|_| self.status >= 400)?.get("code")
    }

    /// Returns the status and the start of the body, or the target of a redirect, as evidence.
    pub(crate) fn excerpt(&self) -> String {
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
}

impl UnreadableJson {
    /// Distinguishes JSON beyond a limit from other text, without building values.
    fn new(body: &[u8], limit: &'static str) -> Self {
        // The parser doesn't check the UTF-8 of strings that it skips.
        let text = str::from_utf8(body).map_err(|error| error.to_string());
        let skipped = text.and_then(|text| {
            serde_json::from_str::<IgnoredAny>(text).map_err(|error| error.to_string())
        });
        skipped.map_or_else(Self::NotJson, |_| Self::TooMuch(limit))
    }
}

impl RecordedResponse {
    pub(crate) fn http(&self) -> Option<&HttpResponse> {
        self.result.as_ref().ok()
    }

    pub(crate) fn status(&self) -> Option<u16> {
        self.http().map(|http| http.status)
    }

    /// Returns why the response cannot be judged.
    pub(crate) fn why_unjudged(&self) -> Option<&str> {
        match &self.result {
            Err((NoResponse::Unjudged, why)) => Some(why),
            Ok(HttpResponse { status: 200, json: Err(UnreadableJson::TooMuch(why)), .. }) => {
                Some(why)
            }
            _ => None,
        }
    }

    /// Returns the response as evidence.
    pub(crate) fn excerpt(&self) -> String {
        match &self.result {
            Ok(http) => http.excerpt(),
            // The hint is for servers that never respond.
            Err((_, why)) => why.split("; if the server expects TLS").take(1).collect(),
        }
    }

    /// Judges the response. If it is wrong, `expected` and `got` become evidence.
    pub(crate) fn verify(
        &self,
        is_right: bool,
        expected: impl Display,
        got: impl Display,
    ) -> Judgement {
        let wrong = || Evidence {
            request: visible(&self.command, REQUEST_MAX),
            expected: visible(&expected.to_string(), EXCERPT_MAX),
            got: visible(&got.to_string(), EXCERPT_MAX),
        };
        is_right.then_some(()).ok_or_else(|| Finding::Wrong(wrong()))
    }

    /// Judges a header.
    pub(crate) fn verify_header(
        &self,
        name: &str,
        expected: &str,
        is_right: impl FnOnce(&str) -> bool,
    ) -> Judgement {
        let value = self.http().and_then(|http| http.header(name));
        let got = value.as_deref().unwrap_or("missing");
        let is_right = value.as_deref().is_some_and(is_right);
        self.verify(is_right, format_args!("{name}: {expected}"), format_args!("{name}: {got}"))
    }

    /// Judges a header that must have this value.
    pub(crate) fn verify_header_is(&self, name: &str, value: &str) -> Judgement {
        self.verify_header(name, value, |found| found == value)
    }
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
