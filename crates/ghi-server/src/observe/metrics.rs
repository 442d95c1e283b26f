//! The counters of the server: requests, latencies, connections, scenarios and reloads.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use ghi_engine::{ENGINE_SANDBOX_VERSION, Model};
use hyper::StatusCode;
use jiff::civil::Date;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::Registry;

use crate::net::PermitPool;
use crate::observe::exposition::Format;
use crate::observe::process;
use crate::scenarios::Scenario;

/// The statuses that are counted individually; all others are counted together.
const STATUSES: [&str; 11] =
    ["200", "204", "304", "400", "404", "405", "414", "429", "500", "503", "other"];

/// The upper bounds of the latency histogram, in microseconds. Most requests take a few microseconds, and
/// pages a few thousand.
const BOUNDS: [u64; 12] =
    [5, 10, 25, 50, 100, 250, 1_000, 10_000, 25_000, 100_000, 1_000_000, u64::MAX];

/// The label of requests that match no route.
const NO_ROUTE: &str = "none";

/// The metrics of a server.
#[derive(Debug)]
pub(crate) struct Metrics {
    routes: Arc<Routes>,
    pub(crate) connections_open: Gauge,
    pub(crate) connections_refused: Counter,
    pub(crate) connections_evicted: Counter,
    pub(crate) requests_limited: Counter,
    pub(crate) scenarios_refused: Counter,
    scenarios: Family<[(&'static str, &'static str); 2], Counter>,
    waiting: Arc<PermitPool>,
    reloads: Family<[(&'static str, &'static str); 1], Counter>,
    is_last_reload_successful: AtomicBool,
}

/// The counters of each route; the last is for requests without a route. They take no lock, unlike the
/// library's families and histograms.
#[derive(Debug)]
struct Routes(Vec<RouteCounters>);

#[derive(Debug, Default)]
struct RouteCounters {
    route: &'static str,
    by_status: [AtomicU64; STATUSES.len()],
    by_latency: [AtomicU64; BOUNDS.len()],
    nanos: AtomicU64,
}

impl Metrics {
    pub(crate) fn new(
        routes: impl Iterator<Item = &'static str>,
        waiting: Arc<PermitPool>,
    ) -> Self {
        let routes = routes.chain([NO_ROUTE]);
        let routes = routes.map(|route| RouteCounters { route, ..RouteCounters::default() });
        let reloads = Family::default();
        for result in ["success", "failure"] {
            _ = reloads.get_or_create(&[("result", result)]);
        }
        Self {
            routes: Arc::new(Routes(routes.collect())),
            connections_open: Gauge::default(),
            connections_refused: Counter::default(),
            connections_evicted: Counter::default(),
            requests_limited: Counter::default(),
            scenarios_refused: Counter::default(),
            scenarios: Family::default(),
            waiting,
            reloads,
            is_last_reload_successful: AtomicBool::new(true),
        }
    }

    /// Counts a request by the index of its route, if it has one.
    pub(crate) fn request(&self, route: Option<usize>, status: StatusCode, took: Duration) {
        let Routes(routes) = &*self.routes;
        routes[route.unwrap_or(routes.len() - 1)].count(status, took);
    }

    /// Counts a request with a scenario. It is counted separately, so that its status and its duration
    /// trigger no alerts.
    pub(crate) fn scenario(&self, scenario: &Scenario) {
        let labels = [("origin", scenario.origin()), ("scenario", scenario.kind())];
        self.scenarios.get_or_create(&labels).inc();
    }

    /// Counts a reload of the inputs. If it failed, the old ones stay in use.
    pub(crate) fn reloaded(&self, is_successful: bool) {
        let result = if is_successful { "success" } else { "failure" };
        self.reloads.get_or_create(&[("result", result)]).inc();
        self.is_last_reload_successful.store(is_successful, Ordering::Relaxed);
    }

    /// Returns all metrics in a format: those of the registry, of the server, of the process and of a model.
    pub(crate) fn expose(&self, format: Format, model: &Model, mut registry: Registry) -> String {
        self.register(&mut registry);
        let last_day = model.coverage().last.duration_since(Date::constant(1970, 1, 1));
        let last_day = ConstGauge::new(last_day.as_secs());
        let help = "Start of the last day with data, as Unix time";
        registry.register("ghi_figures_last_day_timestamp_seconds", help, last_day);
        let build = Family::<[(&str, String); 2], Gauge>::default();
        let version = ("engine_sandbox_version", ENGINE_SANDBOX_VERSION.into());
        let inputs = ("inputs_fingerprint", model.fingerprint().to_string());
        build.get_or_create(&[version, inputs]).set(1);
        registry.register("ghi_build_info", "Version and inputs of the running server", build);
        process::register(&mut registry);
        format.expose(&registry)
    }

    fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(Arc::clone(&self.routes)));
        let mut counter = |name: &str, help: &str, counter: &Counter| {
            registry.register(name, help, counter.clone());
        };
        let help = "Connections refused because the client had too many";
        counter("ghi_http_connections_refused", help, &self.connections_refused);
        let help = "Connections evicted to free a slot for others";
        counter("ghi_http_connections_evicted", help, &self.connections_evicted);
        let help = "Requests rejected because the client sent too many";
        counter("ghi_http_requests_limited", help, &self.requests_limited);
        let help = "Test scenarios refused because too many responses were delayed or too many requests used at or figures";
        counter("ghi_scenarios_refused", help, &self.scenarios_refused);
        let help = "Requests with a test scenario, by origin and scenario; not included in any other metric";
        registry.register("ghi_scenarios", help, self.scenarios.clone());
        let help = "Reloads of the inputs, by result";
        registry.register("ghi_inputs_reloads", help, self.reloads.clone());
        let mut gauge = |name: &str, help: &str, value: i64| {
            registry.register(name, help, ConstGauge::new(value));
        };
        gauge("ghi_http_connections_open", "Open connections", self.connections_open.get());
        let waiting = i64::try_from(self.waiting.in_use()).unwrap_or(i64::MAX);
        gauge("ghi_scenarios_waiting", "Delayed responses that are waiting now", waiting);
        let help = "Whether the last reload of the inputs succeeded";
        let is_successful = self.is_last_reload_successful.load(Ordering::Relaxed);
        gauge("ghi_inputs_last_reload_successful", help, is_successful.into());
    }
}

impl RouteCounters {
    fn count(&self, status: StatusCode, took: Duration) {
        let status = STATUSES.iter().position(|known| *known == status.as_str());
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let bound = BOUNDS.iter().position(|bound| nanos <= bound.saturating_mul(1_000));
        self.by_status[status.unwrap_or(STATUSES.len() - 1)].fetch_add(1, Ordering::Relaxed);
        self.by_latency[bound.unwrap_or(BOUNDS.len() - 1)].fetch_add(1, Ordering::Relaxed);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
    }
}

impl Collector for Routes {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let (name, help) = ("ghi_http_requests", "Responses sent, by route and status.");
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        for RouteCounters { route, by_status, .. } in &self.0 {
            for (status, count) in std::iter::zip(STATUSES, by_status) {
                let count = count.load(Ordering::Relaxed);
                // Each route has a series from the start; others appear with their first request.
                if count > 0 || (status == "200" && *route != NO_ROUTE) {
                    let labels = [("route", *route), ("status", status)];
                    let mut series = family.encode_family(&labels)?;
                    series.encode_counter::<NoLabelSet, _, u64>(&count, None)?;
                }
            }
        }
        let name = "ghi_http_request_duration_seconds";
        let help = "Time from the start of a request to its complete response, by route.";
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Histogram)?;
        for RouteCounters { route, by_latency, nanos, .. } in &self.0 {
            let buckets = std::iter::zip(BOUNDS, by_latency).map(|(micros, count)| {
                let bound = if micros == u64::MAX { f64::INFINITY } else { micros as f64 / 1e6 };
                (bound, count.load(Ordering::Relaxed))
            });
            let buckets: Vec<_> = buckets.collect();
            let all = buckets.iter().map(|(_, count)| count).sum();
            if all > 0 {
                let seconds = nanos.load(Ordering::Relaxed) as f64 / 1e9;
                let labels = [("route", *route)];
                let mut series = family.encode_family(&labels)?;
                series.encode_histogram::<NoLabelSet>(seconds, all, &buckets, None)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;

    use crate::http::problem::KINDS;

    use super::*;

    fn metrics() -> Metrics {
        Metrics::new(["/a", "/b"].into_iter(), PermitPool::new(1, 1))
    }

    fn exposed(metrics: &Metrics, format: Format) -> String {
        metrics.expose(format, &Model::new(Inputs::default()), Registry::default())
    }

    /// Checks that a request with this duration is counted in this bucket only.
    #[track_caller]
    fn check(took: Duration, bucket: usize) {
        let counters = RouteCounters::default();
        counters.count(StatusCode::OK, took);
        let counts = counters.by_latency.each_ref().map(|count| count.load(Ordering::Relaxed));
        let mut expected = [0; BOUNDS.len()];
        expected[bucket] = 1;
        assert_eq!(counts, expected, "{took:?}");
        assert_eq!(u128::from(counters.nanos.load(Ordering::Relaxed)), took.as_nanos());
    }

    #[test]
    fn a_request_is_counted_in_the_first_bucket_that_fits() {
        check(Duration::ZERO, 0);
        check(Duration::from_micros(5), 0);
        check(Duration::from_nanos(5_001), 1);
        check(Duration::from_micros(30), 3);
        check(Duration::from_secs(1), BOUNDS.len() - 2);
        check(Duration::from_secs(3), BOUNDS.len() - 1);
    }

    #[test]
    fn every_error_status_is_counted_individually_and_other_statuses_together() {
        for kind in &KINDS {
            assert!(STATUSES.contains(&kind.status.as_str()), "{}", kind.code);
        }
        let metrics = metrics();
        metrics.request(Some(0), StatusCode::IM_A_TEAPOT, Duration::ZERO);
        let text = exposed(&metrics, Format::Prometheus);
        assert!(
            text.contains("ghi_http_requests_total{route=\"/a\",status=\"other\"} 1"),
            "{text}"
        );
        assert!(!text.contains("status=\"503\""), "{text}");
    }

    #[test]
    fn requests_are_counted_by_route_and_status() {
        let metrics = metrics();
        metrics.request(Some(1), StatusCode::OK, Duration::ZERO);
        metrics.request(Some(1), StatusCode::OK, Duration::ZERO);
        metrics.request(None, StatusCode::NOT_FOUND, Duration::ZERO);
        let text = exposed(&metrics, Format::OpenMetrics);
        let mut lines: Vec<&str> =
            text.lines().filter(|line| line.starts_with("ghi_http_requests_total{")).collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            [
                r#"ghi_http_requests_total{route="/a",status="200"} 0"#,
                r#"ghi_http_requests_total{route="/b",status="200"} 2"#,
                r#"ghi_http_requests_total{route="none",status="404"} 1"#,
            ]
        );
    }

    #[test]
    fn latencies_are_by_route_and_omit_routes_without_requests() {
        let metrics = metrics();
        metrics.request(Some(1), StatusCode::OK, Duration::from_micros(2));
        metrics.request(Some(1), StatusCode::NOT_FOUND, Duration::from_millis(500));
        metrics.request(None, StatusCode::NOT_FOUND, Duration::ZERO);
        let text = exposed(&metrics, Format::Prometheus);
        let name = "ghi_http_request_duration_seconds";
        for line in [
            "_bucket{le=\"0.000005\",route=\"/b\"} 1",
            "_bucket{le=\"0.1\",route=\"/b\"} 1",
            "_bucket{le=\"+Inf\",route=\"/b\"} 2",
            "_count{route=\"/b\"} 2",
            "_sum{route=\"/b\"} 0.500002",
            "_count{route=\"none\"} 1",
        ] {
            assert!(text.contains(&format!("{name}{line}\n")), "{line} is not in {text}");
        }
        assert!(!text.contains(&format!("{name}_count{{route=\"/a\"}}")), "{text}");
    }
}
