//! The form of a request: what hyper lets pass although HTTP forbids it.

use hyper::header::{HOST, HeaderValue};
use hyper::{Request, Version};

use crate::problem::Problem;

/// The longest request target, bytes: what the API takes is far shorter.
const TARGET_MAX: usize = 6 * 1024;

/// Refuses what HTTP forbids and hyper lets pass, and what is too long to be meant.
pub(crate) fn check<B>(request: &Request<B>, bare_line_feed: bool) -> Result<(), Problem> {
    if bare_line_feed {
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

/// Whether a value has only characters that a host and a port may have.
fn is_host(value: &HeaderValue) -> bool {
    value.as_bytes().iter().all(|byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'.' | b'_' | b'~' | b':' | b'[' | b']' | b'%')
            || matches!(byte, b'!'..=b',' | b';' | b'=') && !matches!(byte, b'"' | b'#')
    })
}
