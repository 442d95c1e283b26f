//! The underlying HTTP client with TLS, proxies and timeouts, one exchange of a request and its response, and errors.

use std::error::Error as StdError;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use std::{env, io, iter};

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, NoProxy, Proxy, RequestBuilder, StatusCode};
use rustls::CertificateError::UnknownIssuer;
use rustls::Error::{InvalidCertificate, InvalidMessage};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use serde_json::Value;

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

/// Finds the first cause of a type.
fn find<E: StdError + 'static>(error: &reqwest::Error) -> Option<&E> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

/// The `User-Agent` of requests.
const USER_AGENT: &str = concat!("ghi-client/", env!("CARGO_PKG_VERSION"));

/// The timeout for connecting, including TLS. TCP resends a lost packet after 1 s and after 3 s; the timeout
/// allows for both.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long an idle connection stays open: shorter than the usual 60 s of servers and load balancers, so that
/// no request is sent on a closed connection.
const IDLE_TIMEOUT: Duration = Duration::from_secs(50);

/// Hosts that are never reached through a proxy, because the proxy would connect to itself.
const LOOPBACK: &str = "localhost,127.0.0.0/8,::1";

/// Returns a builder with the settings of this HTTP client, for your own requests.
///
/// It uses HTTP/1.1, and rustls with ring for TLS. It trusts the system's certificate authorities, or those
/// in `SSL_CERT_FILE` and `SSL_CERT_DIR`. It doesn't follow redirects or decompress responses. Proxies
/// come from the environment (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`) and are not used for
/// localhost.
pub fn http_client_builder() -> ClientBuilder {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(TLS.clone())
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .http1_only()
        .no_proxy();
    proxies(|name| env::var(name).ok()).into_iter().fold(builder, ClientBuilder::proxy)
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

/// Returns the proxies from the environment, in order of precedence.
///
/// `variable` reads the environment. A value that is not a URL is ignored, as in other tools.
fn proxies(variable: impl Fn(&str) -> Option<String>) -> Vec<Proxy> {
    // In a CGI program, HTTP_PROXY contains the request's Proxy header.
    if variable("REQUEST_METHOD").is_some() {
        return Vec::new();
    }
    let value = |name: &str| {
        let value = variable(name).or_else(|| variable(&name.to_lowercase()));
        value.filter(|value| !value.is_empty())
    };
    let direct = value("NO_PROXY").unwrap_or_default() + "," + LOOPBACK;
    let proxies = [
        value("HTTP_PROXY").map(Proxy::http),
        value("HTTPS_PROXY").map(Proxy::https),
        value("ALL_PROXY").map(Proxy::all),
    ];
    let valid = proxies.into_iter().flatten().flatten();
    valid.map(|proxy| proxy.no_proxy(NoProxy::from_string(&direct))).collect()
}

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

    /// Creates an error for a missing or incomplete response.
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

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// Starts a server that returns its name and the request line. Returns its address.
    fn serve(name: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(&stream).lines().map(Result::unwrap);
                let line = lines.next().unwrap();
                lines.find(String::is_empty).unwrap();
                let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
                write!(stream, "{head}{name}: {line}").unwrap();
            }
        });
        address.to_string()
    }

    /// Fetches a URL in an environment with these variables. Returns the body, if any.
    async fn get(url: &str, variables: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| {
            let variable = variables.iter().find(|variable| variable.0 == name);
            variable.map(|variable| variable.1.to_owned())
        };
        let builder = reqwest::Client::builder().tls_backend_preconfigured(TLS.clone());
        let builder = proxies(variable).into_iter().fold(builder.no_proxy(), ClientBuilder::proxy);
        let response = builder.build().unwrap().get(url).send().await.ok()?;
        Some(response.text().await.unwrap())
    }

    const FAR: &str = "http://example.invalid/";
    const BY_PROXY: Option<&str> = Some("proxy: GET http://example.invalid/ HTTP/1.1");
    const DIRECT: Option<&str> = Some("here: GET / HTTP/1.1");

    #[tokio::test]
    async fn proxies_come_from_the_environment() {
        let [proxy, other] = [serve("proxy"), serve("other")];
        for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
            for url in [&proxy, &format!("http://{proxy}/")] {
                assert_eq!(get(FAR, &[(name, url)]).await.as_deref(), BY_PROXY, "{name}={url}");
            }
        }
        for (of_http, of_all, of_https) in
            [(&proxy, &other, &other), (&String::new(), &proxy, &other)]
        {
            let all =
                [("ALL_PROXY", &**of_all), ("HTTP_PROXY", of_http), ("HTTPS_PROXY", of_https)];
            assert_eq!(get(FAR, &all).await.as_deref(), BY_PROXY);
        }
    }

    #[tokio::test]
    async fn no_proxy_is_used_for_loopback_or_hosts_in_no_proxy() {
        let [proxy, here] = [serve("proxy"), serve("here")];
        for near in
            [format!("http://{here}/"), format!("http://{here}/").replace("127.0.0.1", "localhost")]
        {
            for value in [&*proxy, "", "::", "http://"] {
                let said = get(&near, &[("HTTP_PROXY", value), ("ALL_PROXY", value)]).await;
                assert_eq!(said.as_deref(), DIRECT, "{near} {value}");
            }
        }
        // The name does not resolve, so there is no response without a proxy.
        for (list, expected) in
            [("example.com", BY_PROXY), ("a, example.invalid", None), ("*", None)]
        {
            let said = get(FAR, &[("HTTP_PROXY", &proxy), ("NO_PROXY", list)]).await;
            assert_eq!(said.as_deref(), expected, "{list}");
        }
        let cgi = [("HTTP_PROXY", &*proxy), ("REQUEST_METHOD", "GET")];
        assert_eq!(get(FAR, &cgi).await, None, "HTTP_PROXY may come from a request header");
    }
}
