//! Validation of a request: what hyper lets pass although HTTP forbids it.

use std::net::Ipv6Addr;

use hyper::header::{HOST, HeaderValue};
use hyper::{Request, Version};
use memchr::memchr;

use crate::http::problem::Problem;
use crate::net::Defect;

/// The longest request target, bytes: what the API takes is far shorter.
const TARGET_MAX: usize = 6 * 1024;

/// Refuses what HTTP forbids and hyper lets pass, and what is too long to be meant.
pub(crate) fn validate<B>(request: &Request<B>, defect: Option<Defect>) -> Result<(), Problem> {
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
    let value = value.as_bytes();
    let (is_host, rest) = match value.strip_prefix(b"[") {
        Some(value) => {
            let end = memchr(b']', value).unwrap_or(value.len());
            let address = str::from_utf8(&value[..end]).ok();
            let is_address = address.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
            (is_address, value.get(end + 1..).unwrap_or(b"]"))
        }
        None => {
            let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            let end = value.iter().position(|byte| !is_of_name(*byte)).unwrap_or(value.len());
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

fn is_port(digits: &[u8]) -> bool {
    // Other than `parse`, which takes a sign.
    let is_number = digits.iter().all(u8::is_ascii_digit);
    is_number && str::from_utf8(digits).is_ok_and(|digits| digits.parse::<u16>().is_ok())
}
