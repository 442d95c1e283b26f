//! The underlying HTTP client with TLS, proxies and timeouts, one exchange of a request and its response, and errors.

use std::error::Error as StdError;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use std::{io, iter};

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, RequestBuilder, StatusCode};
use rustls::CertificateError::UnknownIssuer;
use rustls::Error::{InvalidCertificate, InvalidMessage};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use serde_json::Value;

use crate::resource::BaseUrl;

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
        body.extend_from_slice(&chunk);
        if body.len() > max && is_document {
            return Err(too_large());
        }
        if body.len() > max {
            body.truncate(max);
            break;
        }
    }
    Ok(WholeResponse { status, headers: std::mem::take(response.headers_mut()), body })
}

/// Describes why a request sent with [`http_client_builder`] got no response, and
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
    let origin = error.url()?.origin().ascii_serialization();
    match (find(error), origin.split_once("://")?) {
        (Some(InvalidMessage(_)), ("https", address)) => {
            Some(format!("; if it uses plain HTTP, use http://{address}"))
        }
        (Some(InvalidCertificate(UnknownIssuer)), _) => {
            let tip = "set SSL_CERT_FILE to a file with its issuer's certificate";
            Some(format!("; if you trust it, {tip}"))
        }
        (None, ("http", address)) if may_expect_tls(error) => {
            Some(format!("; if the server expects TLS, use https://{address}"))
        }
        _ => None,
    }
}

/// On plain HTTP, a TLS server sends an alert or closes the connection.
fn may_expect_tls(error: &reqwest::Error) -> bool {
    match find::<hyper::Error>(error) {
        Some(http) if http.is_parse() => !http.is_parse_too_large() && !http.is_parse_status(),
        _ => error.is_request() && !error.is_connect() && !error.is_timeout(),
    }
}

/// Returns whether a response to plain HTTP says that the port expects TLS.
pub fn reports_tls_port(status: u16, body: &[u8]) -> bool {
    let body = String::from_utf8_lossy(body);
    status == 400 && TLS_PORT_MESSAGES.iter().any(|message| body.contains(message))
}

/// Shortens text from a server to one line without control characters.
fn one_line(text: &str) -> String {
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

fn find<E: StdError + 'static>(error: &reqwest::Error) -> Option<&E> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

const USER_AGENT: &str = concat!("ghi-client/", env!("CARGO_PKG_VERSION"));

/// The timeout for connecting, including TLS. TCP resends a lost packet after 1 s and after 3 s; the timeout
/// allows for both.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long an idle connection stays open: shorter than the usual 60 s of servers and load balancers, so that
/// no request is sent on a closed connection.
const IDLE_TIMEOUT: Duration = Duration::from_secs(50);

/// Returns a builder with the settings of this HTTP client, for your own requests to a server.
///
/// It uses HTTP/1.1, and rustls with ring for TLS. It trusts the system's certificate authorities, or those
/// in `SSL_CERT_FILE` and `SSL_CERT_DIR`. It doesn't follow redirects or decompress responses. Proxies
/// come from the environment (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`) and are not used for
/// localhost.
pub fn http_client_builder(server: &BaseUrl) -> ClientBuilder {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(TLS.clone())
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .http1_only();
    // A proxy would connect to itself.
    if server.is_loopback() { builder.no_proxy() } else { builder }
}

/// Configures TLS with the system's certificate authorities, which are read once. If there are none, plain HTTP
/// still works.
static TLS: LazyLock<ClientConfig> = LazyLock::new(|| {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("ring supports all TLS versions");
    let mut config = match Verifier::new(provider) {
        Ok(system) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(system))
            .with_no_client_auth(),
        Err(_) => builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth(),
    };
    config.alpn_protocols = vec!["http/1.1".into()];
    config
});

/// A failed call. The message is one line that includes the requested URL.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    url: String,
    attempts: u32,
    message: String,
    status: Option<u16>,
    code: Option<String>,
    detail: Option<String>,
}

impl Error {
    /// Returns the kind of failure.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the HTTP status, if it was not 200.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Returns the problem's `code`. A server may send codes that are unknown to this package, or none.
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// Returns the detail of the problem or the plain text that the server sent, if any.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// Returns the requested URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the number of requests sent, including retries.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    pub(crate) fn new(kind: ErrorKind, url: &str, attempts: u32, message: String) -> Self {
        let url = url.to_owned();
        Self { kind, url, attempts, message, status: None, code: None, detail: None }
    }

    /// Creates an error from a response that is not a document.
    pub(crate) fn problem(url: &str, attempts: u32, response: &WholeResponse) -> Self {
        let status = response.status;
        let members: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let code = members["code"].as_str().map(one_line);
        let detail = members["detail"].as_str().map(one_line).or_else(|| hint(url, response));
        let mut message = format!("{url} returned {}", status.as_u16());
        if let Some(name) = code.as_deref().or(status.canonical_reason()) {
            message += &format!(" {name}");
        }
        if attempts > 1 {
            message += &format!(" after {attempts} attempts");
        }
        if let Some(detail) = &detail {
            message += &format!(": {detail}");
        }
        let status = Some(status.as_u16());
        Self { status, code, detail, ..Self::new(ErrorKind::Problem, url, attempts, message) }
    }

    pub(crate) fn failed(
        url: &str,
        attempts: u32,
        timeout: Duration,
        failure: &ExchangeFailure,
    ) -> Self {
        let ExchangeFailure { kind, cause } = failure;
        let message = match kind {
            ErrorKind::Connect => format!("cannot connect to {url}: {cause}"),
            ErrorKind::Timeout => format!("{url} did not respond within {timeout:?}"),
            ErrorKind::NotHttp => format!("{url} did not return valid HTTP: {cause}"),
            ErrorKind::TooLarge => format!("{url} returned {cause}"),
            _ if attempts > 1 => {
                format!("lost the connection to {url} on each of {attempts} attempts: {cause}")
            }
            _ => format!("lost the connection to {url}: {cause}"),
        };
        Self::new(*kind, url, attempts, message)
    }

    pub(crate) fn not_the_document(url: &str, attempts: u32, why: &str) -> Self {
        let message = format!("{url} did not return a valid document: {}", one_line(why));
        Self::new(ErrorKind::NotTheDocument, url, attempts, message)
    }
}

/// Explains a response without the details of a problem document.
fn hint(url: &str, response: &WholeResponse) -> Option<String> {
    if let Some(location) = response.header("location").filter(|_| response.status.is_redirection())
    {
        let location = one_line(location);
        return Some(format!("redirects are not followed; this one points to {location}"));
    }
    if let Some(address) = url.strip_prefix("http://").and_then(|rest| rest.split('/').next())
        && reports_tls_port(response.status.as_u16(), &response.body)
    {
        return Some(format!("the server expects TLS on this port; use https://{address}"));
    }
    response.header("content-type").filter(|kind| kind.starts_with("text/plain"))?;
    let text = one_line(str::from_utf8(&response.body).ok()?.trim());
    Some(text).filter(|text| !text.is_empty())
}
