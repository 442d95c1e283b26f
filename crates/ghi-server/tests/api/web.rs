//! Caching, CORS and common headers.

use ghi_server::{Clock, Config, SnapshotForm};
use jiff::Timestamp;

use crate::support::{NOON, PATHS, TestServer};

fn tag_at(moment: &str, path: &str) -> String {
    TestServer::at(moment).get(path).header("etag").unwrap().to_owned()
}

#[test]
fn the_entity_tag_is_weak_the_same_all_day_and_on_every_replica() {
    for path in PATHS {
        let tag = tag_at("2026-11-15T00:00:00Z", path);
        assert!(tag.starts_with("W/\"") && tag.ends_with('"') && tag.len() == 20, "{tag}");
        assert_eq!(tag, tag_at("2026-11-15T23:59:59.999999Z", path), "{path}");
    }
}

#[test]
fn the_entity_tag_changes_only_with_the_data() {
    for path in ["/v1/ghi/snapshot", "/v1/ghi/history", "/v1/ghi/regions/us", "/v1/ghi/network"] {
        assert_ne!(tag_at(NOON, path), tag_at("2026-11-16T00:00:00Z", path), "{path}");
    }
    for path in ["/v1/ghi/metadata", "/v1/ghi/regions", "/v1/ghi/forecast"] {
        assert_eq!(tag_at(NOON, path), tag_at("2026-11-16T00:00:00Z", path), "{path}");
    }
    let server = TestServer::at(NOON);
    let reduced = server.request("GET", "/v1/ghi/snapshot", "Prefer: return=minimal\r\n");
    assert_ne!(reduced.header("etag"), server.get("/v1/ghi/snapshot").header("etag"));
}

#[test]
fn a_client_that_has_the_document_gets_304() {
    let server = TestServer::at(NOON);
    for path in PATHS {
        let full = server.get(path);
        let tag = full.header("etag").unwrap();
        let strong = &tag[2..];
        for known in [
            tag.to_owned(),
            strong.to_owned(),
            "*".to_owned(),
            format!("\"x\", {tag}"),
            format!("\"a,b\" ,W/\"y\",{strong}"),
            format!("\"x\"\r\nIf-None-Match: {tag}"),
            format!("\"a\\\", {tag}"),
        ] {
            for method in ["GET", "HEAD"] {
                let answer = server.request(method, path, &format!("If-None-Match: {known}\r\n"));
                assert_eq!((answer.status, &*answer.body), (304, ""), "{path} {known}");
                for name in ["etag", "cache-control", "vary"] {
                    assert_eq!(answer.header(name), full.header(name), "{name} of {path}");
                }
                assert!(answer.header("date").is_some(), "{path}");
                assert_eq!(answer.header("content-type"), None);
            }
        }
    }
}

#[test]
fn a_client_that_has_another_document_gets_this_one() {
    let server = TestServer::at(NOON);
    let other = tag_at("2026-11-14T00:00:00Z", "/v1/ghi/snapshot");
    let own = server.get("/v1/ghi/snapshot").header("etag").unwrap().to_owned();
    for unknown in [&*other, "\"\"", "W/", "", "x", &own[..19], &own[3..19], "\"*\"", "\"a,*,b\""] {
        let header = format!("If-None-Match: {unknown}\r\n");
        assert_eq!(server.request("GET", "/v1/ghi/snapshot", &header).status, 200, "{unknown}");
    }
    // Errors have no entity tag.
    let header = "If-None-Match: *\r\n";
    server.request("GET", "/v1/ghi/regions/xx", header).assert_problem(404, "unknown_region");
}

#[test]
fn replicas_share_entity_tags() {
    let tag = tag_at("2026-11-15T03:00:00Z", "/v1/ghi/snapshot");
    let header = format!("If-None-Match: {tag}\r\n");
    assert_eq!(TestServer::at(NOON).request("GET", "/v1/ghi/snapshot", &header).status, 304);
}

#[test]
fn no_response_may_be_reused_past_midnight() {
    for (moment, seconds) in [
        ("2026-11-15T00:00:00Z", 60),
        ("2026-11-15T12:00:00Z", 60),
        ("2026-11-15T23:59:00Z", 60),
        ("2026-11-15T23:59:00.000001Z", 59),
        ("2026-11-15T23:59:30Z", 30),
        ("2026-11-15T23:59:59Z", 1),
        ("2026-11-15T23:59:59.999999Z", 0),
    ] {
        let server = TestServer::at(moment);
        for path in PATHS {
            let expected = format!("public, max-age={seconds}");
            assert_eq!(server.get(path).header("cache-control"), Some(&*expected), "{moment}");
        }
    }
}

#[test]
fn max_age_counts_real_seconds_whatever_the_speed_of_the_clock() {
    for (from, speed) in [
        (NOON, 1),
        ("2026-11-15T23:59:20Z", 1),
        (NOON, 60),
        ("2026-11-15T23:30:00Z", 60),
        (NOON, 3600),
        ("2026-11-15T00:00:00Z", 86_400),
    ] {
        let clock = Clock::running(from.parse().unwrap(), speed);
        let server = TestServer::start(Config { clock, ..Config::default() });
        for path in PATHS {
            let answer = server.get(path);
            let moment: Timestamp =
                answer.json()["timestamp_utc"].as_str().unwrap().parse().unwrap();
            let of_day = moment.as_second().rem_euclid(86_400) as u64;
            // A fraction of a second is rounded down.
            let whole = u64::from(moment.subsec_nanosecond() == 0);
            let seconds = (86_399 - of_day + whole) / u64::from(speed);
            let expected = format!("public, max-age={}", seconds.min(60));
            assert_eq!(answer.header("cache-control"), Some(&*expected), "{speed} at {moment}");
        }
    }
}

#[test]
fn errors_and_probes_are_not_cached() {
    let server = TestServer::at(NOON);
    for target in ["/nowhere", "/v1/ghi/regions/xx", "/v1/ghi/forecast?forecast_days=0", "/healthz"]
    {
        assert_eq!(server.get(target).header("cache-control"), Some("no-store"), "{target}");
    }
    let refused = server.request("POST", "/v1/ghi/snapshot", "");
    assert_eq!(refused.header("cache-control"), Some("no-store"));
}

#[test]
fn without_scenarios_only_the_snapshot_varies_by_prefer() {
    for snapshot_form in [SnapshotForm::Full, SnapshotForm::Reduced] {
        let clock = Clock::at(NOON.parse().unwrap());
        let server = TestServer::start(Config {
            clock,
            snapshot_form,
            scenarios: false,
            ..Config::default()
        });
        for path in PATHS {
            let expected = (path == "/v1/ghi/snapshot").then_some("prefer");
            assert_eq!(server.get(path).header("vary"), expected, "{path}");
        }
    }
}

#[test]
fn any_origin_may_read_any_response() {
    let server = TestServer::at(NOON);
    for target in PATHS.into_iter().chain(["/nowhere", "/v1/ghi/forecast?forecast_days=0"]) {
        let answer = server.request("GET", target, "Origin: https://elsewhere.example\r\n");
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        let exposed = answer.header("access-control-expose-headers").unwrap();
        for name in
            ["ETag", "Link", "RateLimit", "RateLimit-Policy", "Retry-After", "Preference-Applied"]
        {
            assert!(exposed.split(", ").any(|exposed| exposed == name), "{name}");
        }
        assert_eq!(answer.header("access-control-allow-credentials"), None);
    }
}

#[test]
fn a_preflight_is_answered() {
    let preflight = "Origin: https://elsewhere.example\r\n\
                     Access-Control-Request-Method: GET\r\n\
                     Access-Control-Request-Headers: prefer,if-none-match\r\n";
    let answer = TestServer::at(NOON).request("OPTIONS", "/v1/ghi/snapshot", preflight);
    assert_eq!(answer.status, 204);
    for (name, value) in [
        ("access-control-allow-origin", "*"),
        ("access-control-allow-methods", "GET, HEAD, OPTIONS"),
        ("access-control-allow-headers", "*"),
        ("access-control-max-age", "86400"),
    ] {
        assert_eq!(answer.header(name), Some(value));
    }
}

#[test]
fn options_without_a_preflight_has_no_cors_headers() {
    let server = TestServer::at(NOON);
    for headers in ["", "Origin: https://elsewhere.example\r\n"] {
        let answer = server.request("OPTIONS", "/v1/ghi/snapshot", headers);
        assert_eq!((answer.status, answer.header("allow")), (204, Some("GET, HEAD, OPTIONS")));
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        for name in ["methods", "headers"].map(|what| format!("access-control-allow-{what}")) {
            assert_eq!(answer.header(&name), None);
        }
        assert_eq!(answer.header("access-control-max-age"), None);
    }
}

#[test]
fn every_response_forbids_sniffing_and_links_to_openapi() {
    let server = TestServer::at(NOON);
    for target in
        PATHS.into_iter().chain(["/nowhere", "/problems/not_found", "/healthz", "/metrics"])
    {
        let answer = server.get(target);
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{target}");
        let link = ("link".to_owned(), "</openapi.json>; rel=\"service-desc\"".to_owned());
        assert!(answer.headers.contains(&link), "{target}");
    }
}

#[test]
fn unkeyed_headers_do_not_change_the_response() {
    let server = TestServer::at(NOON);
    let plain = server.get("/v1/ghi/snapshot").body;
    for header in [
        "X-Forwarded-Host: evil.example",
        "X-Forwarded-Proto: gopher",
        "X-Original-URL: /v1/ghi/metadata",
        "X-Rewrite-URL: /v1/ghi/metadata",
        "X-HTTP-Method-Override: DELETE",
        "Forwarded: host=evil.example",
        "X-Forwarded-Prefix: /evil",
        "Accept-Language: tlh",
        "Accept: text/html",
        "Cookie: a=b",
    ] {
        let answer = server.request("GET", "/v1/ghi/snapshot", &format!("{header}\r\n"));
        assert_eq!(answer.body, plain, "{header}");
    }
    for host in ["evil.example", "127.0.0.1:1", "[::1]:80", "[2001:db8::1]", "evil:"] {
        let request =
            format!("GET /v1/ghi/snapshot HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let answer = server.send(&request);
        assert_eq!(answer.body, plain, "{host}");
        assert!(answer.headers.iter().all(|(_, value)| !value.contains("evil")));
    }
}
