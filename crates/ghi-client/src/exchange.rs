//! The underlying HTTP client with TLS, proxies and timeouts, one exchange of a request and its response, and errors.

use std::error::Error as StdError;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};
use std::{io, iter};

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, StatusCode};
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
    /// The document was too large.
    TooLarge,
    /// The response was not the document that the contract defines.
    NotTheDocument,
    /// The region id is empty, `.` or `..`. No request was sent, because its URL would be that of another document.
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

/// Sends a request once and reads its response, a document of at most `document_max` bytes.
pub async fn exchange(
    request: RequestBuilder,
    timeout: Duration,
    document_max: usize,
) -> Result<WholeResponse, Error> {
    let failed = |error| Error::failed(&error, timeout);
    let mut response = request.timeout(timeout).send().await.map_err(failed)?;
    let (url, status) = (response.url().clone(), response.status());
    let is_document = status == StatusCode::OK;
    let max = if is_document { document_max } else { ERROR_BODY_MAX };
    let too_large = || {
        let message = format!("{url} returned more than {} KiB", max >> 10);
        Error::new(ErrorKind::TooLarge, url.as_str(), message)
    };
    if is_document && response.content_length() > Some(max as u64) {
        return Err(too_large());
    }
    // The buffer grows with the data received; a large Content-Length alone takes no memory.
    let mut body = Vec::new();
    while let Some(chunk) =
        response.chunk().await.map_err(|error| failed(error.with_url(url.clone())))?
    {
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

/// Returns the HTTP client that [`Client`](crate::Client) uses, for your own requests to a server.
///
/// It uses HTTP/1.1, and rustls with ring for TLS. It trusts the system's certificate authorities, or those
/// in `SSL_CERT_FILE` and `SSL_CERT_DIR`. It doesn't follow redirects or decompress responses. Proxies
/// come from the environment (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`) and are not used for
/// localhost.
pub fn http_client(server: &BaseUrl) -> reqwest::Client {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(TLS.clone())
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .http1_only();
    // A proxy would connect to itself.
    let builder = if server.is_loopback() { builder.no_proxy() } else { builder };
    builder.build().expect("the settings are fixed")
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
#[error("{message}{}", times(.attempts))]
#[non_exhaustive]
pub struct Error {
    /// The kind of failure.
    pub kind: ErrorKind,
    /// The requested URL.
    pub url: String,
    /// The HTTP status, if it was not 200.
    pub status: Option<u16>,
    /// The problem's `code`. A server may send codes that are unknown to this package, or none.
    pub code: Option<String>,
    /// The detail of the problem or the plain text that the server sent, if any.
    pub detail: Option<String>,
    /// How long to wait before a retry, if the server sent `Retry-After`.
    pub retry_after: Option<Duration>,
    pub(crate) message: Box<str>,
    /// The number of requests sent.
    pub(crate) attempts: u32,
}

fn times(attempts: &u32) -> String {
    if *attempts > 1 { format!("; tried {attempts} times") } else { String::new() }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, url: &str, message: String) -> Self {
        let (url, message) = (url.to_owned(), one_line(&message).into());
        Self {
            kind,
            url,
            attempts: 1,
            status: None,
            code: None,
            detail: None,
            retry_after: None,
            message,
        }
    }

    /// Creates an error from a response that is not a document.
    pub(crate) fn problem(url: &str, response: &WholeResponse) -> Self {
        let status = response.status;
        let members: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let code = members["code"].as_str().map(one_line);
        let detail = members["detail"].as_str().map(one_line).or_else(|| plain_detail(response));
        let mut message = format!("{url} returned {}", status.as_u16());
        if let Some(name) = code.as_deref().or(status.canonical_reason()) {
            message += &format!(" {name}");
        }
        if let Some(detail) = &detail {
            message += &format!(": {detail}");
        }
        let (status, retry_after) = (Some(status.as_u16()), retry_after(response));
        Self { status, code, detail, retry_after, ..Self::new(ErrorKind::Problem, url, message) }
    }

    /// Creates an error for a missing or incomplete response.
    fn failed(error: &reqwest::Error, timeout: Duration) -> Self {
        // The outer errors only say that a request failed.
        let root = causes(error).last().map(ToString::to_string).unwrap_or_default();
        let cause = match find(error) {
            Some(InvalidMessage(_)) => "the server did not return valid TLS".into(),
            Some(InvalidCertificate(UnknownIssuer)) => format!(
                "{root}; if you trust it, set SSL_CERT_FILE to a file with its issuer's certificate"
            ),
            _ => root,
        };
        let url = error.url().map_or("the server", |url| url.as_str());
        let (kind, message) = match find::<hyper::Error>(error) {
            _ if error.is_connect() => {
                (ErrorKind::Connect, format!("cannot connect to {url}: {cause}"))
            }
            _ if error.is_timeout() => {
                (ErrorKind::Timeout, format!("{url} did not respond within {timeout:?}"))
            }
            Some(http) if http.is_parse() => {
                (ErrorKind::NotHttp, format!("{url} did not return valid HTTP: {cause}"))
            }
            _ => (ErrorKind::Interrupted, format!("lost the connection to {url}: {cause}")),
        };
        Self::new(kind, url, message)
    }
}

/// Explains a response without the details of a problem document.
fn plain_detail(response: &WholeResponse) -> Option<String> {
    if let Some(location) = response.header("location").filter(|_| response.status.is_redirection())
    {
        let location = one_line(location);
        return Some(format!("redirects are not followed; this one points to {location}"));
    }
    response.header("content-type").filter(|kind| kind.starts_with("text/plain"))?;
    let text = one_line(str::from_utf8(&response.body).ok()?.trim());
    Some(text).filter(|text| !text.is_empty())
}

/// Parses `Retry-After`: seconds or a date.
fn retry_after(response: &WholeResponse) -> Option<Duration> {
    let text = response.header("retry-after")?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().map_or(Duration::MAX, Duration::from_secs));
    }
    let then = httpdate::parse_http_date(text).ok()?;
    // Relative to the server's own clock, which may be wrong or stopped.
    let date = response.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
    let now = date.unwrap_or_else(SystemTime::now);
    Some(then.duration_since(now).unwrap_or_default())
}
