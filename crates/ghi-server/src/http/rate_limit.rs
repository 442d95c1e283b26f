//! Rate limiting: best effort, per client, in the memory of each replica.

use std::num::NonZeroU32;

use governor::RateLimiter;
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DashMapStateStore;
use hyper::HeaderMap;
use hyper::header::HeaderValue;

use crate::net::{ClientBuckets, ClientKey};

/// How many seconds' worth of requests may arrive at once.
const BURST_SECONDS: NonZeroU32 = NonZeroU32::new(2).expect("2 is not zero");

/// Limits how many requests each client may send per second.
pub(crate) struct Limiter<C: Clock = DefaultClock> {
    buckets: RateLimiter<u64, DashMapStateStore<u64>, C, StateInformationMiddleware>,
    clients: ClientBuckets,
    policy: HeaderValue,
}

/// The state of a client's rate limit after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quota {
    Unlimited,
    Within { remaining: u32 },
    Exceeded { retry_after_seconds: u64 },
}

impl Limiter {
    pub(crate) fn new(per_second: NonZeroU32) -> Self {
        Self::with_clock(per_second, DefaultClock::default())
    }
}

impl<C: Clock> Limiter<C> {
    fn with_clock(per_second: NonZeroU32, clock: C) -> Self {
        let burst = per_second.saturating_mul(BURST_SECONDS);
        let quota = governor::Quota::per_second(per_second).allow_burst(burst);
        let policy = format!("\"default\";q={per_second};w=1");
        Self {
            buckets: RateLimiter::dashmap_with_clock(quota, clock).with_middleware(),
            clients: ClientBuckets::default(),
            policy: HeaderValue::try_from(policy).expect("digits are visible ASCII"),
        }
    }

    /// Counts a request from a client.
    pub(crate) fn check(&self, client: ClientKey) -> Quota {
        match self.buckets.check_key(&self.clients.bucket(client)) {
            Ok(state) => Quota::Within { remaining: state.remaining_burst_capacity() },
            Err(until) => {
                let wait = until.wait_time_from(self.buckets.clock().now());
                Quota::Exceeded { retry_after_seconds: wait.as_secs() + 1 }
            }
        }
    }

    /// Sets the headers that tell a client its quota.
    pub(crate) fn write_headers(&self, quota: Quota, headers: &mut HeaderMap) {
        let (remaining, seconds) = match quota {
            Quota::Unlimited => return,
            Quota::Within { remaining } => (remaining, 1),
            Quota::Exceeded { retry_after_seconds } => (0, retry_after_seconds),
        };
        let state = format!("\"default\";r={remaining};t={seconds}");
        let state = HeaderValue::try_from(state).expect("digits are visible ASCII");
        headers.insert("ratelimit-policy", self.policy.clone());
        headers.insert("ratelimit", state);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    use governor::clock::FakeRelativeClock;

    use super::*;

    fn limiter(per_second: u32) -> Limiter<FakeRelativeClock> {
        let per_second = NonZeroU32::new(per_second).unwrap();
        Limiter::with_clock(per_second, FakeRelativeClock::default())
    }

    /// Counts a request from an address.
    fn check(limiter: &Limiter<FakeRelativeClock>, client: &str) -> Quota {
        limiter.check(client.parse::<IpAddr>().unwrap().into())
    }

    const REFUSED: Quota = Quota::Exceeded { retry_after_seconds: 1 };

    fn within(remaining: u32) -> Quota {
        Quota::Within { remaining }
    }

    #[test]
    fn a_million_addresses_take_bounded_memory() {
        let limiter = limiter(100);
        for address in 0..1_000_000 {
            limiter.check(IpAddr::V4(Ipv4Addr::from_bits(0x0b00_0000 + address)).into());
        }
        assert!(limiter.buckets.len() <= ClientBuckets::COUNT as usize);
    }

    #[test]
    fn a_client_may_send_two_seconds_worth_at_once_and_is_then_limited_to_the_rate() {
        let limiter = limiter(2);
        let client = "203.0.113.7";
        for remaining in [3, 2, 1, 0] {
            assert_eq!(check(&limiter, client), within(remaining));
        }
        assert_eq!(check(&limiter, client), REFUSED);
        assert_eq!(check(&limiter, "203.0.113.8"), within(3), "another client has its own bucket");
        limiter.buckets.clock().advance(Duration::from_millis(499));
        assert_eq!(check(&limiter, client), REFUSED);
        limiter.buckets.clock().advance(Duration::from_millis(1));
        assert_eq!([(); 2].map(|()| check(&limiter, client)), [within(0), REFUSED]);
        limiter.buckets.clock().advance(Duration::from_secs(60));
        assert_eq!(
            check(&limiter, client),
            within(3),
            "idle time does not add up beyond the burst"
        );
    }
}
