//! The names of requests: those that a client or a proxy gave them, and those that the server gives.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use crate::http::common_headers::{TRACEPARENT, X_REQUEST_ID};

/// The longest request id, characters.
const REQUEST_ID_MAX: usize = 128;

/// The characters of a request id beside letters and digits: none that means anything to a log, a
/// shell or markup.
const REQUEST_ID_MARKS: &[u8] = b"-_.:/+=@";

/// The names that a request brings with it, each as it was sent. One that is malformed, or sent
/// twice, counts as not sent.
#[derive(Debug, Default)]
pub(crate) struct TraceContext<'a> {
    /// `X-Request-Id`.
    pub(crate) request_id: Option<&'a HeaderValue>,
    /// `traceparent` of the W3C: the trace that the request is part of, and its place in it.
    pub(crate) traceparent: Option<&'a HeaderValue>,
}

impl<'a> TraceContext<'a> {
    pub(crate) fn of(headers: &'a HeaderMap) -> Self {
        Self {
            request_id: well_formed(headers, X_REQUEST_ID, is_request_id),
            traceparent: well_formed(headers, TRACEPARENT, is_traceparent),
        }
    }

    /// Repeats in a response what the request brought.
    #[inline]
    pub(crate) fn write_headers(&self, headers: &mut HeaderMap) {
        if let Some(request_id) = self.request_id {
            headers.insert(X_REQUEST_ID, request_id.clone());
        }
        if let Some(traceparent) = self.traceparent {
            headers.insert(TRACEPARENT, traceparent.clone());
        }
    }
}

/// The value of a header that is sent once and well-formed.
fn well_formed(
    headers: &HeaderMap,
    name: HeaderName,
    is_well_formed: fn(&[u8]) -> bool,
) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    (values.next().is_none() && is_well_formed(value.as_bytes())).then_some(value)
}

fn is_request_id(value: &[u8]) -> bool {
    let is_safe = |byte: &u8| byte.is_ascii_alphanumeric() || REQUEST_ID_MARKS.contains(byte);
    (1..=REQUEST_ID_MAX).contains(&value.len()) && value.iter().all(is_safe)
}

/// Whether a value is of version 00: <https://www.w3.org/TR/trace-context/#traceparent-header>.
/// Nobody sends another yet, and what would be well-formed in one is not known.
fn is_traceparent(value: &[u8]) -> bool {
    let is_hex = |digits: &[u8], length: usize| {
        digits.len() == length
            && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_id = |digits: &[u8], length: usize| {
        is_hex(digits, length) && digits.iter().any(|digit| *digit != b'0')
    };
    let mut parts = value.split(|byte| *byte == b'-');
    let mut part = || parts.next().unwrap_or_default();
    part() == b"00"
        && is_id(part(), 32)
        && is_id(part(), 16)
        && is_hex(part(), 2)
        && parts.next().is_none()
}

/// Gives each request a name: unique in its process, and hardly found in another.
pub(crate) struct RequestIds(AtomicU64);

impl Default for RequestIds {
    fn default() -> Self {
        Self(AtomicU64::new(RandomState::new().hash_one(0)))
    }
}

impl RequestIds {
    pub(crate) fn next(&self) -> HeaderValue {
        let id = self.0.fetch_add(1, Ordering::Relaxed);
        HeaderValue::try_from(format!("{id:016x}")).expect("digits are visible ASCII")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    /// What is found in headers.
    fn found(sent: &[(HeaderName, &str)]) -> [Option<String>; 2] {
        let sent = sent.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        let headers = HeaderMap::from_iter(sent);
        let context = TraceContext::of(&headers);
        let mut response = HeaderMap::new();
        context.write_headers(&mut response);
        assert_eq!(response.get(X_REQUEST_ID), context.request_id);
        assert_eq!(response.get(TRACEPARENT), context.traceparent);
        [context.request_id, context.traceparent]
            .map(|value| Some(value?.to_str().unwrap().to_owned()))
    }

    #[track_caller]
    fn check(name: HeaderName, value: &str, is_taken: bool) {
        let taken = found(&[(name.clone(), value)]);
        let expected = is_taken.then(|| value.to_owned());
        let expected = if name == X_REQUEST_ID { [expected, None] } else { [None, expected] };
        assert_eq!(taken, expected, "{value}");
    }

    #[test]
    fn a_request_id_is_of_1_to_128_safe_characters() {
        for id in
            ["a", "5f1c0a4be2d39687", "Root=1-67891233-abcdef@host:80/x+y_z.0", &"a".repeat(128)]
        {
            check(X_REQUEST_ID, id, true);
        }
        for id in [
            "",
            "a b",
            "a\tb",
            "a,b",
            "a\"b",
            "<a>",
            "a;b",
            "a'b",
            "a\\b",
            "a%0d",
            "{a}",
            "\u{e9}",
            &"a".repeat(129),
        ] {
            check(X_REQUEST_ID, id, false);
        }
    }

    #[test]
    fn a_traceparent_is_as_the_w3c_has_it() {
        check(TRACEPARENT, TRACE, true);
        check(TRACEPARENT, "00-00000000000000000000000000000001-0000000000000001-ff", true);
        for malformed in [
            "",
            "00",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319cc-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            check(TRACEPARENT, malformed, false);
        }
    }

    #[test]
    fn what_is_sent_twice_counts_as_not_sent() {
        let both = [(X_REQUEST_ID, "a"), (TRACEPARENT, TRACE)];
        assert_eq!(found(&both), [Some("a".into()), Some(TRACE.into())]);
        let twice = [(X_REQUEST_ID, "a"), (TRACEPARENT, TRACE), (X_REQUEST_ID, "b")];
        let headers = twice.iter().fold(HeaderMap::new(), |mut headers, (name, value)| {
            headers.append(name, value.parse().unwrap());
            headers
        });
        let context = TraceContext::of(&headers);
        assert!(context.request_id.is_none() && context.traceparent.is_some());
    }

    #[test]
    fn a_request_without_any_brings_none() {
        assert_eq!(found(&[(HeaderName::from_static("x-request"), "a")]), [None, None]);
    }
}
