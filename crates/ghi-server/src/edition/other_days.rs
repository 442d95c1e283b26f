//! Days requested with `Prefer: at=`: how many are rendered per second, and how many are cached.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::Arc;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DashMapStateStore;
use governor::state::{InMemoryState, NotKeyed};
use governor::{NotUntil, Quota, RateLimiter};

use crate::clock::Moment;
use crate::edition::daily_edition::Edition;
use crate::net::{ClientBuckets, ClientKey};

/// How many region-days may be rendered per second. With their snapshots, they take a fifth of a core.
const REGION_DAYS_PER_SECOND: NonZeroU32 = NonZeroU32::new(50_000).expect("it is not zero");

/// How many of these one client may use.
const PER_CLIENT: NonZeroU32 = NonZeroU32::new(12_500).expect("it is not zero");

/// A day counts as at least this many region-days (one region on one day), so that at most 500 days per second
/// are rendered, however few regions there are.
const COST_MIN: usize = 100;

/// How many region-days are cached. With all their documents, they take about 70 MB.
const CACHED_REGION_DAYS: usize = 20_000;

/// The maximum number of cached days.
const CACHED_DAYS: usize = 32;

/// The error for too many requested days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyDays {
    pub(crate) retry_after_seconds: u64,
}

/// Limits how many days are rendered, in total and per client.
pub(super) struct DayLimit<C: Clock = DefaultClock> {
    total: RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<C::Instant>>,
    by_client: RateLimiter<u64, DashMapStateStore<u64>, C, NoOpMiddleware<C::Instant>>,
    clients: ClientBuckets,
    clock: C,
}

impl Default for DayLimit {
    fn default() -> Self {
        Self::with_clock(DefaultClock::default())
    }
}

impl<C: Clock + Clone> DayLimit<C> {
    fn with_clock(clock: C) -> Self {
        let [total, per_client] = [REGION_DAYS_PER_SECOND, PER_CLIENT].map(Quota::per_second);
        Self {
            total: RateLimiter::direct_with_clock(total, clock.clone()),
            by_client: RateLimiter::dashmap_with_clock(per_client, clock.clone()),
            clients: ClientBuckets::default(),
            clock,
        }
    }

    /// Counts a day with this many regions. Without a client, only the total limit applies.
    pub(super) fn check(
        &self,
        regions: usize,
        client: Option<ClientKey>,
    ) -> Result<(), TooManyDays> {
        let cost = u32::try_from(regions.max(COST_MIN)).unwrap_or(u32::MAX);
        let cost = NonZeroU32::new(cost).unwrap_or(NonZeroU32::MIN).min(PER_CLIENT);
        let refused = |until: NotUntil<C::Instant>| {
            let wait = until.wait_time_from(self.clock.now());
            TooManyDays { retry_after_seconds: wait.as_secs() + 1 }
        };
        // The cost never exceeds the limit per second, so the capacity is always sufficient.
        if let Some(client) = client {
            let bucket = self.clients.bucket(client);
            self.by_client.check_key_n(&bucket, cost).unwrap_or(Ok(())).map_err(refused)?;
        }
        self.total.check_n(cost).unwrap_or(Ok(())).map_err(refused)
    }
}

/// The most recently rendered days, oldest first.
#[derive(Debug, Default)]
pub(super) struct OtherDayCache(VecDeque<Arc<Edition>>);

impl OtherDayCache {
    pub(super) fn find(&self, moment: Moment) -> Option<&Arc<Edition>> {
        self.0.iter().find(|edition| edition.day() == moment.day())
    }

    /// Caches a day, and returns the days that were evicted.
    pub(super) fn add(&mut self, edition: Arc<Edition>, regions: usize) -> Vec<Arc<Edition>> {
        let room = (CACHED_REGION_DAYS / regions.max(1)).clamp(1, CACHED_DAYS);
        let excess = (self.0.len() + 1).saturating_sub(room);
        let removed = self.0.drain(..excess).collect();
        self.0.push_back(edition);
        removed
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    use governor::clock::FakeRelativeClock;

    use super::*;

    impl OtherDayCache {
        pub(in crate::edition) fn days(&self) -> Vec<u32> {
            self.0.iter().map(|edition| edition.day()).collect()
        }
    }

    fn client(last: u8) -> Option<ClientKey> {
        Some(IpAddr::V4(Ipv4Addr::new(203, 0, 113, last)).into())
    }

    /// Returns how many days with this many regions a client gets at once.
    fn at_once(
        limit: &DayLimit<FakeRelativeClock>,
        regions: usize,
        client: Option<ClientKey>,
    ) -> usize {
        (0..1000).take_while(|_| limit.check(regions, client).is_ok()).count()
    }

    #[test]
    fn more_regions_mean_fewer_days() {
        let limit = || DayLimit::with_clock(FakeRelativeClock::default());
        assert_eq!(at_once(&limit(), 3, None), 500);
        assert_eq!(at_once(&limit(), 10_000, None), 5);
        assert_eq!(at_once(&limit(), 10_000, client(1)), 1);
    }

    #[test]
    fn one_client_cannot_use_up_all_days() {
        let limit = DayLimit::with_clock(FakeRelativeClock::default());
        assert_eq!(at_once(&limit, 3, client(1)), 125);
        assert_eq!(at_once(&limit, 3, client(2)), 125);
        let until_later = limit.check(3, client(1));
        assert_eq!(until_later, Err(TooManyDays { retry_after_seconds: 1 }));
        limit.clock.advance(Duration::from_secs(1));
        assert!(limit.check(3, client(1)).is_ok());
    }
}
