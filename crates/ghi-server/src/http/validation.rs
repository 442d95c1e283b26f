//! Validation of a request: what hyper lets pass although HTTP forbids it.

use std::net::Ipv6Addr;

use hyper::header::{HOST, HeaderName, HeaderValue, TRANSFER_ENCODING};
use hyper::{HeaderMap, Method, Uri, Version};
use memchr::memchr;

use crate::http::common_headers::{TRACEPARENT, X_REQUEST_ID};
use crate::http::prefer::PREFER;
use crate::http::problem::Problem;
use crate::net::{Arrival, Defect};

/// The longest request target, bytes: what the API takes is far shorter.
const TARGET_MAX: usize = 6 * 1024;

/// What a look at each header of a request tells. Most requests have few, so that one pass over all of them
/// is cheaper than to look for each by its name.
#[derive(Debug, Default)]
pub(crate) struct HeaderScan<'a> {
    host: Option<&'a HeaderValue>,
    has_many_hosts: bool,
    /// Whether it states preferences.
    pub(crate) has_prefer: bool,
    /// Whether it has a name from its client or a proxy.
    pub(crate) has_name: bool,
}

/// Static: a constant is made anew for each comparison.
static NAMES: [HeaderName; 4] = [HOST, PREFER, X_REQUEST_ID, TRACEPARENT];

impl<'a> HeaderScan<'a> {
    #[inline]
    pub(crate) fn new(headers: &'a HeaderMap) -> Self {
        let [host, prefer, request_id, traceparent] = &NAMES;
        let mut scan = Self::default();
        for (name, value) in headers {
            if name == host {
                scan.has_many_hosts |= scan.host.replace(value).is_some();
            } else {
                scan.has_prefer |= name == prefer;
                scan.has_name |= name == request_id || name == traceparent;
            }
        }
        scan
    }
}

/// Refuses what HTTP forbids and hyper lets pass, and what is too long to be meant.
pub(crate) fn validate(arrival: &Arrival, scan: &HeaderScan<'_>) -> Result<(), Problem> {
    let Arrival { request, has_body, defect, .. } = arrival;
    match defect {
        None => {}
        Some(Defect::BareLineFeed) => {
            return Err(Problem::bad_request(
                "A line of the request ends without a carriage return.",
            ));
        }
        Some(Defect::Fragment) => {
            return Err(Problem::bad_request(
                "The target has a fragment, which is for the client alone; send it without.",
            ));
        }
    }
    match (scan.host, scan.has_many_hosts) {
        (None, _) if request.version() == Version::HTTP_11 => {
            return Err(Problem::bad_request(
                "The request has no Host header; HTTP/1.1 asks for one.",
            ));
        }
        (_, true) => {
            return Err(Problem::bad_request("The request has more than one Host header."));
        }
        (Some(host), false) if !is_host(host.as_bytes()) => {
            return Err(Problem::bad_request(
                "The Host header is not a host with an optional port.",
            ));
        }
        _ => {}
    }
    // Most requests have no body, and need no look at how it is framed.
    if *has_body {
        validate_framing(request.headers())?;
    }
    validate_target(request.method(), request.uri())
}

/// Refuses a body whose length another server may read otherwise.
fn validate_framing(headers: &HeaderMap) -> Result<(), Problem> {
    let mut encodings = headers.get_all(TRANSFER_ENCODING).iter();
    match (encodings.next(), encodings.next()) {
        (None, _) => Ok(()),
        (Some(one), None) if one.as_bytes().eq_ignore_ascii_case(b"chunked") => Ok(()),
        _ => Err(Problem::bad_request(
            "Transfer-Encoding is not a single chunked, which is all that this server takes.",
        )),
    }
}

/// Refuses a target that is neither a path nor an address of this server.
fn validate_target(method: &Method, uri: &Uri) -> Result<(), Problem> {
    match (uri.scheme_str(), uri.authority()) {
        (None, None) if uri.path() == "*" && method != Method::OPTIONS => {
            return Err(Problem::bad_request("The target is *, which only OPTIONS takes."));
        }
        (None, None) => {}
        (None, Some(_)) if method == Method::CONNECT => {}
        (None, Some(_)) => {
            return Err(Problem::bad_request(
                "The target is a host without a path, which only CONNECT takes; a path begins with a slash.",
            ));
        }
        (Some("http" | "https"), Some(host)) if is_host(host.as_str().as_bytes()) => {}
        (Some("http" | "https"), _) => {
            return Err(Problem::bad_request(
                "The target names something else than a host with an optional port, such as a user.",
            ));
        }
        (Some(_), _) => {
            return Err(Problem::bad_request("The target has another scheme than http and https."));
        }
    }
    let target = uri.path_and_query().map_or("", |target| target.as_str());
    if target.len() > TARGET_MAX {
        return Err(Problem::uri_too_long(TARGET_MAX));
    }
    if !target.is_ascii() {
        return Err(Problem::bad_request(
            "The target has characters beyond ASCII; they must be percent-encoded.",
        ));
    }
    Ok(())
}

/// Whether a byte may stand in the name of a host. A table: this is asked of each byte of each request.
const IS_OF_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = matches!(byte as u8, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~');
        byte += 1;
    }
    table
};

/// Whether a value is a name, an IPv4 address or an IPv6 address in brackets, with or without a port.
fn is_host(value: &[u8]) -> bool {
    let (is_host, rest) = match value.strip_prefix(b"[") {
        Some(value) => {
            let end = memchr(b']', value).unwrap_or(value.len());
            let address = str::from_utf8(&value[..end]).ok();
            let is_address = address.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
            (is_address, value.get(end + 1..).unwrap_or(b"]"))
        }
        None => {
            let is_other = |byte: &u8| !IS_OF_NAME[usize::from(*byte)];
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

/// Whether these are the digits of a port. Unlike `parse`, it takes no sign.
fn is_port(digits: &[u8]) -> bool {
    let number = digits.iter().try_fold(0_u16, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u16::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    });
    number.is_some()
}
