//! A request to the server, its response, and what a rule finds in it.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Read;

use flate2::read::GzDecoder;
use ghi_client::{ErrorKind, ExchangeFailure, WholeResponse};
use ghi_contract::paths;
use ghi_server::Moment;
use jiff::civil::DateTime;
use reqwest::Method;
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
use serde::de::IgnoredAny;
use serde_json::Value;

pub(crate) const EXCERPT_MAX: usize = 200;

/// The longest content that is decompressed, in bytes.
const CONTENT_MAX: u64 = 8 * 1024 * 1024;

/// The memory of one JSON value in bytes, estimated from `[0]` and `{"":0}` in a list, which take the most.
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

impl<T: Into<String>> From<T> for CheckRequest {
    fn from(target: T) -> Self {
        Self::new(Method::GET, target)
    }
}

impl CheckRequest {
    pub(crate) fn new(method: Method, target: impl Into<String>) -> Self {
        Self { method, target: target.into(), headers: Vec::new() }
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
    /// Decompressed if the request accepts gzip. If that fails, the error.
    pub(crate) body: Vec<u8>,
    /// Null if the body was not parsed.
    pub(crate) json: Value,
    /// Why there is no response or no JSON.
    pub(crate) failure: Option<ExchangeFailure>,
    pub(crate) memory: usize,
}

impl CheckResponse {
    pub(crate) fn new(request: CheckRequest, response: WholeResponse) -> Self {
        let WholeResponse { status, headers, mut body } = response;
        let accepts_gzip = request.headers.iter().any(|(name, _)| *name == ACCEPT_ENCODING);
        if accepts_gzip && headers.get("content-encoding").is_some_and(|value| value == "gzip") {
            body = decompressed(&body);
        }
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
        if let Some(location) = self.header("location").filter(|_| self.status / 100 == 3) {
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

fn decompressed(body: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    match GzDecoder::new(body).take(CONTENT_MAX).read_to_end(&mut content) {
        Ok(_) => content,
        Err(error) => format!("not gzip: {error}").into(),
    }
}

fn parse_json(body: &[u8], is_too_large: bool) -> Result<Value, ExchangeFailure> {
    let limit = match is_too_large {
        true => "too large",
        false => match serde_json::from_slice(body) {
            Ok(value) => return Ok(value),
            Err(_) => "nested too deeply or with a number too large",
        },
    };
    // JSON beyond a limit is told from other text without building values. The parser doesn't check the UTF-8
    // of strings that it skips.
    let text = str::from_utf8(body).map_err(|error| error.to_string());
    let skipped = text.and_then(|text| {
        serde_json::from_str::<IgnoredAny>(text).map_err(|error| error.to_string())
    });
    let (kind, cause) = match skipped {
        Ok(_) => (ErrorKind::TooLarge, format!("JSON, but {limit} to judge")),
        Err(cause) => (ErrorKind::NotTheDocument, cause),
    };
    Err(ExchangeFailure { kind, cause })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_can_be_pasted_into_a_shell() {
        let base = "http://x";
        assert_eq!(CheckRequest::from("/v1").curl(base), "curl -si http://x/v1");
        let request = CheckRequest::new(Method::POST, "/v1?a=b").header("prefer", "it's");
        assert_eq!(request.curl(base), r"curl -si -X POST -H 'prefer: it'\''s' 'http://x/v1?a=b'");
        let head = CheckRequest::new(Method::HEAD, "/");
        assert_eq!(head.curl(base), "curl -si -I http://x/");
    }
}
