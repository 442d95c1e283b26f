//! Rate limiting, best-effort: per client, per replica, in memory.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::num::NonZeroU32;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use hyper::HeaderMap;
use hyper::header::{HeaderValue, RETRY_AFTER};

/// How many token buckets there are. Clients are hashed onto them, so memory is bounded whatever
/// the number of addresses; two clients rarely share one, and whoever sends from a few thousand
/// addresses is no longer held back by any limit per address.
const BUCKETS: u64 = 1 << 16;

/// How many seconds' worth of requests may come at once.
const BURST_SECONDS: u32 = 2;

/// The header that tells the rule.
const RATE_LIMIT_POLICY: &str = "ratelimit-policy";

/// The header that tells what is left.
const RATE_LIMIT: &str = "ratelimit";

/// Lets each client send so many requests per second.
pub(crate) struct Limiter {
    buckets: RateLimiter<u64, DashMapStateStore<u64>, DefaultClock, StateInformationMiddleware>,
    clock: DefaultClock,
    hasher: RandomState,
    policy: HeaderValue,
}

/// Whether a request may go on, and what its response tells the client.
pub(crate) enum Verdict {
    Free,
    Within { remaining: u32 },
    Exceeded { retry_after_seconds: u64 },
}

impl Limiter {
    pub(crate) fn new(per_second: NonZeroU32) -> Self {
        let burst = per_second.saturating_mul(NonZeroU32::MIN.saturating_add(BURST_SECONDS - 1));
        let quota = Quota::per_second(per_second).allow_burst(burst);
        let policy = format!("\"default\";q={per_second};w=1");
        Self {
            buckets: RateLimiter::dashmap(quota).with_middleware(),
            clock: DefaultClock::default(),
            hasher: RandomState::new(),
            policy: HeaderValue::try_from(policy).expect("digits are visible ASCII"),
        }
    }

    /// Counts a request of a client.
    pub(crate) fn check(&self, client: IpAddr) -> Verdict {
        let bucket = self.hasher.hash_one(network_of(client)) % BUCKETS;
        match self.buckets.check_key(&bucket) {
            Ok(state) => Verdict::Within { remaining: state.remaining_burst_capacity() },
            Err(until) => {
                let wait = until.wait_time_from(self.clock.now());
                Verdict::Exceeded { retry_after_seconds: wait.as_secs() + 1 }
            }
        }
    }

    /// Writes what a verdict tells the client.
    pub(crate) fn tell(&self, verdict: &Verdict, headers: &mut HeaderMap) {
        let (remaining, seconds) = match *verdict {
            Verdict::Free => return,
            Verdict::Within { remaining } => (remaining, 1),
            Verdict::Exceeded { retry_after_seconds } => (0, retry_after_seconds),
        };
        let state = format!("\"default\";r={remaining};t={seconds}");
        let state = HeaderValue::try_from(state).expect("digits are visible ASCII");
        headers.insert(RATE_LIMIT_POLICY, self.policy.clone());
        headers.insert(RATE_LIMIT, state);
        if let Verdict::Exceeded { retry_after_seconds } = *verdict {
            headers.insert(RETRY_AFTER, HeaderValue::from(retry_after_seconds));
        }
    }
}

/// What counts as one client: an IPv4 address, or the /64 that one IPv6 subscriber gets.
fn network_of(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits() >> 64 << 64,
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    fn limiter(per_second: u32) -> Limiter {
        Limiter::new(NonZeroU32::new(per_second).unwrap())
    }

    fn refused(limiter: &Limiter, client: IpAddr) -> bool {
        matches!(limiter.check(client), Verdict::Exceeded { .. })
    }

    #[test]
    fn a_million_addresses_take_bounded_memory() {
        let limiter = limiter(100);
        for address in 0..1_000_000 {
            limiter.check(Ipv4Addr::from_bits(0x0b00_0000 + address).into());
        }
        assert!(limiter.buckets.len() <= BUCKETS as usize);
    }

    #[test]
    fn a_client_may_burst_and_is_refused_after() {
        let limiter = limiter(1);
        let client: IpAddr = "203.0.113.7".parse().unwrap();
        assert!(!refused(&limiter, client) && !refused(&limiter, client));
        assert!(refused(&limiter, client));
        assert!(!refused(&limiter, "203.0.113.8".parse().unwrap()));
    }

    #[test]
    fn ipv6_counts_by_64() {
        let limiter = limiter(1);
        let address =
            |low: u64| IpAddr::from(Ipv6Addr::from_bits((0x2001_0db8 << 96) + u128::from(low)));
        assert!(!refused(&limiter, address(1)) && !refused(&limiter, address(2)));
        assert!(refused(&limiter, address(3)));
    }
}
