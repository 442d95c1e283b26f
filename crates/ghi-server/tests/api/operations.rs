//! Probes, metrics and request ids.

use ghi_server::{Clock, Config};
use std::collections::BTreeSet;

use crate::support::{Answer, KeptAlive, NOON, TestServer};

#[test]
fn health_and_readiness_are_reported() {
    let server = TestServer::at(NOON);
    assert_eq!(server.json("/healthz")["status"], "alive");
    assert_eq!(server.json("/readyz")["status"], "ready");
}

/// The value of a time series.
#[track_caller]
fn value(metrics: &str, series: &str) -> f64 {
    let line = metrics.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {series} in {metrics}")).parse().unwrap()
}

#[test]
fn metrics_count_requests_connections_and_refusals() {
    let server = TestServer::at(NOON);
    let mut kept = KeptAlive::new(server.address());
    for _ in 0..3 {
        kept.get("/v1/ghi/snapshot").unwrap();
    }
    server.get("/v1/ghi/regions/xx");
    server.get("/nowhere/at/all");
    let metrics = server.get("/metrics").body;
    let requests = |labels: &str| value(&metrics, &format!("ghi_http_requests_total{{{labels}}}"));
    assert_eq!(requests("route=\"/v1/ghi/snapshot\",status=\"200\""), 3.0);
    assert_eq!(requests("route=\"/v1/ghi/regions/{id}\",status=\"404\""), 1.0);
    assert_eq!(requests("route=\"none\",status=\"404\""), 1.0);
    assert_eq!(value(&metrics, "ghi_http_requests_limited_total"), 0.0);
    assert!(value(&metrics, "ghi_http_connections_open") >= 2.0);
}

#[test]
fn metrics_have_the_latency_of_each_requested_route() {
    let server = TestServer::at(NOON);
    for _ in 0..3 {
        server.get("/v1/ghi/snapshot");
    }
    server.get("/nowhere/at/all");
    let metrics = server.get("/metrics").body;
    let latencies =
        |series: &str| value(&metrics, &format!("ghi_http_request_duration_seconds_{series}"));
    assert_eq!(latencies("count{route=\"/v1/ghi/snapshot\"}"), 3.0);
    assert_eq!(latencies("bucket{le=\"+Inf\",route=\"/v1/ghi/snapshot\"}"), 3.0);
    assert!(latencies("sum{route=\"/v1/ghi/snapshot\"}") > 0.0);
    assert_eq!(latencies("count{route=\"none\"}"), 1.0);
    assert_eq!(metrics.matches("ghi_http_request_duration_seconds_count").count(), 2);
}

#[test]
fn metrics_are_in_the_format_the_scraper_accepts() {
    let server = TestServer::at(NOON);
    let scrape = |accept: &str| server.request("GET", "/metrics", accept);
    let prometheus = scrape("");
    let open_metrics = scrape(
        "Accept: application/openmetrics-text;version=1.0.0;q=0.5,\
         application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.1\r\n",
    );
    for (answer, content_type) in [
        (&prometheus, "text/plain; version=0.0.4; charset=utf-8"),
        (&open_metrics, "application/openmetrics-text; version=1.0.0; charset=utf-8"),
        (&scrape("Accept: */*\r\n"), "text/plain; version=0.0.4; charset=utf-8"),
    ] {
        assert_eq!(answer.header("content-type"), Some(content_type));
        assert_eq!(answer.header("vary"), Some("accept-encoding, accept"));
    }
    assert_eq!(open_metrics.body.matches("# EOF\n").count(), 1);
    assert!(open_metrics.body.ends_with("\n# EOF\n"));
    assert!(!prometheus.body.contains("# EOF") && !prometheus.body.contains("# UNIT"));
    // Both formats have the same series, although the family names differ.
    let series = |answer: &Answer| -> BTreeSet<String> {
        let samples = answer.body.lines().filter(|line| !line.starts_with('#'));
        let names = samples.map(|line| line.rsplit_once(' ').unwrap().0.to_owned());
        // The second scrape counts the first one.
        names.filter(|name| !name.contains("/metrics")).collect()
    };
    assert_eq!(series(&prometheus), series(&open_metrics));
}

#[test]
fn openmetrics_ends_with_eof_even_without_data() {
    let clock = Clock::from_fn(|| std::time::UNIX_EPOCH - std::time::Duration::from_secs(1));
    let server = TestServer::start(Config { clock, ..Config::default() });
    let accept = "Accept: application/openmetrics-text\r\n";
    assert!(server.request("GET", "/metrics", accept).body.ends_with("\n# EOF\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn metrics_include_process_resources() {
    let metrics = TestServer::at(NOON).get("/metrics").body;
    for name in ["cpu_seconds_total", "open_fds", "start_time_seconds"] {
        assert!(value(&metrics, &format!("process_{name}")) >= 0.0, "{name}");
    }
    for (part, whole) in
        [("resident_memory_bytes", "virtual_memory_bytes"), ("open_fds", "max_fds")]
    {
        let [part, whole] = [part, whole].map(|name| value(&metrics, &format!("process_{name}")));
        assert!(0.0 < part && part <= whole, "{part} of {whole}");
    }
    // At least the workers of this server.
    assert!(value(&metrics, "process_threads") >= 2.0);
}

#[test]
fn metrics_include_the_index() {
    let server = TestServer::at(NOON);
    let metrics = server.get("/metrics").body;
    let snapshot = server.json("/v1/ghi/snapshot");
    for bound in ["min", "avg", "max"] {
        let global =
            value(&metrics, &format!("ghi_cost_usd{{region=\"global\",bound=\"{bound}\"}}"));
        assert_eq!(snapshot[format!("global_{bound}_cost_usd")], global);
        for region in snapshot["regions"].as_array().unwrap() {
            let id = region["id"].as_str().unwrap();
            let cost =
                value(&metrics, &format!("ghi_cost_usd{{region=\"{id}\",bound=\"{bound}\"}}"));
            assert_eq!(region[format!("{bound}_cost_usd")], cost);
        }
    }
    let network = server.json("/v1/ghi/network");
    for field in ["hashrate_eh", "difficulty", "avg_fee_usd"] {
        assert_eq!(network[field], value(&metrics, &format!("ghi_network_{field}")));
    }
    let forecast = &server.json("/v1/ghi/forecast")["predicted_avg_cost_usd"];
    assert_eq!(*forecast, value(&metrics, "ghi_forecast_avg_cost_usd"));
}

const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[test]
fn request_and_trace_ids_are_echoed() {
    let server = TestServer::at(NOON);
    let headers = format!("X-Request-Id: order-66/a\r\nTraceparent: {TRACE}\r\n");
    for (method, target) in [
        ("GET", "/v1/ghi/snapshot"),
        ("HEAD", "/"),
        ("GET", "/v1/ghi/regions/xx"),
        ("GET", "/nowhere/at/all"),
        ("OPTIONS", "/v1/ghi/snapshot"),
        ("POST", "/v1/ghi/snapshot"),
        ("GET", "/metrics"),
    ] {
        let answer = server.request(method, target, &headers);
        assert_eq!(answer.header("x-request-id"), Some("order-66/a"), "{method} {target}");
        assert_eq!(answer.header("traceparent"), Some(TRACE), "{method} {target}");
    }
    let known = format!("If-None-Match: *\r\nTraceparent: {TRACE}\r\n");
    let known = server.request("GET", "/v1/ghi/snapshot", &known);
    assert_eq!((known.status, known.header("traceparent")), (304, Some(TRACE)));
    assert_eq!(known.header("x-request-id"), None);
}

#[test]
fn malformed_or_missing_ids_are_not_echoed() {
    let server = TestServer::at(NOON);
    let twice = format!("Traceparent: {TRACE}\r\n").repeat(2);
    for headers in [
        "",
        "X-Request-Id: \r\n",
        "X-Request-Id: a b\r\n",
        "X-Request-Id: <script>\r\n",
        "X-Request-Id: a\r\nX-Request-Id: b\r\n",
        &format!("X-Request-Id: {}\r\n", "a".repeat(129)),
        "Traceparent: 00-00000000000000000000000000000000-b7ad6b7169203331-01\r\n",
        &format!("Traceparent: {}\r\n", TRACE.to_uppercase()),
        &twice,
    ] {
        let answer = server.request("GET", "/v1/ghi/snapshot", headers);
        assert_eq!(answer.status, 200, "{headers}");
        for name in ["x-request-id", "traceparent"] {
            assert_eq!(answer.header(name), None, "{headers}");
        }
    }
}
