//! Documents that a server need not send again.

use std::collections::VecDeque;
use std::sync::Arc;

use reqwest::header::{CACHE_CONTROL, ETAG, HeaderMap, HeaderValue};

/// How many documents are cached at most: those of a few hundred regions.
const ENTRIES_MAX: usize = 1_000;

/// A document and its `ETag`.
#[derive(Clone, Debug)]
pub(crate) struct CachedDocument {
    pub(crate) tag: HeaderValue,
    pub(crate) body: Arc<str>,
}

/// The target of a request, and its preference if it has one.
pub(crate) type CacheKey = (String, Option<&'static str>);

/// The most recently used documents, bounded in number and bytes.
#[derive(Debug)]
pub(crate) struct Cache {
    /// The most recently used is at the back.
    entries: VecDeque<(CacheKey, CachedDocument)>,
    bytes: usize,
    bytes_max: usize,
}

impl Cache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { entries: VecDeque::new(), bytes: 0, bytes_max }
    }

    /// The last document of this request.
    pub(crate) fn get(&mut self, key: &CacheKey) -> Option<CachedDocument> {
        let entry = self.remove(key)?;
        let cached = entry.1.clone();
        self.push(entry);
        Some(cached)
    }

    /// Caches a document, if it came with a tag, may be stored and fits.
    pub(crate) fn store(&mut self, key: CacheKey, headers: &HeaderMap, body: &str) {
        self.remove(&key);
        let mut directives = headers.get_all(CACHE_CONTROL).iter();
        let may_be_stored = body.len() <= self.bytes_max
            && directives.all(|value| value.to_str().is_ok_and(|text| !text.contains("no-store")));
        let Some(tag) = headers.get(ETAG).filter(|_| may_be_stored) else { return };
        self.push((key, CachedDocument { tag: tag.clone(), body: body.into() }));
        while self.entries.len() > ENTRIES_MAX || self.bytes > self.bytes_max {
            let Some((_, oldest)) = self.entries.pop_front() else { return };
            self.bytes -= oldest.body.len();
        }
    }

    fn push(&mut self, entry: (CacheKey, CachedDocument)) {
        self.bytes += entry.1.body.len();
        self.entries.push_back(entry);
    }

    fn remove(&mut self, key: &CacheKey) -> Option<(CacheKey, CachedDocument)> {
        let index = self.entries.iter().position(|(other, _)| other == key)?;
        let entry = self.entries.remove(index)?;
        self.bytes -= entry.1.body.len();
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> CacheKey {
        (format!("/v1/ghi/regions/r{number}"), None)
    }

    fn store(cache: &mut Cache, number: usize, control: &'static str, length: usize) {
        let tag = HeaderValue::from_static("W/\"1\"");
        let headers = [(ETAG, tag), (CACHE_CONTROL, HeaderValue::from_static(control))];
        let headers: HeaderMap = headers.into_iter().collect();
        cache.store(key(number), &headers, &" ".repeat(length));
    }

    #[test]
    fn the_least_recently_used_make_way_when_there_are_too_many_bytes() {
        let mut cache = Cache::new(100);
        for number in 0..3 {
            store(&mut cache, number, "public", 30);
        }
        assert!(cache.get(&key(0)).is_some());
        store(&mut cache, 3, "public", 30);
        let cached = [0, 1, 2, 3].map(|number| cache.get(&key(number)).is_some());
        assert_eq!(cached, [true, false, true, true]);
        store(&mut cache, 4, "public", 101);
        assert_eq!((cache.entries.len(), cache.bytes), (3, 90), "too long to be cached");
    }

    #[test]
    fn a_later_answer_replaces_the_earlier_one() {
        let mut cache = Cache::new(100);
        for length in [60, 70, 80] {
            store(&mut cache, 0, "public", length);
            assert_eq!(cache.get(&key(0)).unwrap().body.len(), length);
        }
        store(&mut cache, 0, "public, no-store", 10);
        assert!(cache.get(&key(0)).is_none());
    }

    #[test]
    fn the_number_is_bounded() {
        let mut cache = Cache::new(usize::MAX);
        for number in 0..ENTRIES_MAX + 5 {
            store(&mut cache, number, "public", 1);
        }
        assert_eq!((cache.entries.len(), cache.bytes), (ENTRIES_MAX, ENTRIES_MAX));
        assert!(cache.get(&key(4)).is_none());
        assert!(cache.get(&key(5)).is_some());
    }
}
