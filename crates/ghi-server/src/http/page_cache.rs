//! A cache of documents, pages and files that are rendered on demand.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use crate::http::caching::Representation;

/// Representations by key. When the cache is full, it starts again, empty.
#[derive(Debug)]
pub(crate) struct PageCache<K> {
    capacity: usize,
    pages: RwLock<HashMap<K, CachedPage>>,
}

#[derive(Debug)]
struct CachedPage {
    version: String,
    page: Arc<Representation>,
}

impl<K: Eq + Hash> PageCache<K> {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { capacity, pages: RwLock::default() }
    }

    /// Returns the cached page if it has this version, or renders it.
    pub(crate) fn get<E>(
        &self,
        key: K,
        version: &str,
        render: impl FnOnce() -> Result<Representation, E>,
    ) -> Result<Arc<Representation>, E> {
        let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = pages.get(&key).filter(|cached| cached.version == version) {
            return Ok(Arc::clone(&cached.page));
        }
        drop(pages);
        // Without the lock: two requests may render the same page, but none waits for another.
        let page = Arc::new(render()?);
        let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        if pages.len() >= self.capacity {
            pages.clear();
        }
        pages.insert(key, CachedPage { version: version.into(), page: Arc::clone(&page) });
        Ok(page)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use crate::http::caching::fixed_headers;
    use crate::http::site::Site;

    use super::*;

    fn page() -> Result<Representation, Infallible> {
        Ok(Representation::new(fixed_headers(&Site::new(None), "text/plain"), "content"))
    }

    /// Gets a page and returns whether it had to be rendered.
    fn is_rendered(cache: &PageCache<usize>, key: usize, version: &str) -> bool {
        let rendered = Cell::new(false);
        let Ok(_) = cache.get(key, version, || {
            rendered.set(true);
            page()
        });
        rendered.get()
    }

    #[test]
    fn a_page_is_rendered_once_for_each_version() {
        let cache = PageCache::with_capacity(2);
        assert!(is_rendered(&cache, 1, "") && !is_rendered(&cache, 1, ""));
        assert!(is_rendered(&cache, 1, "later") && !is_rendered(&cache, 1, "later"));
    }

    #[test]
    fn a_full_cache_starts_again() {
        let cache = PageCache::with_capacity(2);
        assert!([1, 2].into_iter().all(|key| is_rendered(&cache, key, "")));
        assert!(![1, 2].into_iter().any(|key| is_rendered(&cache, key, "")));
        assert!(is_rendered(&cache, 3, ""), "1 and 2 are dropped");
        assert!(is_rendered(&cache, 1, "") && !is_rendered(&cache, 3, ""));
    }

    #[test]
    fn a_failed_render_is_not_cached() {
        let cache = PageCache::with_capacity(2);
        assert!(cache.get(1, "", || Err(())).is_err());
        assert!(is_rendered(&cache, 1, ""));
    }

    #[test]
    fn no_lock_is_held_while_a_page_is_rendered() {
        let cache = PageCache::with_capacity(2);
        let Ok(_) = cache.get(1, "", || cache.get(1, "", page).and_then(|_| page()));
    }
}
