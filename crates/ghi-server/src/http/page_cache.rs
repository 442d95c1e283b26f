//! A cache of pages and files that are rendered on demand.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::http::caching::Representation;

/// The default capacity, not counting warmed pages.
const CAPACITY: usize = 256;

/// Representations by key. Warmed pages are permanent; the least recently used of the others is evicted
/// when the cache is full.
#[derive(Debug)]
pub(crate) struct PageCache<K> {
    capacity: usize,
    /// Incremented with each use.
    uses: AtomicU64,
    entries: RwLock<HashMap<K, Arc<CachedPage>>>,
}

#[derive(Debug, Default)]
struct CachedPage {
    /// Locked while the page is rendered, so that it is rendered only once.
    page: Mutex<Option<Arc<Representation>>>,
    last_used: AtomicU64,
    is_permanent: AtomicBool,
}

impl<K> Default for PageCache<K> {
    fn default() -> Self {
        Self::with_capacity(CAPACITY)
    }
}

impl<K> PageCache<K> {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { capacity, uses: AtomicU64::new(0), entries: RwLock::default() }
    }
}

impl<K: Copy + Eq + Hash> PageCache<K> {
    /// Returns the cached page, or renders it.
    pub(crate) fn get(
        &self,
        key: K,
        render: impl FnOnce() -> Representation,
    ) -> Arc<Representation> {
        let Ok(page) = self.try_get(key, || Ok::<_, Infallible>(render()));
        page
    }

    /// Returns the cached page, or tries to render it.
    pub(crate) fn try_get<E>(
        &self,
        key: K,
        render: impl FnOnce() -> Result<Representation, E>,
    ) -> Result<Arc<Representation>, E> {
        let entry = self.entry(key);
        entry.last_used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let mut page = entry.page.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = &*page {
            return Ok(Arc::clone(page));
        }
        match render() {
            Ok(rendered) => Ok(Arc::clone(page.insert(Arc::new(rendered)))),
            Err(error) => {
                self.entries.write().unwrap_or_else(PoisonError::into_inner).remove(&key);
                Err(error)
            }
        }
    }

    /// Renders and compresses a page ahead of requests, if it can be rendered. It is never evicted.
    pub(crate) fn warm<E>(&self, key: K, render: impl FnOnce() -> Result<Representation, E>) {
        self.entry(key).is_permanent.store(true, Ordering::Relaxed);
        if let Ok(page) = self.try_get(key, render) {
            page.compress();
        }
    }

    fn entry(&self, key: K) -> Arc<CachedPage> {
        if let Some(entry) = self.entries.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(entry);
        }
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get(&key) {
            return Arc::clone(entry);
        }
        let evictable =
            || entries.iter().filter(|(_, entry)| !entry.is_permanent.load(Ordering::Relaxed));
        if evictable().count() >= self.capacity {
            let oldest =
                evictable().min_by_key(|(_, entry)| entry.last_used.load(Ordering::Relaxed));
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                entries.remove(&oldest);
            }
        }
        // Otherwise, the next page could evict this one before it is rendered.
        let last_used = AtomicU64::new(self.uses.load(Ordering::Relaxed));
        let entry = CachedPage { last_used, ..CachedPage::default() };
        Arc::clone(entries.entry(key).or_insert(Arc::new(entry)))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Barrier;

    use crate::http::caching::fixed_headers;
    use crate::http::site::Site;

    use super::*;

    fn page() -> Representation {
        Representation::new(fixed_headers(&Site::new(None), "text/plain"), "content")
    }

    /// Gets a page and returns whether it had to be rendered.
    fn is_rendered(cache: &PageCache<usize>, key: usize) -> bool {
        let rendered = Cell::new(false);
        cache.get(key, || {
            rendered.set(true);
            page()
        });
        rendered.get()
    }

    #[test]
    fn the_least_recently_used_page_is_evicted() {
        let cache = PageCache::with_capacity(3);
        assert!([1, 2, 3].into_iter().all(|key| is_rendered(&cache, key)));
        assert!(!is_rendered(&cache, 1));
        assert!(is_rendered(&cache, 4), "2 is evicted");
        assert!(![1, 3, 4].into_iter().any(|key| is_rendered(&cache, key)));
        assert!(is_rendered(&cache, 2));
    }

    #[test]
    fn a_cache_hit_evicts_nothing() {
        let cache = PageCache::with_capacity(2);
        for key in [1, 2, 1, 2, 2] {
            is_rendered(&cache, key);
        }
        assert!(!is_rendered(&cache, 1) && !is_rendered(&cache, 2));
    }

    #[test]
    fn a_warmed_page_is_never_evicted() {
        let cache = PageCache::with_capacity(1);
        cache.warm(0, || Ok::<_, Infallible>(page()));
        assert!((1..10).all(|key| is_rendered(&cache, key)));
        assert!(!is_rendered(&cache, 0));
    }

    #[test]
    fn a_failed_render_is_not_cached() {
        let cache = PageCache::with_capacity(2);
        assert!(cache.try_get(1, || Err(())).is_err());
        assert!(is_rendered(&cache, 1));
    }

    #[test]
    fn concurrent_requests_render_a_page_once() {
        let (cache, barrier, rendered) = (PageCache::default(), Barrier::new(4), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    barrier.wait();
                    cache.get(1, || {
                        rendered.fetch_add(1, Ordering::Relaxed);
                        page()
                    });
                });
            }
        });
        assert_eq!(rendered.load(Ordering::Relaxed), 1);
    }
}
