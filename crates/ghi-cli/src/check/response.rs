//! A response from the server.

use std::fmt::Display;

use ghi_server::Moment;
use jiff::civil::DateTime;
use reqwest::header::{HeaderMap, HeaderValue};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::check::request::CheckRequest;

/// The result of judging a response.
pub(crate) type Judgement = Result<(), Finding>;

/// Why a response was not found right.
pub(crate) enum Finding {
    Wrong {
        expected: String,
        got: String,
    },
    /// It cannot be judged, for this reason.
    Unjudged(String),
}

/// Judges a response. If it is wrong, `expected` and `got` become evidence.
pub(crate) fn judged(is_right: bool, expected: impl Display, got: impl Display) -> Judgement {
    let wrong = || Finding::Wrong { expected: expected.to_string(), got: got.to_string() };
    is_right.then_some(()).ok_or_else(wrong)
}

/// The maximum number of characters of an excerpt in a report.
pub(crate) const EXCERPT_MAX: usize = 200;

/// The memory of one JSON value in bytes, estimated from `[0]` and `{"":0}` in a list, which take
/// the most.
const VALUE_BYTES: usize = 256;

/// The limit on the estimated memory of one response in bytes. A snapshot of 256 regions takes 0.6 MB.
pub(crate) const RESPONSE_MEMORY_MAX: usize = 28_000_000;

/// A request and its response.
#[derive(Debug)]
pub(crate) struct RecordedResponse {
    pub(crate) request: CheckRequest,
    pub(crate) result: HttpResult,
}

/// The response, or why there is none to judge.
pub(crate) type HttpResult = Result<HttpResponse, (NoResponse, String)>;

/// The kind of a missing response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoResponse {
    /// The client cannot connect.
    Unreachable,
    /// The server closed the connection, or sent something other than HTTP.
    Closed,
    /// No complete response was received in time.
    Incomplete,
    /// The request was rate limited or not sent, or the response is too large. That breaks no rule.
    Unjudged,
}

/// A complete HTTP response.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) json: Result<Value, UnreadableJson>,
    /// The estimated memory of the response in bytes.
    pub(crate) memory: usize,
}

/// Why a body was not parsed.
#[derive(Clone, Debug)]
pub(crate) enum UnreadableJson {
    NotJson(String),
    /// JSON beyond the limits of this program.
    TooMuch(&'static str),
}

impl HttpResponse {
    pub(crate) fn new(status: u16, headers: HeaderMap, body: Vec<u8>) -> Self {
        let headers_bytes: usize = headers.values().map(HeaderValue::len).sum();
        let plain = body.len() + headers_bytes;
        // Every value but the first follows one of these bytes; strings are copied.
        let values = body.iter().filter(|byte| b",[{".contains(byte)).count();
        let parsed = plain + body.len() + values * VALUE_BYTES;
        let json = match parsed > RESPONSE_MEMORY_MAX {
            true => Err(UnreadableJson::too_much(&body, "JSON, but too large to judge")),
            false => serde_json::from_slice(&body).map_err(|_| {
                let limits = "JSON, but nested too deeply or with a number too large to judge";
                UnreadableJson::too_much(&body, limits)
            }),
        };
        let memory = if json.is_ok() { parsed } else { plain };
        Self { status, headers, body, json, memory }
    }

    /// Returns the values of a header, joined by commas.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let values = self.headers.get_all(name).iter();
        let values: Vec<_> =
            values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
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

    /// Returns a field of the problem document.
    pub(crate) fn problem_field(&self, field: &str) -> Option<&Value> {
        self.json.as_ref().ok().filter(|_| self.status >= 400)?.get(field)
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
    fn too_much(body: &[u8], meaning: &'static str) -> Self {
        // The parser doesn't check the UTF-8 of strings that it skips.
        let text = str::from_utf8(body).map_err(|error| error.to_string());
        let skipped = text.and_then(|text| {
            serde_json::from_str::<IgnoredAny>(text).map_err(|error| error.to_string())
        });
        skipped.map_or_else(Self::NotJson, |_| Self::TooMuch(meaning))
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
        judged(is_right, format_args!("{name}: {expected}"), format_args!("{name}: {got}"))
    }

    /// Judges a header that must have this value.
    pub(crate) fn verify_header_is(&self, name: &str, value: &str) -> Judgement {
        self.verify_header(name, value, |found| found == value)
    }

    /// Returns the response as evidence.
    pub(crate) fn excerpt(&self) -> String {
        match &self.result {
            Ok(http) => http.excerpt(),
            Err((_, why)) => why.clone(),
        }
    }
}
