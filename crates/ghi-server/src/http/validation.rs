//! Request validation: rejects what HTTP forbids but hyper accepts.

use std::net::Ipv6Addr;

use hyper::header::{HOST, TRANSFER_ENCODING};
use hyper::{HeaderMap, Method, Uri, Version};

use crate::http::problem::{Code, Problem};
use crate::net::Arrival;

/// The longest request target in bytes; valid ones are far shorter.
const TARGET_MAX: usize = 6 * 1024;

const NON_ASCII: &str = "The target has non-ASCII characters; they must be percent-encoded.";

/// Rejects a request that HTTP forbids but hyper accepts, or whose target is too long.
pub(crate) fn validate(arrival: &Arrival) -> Result<(), Problem> {
    let request = &arrival.request;
    let target = request.uri().path_and_query().map_or("", |target| target.as_str());
    let violation = (arrival.defect)
        .or_else(|| host_violation(request.version(), request.headers()))
        .or_else(|| framing_violation(request.headers()))
        .or_else(|| target_violation(request.method(), request.uri()))
        .or_else(|| (!target.is_ascii()).then_some(NON_ASCII));
    if let Some(violation) = violation {
        return Err(Problem::new(Code::BadRequest, violation));
    }
    if target.len() > TARGET_MAX {
        let detail = format!("The path and query together exceed {TARGET_MAX} bytes.");
        return Err(Problem::new(Code::UriTooLong, detail));
    }
    Ok(())
}

fn host_violation(version: Version, headers: &HeaderMap) -> Option<&'static str> {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if version == Version::HTTP_11 => {
            Some("The request has no Host header, which HTTP/1.1 requires.")
        }
        (_, Some(_)) => Some("The request has more than one Host header."),
        (Some(host), None) if !is_host(host.as_bytes()) => {
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

/// Whether a value is a host name, an IPv4 address or a bracketed IPv6 address, with an optional port.
fn is_host(value: &[u8]) -> bool {
    let Ok(value) = str::from_utf8(value) else { return false };
    let (is_host, port) = match value.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, port)) => (address.parse::<Ipv6Addr>().is_ok(), port),
        None => {
            let (name, port) = value.split_at(value.find(':').unwrap_or(value.len()));
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            (!name.is_empty() && name.bytes().all(is_allowed), port)
        }
    };
    // Parsing would also accept a sign.
    let is_port = |digits: &str| {
        digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<u16>().is_ok()
    };
    is_host && (matches!(port, "" | ":") || port.strip_prefix(':').is_some_and(is_port))
}
