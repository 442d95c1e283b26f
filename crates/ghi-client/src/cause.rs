//! Why a request got no answer, in words.

use std::error::Error;
use std::{io, iter};

use crate::plain_text::plain;
use crate::tls_failure;

/// What the parser says of an answer that does not even begin like HTTP.
const NOTHING_LIKE_HTTP: &str = "invalid HTTP version parsed";

/// What nginx, Go and Apache say to plain HTTP at a port that speaks TLS, with status 400.
const WORDS_OF_TLS_SERVERS: [&str; 3] = [
    "sent to HTTPS port",
    "HTTP request to an HTTPS server",
    "plain HTTP to an SSL-enabled server",
];

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
    let words = match tls {
        Some(tls) => tls_failure::words(tls, with_scheme(error, "http").as_deref()),
        // The outer ones say no more than that a request failed.
        None => not_http(error)
            .or_else(|| causes(error).last().map(ToString::to_string))
            .unwrap_or_default(),
    };
    let hint = https(error).map(|https| hint(&https));
    plain(&(words + &hint.unwrap_or_default()))
}

/// What to say of a server that may speak TLS, behind what it did.
pub(crate) fn hint(https: &str) -> String {
    format!("; if the server speaks TLS, use {https}")
}

/// The server by https, if it may speak TLS where it was asked by http: it closed the connection without
/// an answer, or answered with nothing like HTTP. Servers of TLS do either.
pub(crate) fn https(error: &reqwest::Error) -> Option<String> {
    let may_speak_tls = match not_http(error) {
        Some(why) => why == NOTHING_LIKE_HTTP,
        None => error.is_request() && !error.is_connect() && !error.is_timeout(),
    };
    may_speak_tls.then(|| with_scheme(error, "https")).flatten()
}

/// Whether an answer to plain HTTP says that the port speaks TLS.
///
/// ```
/// let said = b"Client sent an HTTP request to an HTTPS server.\n";
/// assert!(ghi_client::says_that_it_speaks_tls(400, said));
/// assert!(!ghi_client::says_that_it_speaks_tls(400, b"Bad Request"));
/// ```
pub fn says_that_it_speaks_tls(status: u16, body: &[u8]) -> bool {
    let said = String::from_utf8_lossy(body);
    status == 400 && WORDS_OF_TLS_SERVERS.iter().any(|words| said.contains(words))
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
