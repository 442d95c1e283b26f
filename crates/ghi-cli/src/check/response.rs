//! A request to the server, its response, and what a rule finds in it.

use std::fmt::Display;
use std::io::Read;
use std::rc::Rc;

use flate2::read::GzDecoder;
use ghi_client::WholeResponse;
use ghi_server::Moment;
use jiff::civil::DateTime;
use reqwest::Method;
use reqwest::header::{ACCEPT_ENCODING, HeaderMap};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::source::estimated_memory;

pub(crate) const EXCERPT_MAX: usize = 200;

/// The longest body in bytes, also after decompression. A snapshot of 256 regions has 0.1 MB.
pub(crate) const BODY_MAX: usize = 512 << 10;

/// The limit on the estimated memory of one response in bytes, so that those of a whole run take less than 100 MB. A
/// snapshot of 256 regions takes 0.6 MB.
const MEMORY_MAX: usize = 800_000;

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
        Self { target: target.into(), ..Self::default() }
    }
}

impl CheckRequest {
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn accepts_gzip(&self) -> bool {
        self.headers.iter().any(|(name, _)| *name == ACCEPT_ENCODING)
    }

    /// Returns the method and the path up to the name of the document: `GET /v1/ghi/regions`.
    pub(crate) fn endpoint(&self) -> String {
        let segments: Vec<&str> = self.target.split(['/', '?']).take(4).collect();
        format!("{} {}", self.method, segments.join("/"))
    }

    pub(crate) fn curl(&self, base_url: &str) -> String {
        let method = match self.method {
            Method::GET => String::new(),
            Method::HEAD => " -I".into(),
            ref method => format!(" -X {method}"),
        };
        let quoted = |word: String| format!("'{}'", word.replace('\'', r"'\''"));
        let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}"));
        let headers: String = headers.map(|line| format!(" -H {}", quoted(line))).collect();
        format!("curl -si{method}{headers} {}", quoted(format!("{base_url}{}", self.target)))
    }
}

pub(crate) type Judgement = Result<(), Finding>;

/// The response, if it is right.
pub(crate) type Verified = Result<Rc<CheckResponse>, Finding>;

/// Why a response was not found right.
pub(crate) enum Finding {
    /// The request, the expected response and the actual one.
    Wrong(CheckRequest, String, String),
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
    /// Null if the body is not JSON.
    pub(crate) json: Value,
    /// Why there is no response.
    pub(crate) failure: Option<String>,
    /// Whether the failure breaks no rule: the request was rate-limited or not sent, or the response is too large.
    pub(crate) is_excused: bool,
}

impl CheckResponse {
    pub(crate) fn failed(request: CheckRequest, cause: String, is_excused: bool) -> Self {
        Self { request, failure: Some(cause), is_excused, ..Self::default() }
    }

    pub(crate) fn new(request: CheckRequest, response: WholeResponse) -> Self {
        let WholeResponse { status, headers, mut body } = response;
        let is_gzip = headers.get("content-encoding").is_some_and(|value| value == "gzip");
        if is_gzip && request.accepts_gzip() {
            let mut content = Vec::new();
            body = match GzDecoder::new(&*body).take(BODY_MAX as u64).read_to_end(&mut content) {
                Ok(_) => content,
                Err(error) => format!("not gzip: {error}").into(),
            };
        }
        let status = status.as_u16();
        if estimated_memory(&body) <= MEMORY_MAX
            && let Ok(json) = serde_json::from_slice(&body)
        {
            return Self { request, status, headers, body, json, ..Self::default() };
        }
        if body.trim_ascii().starts_with(b"{") && json_error(&body).is_none() {
            let cause =
                "JSON, but too large, nested too deeply or with a number too large to judge";
            return Self::failed(request, cause.into(), true);
        }
        Self { request, status, headers, body, ..Self::default() }
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
    pub(crate) fn time(&self) -> Result<DateTime, Finding> {
        let text = self.json["timestamp_utc"].as_str().filter(|_| self.is_document());
        let text = text.filter(|text| text.parse::<Moment>().is_ok());
        let time = text.and_then(|text| text.trim_end_matches('Z').parse().ok());
        time.ok_or_else(|| unjudged(format!("no valid timestamp_utc in {}", self.request.target)))
    }

    pub(crate) fn why_excused(&self) -> Option<&str> {
        self.failure.as_deref().filter(|_| self.is_excused)
    }

    /// Returns the status and the start of the body, or the target of a redirect, as evidence.
    pub(crate) fn excerpt(&self) -> String {
        if let Some(failure) = &self.failure {
            return failure.clone();
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
        Err(Finding::Wrong(self.request.clone(), expected.to_string(), got.to_string()))
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

    pub(crate) fn verify_link(&self, relation: &str) -> Judgement {
        let relation = format!("rel=\"{relation}\"");
        self.verify_header("link", &format!("a link with {relation}"), |link| {
            link.contains(&relation)
        })
    }
}

/// Returns why a body is not JSON, without building values.
pub(crate) fn json_error(body: &[u8]) -> Option<String> {
    // The parser doesn't check the UTF-8 of strings that it skips.
    match str::from_utf8(body) {
        Ok(text) => serde_json::from_str::<IgnoredAny>(text).err().map(|error| error.to_string()),
        Err(error) => Some(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_can_be_pasted_into_a_shell() {
        let base = "http://x";
        assert_eq!(CheckRequest::from("/v1").curl(base), "curl -si 'http://x/v1'");
        let request = CheckRequest::from("/v1?a=b").header("prefer", "it's");
        let request = CheckRequest { method: Method::POST, ..request };
        assert_eq!(request.curl(base), r"curl -si -X POST -H 'prefer: it'\''s' 'http://x/v1?a=b'");
        let head = CheckRequest { method: Method::HEAD, ..CheckRequest::from("/") };
        assert_eq!(head.curl(base), "curl -si -I 'http://x/'");
    }
}
