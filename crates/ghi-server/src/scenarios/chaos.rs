//! Chaos: a share of all requests fails, in a sequence that can be repeated.

use std::sync::atomic::{AtomicU64, Ordering};

use ghi_engine::splitmix64;

use crate::http::problem::Code;
use crate::scenarios::scenario::Failure;

/// How requests fail, each as often as another. Those that need a body come last.
const FAILURES: [Failure; 5] = [
    Failure::Code(Code::RateLimited),
    Failure::Code(Code::Internal),
    Failure::Code(Code::NoFigures),
    Failure::Truncate,
    Failure::Cut,
];

/// How many of them need no body.
const WITHOUT_BODY: usize = 3;

/// Makes a share of requests fail.
#[derive(Debug)]
pub(crate) struct Chaos {
    percent: u64,
    /// How many requests there have been.
    requests: AtomicU64,
}

impl Chaos {
    /// Chaos that makes so many of a hundred requests fail; none for 0.
    pub(crate) fn new(percent: u8) -> Option<Self> {
        (percent > 0).then(|| Self { percent: percent.into(), requests: AtomicU64::new(0) })
    }

    /// How the next request fails, if it does: as the seed and its number have it.
    pub(crate) fn next(&self, seed: u64, has_body: bool) -> Option<Failure> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let drawn = splitmix64(splitmix64(seed) ^ number);
        let kinds = if has_body { FAILURES.len() } else { WITHOUT_BODY };
        (drawn % 100 < self.percent).then(|| FAILURES[(drawn / 100 % kinds as u64) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(seed: u64, percent: u8, count: usize) -> Vec<Option<Failure>> {
        let chaos = Chaos::new(percent).unwrap();
        (0..count).map(|_| chaos.next(seed, true)).collect()
    }

    #[test]
    fn the_share_fails_each_kind_as_often_as_another() {
        for (percent, seed) in [(20, 1), (20, 20_240_420), (1, 7), (50, 7)] {
            let drawn = sequence(seed, percent, 100_000);
            let count = |kind| drawn.iter().filter(|failure| **failure == Some(kind)).count();
            let counts = FAILURES.map(count);
            let expected = usize::from(percent) * 1000 / FAILURES.len();
            for count in counts {
                assert!(count.abs_diff(expected) * 10 < expected.max(500), "{percent}: {counts:?}");
            }
        }
        assert!(sequence(1, 100, 1000).iter().all(Option::is_some));
        assert!(Chaos::new(0).is_none());
    }

    #[test]
    fn the_seed_fixes_the_sequence() {
        assert_eq!(sequence(1, 20, 1000), sequence(1, 20, 1000));
        assert_ne!(sequence(1, 20, 1000), sequence(2, 20, 1000));
    }

    #[test]
    fn what_has_no_body_fails_by_its_status() {
        let chaos = Chaos::new(100).unwrap();
        let all = (0..1000).filter_map(|_| chaos.next(1, false));
        assert!(all.into_iter().all(|failure| matches!(failure, Failure::Code(_))));
    }
}
