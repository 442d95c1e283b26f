//! A cache of documents by `ETag`.

use std::collections::HashMap;
use std::sync::Arc;

use reqwest::header::{CACHE_CONTROL, ETAG, HeaderMap, HeaderValue};

/// The maximum number of cached documents: enough for a few hundred regions.
const ENTRIES_MAX: usize = 1_000;

/// A cache with a limited number of documents and bytes. It is cleared when full.
#[derive(Debug)]
pub(crate) struct Cache {
    entries: HashMap<String, (HeaderValue, Arc<str>)>,
    bytes_max: usize,
}

impl Cache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { entries: HashMap::new(), bytes_max }
    }

    /// Returns the `ETag` and the body of a document.
    pub(crate) fn get(&self, key: &str) -> Option<(HeaderValue, Arc<str>)> {
        self.entries.get(key).cloned()
    }

    /// Caches a document if it has an `ETag`, may be stored and fits.
    pub(crate) fn store(&mut self, key: String, headers: &HeaderMap, body: &str) {
        self.entries.remove(&key);
        let mut directives = headers.get_all(CACHE_CONTROL).iter();
        let may_be_stored = body.len() <= self.bytes_max
            && directives.all(|value| value.to_str().is_ok_and(|text| !text.contains("no-store")));
        let Some(tag) = headers.get(ETAG).filter(|_| may_be_stored) else { return };
        if self.entries.len() == ENTRIES_MAX || self.bytes() + body.len() > self.bytes_max {
            self.entries.clear();
        }
        self.entries.insert(key, (tag.clone(), body.into()));
    }

    fn bytes(&self) -> usize {
        self.entries.values().map(|(_, body)| body.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> String {
        format!("/v1/ghi/regions/r{number}")
    }

    fn store(cache: &mut Cache, number: usize, control: &'static str, length: usize) {
        let tag = HeaderValue::from_static("W/\"1\"");
        let headers = [(ETAG, tag), (CACHE_CONTROL, HeaderValue::from_static(control))];
        let headers: HeaderMap = headers.into_iter().collect();
        cache.store(key(number), &headers, &" ".repeat(length));
    }

    #[test]
    fn the_size_is_limited() {
        let mut cache = Cache::new(100);
        for number in 0..4 {
            store(&mut cache, number, "public", 30);
        }
        let cached = [0, 1, 2, 3].map(|number| cache.get(&key(number)).is_some());
        assert_eq!((cached, cache.bytes()), ([false, false, false, true], 30));
        store(&mut cache, 4, "public", 101);
        assert_eq!((cache.entries.len(), cache.bytes()), (1, 30), "too large to be cached");
    }

    #[test]
    fn a_later_document_replaces_the_earlier_one() {
        let mut cache = Cache::new(100);
        for length in [60, 70, 80] {
            store(&mut cache, 0, "public", length);
            assert_eq!(cache.get(&key(0)).unwrap().1.len(), length);
        }
        store(&mut cache, 0, "public, no-store", 10);
        assert!(cache.get(&key(0)).is_none());
        assert_eq!(cache.bytes(), 0);
    }

    #[test]
    fn the_number_of_documents_is_limited() {
        let mut cache = Cache::new(usize::MAX);
        for number in 0..=ENTRIES_MAX {
            store(&mut cache, number, "public", 1);
        }
        assert_eq!((cache.entries.len(), cache.bytes()), (1, 1));
        assert!(cache.get(&key(ENTRIES_MAX)).is_some());
    }
}
