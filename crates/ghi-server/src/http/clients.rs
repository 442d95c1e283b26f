//! The client of a request: its address, which is the peer's or the one that a trusted proxy forwarded, and its rate limit,
//! which each replica counts in memory.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;

use governor::RateLimiter;
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DashMapStateStore;
use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderName, HeaderValue};
use ipnet::{IpNet, Ipv4Net};

use crate::http::lists::{elements, name_and_value, split_unquoted};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

pub(crate) fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|network| network.contains(&address))
}

/// Converts a network of IPv4-mapped addresses to IPv4: `::ffff:10.0.0.0/104` becomes `10.0.0.0/8`, as a peer's
/// address does.
pub(crate) fn canonical(network: IpNet) -> IpNet {
    let IpNet::V6(mapped) = network else { return network };
    let (address, length) = (mapped.addr().to_ipv4_mapped(), mapped.prefix_len().checked_sub(96));
    let ipv4 = address.zip(length).and_then(|(address, length)| Ipv4Net::new(address, length).ok());
    ipv4.map_or(network, IpNet::V4)
}

/// Returns the client's address. Each proxy appends the address of its own peer, so the client is the last address that
/// is not a trusted proxy; the client may have made up anything before it. If that address is unreadable, the proxy
/// counts as the client, so that no client can pose as another.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    if !is_trusted(peer, trusted) {
        return peer;
    }
    let lines = headers.get_all(X_FORWARDED_FOR).iter();
    let x_forwarded_for = lines
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .filter(|element| !element.is_empty())
        .map(|element| address(str::from_utf8(element).ok()?))
        .collect();
    let forwarded = elements(headers, FORWARDED)
        .filter(|element| !element.is_empty())
        .map(address_of_forwarded)
        .collect();
    let chains: [Vec<Option<IpAddr>>; 2] = [x_forwarded_for, forwarded];
    let sent = chains.iter().filter(|chain| !chain.is_empty());
    let mut clients = sent.map(|chain| last_untrusted(peer, chain, trusted));
    let client = clients.next().unwrap_or(peer);
    // The proxy wrote one of the two headers and may have passed on the other as the client sent it.
    if clients.all(|other| other == client) { client } else { peer }
}

/// Follows a chain of addresses from the right until one is not a trusted proxy. An unreadable address ends the
/// chain: nothing before it can be trusted.
fn last_untrusted(peer: IpAddr, chain: &[Option<IpAddr>], trusted: &[IpNet]) -> IpAddr {
    let mut client = peer;
    for hop in chain.iter().rev().map_while(|address| *address) {
        if !is_trusted(client, trusted) {
            break;
        }
        client = hop;
    }
    client
}

fn address(element: &str) -> Option<IpAddr> {
    let with_port = || element.parse().map(|with_port: SocketAddr| with_port.ip());
    element.parse().or_else(|_| with_port()).ok().map(|address: IpAddr| address.to_canonical())
}

/// The address in an RFC 7239 element such as `for="[2001:db8::1]:47011";proto=https`. `None` if any of its parameters
/// is malformed: if the client left a quote open, the text that the proxy appended is inside that quote.
fn address_of_forwarded(element: &str) -> Option<IpAddr> {
    let mut found = None;
    for parameter in split_unquoted(element, ';') {
        let (name, Some(node)) = name_and_value(parameter) else { return None };
        if name.eq_ignore_ascii_case("for") && found.replace(node).is_some() {
            return None;
        }
    }
    let node = found?;
    let without_brackets = node.strip_prefix('[').and_then(|node| node.strip_suffix(']'));
    address(without_brackets.unwrap_or(&node))
}

/// Limits how many requests, or other uses of a resource, each client has per second.
pub(crate) struct Limiter<C: Clock = DefaultClock> {
    buckets: RateLimiter<u64, DashMapStateStore<u64>, C, StateInformationMiddleware>,
    /// How many are possible at once.
    pub(crate) burst: NonZeroU32,
    policy: HeaderValue,
}

/// How many more a client may send at once, or else how many seconds it has to wait for the next.
pub(crate) type Quota = Result<u32, u64>;

impl<C: Clock + Default> Limiter<C> {
    /// Creates a limit which allows at once what it allows in this many seconds.
    pub(crate) fn new(per_second: NonZeroU32, burst_seconds: NonZeroU32) -> Self {
        let burst = per_second.saturating_mul(burst_seconds);
        let quota = governor::Quota::per_second(per_second).allow_burst(burst);
        let policy = format!("\"default\";q={per_second};w=1");
        Self {
            buckets: RateLimiter::dashmap_with_clock(quota, C::default()).with_middleware(),
            burst,
            policy: HeaderValue::try_from(policy).expect("digits are visible ASCII"),
        }
    }

    /// Counts this many for a bucket. More than a burst count as a burst.
    pub(crate) fn check(&self, bucket: u64, count: NonZeroU32) -> Quota {
        let checked = self.buckets.check_key_n(&bucket, count.min(self.burst));
        let state = checked.expect("a burst is always possible");
        state.map(|state| state.remaining_burst_capacity()).map_err(|until| {
            let wait = until.wait_time_from(self.buckets.clock().now());
            wait.as_secs() + 1
        })
    }

    pub(crate) fn write_headers(&self, quota: Quota, headers: &mut HeaderMap) {
        let (remaining, seconds) = quota.map_or_else(|wait| (0, wait), |remaining| (remaining, 1));
        let state = format!("\"default\";r={remaining};t={seconds}");
        let state = HeaderValue::try_from(state).expect("digits are visible ASCII");
        headers.insert("ratelimit-policy", self.policy.clone());
        headers.insert("ratelimit", state);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use governor::clock::FakeRelativeClock;
    use proptest::prelude::*;

    use crate::net::ClientKey;

    use super::*;

    /// Checks the client's address when the proxies are in 10.0.0.0/8 and fd00::/8.
    #[track_caller]
    fn check<V: AsRef<[u8]>>(peer: &str, headers: &[(&'static str, V)], client: &str) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_bytes(value.as_ref()).unwrap());
        }
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let found = client_address(peer.parse().unwrap(), &map, &trusted);
        assert_eq!(found, client.parse::<IpAddr>().unwrap());
    }

    #[test]
    fn headers_of_an_untrusted_peer_are_ignored() {
        check("192.0.2.1", &[("x-forwarded-for", "203.0.113.7")], "192.0.2.1");
        check("192.0.2.1", &[("forwarded", "for=203.0.113.7")], "192.0.2.1");
        check("2001:db8::1", &[("x-forwarded-for", "10.0.0.1")], "2001:db8::1");
    }

    #[test]
    fn headers_of_a_trusted_proxy_are_read_from_the_right() {
        check::<&str>("10.0.0.1", &[], "10.0.0.1");
        check("10.0.0.1", &[("x-forwarded-for", "203.0.113.7")], "203.0.113.7");
        check("10.0.0.1", &[("x-forwarded-for", "127.0.0.1, 203.0.113.7")], "203.0.113.7");
        check("10.0.0.1", &[("x-forwarded-for", "1.1.1.1, 203.0.113.7, 10.0.0.2")], "203.0.113.7");
        let lines = [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "203.0.113.7")];
        check("10.0.0.1", &lines, "203.0.113.7");
        check("fd00::1", &[("x-forwarded-for", "[2001:db8::7]:443")], "2001:db8::7");
        check("10.0.0.1", &[("x-forwarded-for", "::ffff:203.0.113.7")], "203.0.113.7");
    }

    #[test]
    fn the_standard_header_is_read_too() {
        check(
            "10.0.0.1",
            &[("forwarded", "for=1.1.1.1, for=203.0.113.7;proto=https")],
            "203.0.113.7",
        );
        let quoted = "proto=https; For=\"[2001:db8::7]:4711\"";
        check("10.0.0.1", &[("forwarded", quoted)], "2001:db8::7");
        check("10.0.0.1", &[("forwarded", "for=\"[2001:db8::7]\"")], "2001:db8::7");
    }

    #[test]
    fn an_unreadable_chain_counts_as_the_proxy() {
        check("10.0.0.1", &[("x-forwarded-for", "203.0.113.7, unknown")], "10.0.0.1");
        check("10.0.0.1", &[("forwarded", "for=_hidden")], "10.0.0.1");
        check("10.0.0.1", &[("x-forwarded-for", "")], "10.0.0.1");
        check("10.0.0.1", &[("x-forwarded-for", "203.0.113.7,")], "203.0.113.7");
        check("10.0.0.1", &[("x-forwarded-for", "\", 203.0.113.7")], "203.0.113.7");
        let empty = [("x-forwarded-for", "203.0.113.7"), ("forwarded", "")];
        check("10.0.0.1", &empty, "203.0.113.7");
        let both = [("x-forwarded-for", "203.0.113.7"), ("forwarded", "for=1.1.1.1")];
        check("10.0.0.1", &both, "10.0.0.1");
        let same = [("x-forwarded-for", "203.0.113.7"), ("forwarded", "for=203.0.113.7")];
        check("10.0.0.1", &same, "203.0.113.7");
    }

    #[test]
    fn an_unreadable_header_is_not_treated_as_absent() {
        for forwarded in [
            &b"for=x\xff"[..],
            b"\xff",
            b"x",
            b"for=",
            b"for=\"203.0.113.7",
            b"for=1.1.1.1;x=\", for=203.0.113.7",
            b"for=1.1.1.1;for=\", for=\"[2001:db8::7]\"",
            b"for=1.1.1.1;for=203.0.113.7",
            b"for=203.0.113.7, \xff",
        ] {
            check("10.0.0.1", &[("forwarded", forwarded)], "10.0.0.1");
            let both = [("forwarded", forwarded), ("x-forwarded-for", b"1.1.1.1")];
            check("10.0.0.1", &both, "10.0.0.1");
        }
        check("10.0.0.1", &[("forwarded", b"\xff, for=203.0.113.7")], "203.0.113.7");
        check("10.0.0.1", &[("x-forwarded-for", b"\xff, 203.0.113.7")], "203.0.113.7");
        let lines = [("forwarded", "for=1.1.1.1;x=\""), ("forwarded", "for=203.0.113.7")];
        check("10.0.0.1", &lines, "203.0.113.7");
    }

    #[test]
    fn a_network_of_mapped_addresses_is_the_ipv4_network() {
        for (network, same) in [
            ("::ffff:127.0.0.1/128", "127.0.0.1/32"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
            ("::ffff:0.0.0.0/96", "0.0.0.0/0"),
            ("::ffff:0.0.0.0/95", "::ffff:0.0.0.0/95"),
            ("::/0", "::/0"),
            ("2001:db8::/104", "2001:db8::/104"),
            ("10.0.0.0/8", "10.0.0.0/8"),
        ] {
            assert_eq!(canonical(network.parse().unwrap()), same.parse().unwrap());
        }
    }

    /// Pieces of the two headers, including those that an attacker would try.
    const PIECES: [&str; 21] = [
        "for=",
        "For = ",
        "1.1.1.1",
        "10.0.0.1",
        "10.9.9.9",
        "\"",
        "\\",
        ",",
        ", ",
        ";",
        "by=",
        "[",
        "]",
        "2001:db8::1",
        ":80",
        "unknown",
        "=",
        " ",
        "\t",
        "\u{e9}",
        "for=1.1.1.1;x=\"",
    ];

    /// Header values that a client may send.
    fn sent() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            8 => prop::sample::select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
            1 => any::<u8>().prop_map(|byte| vec![byte]),
        ];
        prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    /// How a proxy adds an element to a header that the client may have sent already.
    #[derive(Clone, Copy, Debug)]
    enum Adds {
        Nothing,
        ToTheLine(&'static str),
        ALine,
    }

    fn adds() -> impl Strategy<Value = Adds> {
        prop::sample::select(&[Adds::ToTheLine(", "), Adds::ToTheLine(","), Adds::ALine][..])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn a_client_cannot_pose_as_another(
            forwarded in prop::collection::vec(sent(), 0..3),
            x_forwarded_for in prop::collection::vec(sent(), 0..3),
            (to_forwarded, to_x_forwarded_for) in prop_oneof![
                (adds(), Just(Adds::Nothing)),
                (Just(Adds::Nothing), adds()),
                (adds(), adds()),
            ],
            node in prop::sample::select(&[
                ("for=203.0.113.7", "203.0.113.7"),
                ("for=\"203.0.113.7:80\";proto=https", "203.0.113.7"),
                ("by=\"[fd00::1]\";for=\"[2001:db8::7]:4711\"", "2001:db8::7"),
            ][..]),
        ) {
            let (element, real) = node;
            let mut headers = HeaderMap::new();
            for (name, lines, adds, added) in [
                (FORWARDED, forwarded, to_forwarded, element),
                (X_FORWARDED_FOR, x_forwarded_for, to_x_forwarded_for, real),
            ] {
                let valid = |line: &Vec<u8>| HeaderValue::from_bytes(line).is_ok();
                let mut lines: Vec<Vec<u8>> = lines.into_iter().filter(valid).collect();
                match (adds, lines.last_mut()) {
                    (Adds::Nothing, _) => {}
                    (Adds::ToTheLine(comma), Some(line)) => {
                        line.extend([comma, added].concat().bytes());
                    }
                    _ => lines.push(added.into()),
                }
                for line in lines {
                    headers.append(name.clone(), HeaderValue::from_bytes(&line).unwrap());
                }
            }
            let [peer, real]: [IpAddr; 2] = ["10.0.0.1", real].map(|ip| ip.parse().unwrap());
            let found = client_address(peer, &headers, &["10.0.0.0/8".parse().unwrap()]);
            prop_assert!(found == real || found == peer, "{found}: {headers:?}");
        }
    }

    fn limiter(per_second: u32) -> Limiter<FakeRelativeClock> {
        Limiter::new(NonZeroU32::new(per_second).unwrap(), NonZeroU32::new(2).unwrap())
    }

    impl Limiter<FakeRelativeClock> {
        pub(crate) fn clock(&self) -> &FakeRelativeClock {
            self.buckets.clock()
        }
    }

    /// Counts a request from an address.
    fn count(limiter: &Limiter<FakeRelativeClock>, client: &str) -> Quota {
        let client = ClientKey::from(client.parse::<IpAddr>().unwrap());
        limiter.check(client.bucket(), NonZeroU32::MIN)
    }

    #[test]
    fn a_million_addresses_take_bounded_memory() {
        let limiter = limiter(100);
        for address in 0..1_000_000 {
            _ = count(&limiter, &Ipv4Addr::from_bits(0x0b00_0000 + address).to_string());
        }
        assert!(limiter.buckets.len() <= ClientKey::BUCKETS as usize);
    }

    #[test]
    fn a_client_may_send_two_seconds_worth_at_once_and_is_then_limited_to_the_rate() {
        let limiter = limiter(2);
        let client = "203.0.113.7";
        for remaining in [3, 2, 1, 0] {
            assert_eq!(count(&limiter, client), Ok(remaining));
        }
        assert_eq!(count(&limiter, client), Err(1));
        assert_eq!(count(&limiter, "203.0.113.8"), Ok(3), "another client has its own bucket");
        limiter.buckets.clock().advance(Duration::from_millis(499));
        assert_eq!(count(&limiter, client), Err(1));
        limiter.buckets.clock().advance(Duration::from_millis(1));
        assert_eq!([(); 2].map(|()| count(&limiter, client)), [Ok(0), Err(1)]);
        limiter.buckets.clock().advance(Duration::from_secs(60));
        assert_eq!(count(&limiter, client), Ok(3), "idle time does not add up beyond the burst");
    }
}
