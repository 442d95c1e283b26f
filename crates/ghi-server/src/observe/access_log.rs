//! The access log, request ids and trace context.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::time::Duration;

use hyper::header::{HeaderName, HeaderValue, USER_AGENT};
use hyper::{HeaderMap, Request, Response};

use crate::net::Content;
use crate::scenarios::Scenario;

/// The request id in the access log: the client's own, if it sent one. A response has this header
/// only if the request had it or is logged.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The trace that a request belongs to, and its position in it (W3C Trace Context).
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The maximum number of bytes of client text in a line, before escaping.
const TEXT_MAX: usize = 256;

/// Repeats the ids of a request in its response. One that is malformed or sent twice counts as not sent.
pub(crate) fn echo_ids(request: &HeaderMap, response: &mut HeaderMap) {
    let checks: [fn(&[u8]) -> bool; 2] = [is_request_id, is_traceparent];
    for (name, is_well_formed) in [X_REQUEST_ID, TRACEPARENT].into_iter().zip(checks) {
        let mut values = request.get_all(&name).iter();
        let value = values.next().filter(|value| is_well_formed(value.as_bytes()));
        if let (Some(value), None) = (value, values.next()) {
            response.insert(name, value.clone());
        }
    }
}

/// Returns whether a value has 1 to 128 characters, none of which has a meaning in a log, a shell or markup.
fn is_request_id(value: &[u8]) -> bool {
    let is_safe = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(byte);
    (1..=128).contains(&value.len()) && value.iter().all(is_safe)
}

/// Returns whether a value is a `traceparent` of version 00, the only one in use.
fn is_traceparent(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> = value.split(|byte| *byte == b'-').collect();
    let [b"00", trace, parent, flags] = parts[..] else { return false };
    let is_hex = |digit: &u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    let is_zero = |digits: &[u8]| digits.iter().all(|digit| *digit == b'0');
    (trace.len(), parent.len(), flags.len()) == (32, 16, 2)
        && [trace, parent, flags].into_iter().flatten().all(is_hex)
        && !is_zero(trace)
        && !is_zero(parent)
}

/// Generates a request id, which is very unlikely to occur again.
pub(crate) fn new_request_id() -> HeaderValue {
    let id = format!("{:016x}", RandomState::new().hash_one(0));
    HeaderValue::try_from(id).expect("digits are visible ASCII")
}

/// Logs a request with the ids in its response.
pub(crate) fn write(
    client: IpAddr,
    request: &Request<()>,
    response: &Response<Content>,
    scenario: Option<&Scenario>,
    took: Duration,
) {
    let id = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let agent = request.headers().get(USER_AGENT).map_or(&b""[..], HeaderValue::as_bytes);
    let target = request.uri().path_and_query().map_or("", |target| target.as_str());
    tracing::info!(
        target: "access",
        request_id = id(X_REQUEST_ID),
        traceparent = id(TRACEPARENT),
        %client,
        method = escaped(request.method().as_str().as_bytes()),
        target = escaped(target.as_bytes()),
        status = response.status().as_u16(),
        bytes = response.body().len(),
        scenario = scenario.map(|scenario| format!("{}: {}", scenario.origin(), scenario.kind())),
        micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        user_agent = escaped(agent),
    );
}

/// Returns text sent by a client as visible ASCII of limited length, so that it can't break a line or control a terminal.
fn escaped(sent: &[u8]) -> String {
    let cut = &sent[..sent.len().min(TEXT_MAX)];
    let text = cut.escape_ascii().to_string();
    if cut.len() < sent.len() { text + "..." } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    /// Returns the ids found in headers.
    fn found(sent: &[(HeaderName, &str)]) -> [Option<String>; 2] {
        let sent = sent.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        echoed(&HeaderMap::from_iter(sent))
    }

    fn echoed(request: &HeaderMap) -> [Option<String>; 2] {
        let mut response = HeaderMap::new();
        echo_ids(request, &mut response);
        [X_REQUEST_ID, TRACEPARENT]
            .map(|name| Some(response.get(name)?.to_str().unwrap().to_owned()))
    }

    #[track_caller]
    fn check(name: HeaderName, value: &str, is_taken: bool) {
        let taken = found(&[(name.clone(), value)]);
        let expected = is_taken.then(|| value.to_owned());
        let expected = if name == X_REQUEST_ID { [expected, None] } else { [None, expected] };
        assert_eq!(taken, expected, "{value}");
    }

    #[test]
    fn a_request_id_has_1_to_128_safe_characters() {
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
    fn a_traceparent_follows_the_w3c_format() {
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
    fn an_id_sent_twice_counts_as_not_sent() {
        let both = [(X_REQUEST_ID, "a"), (TRACEPARENT, TRACE)];
        assert_eq!(found(&both), [Some("a".into()), Some(TRACE.into())]);
        let twice = [(X_REQUEST_ID, "a"), (TRACEPARENT, TRACE), (X_REQUEST_ID, "b")];
        let headers = twice.iter().fold(HeaderMap::new(), |mut headers, (name, value)| {
            headers.append(name, value.parse().unwrap());
            headers
        });
        assert_eq!(echoed(&headers), [None, Some(TRACE.into())]);
    }

    #[test]
    fn a_request_without_ids_has_none() {
        assert_eq!(found(&[(HeaderName::from_static("x-request"), "a")]), [None, None]);
    }
}
