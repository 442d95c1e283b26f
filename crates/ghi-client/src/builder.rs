//! The builder of a client.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::base_url::BaseUrl;

/// Sets the limits of a [`Client`](crate::Client), created with [`Client::builder`](crate::Client::builder).
///
/// A call takes at most `timeout` for each of `retries` + 1 attempts, plus `max_wait` in total between them.
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

    /// The default timeout of one attempt.
    pub const TIMEOUT: Duration = Duration::from_secs(10);
    /// The default number of retries.
    pub const RETRIES: u32 = 3;
    /// The default limit on the total waiting time of a call.
    pub const MAX_WAIT: Duration = Duration::from_secs(30);
    /// The default size limit of the cache in bytes: two of the largest documents.
    pub const CACHE_BYTES: usize = 16 << 20;

    /// Sets the timeout of one attempt, from connecting to the last byte of the body. Connecting may take at
    /// most 5 s of it.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sets the maximum number of retries per call; 0 disables retries.
    #[must_use]
    pub fn retries(self, retries: u32) -> Self {
        Self { retries, ..self }
    }

    /// Sets the maximum total waiting time between the attempts of a call. If `Retry-After` exceeds the
    /// remaining time, the call fails immediately.
    #[must_use]
    pub fn max_wait(self, max_wait: Duration) -> Self {
        Self { max_wait, ..self }
    }

    /// Sets the size limit of the cache in bytes; 0 disables it, so that every call returns a new
    /// `timestamp_utc`.
    #[must_use]
    pub fn cache_bytes(self, cache_bytes: usize) -> Self {
        Self { cache_bytes, ..self }
    }

    /// Adds a header to every request.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }
}
