//! Faults that end after a number of requests. Their keys are the only state that requests leave behind.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::scenarios::scenario::Scenario;

/// The maximum number of keys. Beyond it, the oldest is forgotten.
const KEYS_MAX: usize = 10_000;

/// How long a key is remembered after its first request.
const LIFETIME: Duration = Duration::from_secs(600);

/// Counts the requests with each key. It stores hashes, so that its size doesn't depend on the keys' lengths.
#[derive(Debug, Default)]
pub(super) struct RecoveryKeys {
    hasher: RandomState,
    counted: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    requests: HashMap<u64, u8>,
    /// The keys and when they were first used, oldest first.
    keys: VecDeque<(u64, Instant)>,
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
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let Counted { requests, keys } = &mut *counted;
        let is_over = |first_used: Instant| now.saturating_duration_since(first_used) >= LIFETIME;
        while keys.front().is_some_and(|(_, first_used)| is_over(*first_used)) {
            keys.pop_front().map(|(key, _)| requests.remove(&key));
        }
        if !requests.contains_key(&key) {
            if keys.len() >= KEYS_MAX {
                keys.pop_front().map(|(key, _)| requests.remove(&key));
            }
            keys.push_back((key, now));
        }
        let before = requests.entry(key).or_default();
        let is_among_first = *before < times;
        *before = before.saturating_add(1);
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
        assert!((KEYS_MAX..100_000).all(|number| number == KEYS_MAX || count(number)));
        let counted = keys.counted.lock().unwrap();
        assert_eq!((counted.requests.len(), counted.keys.len()), (KEYS_MAX, KEYS_MAX));
    }
}
