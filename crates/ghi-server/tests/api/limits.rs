//! The rate limit over sockets. Loopback peers are exempt, so the tests use a trusted proxy.

use std::num::NonZeroU32;

use ghi_server::{Clock, Config};

use crate::support::{KeptAlive, NOON, TestServer};

fn server(trusted: &[&str]) -> TestServer {
    let server = TestServer::start(Config {
        clock: Clock::at(NOON.parse().unwrap()),
        rate_limit: NonZeroU32::new(1),
        trusted_proxies: trusted.iter().map(|network| network.parse().unwrap()).collect(),
        ..Config::default()
    });
    // Loads the OpenAPI document, which takes a while, before the time counts.
    server.get("/healthz");
    server
}

#[test]
fn a_client_over_the_rate_limit_gets_429_with_retry_after() {
    let server = server(&["127.0.0.1/32"]);
    let get = |path: &str| server.request("GET", path, "X-Forwarded-For: 203.0.113.7\r\n");
    for remaining in ["1", "0"] {
        let answer = get("/v1/ghi/snapshot");
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("ratelimit-policy"), Some("\"default\";q=1;w=1"));
        let expected = format!("\"default\";r={remaining};t=1");
        assert_eq!(answer.header("ratelimit"), Some(&*expected));
        assert_eq!(answer.header("retry-after"), None);
    }
    for path in ["/v1/ghi/snapshot", "/nowhere", "/metrics"] {
        let refused = get(path);
        refused.assert_problem(429, "rate_limited");
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert_eq!(refused.header("ratelimit"), Some("\"default\";r=0;t=1"));
        assert_eq!(refused.header("connection"), Some("close"));
        assert_eq!(refused.header("cache-control"), Some("no-store"));
    }
    assert_eq!((get("/healthz").status, get("/readyz").status), (200, 200));
    let other = server.request("GET", "/v1/ghi/snapshot", "X-Forwarded-For: 203.0.113.8\r\n");
    assert_eq!(other.status, 200);
}

#[test]
fn a_429_closes_its_connection() {
    let server = server(&["127.0.0.1/32"]);
    let mut kept = KeptAlive::new(server.address());
    let request = "GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\n\r\n";
    let statuses = [(); 3].map(|()| kept.send(request).unwrap().status);
    assert_eq!(statuses, [200, 200, 429]);
    assert!(kept.send(request).is_err(), "the connection is still open");
}

#[test]
fn unreadable_forwarded_headers_count_as_the_proxy_and_are_limited() {
    for nonsense in [
        "",
        "X-Forwarded-For: 203.0.113.7\r\nForwarded: for=1.2.3.4\r\n",
        "X-Forwarded-For: 203.0.113.7, unknown\r\n",
        "X-Forwarded-For: 127.0.0.1\r\n",
        "Forwarded: for=_hidden\r\n",
        "X-Forwarded-For: 1.2.3.4\r\nForwarded: for=x\u{e9}\r\n",
        "Forwarded: for=1.2.3.4;x=\", for=203.0.113.7\r\n",
    ] {
        let server = server(&["127.0.0.1/32"]);
        let get = || server.request("GET", "/v1/ghi/snapshot", nonsense).status;
        assert_eq!([get(), get(), get()], [200, 200, 429], "{nonsense}");
    }
}

#[test]
fn a_trusted_proxy_may_be_given_as_an_ipv4_mapped_address() {
    for network in ["::ffff:127.0.0.1/128", "::ffff:127.0.0.0/104"] {
        let server = server(&[network]);
        let answer = server.request("GET", "/v1/ghi/snapshot", "X-Forwarded-For: 203.0.113.7\r\n");
        assert!(answer.header("ratelimit").is_some(), "{network} is not trusted");
    }
}

#[test]
fn forwarded_headers_of_an_untrusted_peer_are_ignored() {
    let server = server(&["192.0.2.0/24"]);
    for _ in 0..10 {
        // The peer's own address counts, which is loopback and not limited.
        let answer = server.request("GET", "/v1/ghi/snapshot", "X-Forwarded-For: 203.0.113.7\r\n");
        assert_eq!((answer.status, answer.header("ratelimit")), (200, None));
    }
}

#[test]
fn loopback_is_not_limited() {
    let server = server(&[]);
    for _ in 0..10 {
        let answer = server.get("/v1/ghi/snapshot");
        assert_eq!((answer.status, answer.header("ratelimit-policy")), (200, None));
    }
}
