//! Faults that end after a number of requests. Their keys are the only state that requests leave behind.

use std::collections::VecDeque;
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
    counts: Mutex<VecDeque<KeyCount>>,
}

#[derive(Debug)]
struct KeyCount {
    key: u64,
    first_used: Instant,
    requests: u8,
}

impl RecoveryKeys {
    /// Counts a request with the key of its scenario, or else this key. Returns what remains of the scenario after
    /// enough requests.
    pub(super) fn limit(
        &self,
        scenario: Scenario,
        path: &str,
        key: &str,
        now: Instant,
    ) -> Scenario {
        let Some(times) = scenario.times else { return scenario };
        if self.count(path, scenario.key.as_deref().unwrap_or(key), times, now) {
            return scenario;
        }
        let Scenario { origin, at, is_strict, .. } = scenario;
        Scenario { origin, at, is_strict, ..Scenario::default() }
    }

    /// Counts a request for a path with a key, and returns whether it is among the first `times`.
    fn count(&self, path: &str, key: &str, times: u8, now: Instant) -> bool {
        let path = path.strip_suffix('/').unwrap_or(path);
        let key = self.hasher.hash_one((path, key));
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over =
            |count: &KeyCount| now.saturating_duration_since(count.first_used) >= LIFETIME;
        while counts.front().is_some_and(is_over) {
            counts.pop_front();
        }
        // Few servers count more than a handful of keys, and searching ten thousand takes a few microseconds.
        let known = counts.iter().position(|count| count.key == key).unwrap_or_else(|| {
            if counts.len() >= KEYS_MAX {
                counts.pop_front();
            }
            counts.push_back(KeyCount { key, first_used: now, requests: 0 });
            counts.len() - 1
        });
        let count = &mut counts[known].requests;
        let is_among_first = *count < times;
        *count = count.saturating_add(1);
        is_among_first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_requests_with_a_key_on_a_path_are_counted() {
        let (keys, now) = (RecoveryKeys::default(), Instant::now());
        let count = |path, key| keys.count(path, key, 2, now);
        assert_eq!([(); 4].map(|()| count("/a", "k")), [true, true, false, false]);
        assert!(count("/b", "k") && count("/a", "other"), "another path, another key");
        assert!((0..300).all(|_| !count("/a", "k")), "the counter doesn't overflow");
    }

    #[test]
    fn a_key_is_forgotten_ten_minutes_after_its_first_request() {
        let (keys, start) = (RecoveryKeys::default(), Instant::now());
        assert!(keys.count("/a", "k", 1, start));
        assert!(!keys.count("/a", "k", 1, start + LIFETIME - Duration::from_millis(1)));
        assert!(keys.count("/a", "k", 1, start + LIFETIME));
    }

    #[test]
    fn a_full_table_forgets_its_oldest_key() {
        let (keys, now) = (RecoveryKeys::default(), Instant::now());
        let count = |number: usize| keys.count("/a", &number.to_string(), 1, now);
        assert!((0..KEYS_MAX).all(count));
        assert!(!count(0), "it is full, but not too full");
        assert!(count(KEYS_MAX));
        assert!(!count(1) && !count(KEYS_MAX), "only the oldest is forgotten");
        assert!(count(0));
        assert_eq!(keys.counts.lock().unwrap().len(), KEYS_MAX);
    }
}
