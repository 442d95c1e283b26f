//! A client with other bounds than the usual ones.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::base_url::BaseUrl;
use crate::client::Client;

/// Makes a [`Client`] with other bounds than the usual ones; from [`Client::builder`].
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
    /// The default time of an attempt: as long as anybody waits for a document.
    pub const TIMEOUT: Duration = Duration::from_secs(10);
    /// The default number of retries.
    pub const RETRIES: u32 = 3;
    /// The default of all waits of a call together.
    pub const MAX_WAIT: Duration = Duration::from_secs(30);
    /// The default bound on cached documents, bytes: eight snapshots of 10,000 regions.
    pub const CACHE_BYTES: usize = 16 << 20;

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

    /// How long a call may wait between its attempts, all together. A server that asks for more
    /// than what is left fails the call at once.
    #[must_use]
    pub fn max_wait(self, max_wait: Duration) -> Self {
        Self { max_wait, ..self }
    }

    /// How many bytes of documents to cache at most; 0 to cache none, and have a new `timestamp_utc`
    /// at each call.
    #[must_use]
    pub fn cache_bytes(self, cache_bytes: usize) -> Self {
        Self { cache_bytes, ..self }
    }

    /// A header to send with each request, beside those of the same name.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// The client.
    pub fn build(self) -> Client {
        Client::from_builder(self)
    }
}
