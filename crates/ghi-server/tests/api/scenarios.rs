//! Scenarios requested with `Prefer`, chaos, and their limits.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ghi_server::{Clock, Config, Inputs, Moment, SnapshotForm};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::support::{Answer, KeptAlive, NOON, PATHS, TestServer};

/// API paths outside the contract.
const FILES: [&str; 7] = [
    "/charts/history.svg",
    "/charts/regions.svg",
    "/export/history.csv",
    "/export/network.csv",
    "/export/snapshot.csv",
    "/export/explain.csv",
    "/export/explain.json",
];

/// Paths outside the API: pages, the OpenAPI document, probes and metrics.
const OTHERS: [&str; 8] =
    ["/", "/explain", "/docs", "/openapi.json", "/llms.txt", "/healthz", "/readyz", "/metrics"];

fn api() -> impl Iterator<Item = &'static str> {
    PATHS.into_iter().chain(FILES)
}

pub(crate) fn noon(config: Config) -> TestServer {
    TestServer::start(Config { clock: Clock::at(NOON.parse().unwrap()), ..config })
}

pub(crate) fn prefer(server: &TestServer, path: &str, preference: &str) -> Answer {
    server.request("GET", path, &format!("Prefer: {preference}\r\n"))
}

/// Sends a request and returns all bytes received.
pub(crate) fn exchange(server: &TestServer, path: &str, preference: &str) -> Vec<u8> {
    let mut stream = server.connect();
    let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\nPrefer: {preference}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut received = Vec::new();
    stream.read_to_end(&mut received).unwrap();
    received
}

/// The head of a response and the received part of its body.
pub(crate) fn halves(received: &[u8]) -> (&str, &[u8]) {
    let end = received.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    (str::from_utf8(&received[..end]).unwrap(), &received[end..])
}

pub(crate) fn metric(server: &TestServer, series: &str) -> u64 {
    let metrics = server.get("/metrics").body;
    let line = metrics.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.map_or(0, |value| value.parse().unwrap())
}

/// The sum over all series of a metric.
fn sum(server: &TestServer, name: &str) -> u64 {
    let metrics = server.get("/metrics").body;
    let prefix = format!("{name}{{");
    let series = metrics.lines().filter(|line| line.starts_with(&prefix));
    series.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
}

#[test]
fn every_api_path_returns_the_requested_problem() {
    let server = TestServer::at(NOON);
    for path in api() {
        for (status, code, retry_after) in [
            (400, "invalid_parameter", None),
            (404, "unknown_region", None),
            (429, "rate_limited", Some("1")),
            (500, "internal", None),
            (503, "no_figures", Some("1")),
        ] {
            let is_without_data = ["/v1/ghi/regions", "/v1/ghi/metadata"].contains(&path);
            let code = if is_without_data && status == 503 { "busy" } else { code };
            let preference = format!("code={status}");
            let answer = prefer(&server, path, &preference);
            answer.assert_problem(status, code);
            assert_eq!(answer.header("preference-applied"), Some(&*preference), "{path}");
            assert_eq!(answer.header("cache-control"), Some("no-store"));
            assert_eq!(answer.header("retry-after"), retry_after);
            let is_limit = status == 429;
            assert_eq!(answer.header("ratelimit"), is_limit.then_some("\"default\";r=0;t=1"));
            assert_eq!(answer.header("x-request-id").is_some(), status == 500);
            assert_eq!(answer.header("etag"), None);
        }
    }
}

#[test]
fn a_truncated_body_ends_before_its_length() {
    let server = TestServer::at(NOON);
    for path in api() {
        let whole = server.get(path).body;
        let received = exchange(&server, path, "break=truncate");
        let (head, body) = halves(&received);
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{path}");
        assert!(head.contains("preference-applied: break=truncate\r\n"));
        assert!(head.contains("cache-control: no-store\r\n"));
        assert!(head.contains(&format!("content-length: {}\r\n", whole.len())), "{path}: {head}");
        assert_eq!(body.len(), whole.len() / 2, "{path}");
    }
    let received = exchange(&server, "/export/history.csv?from=2020-01-01", "break=truncate");
    let (head, body) = halves(&received);
    assert!(head.contains("transfer-encoding: chunked\r\n"));
    assert!(!body.is_empty() && !body.ends_with(b"0\r\n\r\n"), "it is complete");
}

#[test]
fn a_cut_connection_ends_after_the_head() {
    let server = TestServer::at(NOON);
    for path in api().chain(["/export/history.csv?from=2020-01-01"]) {
        let received = exchange(&server, path, "break=cut");
        let (head, body) = halves(&received);
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{path}");
        assert!(head.contains("preference-applied: break=cut\r\n"));
        assert_eq!(body, b"", "{path}");
    }
}

#[test]
fn a_broken_body_is_not_valid_json() {
    let server = TestServer::at(NOON);
    for path in PATHS {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nPrefer: break=json\r\n\r\n"
        );
        let answer = server.send(&request);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
        assert!(serde_json::from_str::<serde_json::Value>(&answer.body).is_err());
        assert_eq!(answer.header("content-length"), Some(&*answer.body.len().to_string()));
        assert_eq!(answer.header("preference-applied"), Some("break=json"));
        assert_eq!(answer.header("etag"), None, "it would match other content");
    }
}

#[test]
fn a_broken_body_is_sent_even_if_the_entity_tag_matches() {
    let server = TestServer::at(NOON);
    let tag = server.get("/v1/ghi/network").header("etag").unwrap().to_owned();
    let known = |preference: &str| {
        let headers = format!("If-None-Match: {tag}\r\nPrefer: {preference}\r\n");
        server.request_raw("GET", "/v1/ghi/network", &headers)
    };
    assert_eq!(known("delay=1").0.status, 304);
    let (cut, body) = known("break=cut");
    assert_eq!((cut.status, body.len()), (200, 0));
}

#[test]
fn a_delayed_response_does_not_block_others() {
    let server = TestServer::at(NOON);
    let plain = server.get("/v1/ghi/forecast");
    let started = Instant::now();
    let late = prefer(&server, "/v1/ghi/forecast", "delay=600, wait=1");
    assert!(started.elapsed() >= Duration::from_millis(600));
    assert_eq!((late.status, &late.body), (200, &plain.body));
    assert_eq!(late.header("preference-applied"), Some("delay=600"));
    assert_eq!(late.header("cache-control"), Some("no-store"));
    assert_eq!(late.header("etag"), plain.header("etag"));
    let mut waiting = server.connect();
    waiting.write_all(request_of("203.0.113.7", "delay=10000").as_bytes()).unwrap();
    wait_for_waiting(&server, 1);
    assert_eq!(server.get("/v1/ghi/forecast").status, 200);
    assert_eq!(metric(&server, "ghi_scenarios_waiting"), 1, "others do not wait for it");
}

#[test]
fn delay_combines_with_every_other_scenario() {
    let server = TestServer::at(NOON);
    let timed = |preference: &str| {
        let started = Instant::now();
        let received = exchange(&server, "/v1/ghi/snapshot", preference);
        assert!(started.elapsed() >= Duration::from_millis(50), "{preference}");
        halves(&received).0.to_owned()
    };
    // Only responses that close the connection are read to the end.
    let limited = timed("delay=50, code=429");
    assert!(limited.contains("preference-applied: code=429, delay=50\r\n"), "{limited}");
    let cut = timed("break=cut, delay=50, at=2028-02-29T12:00:00Z, return=minimal");
    let applied = "return=minimal, break=cut, at=\"2028-02-29T12:00:00Z\", delay=50";
    assert!(cut.contains(&format!("preference-applied: {applied}\r\n")), "{cut}");
    let code = prefer(&server, "/v1/ghi/snapshot", "break=cut, code=503, at=2028-02-29T12:00:00Z");
    code.assert_problem(503, "no_figures");
    assert_eq!(code.header("preference-applied"), Some("code=503"), "code wins");
}

/// Timestamps of any century, in the contract's format.
fn instants() -> impl Strategy<Value = String> {
    (1970..=9999_u16, 1..=12_u8, 1..=28_u8, 0..86_400_u32, 0..1_000_000_u32).prop_map(
        |(year, month, day, second, micros)| {
            let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
            format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
        },
    )
}

#[test]
fn a_response_at_a_requested_time_matches_a_server_stopped_at_that_time() {
    let wanderer = TestServer::at(NOON);
    let mut runner = TestRunner::deterministic();
    let random: Vec<String> =
        (0..200).map(|_| instants().new_tree(&mut runner).unwrap().current()).collect();
    let ends = ["1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", NOON].map(String::from);
    for instant in ends.into_iter().chain(random) {
        let standing = TestServer::at(&instant);
        for path in api() {
            let here = prefer(&wanderer, path, &format!("at={instant}"));
            let there = standing.get(path);
            assert_eq!((here.status, &here.body), (200, &there.body), "{path} at {instant}");
            for name in ["etag", "content-type", "vary", "content-disposition"] {
                assert_eq!(here.header(name), there.header(name), "{path} at {instant}");
            }
            assert_eq!(here.header("cache-control"), Some("no-store"));
            let applied = instant.replace(".000000Z", "Z");
            assert_eq!(here.header("preference-applied"), Some(&*format!("at=\"{applied}\"")));
        }
    }
}

#[test]
fn disabled_scenarios_leave_only_the_choice_of_snapshot_form() {
    let server = noon(Config { scenarios: false, ..Config::default() });
    let plain = server.get("/v1/ghi/network");
    assert_eq!(plain.header("vary"), None);
    for preference in ["code=500", "break=cut", "delay=10000", "at=2028-02-29T12:00:00Z"] {
        let answer = prefer(&server, "/v1/ghi/network", preference);
        assert_eq!((answer.status, &answer.body), (200, &plain.body), "{preference}");
        assert_eq!(answer.header("preference-applied"), None);
        assert_eq!(answer.header("cache-control"), Some("public, max-age=60"));
    }
    let reduced = prefer(&server, "/v1/ghi/snapshot", "return=minimal, code=500");
    assert_eq!((reduced.status, reduced.header("vary")), (200, Some("prefer")));
    assert_eq!(reduced.header("preference-applied"), Some("return=minimal"));
}

#[test]
fn every_api_response_varies_by_prefer() {
    let server = TestServer::at(NOON);
    for path in api() {
        let vary = server.get(path).header("vary").unwrap().to_owned();
        assert!(vary.split(", ").any(|name| name == "prefer"), "{path}: {vary}");
        let known = server.request("GET", path, "If-None-Match: *\r\n");
        assert_eq!((known.status, known.header("vary")), (304, Some(&*vary)), "{path}");
    }
    let reduced = prefer(&server, "/v1/ghi/snapshot", "return=minimal");
    assert_eq!(reduced.header("cache-control"), Some("public, max-age=60"), "it may be cached");
}

#[test]
fn pages_the_description_probes_and_metrics_have_no_scenarios() {
    let server = noon(Config { chaos_percent: 100, ..Config::default() });
    for path in OTHERS {
        for preference in ["code=500", "break=cut", "at=2028-02-29T12:00:00Z"] {
            let answer = prefer(&server, path, preference);
            assert_eq!((answer.status, answer.header("preference-applied")), (200, None), "{path}");
        }
    }
    assert_eq!(server.request("OPTIONS", "/v1/ghi/snapshot", "Prefer: code=500\r\n").status, 204);
    let post = server.request("POST", "/v1/ghi/snapshot", "Prefer: code=500\r\n");
    post.assert_problem(405, "method_not_allowed");
}

/// Waits until this many responses are delayed.
#[track_caller]
fn wait_for_waiting(server: &TestServer, count: u64) {
    let deadline = Instant::now() + Duration::from_secs(5);
    while metric(server, "ghi_scenarios_waiting") != count {
        assert!(Instant::now() < deadline, "there are not {count} that wait");
    }
}

#[test]
fn delayed_responses_are_limited_to_half_of_the_connections() {
    let server = noon(Config { max_connections: 8, ..Config::default() });
    let mut waiting: Vec<_> = (0..4).map(|_| server.connect()).collect();
    for stream in &mut waiting {
        let request = b"GET /v1/ghi/forecast HTTP/1.1\r\nHost: test\r\nPrefer: delay=10000\r\n\r\n";
        stream.write_all(request).unwrap();
    }
    wait_for_waiting(&server, 4);
    let refused = prefer(&server, "/v1/ghi/forecast", "delay=1");
    refused.assert_problem(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.header("preference-applied"), None);
    assert_eq!(refused.header("ratelimit"), None, "the limit is not the client's own");
    assert_eq!(
        prefer(&server, "/v1/ghi/forecast", "delay=0").status,
        200,
        "no delay, so no slot is needed"
    );
    assert_eq!(server.get("/v1/ghi/forecast").status, 200, "others are served");
    assert_eq!(metric(&server, "ghi_scenarios_refused_total"), 1);
    drop(server);
    for mut stream in waiting {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "shutdown answers them: {answer}");
    }
}

/// Starts a server that trusts forwarded addresses.
fn behind_a_proxy(config: Config) -> TestServer {
    noon(Config {
        trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
        rate_limit: None,
        ..config
    })
}

/// A request from a client with this address.
fn request_of(client: &str, preference: &str) -> String {
    format!(
        "GET /v1/ghi/network HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: {client}\r\nPrefer: {preference}\r\n\r\n"
    )
}

#[test]
fn one_client_cannot_use_up_the_delays_of_others() {
    let server = behind_a_proxy(Config { max_connections: 32, ..Config::default() });
    let mut waiting: Vec<_> = (0..4).map(|_| server.connect()).collect();
    for stream in &mut waiting {
        stream.write_all(request_of("203.0.113.7", "delay=10000").as_bytes()).unwrap();
    }
    wait_for_waiting(&server, 4);
    let status = |client| {
        KeptAlive::new(server.address()).send(&request_of(client, "delay=1")).unwrap().status
    };
    assert_eq!((status("203.0.113.7"), status("203.0.113.8")), (429, 200));
    drop(waiting);
    // Long before the delays are over.
    wait_for_waiting(&server, 0);
    assert_eq!(status("203.0.113.7"), 200, "clients that have gone leave their places");
}

#[test]
fn a_client_that_sends_no_more_gets_its_delayed_answer() {
    let server = TestServer::at(NOON);
    let mut stream = server.connect();
    stream.write_all(request_of("203.0.113.7", "delay=600").as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with('}'), "{answer}");
}

#[test]
fn one_client_cannot_use_up_the_days_of_others() {
    let server = behind_a_proxy(Config::default());
    let day = |client, year| request_of(client, &format!("at={year}-06-01T00:00:00Z"));
    let requests: String = (2000..3500).map(|year| day("203.0.113.7", year)).collect();
    let answers = server.exchange(requests.as_bytes());
    assert!(answers.contains("HTTP/1.1 429 "), "the first client has its share");
    let others = (3500..3520).map(|year| {
        KeptAlive::new(server.address()).send(&day("203.0.113.8", year)).unwrap().status
    });
    assert_eq!(others.collect::<Vec<_>>(), [200; 20]);
}

#[test]
fn rendering_of_other_days_is_limited_per_second() {
    let server = TestServer::at(NOON);
    let ask = |year| {
        let preference = format!("Prefer: at={year}-06-01T00:00:00Z");
        format!("GET /v1/ghi/network HTTP/1.1\r\nHost: test\r\n{preference}\r\n\r\n")
    };
    // Pipelined, faster than the limit allows, unless the machine is busy. The rejection, or else the last request,
    // closes the connection.
    let end = "GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
    let mut rendered = 0;
    let refused = (0..10).find_map(|round| {
        let years = 2000 + 700 * round..2700 + 700 * round;
        let requests = years.map(ask).collect::<String>() + end;
        let answers = server.exchange(requests.as_bytes());
        rendered += answers.matches("HTTP/1.1 200 ").count();
        let last = &answers[answers.rfind("HTTP/1.1 ").unwrap()..];
        last.starts_with("HTTP/1.1 429 ").then(|| last.to_owned())
    });
    let refused = refused.expect("some request is refused");
    assert!(refused.contains("retry-after: 1\r\n"), "{refused}");
    assert!(rendered >= 500, "{rendered}");
    let today = prefer(&server, "/v1/ghi/network", "at=2026-11-15T23:00:00Z");
    assert_eq!(today.status, 200, "a cached day is not limited");
}

/// The outcome of a request on a server with chaos.
fn outcome(server: &TestServer, path: &str) -> &'static str {
    let mut stream = server.connect();
    let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut received = Vec::new();
    stream.read_to_end(&mut received).unwrap();
    let (head, body) = halves(&received);
    let length = head.split_once("content-length: ").unwrap().1.split("\r\n").next().unwrap();
    let is_whole = body.len() == length.parse::<usize>().unwrap();
    match (&head[9..12], is_whole, body.is_empty()) {
        ("200", true, _) => "answered",
        ("200", false, true) => "cut",
        ("200", false, false) => "truncated",
        ("429", true, _) => "429",
        ("500", true, _) => "500",
        ("503", true, _) => "503",
        other => panic!("{other:?}: {head}"),
    }
}

#[test]
fn chaos_fails_its_share_in_a_sequence_fixed_by_the_seed() {
    let start = || noon(Config { chaos_percent: 20, ..Config::default() });
    let requests = 2_000;
    let sequence = |server: &TestServer| -> Vec<_> {
        (0..requests).map(|number| outcome(server, PATHS[number % PATHS.len()])).collect()
    };
    let server = start();
    let outcomes = sequence(&server);
    let count = |kind: &str| outcomes.iter().filter(|outcome| **outcome == kind).count() as u64;
    let failed = requests as u64 - count("answered");
    assert!(failed.abs_diff(400) <= 40, "{failed}");
    for (kind, scenario) in [
        ("429", "code=429"),
        ("500", "code=500"),
        ("503", "code=503"),
        ("truncated", "break=truncate"),
        ("cut", "break=cut"),
    ] {
        assert!(count(kind).abs_diff(80) <= 30, "{kind}: {}", count(kind));
        let series = format!("ghi_scenarios_total{{origin=\"chaos\",scenario=\"{scenario}\"}}");
        assert_eq!(metric(&server, &series), count(kind), "{kind}");
    }
    assert_eq!(sum(&server, "ghi_scenarios_total"), failed);
    let metrics = server.get("/metrics").body;
    let of_api = |line: &&str| line.starts_with("ghi_http_requests_total{route=\"/v1/");
    let answered: Vec<_> = metrics.lines().filter(of_api).collect();
    assert!(answered.iter().all(|line| line.contains("status=\"200\"")), "{answered:?}");
    let answered = answered.iter().map(|line| line.rsplit(' ').next().unwrap().parse::<u64>());
    assert_eq!(answered.map(Result::unwrap).sum::<u64>() + failed, requests as u64);
    assert_eq!(sequence(&start())[..500], outcomes[..500], "the sequence differs");
    let text = ghi_engine::DEFAULT_INPUTS.replacen("seed = 20240420", "seed = 1", 1);
    assert_ne!(text, ghi_engine::DEFAULT_INPUTS);
    let inputs = Inputs::parse(&text).unwrap();
    let other = noon(Config { chaos_percent: 20, inputs, ..Config::default() });
    assert_ne!(sequence(&other)[..500], outcomes[..500]);
}

#[test]
fn requested_failures_take_precedence_over_chaos() {
    let server = noon(Config { chaos_percent: 100, ..Config::default() });
    for _ in 0..20 {
        prefer(&server, "/v1/ghi/network", "code=404").assert_problem(404, "unknown_region");
        let head = server.request("HEAD", "/v1/ghi/network", "");
        assert!([429, 500, 503].contains(&head.status), "HEAD has no body to break");
        assert_eq!(head.header("preference-applied"), None);
    }
    let healthy = TestServer::at(NOON);
    let head = healthy.request("HEAD", "/v1/ghi/network", "Prefer: break=cut\r\n");
    assert_eq!((head.status, head.header("preference-applied")), (200, None));
}

#[test]
fn scenarios_are_counted_once_and_not_as_errors() {
    let server = TestServer::at(NOON);
    prefer(&server, "/v1/ghi/network", "code=500, delay=1");
    prefer(&server, "/v1/ghi/network", "at=2028-02-29T12:00:00Z, delay=1");
    prefer(&server, "/v1/ghi/network", "delay=1");
    server.get("/v1/ghi/network");
    let series =
        |name: &str| format!("ghi_scenarios_total{{origin=\"request\",scenario=\"{name}\"}}");
    for name in ["code=500", "at", "delay"] {
        assert_eq!(metric(&server, &series(name)), 1, "{name}");
    }
    assert_eq!(sum(&server, "ghi_scenarios_total"), 3);
    let route = "ghi_http_requests_total{route=\"/v1/ghi/network\",status=";
    assert_eq!(metric(&server, &format!("{route}\"200\"}}")), 1);
    assert_eq!(metric(&server, &format!("{route}\"500\"}}")), 0);
}

#[test]
fn local_clients_can_be_rate_limited() {
    let rate_limit = NonZeroU32::new(1);
    for (rate_limit_loopback, last) in [(false, 200), (true, 429)] {
        let server = noon(Config { rate_limit, rate_limit_loopback, ..Config::default() });
        server.get("/healthz");
        let statuses = [(); 3].map(|()| server.get("/v1/ghi/network").status);
        assert_eq!(statuses, [200, 200, last]);
    }
}

#[test]
fn charts_and_files_always_refuse_unknown_parameters() {
    let server = TestServer::at(NOON);
    for (target, known) in [
        ("/export/history.csv?%66oo=1", "region_id, range, from, to"),
        ("/export/history.csv?date=2026-11-01", "region_id, range, from, to"),
        ("/export/network.csv?region_id=us", "range, from, to"),
        ("/export/snapshot.csv?date=2026-11-01", ""),
        ("/export/cost-curve.csv?from=2026-11-01", "date"),
        ("/export/merit-order.csv?region_id=us", "date"),
        ("/export/distribution.csv?region_id=us", "date, range, from, to"),
        ("/export/economics.csv?region_id=us", "price, date, range, from, to"),
        ("/export/inputs.csv?price=1", "region_id, date, range, from, to"),
        ("/export/forecast.csv?range=7d", "forecast_days, from, to"),
        ("/export/forecast-score.csv?forecast_days=7", "from, to"),
        ("/export/explain.csv?from=2026-11-01", "region_id, date"),
        ("/export/explain.csv?since=2026-11-01", "region_id, date"),
        ("/export/explain.json?x=1", "region_id, date, since"),
        ("/charts/regions.svg?region_id=us", "theme"),
        ("/charts/history.svg?from=2026-11-01", "region_id, range, theme"),
        ("/charts/cost-curve.svg?range=7d", "price, date, order, theme"),
    ] {
        let refused = server.get(target);
        refused.assert_problem(400, "unknown_parameter");
        let accepts =
            if known.is_empty() { "no parameters".into() } else { format!("only {known}") };
        let detail = format!("The query has an unknown parameter; this path accepts {accepts}.");
        assert_eq!(refused.json()["detail"], detail, "{target}");
    }
}

#[test]
fn unknown_parameters_are_400_with_strict_parameters() {
    let lenient = TestServer::at(NOON);
    let strict = noon(Config { strict_parameters: true, ..Config::default() });
    for (target, detail) in [
        ("/v1/ghi/snapshot?region_id=us", "this path accepts no parameters."),
        ("/v1/ghi/history?regionid=us", "this path accepts only region_id."),
        ("/v1/ghi/history?region_id=us&x", "this path accepts only region_id."),
        ("/v1/ghi/forecast?days=3", "this path accepts only forecast_days."),
        ("/v1/ghi/history?=1", "this path accepts only region_id."),
    ] {
        assert_eq!(lenient.get(target).status, 200, "{target}");
        let refused = strict.get(target);
        refused.assert_problem(400, "unknown_parameter");
        let problem: ghi_contract::ProblemDocument = serde_json::from_str(&refused.body).unwrap();
        assert_eq!(problem.detail, format!("The query has an unknown parameter; {detail}"));
    }
    for target in [
        "/v1/ghi/history?region_id=us",
        "/v1/ghi/history?region%5Fid=us",
        "/v1/ghi/history?",
        "/v1/ghi/history?&region_id=us&",
        "/export/history.csv?from=2026-11-01",
        "/export/explain.csv?date=2026-11-01&region_id=us",
        "/?range=7d",
        "/metrics?x=y",
    ] {
        assert_eq!(strict.get(target).status, 200, "{target}");
    }
    strict.get("/v1/ghi/forecast?forecast_days=0&x=1").assert_problem(400, "unknown_parameter");
}

#[test]
fn scenarios_work_with_every_kind_of_server() {
    let form = SnapshotForm::Reduced;
    let reduced = noon(Config { snapshot_form: form, ..Config::default() });
    let at = prefer(&reduced, "/v1/ghi/snapshot", "at=2028-02-29T12:00:00Z");
    assert!(at.json().get("regions").is_none());
    let full =
        prefer(&reduced, "/v1/ghi/snapshot", "at=2028-02-29T12:00:00Z, return=representation");
    assert!(full.json().get("regions").is_some());
}

#[test]
fn a_delayed_request_is_answered_from_the_inputs_at_its_arrival() {
    let server = TestServer::at(NOON);
    let before = server.get("/v1/ghi/regions").body;
    let is_sent = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let late = scope.spawn(|| {
            let mut kept = KeptAlive::new(server.address());
            let request = "GET /v1/ghi/regions HTTP/1.1\r\nHost: test\r\nPrefer: delay=300\r\n\r\n";
            is_sent.store(true, Ordering::Relaxed);
            kept.send(request).unwrap().body
        });
        while metric(&server, "ghi_scenarios_waiting") == 0 {}
        let other = ghi_engine::DEFAULT_INPUTS.replacen("\"us\"", "\"zz\"", 1);
        server.reload_handle().reload(Inputs::parse(&other).unwrap());
        assert_eq!(late.join().unwrap(), before);
        let visited = prefer(&server, "/v1/ghi/regions", "at=2028-02-29T12:00:00Z").body;
        assert!(visited.contains("\"zz\""), "other days use the new inputs");
    });
}

#[test]
fn a_requested_time_is_parsed_as_on_the_command_line() {
    let moment: Moment = "2028-02-29T12:00:00.5Z".parse().unwrap();
    let answer = prefer(&TestServer::at(NOON), "/v1/ghi/network", "at=\"2028-02-29T12:00:00.5Z\"");
    assert_eq!(answer.json()["timestamp_utc"], moment.to_string());
}
