//! Days that requests ask for with `Prefer: at=`: how many are rendered a second, and how many are
//! cached.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::Arc;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use crate::clock::Moment;
use crate::edition::daily_edition::Edition;

/// How many regions' days may be rendered a second, which takes a fifth of a core with their
/// snapshots.
const REGION_DAYS_PER_SECOND: NonZeroU32 = NonZeroU32::new(50_000).expect("it is not zero");

/// What a day costs of that at least: 500 days a second of a few regions.
const COST_MIN: usize = 100;

/// How many regions' days are cached, which take about 70 MB with all their documents.
const CACHED_REGION_DAYS: usize = 20_000;

/// How many days are cached at most.
const CACHED_DAYS: usize = 32;

/// Too many days were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyDays {
    pub(crate) retry_after_seconds: u64,
}

/// Bounds how many days are rendered.
#[derive(Debug)]
pub(super) struct VisitLimit(DefaultDirectRateLimiter);

impl Default for VisitLimit {
    fn default() -> Self {
        Self(RateLimiter::direct(Quota::per_second(REGION_DAYS_PER_SECOND)))
    }
}

impl VisitLimit {
    /// Counts a day of so many regions.
    pub(super) fn check(&self, regions: usize) -> Result<(), TooManyDays> {
        let cost = u32::try_from(regions.max(COST_MIN)).unwrap_or(u32::MAX);
        let cost = NonZeroU32::new(cost).unwrap_or(NonZeroU32::MIN).min(REGION_DAYS_PER_SECOND);
        match self.0.check_n(cost) {
            Ok(Err(until)) => {
                let wait = until.wait_time_from(DefaultClock::default().now());
                Err(TooManyDays { retry_after_seconds: wait.as_secs() + 1 })
            }
            // The cost is within what a second has.
            Ok(Ok(())) | Err(_) => Ok(()),
        }
    }
}

/// The days that were rendered last, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Visited(VecDeque<Arc<Edition>>);

impl Visited {
    pub(super) fn find(&self, moment: Moment) -> Option<&Arc<Edition>> {
        self.0.iter().find(|edition| edition.day() == moment.day())
    }

    /// Caches a day, and returns those that made room for it.
    pub(super) fn add(&mut self, edition: Arc<Edition>, regions: usize) -> Vec<Arc<Edition>> {
        let room = (CACHED_REGION_DAYS / regions.max(1)).clamp(1, CACHED_DAYS);
        let excess = (self.0.len() + 1).saturating_sub(room);
        let removed = self.0.drain(..excess).collect();
        self.0.push_back(edition);
        removed
    }

    #[cfg(test)]
    pub(super) fn days(&self) -> Vec<u32> {
        self.0.iter().map(|edition| edition.day()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many days of so many regions are rendered at once.
    fn at_once(regions: usize) -> usize {
        let limit = VisitLimit::default();
        (0..1000).take_while(|_| limit.check(regions).is_ok()).count()
    }

    #[test]
    fn the_more_regions_the_fewer_days() {
        // Some come back while the others are counted.
        assert!((500..550).contains(&at_once(3)));
        assert!((5..7).contains(&at_once(10_000)));
        let limit = VisitLimit::default();
        while limit.check(10_000).is_ok() {}
        assert_eq!(limit.check(10_000), Err(TooManyDays { retry_after_seconds: 1 }));
    }
}
