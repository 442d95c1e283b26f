//! How many days may be rendered for `Prefer: at=` and `figures=`, in total and per client.

use std::num::NonZeroU32;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DashMapStateStore;
use governor::state::{InMemoryState, NotKeyed};
use governor::{NotUntil, Quota, RateLimiter};

use crate::net::{ClientBuckets, ClientKey};

/// How many days may be rendered per second, in total and for one client. With the most regions, they take a seventh of
/// a core.
const DAYS_PER_SECOND: NonZeroU32 = NonZeroU32::new(500).expect("it is not zero");
const PER_CLIENT: NonZeroU32 = NonZeroU32::new(125).expect("it is not zero");

/// How many seconds' worth of days may be rendered at once: at least a year for one client.
const BURST_SECONDS: NonZeroU32 = NonZeroU32::new(3).expect("it is not zero");

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
        let quota = |days: NonZeroU32| {
            Quota::per_second(days).allow_burst(days.saturating_mul(BURST_SECONDS))
        };
        let [total, per_client] = [DAYS_PER_SECOND, PER_CLIENT].map(quota);
        Self {
            total: RateLimiter::direct_with_clock(total, clock.clone()),
            by_client: RateLimiter::dashmap_with_clock(per_client, clock.clone()),
            clients: ClientBuckets::default(),
            clock,
        }
    }

    /// Counts days. More than a client may render at once count as that many. Without a client, only the total
    /// limit applies. Fails with the number of seconds to wait.
    pub(super) fn check(&self, days: u32, client: Option<ClientKey>) -> Result<(), u64> {
        let cost = NonZeroU32::new(days).unwrap_or(NonZeroU32::MIN);
        let cost = cost.min(PER_CLIENT.saturating_mul(BURST_SECONDS));
        let refused =
            |until: NotUntil<C::Instant>| until.wait_time_from(self.clock.now()).as_secs() + 1;
        // The cost never exceeds a burst, so the capacity is always sufficient.
        if let Some(client) = client {
            let bucket = self.clients.bucket(client);
            self.by_client.check_key_n(&bucket, cost).unwrap_or(Ok(())).map_err(refused)?;
        }
        self.total.check_n(cost).unwrap_or(Ok(())).map_err(refused)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    use governor::clock::FakeRelativeClock;

    use super::*;

    fn client(last: u8) -> Option<ClientKey> {
        Some(IpAddr::V4(Ipv4Addr::new(203, 0, 113, last)).into())
    }

    /// Returns how many requests that draw this many days a client may send at once.
    fn at_once(limit: &DayLimit<FakeRelativeClock>, days: u32, client: Option<ClientKey>) -> usize {
        (0..2000).take_while(|_| limit.check(days, client).is_ok()).count()
    }

    #[test]
    fn a_request_is_charged_by_the_days_it_draws() {
        let limit = || DayLimit::with_clock(FakeRelativeClock::default());
        assert_eq!(at_once(&limit(), 1, None), 1500);
        assert_eq!(at_once(&limit(), 365, client(1)), 1);
        assert_eq!(at_once(&limit(), 30, client(1)), 12);
        let limit = limit();
        assert_eq!(at_once(&limit, 11_000, client(1)), 1, "more than a burst is still possible");
        limit.clock.advance(Duration::from_secs(2));
        assert!(
            limit.check(365, client(1)).is_err(),
            "a year takes a client's days of three seconds"
        );
        limit.clock.advance(Duration::from_secs(1));
        assert!(limit.check(365, client(1)).is_ok());
    }

    #[test]
    fn one_client_cannot_use_up_all_days() {
        let limit = DayLimit::with_clock(FakeRelativeClock::default());
        assert_eq!(at_once(&limit, 1, client(1)), 375);
        assert_eq!(at_once(&limit, 1, client(2)), 375);
        let until_later = limit.check(1, client(1));
        assert_eq!(until_later, Err(1));
        limit.clock.advance(Duration::from_secs(1));
        assert!(limit.check(1, client(1)).is_ok());
    }
}
