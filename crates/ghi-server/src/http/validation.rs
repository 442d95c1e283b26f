//! Validation of a request: what hyper lets pass although HTTP forbids it.

use std::net::Ipv6Addr;

use hyper::header::{HOST, HeaderValue};
use hyper::{Request, Version};

use crate::http::problem::Problem;

/// The longest request target, bytes: what the API takes is far shorter.
const TARGET_MAX: usize = 6 * 1024;

/// Refuses what HTTP forbids and hyper lets pass, and what is too long to be meant.
pub(crate) fn validate<B>(request: &Request<B>, has_bare_line_feed: bool) -> Result<(), Problem> {
    if has_bare_line_feed {
        return Err(Problem::bad_request("A line of the request ends without a carriage return."));
    }
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if request.version() == Version::HTTP_11 => {
            return Err(Problem::bad_request(
                "The request has no Host header; HTTP/1.1 asks for one.",
            ));
        }
        (_, Some(_)) => {
            return Err(Problem::bad_request("The request has more than one Host header."));
        }
        (Some(host), None) if !is_host(host) => {
            return Err(Problem::bad_request(
                "The Host header is not a host with an optional port.",
            ));
        }
        _ => {}
    }
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    if target > TARGET_MAX { Err(Problem::uri_too_long(TARGET_MAX)) } else { Ok(()) }
}

/// Whether a value is a name, an IPv4 address or an IPv6 address in brackets, with or without a port.
fn is_host(value: &HeaderValue) -> bool {
    let Ok(text) = value.to_str() else { return false };
    let (host, port) = match text.rfind(':') {
        // The last colon of an IPv6 address is no sign of a port.
        Some(at) if !text.ends_with(']') => (&text[..at], Some(&text[at + 1..])),
        _ => (text, None),
    };
    let is_name = |host: &str| {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        !host.is_empty() && host.bytes().all(is_of_name)
    };
    let in_brackets = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = match in_brackets {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => is_name(host),
    };
    let is_port = |port: &str| {
        port.bytes().all(|byte| byte.is_ascii_digit())
            && (port.is_empty() || port.parse::<u16>().is_ok())
    };
    is_host && port.is_none_or(is_port)
}
