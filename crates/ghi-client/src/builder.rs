//! How a client is made.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::base_url::BaseUrl;

/// The bounds of a [`Client`](crate::Client); from [`Client::builder`](crate::Client::builder).
///
/// A call takes at most `timeout` for each attempt, of which there are `retries` + 1, and `max_wait`
/// between them.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(crate) base_url: BaseUrl,
    pub(crate) timeout: Duration,
    pub(crate) retries: u32,
    pub(crate) max_wait: Duration,
    pub(crate) cache_bytes: usize,
    pub(crate) headers: HeaderMap,
}

impl Builder {
    pub(crate) fn new(base_url: BaseUrl) -> Self {
        Self {
            base_url,
            timeout: Self::TIMEOUT,
            retries: Self::RETRIES,
            max_wait: Self::MAX_WAIT,
            cache_bytes: Self::CACHE_BYTES,
            headers: HeaderMap::new(),
        }
    }

    /// The default time of an attempt: as long as anybody waits for a document.
    pub const TIMEOUT: Duration = Duration::from_secs(10);
    /// The default number of retries.
    pub const RETRIES: u32 = 3;
    /// The default of all waits of a call together.
    pub const MAX_WAIT: Duration = Duration::from_secs(30);
    /// The default bound on cached documents, bytes: eight snapshots of 10,000 regions.
    pub const CACHE_BYTES: usize = 16 << 20;

    /// How long one attempt may take, from the connection to the last byte of the body. To connect
    /// may take 5 s of it.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// How many times a call may send its request again; 0 for never.
    #[must_use]
    pub fn retries(self, retries: u32) -> Self {
        Self { retries, ..self }
    }

    /// How long a call may wait between its attempts, all together. Where a server's `Retry-After` is
    /// longer than what is left, the call fails at once.
    #[must_use]
    pub fn max_wait(self, max_wait: Duration) -> Self {
        Self { max_wait, ..self }
    }

    /// How many bytes of documents to cache at most; 0 for none, and a new `timestamp_utc` at each call.
    #[must_use]
    pub fn cache_bytes(self, cache_bytes: usize) -> Self {
        Self { cache_bytes, ..self }
    }

    /// Adds a header to each request.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }
}
