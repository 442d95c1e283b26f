//! Why a request got no answer, in words.

use std::error::Error;
use std::{io, iter};

use crate::error::plain;
use crate::tls_failure;

/// What the parser says of an answer that does not even begin like HTTP.
const NOTHING_LIKE_HTTP: &str = "invalid HTTP version parsed";

/// Why a request that was sent by [`http_client_builder`](crate::http_client_builder) got no answer, in
/// words for people.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let closed = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
/// let http = ghi_client::http_client_builder().build()?;
/// let error = http.get(format!("http://{closed}/readyz")).send().await.unwrap_err();
/// assert!(ghi_client::cause(&error).starts_with("Connection refused"));
/// # Ok(()) }
/// ```
pub fn cause(error: &reqwest::Error) -> String {
    let tls = causes(error).find_map(|cause| cause.downcast_ref());
    let words = match (tls, not_http(error)) {
        (Some(tls), _) => tls_failure::words(tls, with_scheme(error, "http").as_deref()),
        (None, Some(why)) if why == NOTHING_LIKE_HTTP => match with_scheme(error, "https") {
            Some(https) => format!("{why}; if the server speaks TLS, use {https}"),
            None => why,
        },
        (None, Some(why)) => why,
        // The outer ones say no more than that a request failed.
        (None, None) => causes(error).last().map(ToString::to_string).unwrap_or_default(),
    };
    plain(&words)
}

/// Why what came is not HTTP, if it is not.
pub(crate) fn not_http(error: &reqwest::Error) -> Option<String> {
    let mut causes = causes(error).filter_map(|cause| cause.downcast_ref::<hyper::Error>());
    causes.find(|cause| cause.is_parse()).map(ToString::to_string)
}

/// An error and what it goes back to.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let error: &(dyn Error + 'static) = error;
    iter::successors(Some(error), |&cause| {
        // Its source is that of the error which it holds, and leaves out that one.
        match cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(held) => Some(held),
            None => cause.source(),
        }
    })
}

/// The server that was asked, by the other scheme.
fn with_scheme(error: &reqwest::Error, scheme: &str) -> Option<String> {
    let asked = error.url()?;
    let origin = asked.origin().ascii_serialization();
    let (_, address) = origin.split_once("://").filter(|_| asked.scheme() != scheme)?;
    Some(format!("{scheme}://{address}"))
}
