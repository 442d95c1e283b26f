//! The identity of a client for limits.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;

/// An IPv4 address, or the /64 that one IPv6 subscriber gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientKey(u128);

impl From<IpAddr> for ClientKey {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(u128::from(address.to_bits())),
            IpAddr::V6(address) => Self(address.to_bits() >> 64 << 64),
        }
    }
}

/// Hashes clients into a fixed number of buckets, so that memory use doesn't grow with the number of
/// addresses. Clients rarely share a bucket, and a client cannot choose its bucket.
#[derive(Debug, Default)]
pub(crate) struct ClientBuckets(RandomState);

impl ClientBuckets {
    /// The number of buckets.
    pub(crate) const COUNT: u64 = 1 << 16;

    pub(crate) fn bucket(&self, client: ClientKey) -> u64 {
        self.0.hash_one(client) % Self::COUNT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how many different clients some addresses count as.
    fn clients(addresses: &[&str]) -> usize {
        let keys = addresses.iter().map(|text| ClientKey::from(text.parse::<IpAddr>().unwrap()));
        keys.collect::<std::collections::HashSet<_>>().len()
    }

    #[test]
    fn ipv6_clients_are_identified_by_their_64_prefix() {
        let same = ["2001:db8:1:2::", "2001:db8:1:2:8000::", "2001:db8:1:2::1", "2001:db8:1:2:3::"];
        assert_eq!(clients(&same), 1, "one subscriber owns a whole /64");
        let others = ["2001:db8:1:2::", "2001:db8:1:3::", "2001:db8:1:8000::", "2001:db8:2:2::"];
        assert_eq!(clients(&others), 4, "neighbours each have their own /64");
        assert_eq!(clients(&["203.0.113.7", "203.0.113.8"]), 2);
        assert_eq!(clients(&["203.0.113.7", "::ffff:203.0.113.7"]), 1);
    }
}
