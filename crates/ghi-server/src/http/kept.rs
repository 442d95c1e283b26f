//! What is made on demand, and kept.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use crate::http::caching::Representation;

/// The most that is kept because it was asked for, as a rule. Beyond that, one makes room for another.
const KEPT_MAX: usize = 256;

/// Representations by what they are of: those that were prepared, and those that were asked for.
#[derive(Debug)]
pub(crate) struct Kept<K> {
    /// How many of those that were asked for.
    room: usize,
    prepared: RwLock<HashMap<K, Arc<Representation>>>,
    asked_for: RwLock<HashMap<K, Arc<Representation>>>,
}

impl<K> Default for Kept<K> {
    fn default() -> Self {
        Self::with_room_for(KEPT_MAX)
    }
}

impl<K> Kept<K> {
    /// Keeps no more than this of what is asked for.
    pub(crate) fn with_room_for(room: usize) -> Self {
        Self { room, prepared: RwLock::default(), asked_for: RwLock::default() }
    }
}

impl<K: Copy + Eq + Hash> Kept<K> {
    /// What is kept, or is made now.
    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> Representation) -> Arc<Representation> {
        let Ok(kept) = self.try_get(key, || Ok::<_, Infallible>(make()));
        kept
    }

    /// What is kept, or is made now if it can be.
    pub(crate) fn try_get<E>(
        &self,
        key: K,
        make: impl FnOnce() -> Result<Representation, E>,
    ) -> Result<Arc<Representation>, E> {
        for kept in [&self.prepared, &self.asked_for] {
            let kept = kept.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(kept) = kept.get(&key) {
                return Ok(Arc::clone(kept));
            }
        }
        // Without the lock, so that nobody waits who asks for something else.
        let made = Arc::new(make()?);
        let mut kept = self.asked_for.write().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= self.room
            && let Some(any) = kept.keys().next().copied()
        {
            kept.remove(&any);
        }
        kept.insert(key, Arc::clone(&made));
        Ok(made)
    }

    /// Makes and compresses what nobody shall wait for, whatever others ask for, if it can be made.
    pub(crate) fn prepare<E>(&self, key: K, make: impl FnOnce() -> Result<Representation, E>) {
        let Ok(made) = self.try_get(key, make) else { return };
        made.compress();
        self.prepared.write().unwrap_or_else(PoisonError::into_inner).insert(key, made);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use crate::http::caching::Cacheable;
    use crate::http::site::Site;

    use super::*;

    #[test]
    fn so_much_is_kept_and_what_is_prepared_stays() {
        let headers = Arc::new(Cacheable::fixed(&Site::new(None), "text/plain"));
        let kept = Kept::default();
        let made = Cell::new(0);
        let make = || {
            made.set(made.get() + 1);
            Representation::new(Arc::clone(&headers), "content")
        };
        kept.prepare(usize::MAX, || Ok::<_, Infallible>(make()));
        for key in (0..KEPT_MAX - 1).chain(0..KEPT_MAX - 1) {
            kept.get(key, make);
        }
        assert_eq!(made.replace(0), KEPT_MAX, "each is made once");
        for key in KEPT_MAX..3 * KEPT_MAX {
            kept.get(key, make);
            assert!(kept.asked_for.read().unwrap().len() <= KEPT_MAX);
        }
        made.set(0);
        kept.get(usize::MAX, make);
        assert_eq!(made.get(), 0, "what was prepared is still there");
    }
}
