//! Sends one request and reads its response.

use std::error::Error as StdError;
use std::{io, iter};

use reqwest::header::HeaderMap;
use reqwest::{RequestBuilder, StatusCode};
use rustls::CertificateError::UnknownIssuer;
use rustls::Error::{InvalidCertificate, InvalidMessage};

/// The maximum number of characters of server text quoted in a message.
const TEXT_MAX: usize = 1_000;

/// The maximum number of bytes read from the body of an error. A problem document has a few hundred.
const ERROR_BODY_MAX: usize = 64 << 10;

/// The messages of nginx, Go and Apache for plain HTTP on a TLS port, with status 400.
const TLS_PORT_MESSAGES: [&str; 3] = [
    "sent to HTTPS port",
    "HTTP request to an HTTPS server",
    "plain HTTP to an SSL-enabled server",
];

/// The kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The server returned an error, or another status without a document.
    Problem,
    /// An attempt took longer than the timeout.
    Timeout,
    /// The client could not connect, because of the name, address, port, proxy or TLS.
    Connect,
    /// The connection was lost before the response was complete.
    Interrupted,
    /// The response was not HTTP.
    NotHttp,
    /// The document exceeded [`Resource::max_bytes`](crate::Resource::max_bytes).
    TooLarge,
    /// The response was not the document that the contract defines.
    NotTheDocument,
    /// No request was sent, because no URL can contain this region id.
    InvalidRegionId,
}

/// A response with its complete body; for an error, possibly only the start of a long body.
#[derive(Debug)]
pub struct WholeResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl WholeResponse {
    /// Returns the value of a header, if it is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// The reason for a missing or incomplete response.
#[derive(Debug)]
pub struct ExchangeFailure {
    /// The kind of failure.
    pub kind: ErrorKind,
    /// A description of the cause, in one line.
    pub cause: String,
}

impl From<reqwest::Error> for ExchangeFailure {
    fn from(error: reqwest::Error) -> Self {
        let kind = match find::<hyper::Error>(&error) {
            _ if error.is_connect() => ErrorKind::Connect,
            _ if error.is_timeout() => ErrorKind::Timeout,
            Some(http) if http.is_parse() => ErrorKind::NotHttp,
            _ => ErrorKind::Interrupted,
        };
        Self { kind, cause: cause(&error) }
    }
}

/// Sends a request once and reads its response, a document of at most `document_max` bytes.
pub async fn exchange(
    request: RequestBuilder,
    document_max: usize,
) -> Result<WholeResponse, ExchangeFailure> {
    let mut response = request.send().await?;
    let status = response.status();
    let is_document = status == StatusCode::OK;
    let max = if is_document { document_max } else { ERROR_BODY_MAX };
    let too_large = || ExchangeFailure {
        kind: ErrorKind::TooLarge,
        cause: format!("more than {} KiB", max >> 10),
    };
    if is_document && response.content_length() > Some(max as u64) {
        return Err(too_large());
    }
    // The buffer grows with the data received; a large Content-Length alone takes no memory.
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        let left = max - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(left)]);
        if chunk.len() > left {
            if is_document {
                return Err(too_large());
            }
            break;
        }
    }
    Ok(WholeResponse { status, headers: std::mem::take(response.headers_mut()), body })
}

/// Describes why a request sent with [`http_client_builder`](crate::http_client_builder) got no response, and
/// what may help.
pub fn cause(error: &reqwest::Error) -> String {
    let root = match find(error) {
        Some(InvalidMessage(_)) => "the server did not return valid TLS".into(),
        // The outer errors only say that a request failed.
        _ => causes(error).last().map(ToString::to_string).unwrap_or_default(),
    };
    one_line(&(root + &tip(error).unwrap_or_default()))
}

fn tip(error: &reqwest::Error) -> Option<String> {
    // The origin of the request's server with the other scheme.
    let origin = error.url()?.origin().ascii_serialization();
    let https = origin.strip_prefix("http://").map(|address| format!("https://{address}"));
    let http = origin.strip_prefix("https://").map(|address| format!("http://{address}"));
    match find(error) {
        Some(InvalidMessage(_)) => return Some(format!("; if it uses plain HTTP, use {}", http?)),
        Some(InvalidCertificate(UnknownIssuer)) => {
            let tip = "set SSL_CERT_FILE to a file with its issuer's certificate";
            return Some(format!("; if you trust it, {tip}"));
        }
        Some(_) => return None,
        None => {}
    }
    // On plain HTTP, a TLS server sends an alert or closes the connection.
    let may_speak_tls = match find::<hyper::Error>(error) {
        Some(http) if http.is_parse() => !http.is_parse_too_large() && !http.is_parse_status(),
        _ => error.is_request() && !error.is_connect() && !error.is_timeout(),
    };
    let https = https.filter(|_| may_speak_tls)?;
    Some(format!("; if the server expects TLS, use {https}"))
}

/// Returns whether a response to plain HTTP says that the port expects TLS.
pub fn reports_tls_port(status: u16, body: &[u8]) -> bool {
    let body = String::from_utf8_lossy(body);
    status == 400 && TLS_PORT_MESSAGES.iter().any(|message| body.contains(message))
}

/// Shortens text from a server to one line without control characters.
pub(crate) fn one_line(text: &str) -> String {
    let shown = |char: char| if char.is_control() { ' ' } else { char };
    text.chars().take(TEXT_MAX).map(shown).collect()
}

/// Iterates over an error and its causes, the root cause last.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    let error: &(dyn StdError + 'static) = error;
    iter::successors(Some(error), |&cause| {
        // The source of an I/O error skips the error that it wraps.
        match cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => cause.source(),
        }
    })
}

/// Finds the first cause of a type.
fn find<E: StdError + 'static>(error: &reqwest::Error) -> Option<&E> {
    causes(error).find_map(|cause| cause.downcast_ref())
}
