//! What operators look at.

use ghi_server::{Clock, Config};

use crate::support::{KeptAlive, NOON, Server};

#[test]
fn health_and_readiness_are_reported() {
    let server = Server::at(NOON);
    assert_eq!(server.json("/healthz")["status"], "alive");
    assert_eq!(server.json("/readyz")["status"], "ready");
}

#[test]
fn a_server_whose_clock_is_wrong_is_alive_but_not_ready() {
    let clock = Clock::from_fn(|| std::time::UNIX_EPOCH - std::time::Duration::from_secs(1));
    let server = Server::start(Config { clock, ..Config::default() });
    assert_eq!(server.get("/healthz").status, 200);
    server.get("/readyz").assert_problem(503, "clock_out_of_range");
    let metrics = server.get("/metrics");
    assert!(metrics.status == 200 && !metrics.body.contains("ghi_cost_usd"));
}

/// The value of a series.
#[track_caller]
fn value(metrics: &str, series: &str) -> f64 {
    let line = metrics.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {series} in {metrics}")).parse().unwrap()
}

#[test]
fn metrics_count_requests_connections_and_refusals() {
    let server = Server::at(NOON);
    let mut kept = KeptAlive::new(server.address());
    for _ in 0..3 {
        kept.get("/v1/ghi/snapshot").unwrap();
    }
    server.get("/v1/ghi/regions/xx");
    server.get("/nowhere/at/all");
    let answer = server.get("/metrics");
    assert_eq!(
        answer.header("content-type"),
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    let metrics = answer.body;
    let requests = |labels: &str| value(&metrics, &format!("ghi_http_requests_total{{{labels}}}"));
    assert_eq!(requests("route=\"/v1/ghi/snapshot\",status=\"200\""), 3.0);
    assert_eq!(requests("route=\"/v1/ghi/regions/{id}\",status=\"404\""), 1.0);
    assert_eq!(requests("route=\"none\",status=\"404\""), 1.0);
    assert_eq!(value(&metrics, "ghi_http_request_duration_seconds_count"), 5.0);
    assert_eq!(value(&metrics, "ghi_http_request_duration_seconds_bucket{le=\"+Inf\"}"), 5.0);
    assert!(value(&metrics, "ghi_http_request_duration_seconds_sum") > 0.0);
    assert_eq!(value(&metrics, "ghi_http_requests_limited_total"), 0.0);
    assert!(value(&metrics, "ghi_http_connections_open") >= 2.0);
    assert!(metrics.ends_with("# EOF\n"));
}

#[test]
fn metrics_carry_the_index() {
    let server = Server::at(NOON);
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
