//! Why there is no document.

use std::fmt;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;

use crate::cause::{hint, says_that_it_speaks_tls};
use crate::exchange::{Answer, Failure};
use crate::plain_text::plain;

/// Why there is no document, in one sentence with the URL that was asked.
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
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    url: String,
    attempts: u32,
    reason: Reason,
}

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The server answered with an error, or with another status that brings no document.
    Problem,
    /// An attempt took longer than it may.
    Timeout,
    /// There was no connection: name, address, port, proxy or TLS.
    Connect,
    /// The connection ended or broke before the answer was complete.
    Interrupted,
    /// What came was not HTTP.
    NotHttp,
    /// The document was longer than it may be: see [`Resource::max_bytes`](crate::Resource::max_bytes).
    TooLarge,
    /// The answer was not the document that the contract has there.
    NotTheDocument,
    /// Nothing was asked: there is no path for a region with this id.
    InvalidRegionId,
}

#[derive(Debug)]
enum Reason {
    Problem { status: StatusCode, code: Option<String>, detail: Option<String> },
    Timeout(Duration),
    Connect(String),
    Interrupted { https: Option<String> },
    NotHttp(String),
    TooLarge(usize),
    NotTheDocument(String),
    InvalidRegionId,
}

impl Error {
    /// What kind of failure it was.
    pub fn kind(&self) -> ErrorKind {
        match self.0.reason {
            Reason::Problem { .. } => ErrorKind::Problem,
            Reason::Timeout(_) => ErrorKind::Timeout,
            Reason::Connect(_) => ErrorKind::Connect,
            Reason::Interrupted { .. } => ErrorKind::Interrupted,
            Reason::NotHttp(_) => ErrorKind::NotHttp,
            Reason::TooLarge(_) => ErrorKind::TooLarge,
            Reason::NotTheDocument(_) => ErrorKind::NotTheDocument,
            Reason::InvalidRegionId => ErrorKind::InvalidRegionId,
        }
    }

    /// The HTTP status, if the server answered with something else than 200.
    pub fn status(&self) -> Option<u16> {
        match &self.0.reason {
            Reason::Problem { status, .. } => Some(status.as_u16()),
            _ => None,
        }
    }

    /// The problem's `code`, a word to compare; a deployment may have others than this package
    /// knows, or none.
    pub fn code(&self) -> Option<&str> {
        match &self.0.reason {
            Reason::Problem { code, .. } => code.as_deref(),
            _ => None,
        }
    }

    /// What the server says was wrong, if it says so in a problem or in plain text.
    pub fn detail(&self) -> Option<&str> {
        match &self.0.reason {
            Reason::Problem { detail, .. } => detail.as_deref(),
            _ => None,
        }
    }

    /// What was asked.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// How many requests were sent, the retries included.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    fn new(url: &str, attempts: u32, reason: Reason) -> Self {
        Self(Box::new(Inner { url: url.to_owned(), attempts, reason }))
    }

    pub(crate) fn of_answer(url: &str, attempts: u32, answer: &Answer) -> Self {
        let status = answer.status;
        let members: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let member = |name: &str| members.get(name).and_then(Value::as_str).map(plain);
        let location = || {
            let location = answer.header("location").filter(|_| status.is_redirection())?;
            Some(format!("redirects are not followed; this one leads to {}", plain(location)))
        };
        let tls = || {
            let address = url.strip_prefix("http://")?.split('/').next()?;
            says_that_it_speaks_tls(status.as_u16(), &answer.body)
                .then(|| format!("the server speaks TLS at this port; use https://{address}"))
        };
        let is_text = |kind: &str| kind.starts_with("text/plain");
        let text = || {
            answer.header("content-type").filter(|kind| is_text(kind))?;
            let text = plain(str::from_utf8(&answer.body).ok()?.trim());
            Some(text).filter(|text| !text.is_empty())
        };
        let detail = member("detail").or_else(location).or_else(tls).or_else(text);
        Self::new(url, attempts, Reason::Problem { status, code: member("code"), detail })
    }

    pub(crate) fn of_failure(
        url: &str,
        attempts: u32,
        timeout: Duration,
        failure: Failure,
    ) -> Self {
        let reason = match failure {
            Failure::Connect(cause) => Reason::Connect(cause),
            Failure::Timeout => Reason::Timeout(timeout),
            Failure::NotHttp(cause) => Reason::NotHttp(cause),
            Failure::Interrupted { https } => Reason::Interrupted { https },
            Failure::TooLarge(max) => Reason::TooLarge(max),
        };
        Self::new(url, attempts, reason)
    }

    pub(crate) fn not_the_document(url: &str, attempts: u32, why: &str) -> Self {
        Self::new(url, attempts, Reason::NotTheDocument(plain(why)))
    }

    pub(crate) fn invalid_region_id(url: &str) -> Self {
        Self::new(url, 0, Reason::InvalidRegionId)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { url, attempts, reason } = &*self.0;
        match reason {
            Reason::Problem { status, code, detail } => {
                write!(f, "{url} answered {}", status.as_u16())?;
                let name = code.as_deref().or(status.canonical_reason());
                name.map_or(Ok(()), |name| write!(f, " {name}"))?;
                if *attempts > 1 {
                    write!(f, " to the last of {attempts} attempts")?;
                }
                detail.as_ref().map_or(Ok(()), |detail| write!(f, ": {detail}"))
            }
            Reason::Timeout(timeout) => write!(f, "{url} did not answer within {timeout:?}"),
            Reason::Connect(cause) => write!(f, "cannot connect to {url}: {cause}"),
            Reason::Interrupted { https } => {
                write!(f, "the connection to {url} ended before its answer did")?;
                if *attempts > 1 {
                    write!(f, ", at each of {attempts} attempts")?;
                }
                https.as_ref().map_or(Ok(()), |https| f.write_str(&hint(https)))
            }
            Reason::NotHttp(cause) => {
                write!(f, "{url} answered with something that is not HTTP: {cause}")
            }
            Reason::TooLarge(max) => {
                write!(f, "{url} answered with more than {} KiB", max >> 10)
            }
            Reason::NotTheDocument(why) => {
                write!(f, "{url} answered with something else than its document: {why}")
            }
            Reason::InvalidRegionId => {
                write!(f, "{url} is no path of a region: an id must not be empty, \".\" or \"..\"")
            }
        }
    }
}

impl std::error::Error for Error {}
