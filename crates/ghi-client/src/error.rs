//! Why there is no document.

use std::time::Duration;

use serde_json::Value;

use crate::exchange::{
    ErrorKind, ExchangeFailure, WholeResponse, one_line, says_that_it_speaks_tls,
};

/// Why there is no document, in one sentence with the requested URL.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let sandbox = ghi_server::Sandbox::start(ghi_server::Config::default())?;
/// use ghi_client::{Client, ErrorKind};
///
/// let error = Client::new(sandbox.url())?.region_detail("atlantis").await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Problem);
/// assert_eq!(error.status(), Some(404));
/// assert_eq!(error.code(), Some("unknown_region"));
/// assert!(error.to_string().contains("/v1/ghi/regions/atlantis answered 404 unknown_region: "));
/// # Ok(()) }
/// ```
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
    /// What kind of failure it was.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The HTTP status, if the server answered with another than 200.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// The problem's `code`, a word to compare; a deployment may have others than this package
    /// knows, or none.
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// What the server says was wrong, if it says so in a problem or in plain text.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// The requested URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How many requests were sent, the retries included.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    fn new(kind: ErrorKind, url: &str, attempts: u32, message: String) -> Self {
        let (status, code, detail) = (None, None, None);
        Self { kind, url: url.to_owned(), attempts, message, status, code, detail }
    }

    /// The response was another than the document.
    pub(crate) fn problem(url: &str, attempts: u32, response: &WholeResponse) -> Self {
        let status = response.status;
        let members: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let member = |name: &str| members.get(name).and_then(Value::as_str).map(one_line);
        let location = || {
            let location = response.header("location").filter(|_| status.is_redirection())?;
            Some(format!("redirects are not followed; this one leads to {}", one_line(location)))
        };
        let tls = || {
            let address = url.strip_prefix("http://")?.split('/').next()?;
            says_that_it_speaks_tls(status.as_u16(), &response.body)
                .then(|| format!("the server speaks TLS at this port; use https://{address}"))
        };
        let text = || {
            response.header("content-type").filter(|kind| kind.starts_with("text/plain"))?;
            let text = one_line(str::from_utf8(&response.body).ok()?.trim());
            Some(text).filter(|text| !text.is_empty())
        };
        let code = member("code");
        let detail = member("detail").or_else(location).or_else(tls).or_else(text);

        let mut message = format!("{url} answered {}", status.as_u16());
        if let Some(name) = code.as_deref().or(status.canonical_reason()) {
            message += &format!(" {name}");
        }
        if attempts > 1 {
            message += &format!(" to the last of {attempts} attempts");
        }
        if let Some(detail) = &detail {
            message += &format!(": {detail}");
        }
        let status = Some(status.as_u16());
        Self { status, code, detail, ..Self::new(ErrorKind::Problem, url, attempts, message) }
    }

    /// There was no whole response.
    pub(crate) fn failed(
        url: &str,
        attempts: u32,
        timeout: Duration,
        failure: &ExchangeFailure,
    ) -> Self {
        let ExchangeFailure { kind, cause } = failure;
        let message = match kind {
            ErrorKind::Connect => format!("cannot connect to {url}: {cause}"),
            ErrorKind::Timeout => format!("{url} did not answer within {timeout:?}"),
            ErrorKind::NotHttp => format!("{url} did not answer in HTTP: {cause}"),
            ErrorKind::TooLarge => format!("{url} answered with {cause}"),
            _ if attempts > 1 => {
                format!("the connection to {url} broke at each of {attempts} attempts: {cause}")
            }
            _ => format!("the connection to {url} broke: {cause}"),
        };
        Self::new(*kind, url, attempts, message)
    }

    pub(crate) fn not_the_document(url: &str, attempts: u32, why: &str) -> Self {
        let message = format!("{url} did not return a valid document: {}", one_line(why));
        Self::new(ErrorKind::NotTheDocument, url, attempts, message)
    }

    pub(crate) fn invalid_region_id(url: &str) -> Self {
        let message =
            format!("{url} is not the path of a region: an id must not be empty, \".\" or \"..\"");
        Self::new(ErrorKind::InvalidRegionId, url, 0, message)
    }
}
