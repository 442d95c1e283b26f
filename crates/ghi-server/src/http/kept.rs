//! What is made on demand, and kept.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use crate::http::caching::Representation;

/// The most that is kept. What is asked for beyond that is made each time.
const KEPT_MAX: usize = 256;

/// Representations that were asked for, by what they are of.
#[derive(Debug)]
pub(crate) struct Kept<K>(RwLock<HashMap<K, Arc<Representation>>>);

impl<K> Default for Kept<K> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Eq + Hash> Kept<K> {
    /// What is kept, or is made now.
    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> Representation) -> Arc<Representation> {
        let kept = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.get(&key) {
            return Arc::clone(kept);
        }
        drop(kept);
        // Without the lock, so that nobody waits who asks for something else.
        let made = Arc::new(make());
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT_MAX {
            kept.insert(key, Arc::clone(&made));
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use crate::http::caching::Cacheable;
    use crate::http::site::Site;

    use super::*;

    #[test]
    fn so_much_is_kept_and_made_once_and_no_more() {
        let headers = Arc::new(Cacheable::fixed(&Site::new(None), "text/plain"));
        let kept = Kept::default();
        let get = |key: usize| {
            let mut is_made = false;
            kept.get(key, || {
                is_made = true;
                Representation::new(Arc::clone(&headers), "content")
            });
            is_made
        };
        assert!((0..KEPT_MAX).all(get));
        assert!(!(0..KEPT_MAX).any(get));
        assert!(get(KEPT_MAX) && get(KEPT_MAX));
    }
}
