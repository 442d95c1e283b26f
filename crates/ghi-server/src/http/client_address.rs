//! The address of the client: the peer's, or the one that a trusted proxy has forwarded.

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderName};
use ipnet::IpNet;

use crate::http::lists::{elements, split_unquoted, value_of};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Whether an address is that of a trusted proxy.
pub(crate) fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|network| network.contains(&address))
}

/// The address of the client.
///
/// `X-Forwarded-For` and `Forwarded` count only from a trusted peer. Each proxy appends the address
/// of its own peer, so the client is the last address that is not itself a trusted proxy; whatever
/// stands before it, the client may have made up.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| is_trusted(*address, trusted);
    if !is_trusted(&peer) {
        return peer;
    }
    // From the right. An address that cannot be read ends the chain: nothing before it can be
    // trusted.
    let client_of = |chain: &[Option<IpAddr>]| {
        let readable = chain.iter().rev().map_while(|address| *address);
        let mut hops = std::iter::once(peer).chain(readable).peekable();
        while let Some(hop) = hops.next() {
            if !is_trusted(&hop) || hops.peek().is_none() {
                return hop;
            }
        }
        peer
    };
    let lines = headers.get_all(X_FORWARDED_FOR).iter();
    let x_forwarded_for: Vec<_> = lines
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .filter(|element| !element.is_empty())
        .map(|element| address(str::from_utf8(element).ok()?))
        .collect();
    let forwarded: Vec<_> = elements(headers, FORWARDED)
        .filter(|element| !element.is_empty())
        .map(address_of_forwarded)
        .collect();
    if forwarded.is_empty() {
        return client_of(&x_forwarded_for);
    }
    if x_forwarded_for.is_empty() {
        return client_of(&forwarded);
    }
    // The proxy wrote one of the two and may have let the other through as the client sent it.
    let [one, other] = [x_forwarded_for, forwarded].map(|chain| client_of(&chain));
    if one == other { one } else { peer }
}

/// An address, with or without a port.
fn address(element: &str) -> Option<IpAddr> {
    let address =
        element.parse().or_else(|_| element.parse().map(|with_port: SocketAddr| with_port.ip()));
    Some(address.ok()?.to_canonical())
}

/// From an element of RFC 7239, such as `for="[2001:db8::1]:47011";proto=https`.
fn address_of_forwarded(element: &str) -> Option<IpAddr> {
    let node = split_unquoted(element, ';').find_map(|pair| value_of(pair, "for"))?;
    let without_brackets = node.strip_prefix('[').and_then(|node| node.strip_suffix(']'));
    address(without_brackets.unwrap_or(node))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The client of a request from a peer, behind proxies in 10.0.0.0/8.
    #[track_caller]
    fn check(peer: &str, headers: &[(&'static str, &'static str)], client: &str) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
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
    fn headers_of_a_trusted_proxy_count_from_the_right() {
        check("10.0.0.1", &[], "10.0.0.1");
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
    fn an_unreadable_chain_counts_for_the_proxy() {
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
}
