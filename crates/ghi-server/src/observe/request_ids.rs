//! Names for requests, to find one in the access log.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::header::HeaderValue;

/// Gives each request a name: unique in its process, and hardly found in another.
pub(crate) struct RequestIds(AtomicU64);

impl Default for RequestIds {
    fn default() -> Self {
        Self(AtomicU64::new(RandomState::new().hash_one(0)))
    }
}

impl RequestIds {
    pub(crate) fn next(&self) -> HeaderValue {
        const HEX: [u8; 16] = *b"0123456789abcdef";
        let id = self.0.fetch_add(1, Ordering::Relaxed);
        let digits: [u8; 16] =
            std::array::from_fn(|place| HEX[(id >> (60 - 4 * place) & 15) as usize]);
        HeaderValue::from_bytes(&digits).expect("digits are visible ASCII")
    }
}
