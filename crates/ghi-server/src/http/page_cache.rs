//! A cache of pages and files that are rendered on demand.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::http::caching::Representation;

/// The default capacity, not counting warmed pages.
const CAPACITY: usize = 256;

/// Representations by key. Warmed pages are permanent; the least recently used of the others is evicted
/// when the cache is full.
#[derive(Debug)]
pub(crate) struct PageCache<K> {
    capacity: usize,
    pages: Mutex<Pages<K>>,
}

#[derive(Debug)]
struct Pages<K> {
    /// Incremented with each use.
    uses: u64,
    entries: HashMap<K, CachedPage>,
}

#[derive(Debug)]
struct CachedPage {
    page: Arc<Representation>,
    last_used: u64,
    is_permanent: bool,
}

impl<K> Default for PageCache<K> {
    fn default() -> Self {
        Self::with_capacity(CAPACITY)
    }
}

impl<K> PageCache<K> {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { capacity, pages: Mutex::new(Pages { uses: 0, entries: HashMap::new() }) }
    }

    fn lock(&self) -> MutexGuard<'_, Pages<K>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
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
        if let Some(page) = self.find(key) {
            return Ok(page);
        }
        // Without the lock: two requests may render the same page, but none waits for another.
        Ok(self.insert(key, render()?, false))
    }

    /// Renders and compresses a page ahead of requests, if it can be rendered. It is never evicted.
    pub(crate) fn warm<E>(&self, key: K, render: impl FnOnce() -> Result<Representation, E>) {
        if let Ok(page) = render() {
            self.insert(key, page, true).compress();
        }
    }

    fn find(&self, key: K) -> Option<Arc<Representation>> {
        let mut pages = self.lock();
        pages.uses += 1;
        let uses = pages.uses;
        let found = pages.entries.get_mut(&key)?;
        found.last_used = uses;
        Some(Arc::clone(&found.page))
    }

    /// Caches a page, and returns the one that is then cached.
    fn insert(&self, key: K, page: Representation, is_permanent: bool) -> Arc<Representation> {
        let mut pages = self.lock();
        let Pages { uses, entries } = &mut *pages;
        let evictable = entries.iter().filter(|(_, cached)| !cached.is_permanent);
        let is_full = !is_permanent && evictable.clone().count() >= self.capacity;
        if is_full && !entries.contains_key(&key) {
            let oldest = evictable.min_by_key(|(_, cached)| cached.last_used).map(|(key, _)| *key);
            oldest.map(|oldest| entries.remove(&oldest));
        }
        let new = || CachedPage { page: Arc::new(page), last_used: *uses, is_permanent };
        let cached = entries.entry(key).or_insert_with(new);
        cached.is_permanent |= is_permanent;
        Arc::clone(&cached.page)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

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
    fn no_lock_is_held_while_a_page_is_rendered() {
        let cache = PageCache::default();
        let mut meanwhile = None;
        let page = cache.get(1, || {
            meanwhile = Some(cache.get(1, page));
            page()
        });
        assert!(Arc::ptr_eq(&page, &meanwhile.unwrap()), "the first one stays");
    }
}
