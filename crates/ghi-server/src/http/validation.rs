//! Request validation: rejects what HTTP forbids but hyper accepts.

use std::net::Ipv6Addr;

use hyper::header::{HOST, HeaderName, HeaderValue, IF_NONE_MATCH, TRANSFER_ENCODING};
use hyper::{HeaderMap, Method, Uri, Version};
use memchr::memchr;

use crate::http::common_headers::{TRACEPARENT, X_REQUEST_ID};
use crate::http::prefer::PREFER;
use crate::http::problem::Problem;
use crate::net::{Arrival, Defect};

/// The longest request target in bytes; valid ones are far shorter.
const TARGET_MAX: usize = 6 * 1024;

/// The result of one pass over a request's headers. Most requests have few headers, so a single pass is
/// cheaper than looking up each name.
#[derive(Debug, Default)]
pub(crate) struct HeaderScan<'a> {
    host: Option<&'a HeaderValue>,
    has_many_hosts: bool,
    pub(crate) has_prefer: bool,
    /// Whether it has `If-None-Match`.
    pub(crate) is_conditional: bool,
    /// Whether it has a request id or a trace id.
    pub(crate) has_id: bool,
}

/// Static, because a constant would be created again for each comparison.
static NAMES: [HeaderName; 5] = [HOST, PREFER, IF_NONE_MATCH, X_REQUEST_ID, TRACEPARENT];

impl<'a> HeaderScan<'a> {
    #[inline]
    pub(crate) fn new(headers: &'a HeaderMap) -> Self {
        let [host, prefer, if_none_match, request_id, traceparent] = &NAMES;
        let mut scan = Self::default();
        for (name, value) in headers {
            if name == host {
                scan.has_many_hosts |= scan.host.replace(value).is_some();
            } else {
                scan.has_prefer |= name == prefer;
                scan.is_conditional |= name == if_none_match;
                scan.has_id |= name == request_id || name == traceparent;
            }
        }
        scan
    }
}

/// Rejects a request that HTTP forbids but hyper accepts, or whose target is too long.
pub(crate) fn validate(arrival: &Arrival, scan: &HeaderScan<'_>) -> Result<(), Problem> {
    let request = &arrival.request;
    let target = request.uri().path_and_query().map_or("", |target| target.as_str());
    let violation = arrival
        .defect
        .map(|defect| match defect {
            Defect::BareLineFeed => "A line of the request does not end in CR LF.",
            Defect::Fragment => {
                "The target has a fragment (#...), which must not be sent to a server."
            }
        })
        .or_else(|| host_violation(request.version(), scan))
        // Most requests have no body, so its framing need not be checked.
        .or_else(|| arrival.has_body.then(|| framing_violation(request.headers())).flatten())
        .or_else(|| target_violation(request.method(), request.uri()));
    match violation {
        Some(violation) => Err(Problem::bad_request(violation)),
        None if target.len() > TARGET_MAX => Err(Problem::uri_too_long(TARGET_MAX)),
        None if !target.is_ascii() => Err(Problem::bad_request(
            "The target has non-ASCII characters; they must be percent-encoded.",
        )),
        None => Ok(()),
    }
}

fn host_violation(version: Version, scan: &HeaderScan<'_>) -> Option<&'static str> {
    match (scan.host, scan.has_many_hosts) {
        (None, _) if version == Version::HTTP_11 => {
            Some("The request has no Host header, which HTTP/1.1 requires.")
        }
        (_, true) => Some("The request has more than one Host header."),
        (Some(host), false) if !is_host(host.as_bytes()) => {
            Some("The Host header is not a host with an optional port.")
        }
        _ => None,
    }
}

/// Describes why another server might interpret the length of a body differently.
fn framing_violation(headers: &HeaderMap) -> Option<&'static str> {
    let mut encodings = headers.get_all(TRANSFER_ENCODING).iter();
    match (encodings.next(), encodings.next()) {
        (None, _) => None,
        (Some(one), None) if one.as_bytes().eq_ignore_ascii_case(b"chunked") => None,
        _ => Some("Only Transfer-Encoding: chunked is supported, and only once."),
    }
}

/// Describes why a target is neither a path nor an http or https URL.
fn target_violation(method: &Method, uri: &Uri) -> Option<&'static str> {
    match (uri.scheme_str(), uri.authority()) {
        (None, None) if uri.path() == "*" && method != Method::OPTIONS => {
            Some("The target is *, which is valid only for OPTIONS.")
        }
        (None, None) => None,
        (None, Some(_)) if method == Method::CONNECT => None,
        (None, Some(_)) => Some(
            "The target is a host without a path, which is valid only for CONNECT; a path starts with a slash.",
        ),
        (Some("http" | "https"), Some(host)) if is_host(host.as_str().as_bytes()) => None,
        (Some("http" | "https"), _) => Some(
            "The authority of the target must be a host with an optional port, without a user.",
        ),
        (Some(_), _) => Some("The scheme of the target must be http or https."),
    }
}

/// Whether a byte is allowed in a host name. A table, because it is consulted for each byte.
const IN_HOST_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = matches!(byte as u8, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~');
        byte += 1;
    }
    table
};

/// Whether a value is a host name, an IPv4 address or a bracketed IPv6 address, with an optional port.
fn is_host(value: &[u8]) -> bool {
    let (is_host, rest) = match value.strip_prefix(b"[") {
        Some(value) => {
            let end = memchr(b']', value).unwrap_or(value.len());
            let address = str::from_utf8(&value[..end]).ok();
            let is_address = address.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
            (is_address, value.get(end + 1..).unwrap_or(b"]"))
        }
        None => {
            let is_other = |byte: &u8| !IN_HOST_NAME[usize::from(*byte)];
            let end = value.iter().position(is_other).unwrap_or(value.len());
            (end > 0, &value[end..])
        }
    };
    is_host
        && match rest {
            [] | [b':'] => true,
            [b':', port @ ..] => is_port(port),
            _ => false,
        }
}

/// Whether these are the digits of a port. Unlike `parse`, it rejects a sign.
fn is_port(digits: &[u8]) -> bool {
    let number = digits.iter().try_fold(0_u16, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u16::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    });
    number.is_some()
}
