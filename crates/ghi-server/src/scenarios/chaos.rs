//! Chaos: a share of all requests fails, in a reproducible sequence.

use std::sync::atomic::{AtomicU64, Ordering};

use ghi_engine::splitmix64;

use crate::http::problem::Code;
use crate::scenarios::scenario::Failure;

/// The failures, all equally likely. Those that need a body come last.
const FAILURES: [Failure; 5] = [
    Failure::Code(Code::RateLimited),
    Failure::Code(Code::Internal),
    Failure::Code(Code::NoFigures),
    Failure::Truncate,
    Failure::Cut,
];

/// The number of failures that need no body.
const WITHOUT_BODY: usize = 3;

/// Makes a share of requests fail.
#[derive(Debug)]
pub(crate) struct Chaos {
    percent: u64,
    /// The only path with failures, if there is one.
    path: Option<String>,
    /// The number of requests so far.
    requests: AtomicU64,
}

impl Chaos {
    /// Returns chaos that makes this percentage of requests fail, for one path if it is given; or `None` for 0.
    pub(crate) fn new(percent: u8, path: Option<String>) -> Option<Self> {
        (percent > 0).then(|| Self { percent: percent.into(), path, requests: AtomicU64::new(0) })
    }

    /// Returns whether requests for a path of a route may fail.
    pub(crate) fn includes(&self, path: &str, route: &str) -> bool {
        self.path.as_ref().is_none_or(|only| is_path_of(only, path, route))
    }

    /// Returns the failure of the next request, if it fails. It depends on the seed and the number of the
    /// request.
    pub(crate) fn next(&self, seed: u64, has_body: bool) -> Option<Failure> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let drawn = splitmix64(splitmix64(seed) ^ number);
        let kinds = if has_body { FAILURES.len() } else { WITHOUT_BODY };
        (drawn % 100 < self.percent).then(|| FAILURES[(drawn / 100 % kinds as u64) as usize])
    }
}

/// Returns whether the path of a flag, which may be that of a route, includes the path of a request.
pub(super) fn is_path_of(flag: &str, path: &str, route: &str) -> bool {
    flag == path.strip_suffix('/').unwrap_or(path) || flag == route
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(seed: u64, percent: u8, count: usize) -> Vec<Option<Failure>> {
        let chaos = Chaos::new(percent, None).unwrap();
        (0..count).map(|_| chaos.next(seed, true)).collect()
    }

    #[test]
    fn the_given_share_fails_and_all_failures_are_equally_likely() {
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
        assert!(Chaos::new(0, None).is_none());
    }

    #[test]
    fn the_seed_determines_the_sequence() {
        assert_eq!(sequence(1, 20, 1000), sequence(1, 20, 1000));
        assert_ne!(sequence(1, 20, 1000), sequence(2, 20, 1000));
    }

    #[test]
    fn a_response_without_a_body_fails_only_by_its_status() {
        let chaos = Chaos::new(100, None).unwrap();
        let all = (0..1000).filter_map(|_| chaos.next(1, false));
        assert!(all.into_iter().all(|failure| matches!(failure, Failure::Code(_))));
    }
}
