//! One request and what comes back.

use reqwest::header::HeaderMap;
use reqwest::{RequestBuilder, Response, StatusCode};

use crate::cause::{cause, https, not_http};

/// How much is read of a body that is no document, bytes. A problem has a few hundred.
const ERROR_BODY_MAX: usize = 64 << 10;

/// An answer, whole; of an error, the first part may be all there is of a long body.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The value of a header, if it is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Why there is no whole answer.
pub(crate) enum Failure {
    /// There is no connection; why.
    Connect(String),
    /// The answer took longer than it may.
    Timeout,
    /// What came is not HTTP; why.
    NotHttp(String),
    /// The connection ended, or broke, before the answer did. `https` is the server by that scheme, if
    /// it may be the one to use.
    Interrupted { https: Option<String> },
    /// The document is longer than this many bytes, which is more than it may have.
    TooLarge(usize),
}

/// Sends a request, once, and reads its answer, a document of at most `document_max` bytes.
pub(crate) async fn exchange(
    request: RequestBuilder,
    document_max: usize,
) -> Result<Answer, Failure> {
    let mut response = request.send().await.map_err(Failure::from)?;
    let body = body(&mut response, document_max).await?;
    let headers = std::mem::take(response.headers_mut());
    Ok(Answer { status: response.status(), headers, body })
}

async fn body(response: &mut Response, document_max: usize) -> Result<Vec<u8>, Failure> {
    let is_document = response.status() == StatusCode::OK;
    let max = if is_document { document_max } else { ERROR_BODY_MAX };
    if is_document && response.content_length().is_some_and(|length| length > max as u64) {
        return Err(Failure::TooLarge(max));
    }
    // It grows with what comes: a length that is announced alone takes no memory.
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        let left = max - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(left)]);
        if chunk.len() > left {
            return if is_document { Err(Failure::TooLarge(max)) } else { Ok(body) };
        }
    }
    Ok(body)
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        if error.is_connect() {
            return Self::Connect(cause(&error));
        }
        if error.is_timeout() {
            return Self::Timeout;
        }
        match not_http(&error) {
            Some(_) => Self::NotHttp(cause(&error)),
            None => Self::Interrupted { https: https(&error) },
        }
    }
}
