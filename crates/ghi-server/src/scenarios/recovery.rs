//! Faults that end after a number of requests, which are counted by key.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::scenarios::scenario::Scenario;

/// The maximum number of keys. Beyond it, the oldest is forgotten.
const KEYS_MAX: usize = 10_000;

/// How long a key is remembered after its first request.
const LIFETIME: Duration = Duration::from_secs(600);

/// Counts the requests with each key, oldest first. It stores hashes, so that its size doesn't depend on the keys'
/// lengths.
#[derive(Debug, Default)]
pub(super) struct RecoveryKeys {
    hasher: RandomState,
    counts: Mutex<Vec<KeyCount>>,
}

#[derive(Debug)]
struct KeyCount {
    key: u64,
    first_used: Instant,
    requests: u64,
}

impl RecoveryKeys {
    /// Counts a request with the key of its scenario, or else this key. After `times` requests, only the preferences
    /// that never end remain.
    pub(super) fn limit(&self, scenario: &mut Scenario, path: &str, key: &str, now: Instant) {
        let Some(times) = scenario.number("times") else { return };
        if self.count(path, scenario.get("key").unwrap_or(key), now) > times {
            scenario.values.retain(|(name, _)| matches!(*name, "at" | "handling"));
        }
    }

    /// Returns how many requests for a path had a key, including this one.
    fn count(&self, path: &str, key: &str, now: Instant) -> u64 {
        let key = self.hasher.hash_one((path.strip_suffix('/').unwrap_or(path), key));
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.retain(|count| now.saturating_duration_since(count.first_used) < LIFETIME);
        // Few servers count more than a handful of keys, and searching ten thousand takes a few microseconds.
        let known = counts.iter().position(|count| count.key == key).unwrap_or_else(|| {
            if counts.len() >= KEYS_MAX {
                counts.remove(0);
            }
            counts.push(KeyCount { key, first_used: now, requests: 0 });
            counts.len() - 1
        });
        counts[known].requests += 1;
        counts[known].requests
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_requests_with_a_key_on_a_path_are_counted() {
        let (keys, now) = (RecoveryKeys::default(), Instant::now());
        let count = |path, key| keys.count(path, key, now);
        assert_eq!([(); 4].map(|()| count("/a", "k")), [1, 2, 3, 4]);
        assert_eq!((count("/b", "k"), count("/a", "other")), (1, 1), "another path, another key");
    }

    #[test]
    fn a_key_is_forgotten_ten_minutes_after_its_first_request() {
        let (keys, start) = (RecoveryKeys::default(), Instant::now());
        let count = |later| keys.count("/a", "k", start + later);
        assert_eq!(count(Duration::ZERO), 1);
        assert_eq!(count(LIFETIME - Duration::from_millis(1)), 2);
        assert_eq!(count(LIFETIME), 1);
    }

    #[test]
    fn a_full_table_forgets_its_oldest_key() {
        let (keys, now) = (RecoveryKeys::default(), Instant::now());
        let count = |number: usize| keys.count("/a", &number.to_string(), now) == 1;
        assert!((0..KEYS_MAX).all(count));
        assert!(!count(0), "it is full, but not too full");
        assert!(count(KEYS_MAX));
        assert!(!count(1) && !count(KEYS_MAX), "only the oldest is forgotten");
        assert!(count(0));
        assert_eq!(keys.counts.lock().unwrap().len(), KEYS_MAX);
    }
}
