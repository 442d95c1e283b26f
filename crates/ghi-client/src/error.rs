//! Errors of the client.

use std::time::Duration;

use serde_json::Value;

use crate::exchange::{ErrorKind, ExchangeFailure, WholeResponse, one_line, reports_tls_port};

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
