//! Pages and files that are made when somebody asks for them, and cached.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::http::caching::Representation;

/// How many are cached by default, beside those that were made ahead.
const CAPACITY: usize = 256;

/// Representations by key. Those that were made ahead stay; of the others, the one that was used least
/// recently makes room for a new one.
#[derive(Debug)]
pub(crate) struct PageCache<K> {
    capacity: usize,
    /// Counts up with each use.
    uses: AtomicU64,
    entries: RwLock<HashMap<K, Arc<CachedPage>>>,
}

#[derive(Debug, Default)]
struct CachedPage {
    /// Locked while it is made, so that nobody makes the same page at the same time.
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
    /// The cached page, or one that is made now.
    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> Representation) -> Arc<Representation> {
        let Ok(page) = self.try_get(key, || Ok::<_, Infallible>(make()));
        page
    }

    /// The cached page, or one that is made now if it can be.
    pub(crate) fn try_get<E>(
        &self,
        key: K,
        make: impl FnOnce() -> Result<Representation, E>,
    ) -> Result<Arc<Representation>, E> {
        let entry = self.entry(key);
        entry.last_used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let mut page = entry.page.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = &*page {
            return Ok(Arc::clone(page));
        }
        match make() {
            Ok(made) => Ok(Arc::clone(page.insert(Arc::new(made)))),
            Err(error) => {
                self.entries.write().unwrap_or_else(PoisonError::into_inner).remove(&key);
                Err(error)
            }
        }
    }

    /// Makes and compresses a page ahead, if it can be made. It stays, whatever else is asked for.
    pub(crate) fn warm<E>(&self, key: K, make: impl FnOnce() -> Result<Representation, E>) {
        self.entry(key).is_permanent.store(true, Ordering::Relaxed);
        if let Ok(page) = self.try_get(key, make) {
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
        Arc::clone(entries.entry(key).or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Barrier;

    use crate::http::caching::Cacheable;
    use crate::http::site::Site;

    use super::*;

    fn page() -> Representation {
        Representation::new(Cacheable::fixed(&Site::new(None), "text/plain"), "content")
    }

    /// Gets a page, and tells whether it had to be made.
    fn is_made(cache: &PageCache<usize>, key: usize) -> bool {
        let made = Cell::new(false);
        cache.get(key, || {
            made.set(true);
            page()
        });
        made.get()
    }

    #[test]
    fn the_least_recently_used_page_makes_room() {
        let cache = PageCache::with_capacity(3);
        assert!([1, 2, 3].into_iter().all(|key| is_made(&cache, key)));
        assert!(!is_made(&cache, 1));
        assert!(is_made(&cache, 4), "2 makes room");
        assert!(![1, 3, 4].into_iter().any(|key| is_made(&cache, key)));
        assert!(is_made(&cache, 2));
    }

    #[test]
    fn a_page_that_is_cached_evicts_none() {
        let cache = PageCache::with_capacity(2);
        for key in [1, 2, 1, 2, 2] {
            is_made(&cache, key);
        }
        assert!(!is_made(&cache, 1) && !is_made(&cache, 2));
    }

    #[test]
    fn a_page_that_was_made_ahead_stays() {
        let cache = PageCache::with_capacity(1);
        cache.warm(0, || Ok::<_, Infallible>(page()));
        assert!((1..10).all(|key| is_made(&cache, key)));
        assert!(!is_made(&cache, 0));
    }

    #[test]
    fn a_page_that_cannot_be_made_is_not_cached() {
        let cache = PageCache::with_capacity(2);
        assert!(cache.try_get(1, || Err(())).is_err());
        assert!(is_made(&cache, 1));
    }

    #[test]
    fn a_page_is_made_once_however_many_ask_for_it() {
        let (cache, barrier, made) = (PageCache::default(), Barrier::new(4), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    barrier.wait();
                    cache.get(1, || {
                        made.fetch_add(1, Ordering::Relaxed);
                        page()
                    });
                });
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }
}
