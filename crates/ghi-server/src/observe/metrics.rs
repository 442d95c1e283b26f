//! The counters of the server: requests, latencies, connections, scenarios and reloads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{array, fmt};

use ghi_engine::{ENGINE_SANDBOX_VERSION, Model};
use hyper::StatusCode;
use jiff::civil::Date;
use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::{MetricType, TypedMetric};
use prometheus_client::registry::{Metric, Registry};

use crate::net::PermitPool;
use crate::observe::exposition::Format;
use crate::observe::process;
use crate::scenarios::Scenario;

/// The statuses that are counted individually; all others are counted together.
const STATUSES: [&str; 10] = ["200", "204", "304", "400", "404", "405", "414", "429", "500", "503"];

/// The upper bounds of the latency histogram, in microseconds. Most requests take a few microseconds, and
/// pages a few thousand.
const BOUNDS: [u64; 11] = [5, 10, 25, 50, 100, 250, 1_000, 10_000, 25_000, 100_000, 1_000_000];

/// The label of any other status.
const OTHER_STATUS: &str = "other";

/// The label of requests that match no route.
const NO_ROUTE: &str = "none";

const SCENARIOS_HELP: &str =
    "Requests with a test scenario, by origin and scenario; not included in any other metric";

const SCENARIOS_REFUSED_HELP: &str = "Test scenarios refused because too many responses were delayed or too many requests used at or figures";

/// Labels with their values.
type Labels<'a, const N: usize> = [(&'static str, &'a str); N];

/// The metrics of a server.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    /// By the index of the route; the last is for requests without a route.
    routes: Vec<RouteMetrics>,
    requests: Family<Labels<'static, 2>, Counter>,
    latencies: Family<Labels<'static, 1>, Latency>,
    pub(crate) connections_open: Gauge,
    pub(crate) connections_refused: Counter,
    pub(crate) connections_evicted: Counter,
    pub(crate) requests_limited: Counter,
    pub(crate) scenarios_refused: Counter,
    scenarios: Family<Labels<'static, 2>, Counter>,
    scenarios_waiting: Gauge,
    waiting: Arc<PermitPool>,
    reloads: Family<Labels<'static, 1>, Counter>,
    is_last_reload_successful: Gauge,
}

/// The series of a route. Each is looked up only once, because a lookup takes a lock.
#[derive(Debug, Default)]
struct RouteMetrics {
    label: &'static str,
    /// The last is for any other status.
    by_status: [OnceLock<Counter>; STATUSES.len() + 1],
    latency: OnceLock<Latency>,
}

/// Registers a new metric.
fn register<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

impl Metrics {
    pub(crate) fn new(
        routes: impl Iterator<Item = &'static str>,
        waiting: Arc<PermitPool>,
    ) -> Self {
        let routes = routes.chain([NO_ROUTE]);
        let routes = routes.map(|label| RouteMetrics { label, ..RouteMetrics::default() });
        let mut registry = Registry::default();
        let new = &mut registry;
        let metrics = Self {
            routes: routes.collect(),
            waiting,
            is_last_reload_successful: register(
                new,
                "ghi_inputs_last_reload_successful",
                "Whether the last reload of the inputs succeeded",
            ),
            reloads: register(new, "ghi_inputs_reloads", "Reloads of the inputs, by result"),
            requests: register(new, "ghi_http_requests", "Responses sent, by route and status"),
            latencies: register(
                new,
                "ghi_http_request_duration_seconds",
                "Time from the start of a request to its complete response, by route",
            ),
            connections_open: register(new, "ghi_http_connections_open", "Open connections"),
            connections_refused: register(
                new,
                "ghi_http_connections_refused",
                "Connections refused because the client had too many",
            ),
            connections_evicted: register(
                new,
                "ghi_http_connections_evicted",
                "Connections evicted to free a slot for others",
            ),
            requests_limited: register(
                new,
                "ghi_http_requests_limited",
                "Requests rejected because the client sent too many",
            ),
            scenarios: register(new, "ghi_scenarios", SCENARIOS_HELP),
            scenarios_refused: register(new, "ghi_scenarios_refused", SCENARIOS_REFUSED_HELP),
            scenarios_waiting: register(
                new,
                "ghi_scenarios_waiting",
                "Delayed responses that are waiting now",
            ),
            registry,
        };
        metrics.create_first_series();
        metrics
    }

    /// Creates the series that exist before they are counted. All others appear with their first request.
    fn create_first_series(&self) {
        for route in self.routes.iter().filter(|route| route.label != NO_ROUTE) {
            _ = self.requests.get_or_create(&[("route", route.label), ("status", "200")]);
        }
        for result in ["success", "failure"] {
            _ = self.reloads.get_or_create(&[("result", result)]);
        }
        self.is_last_reload_successful.set(1);
    }

    /// Counts a request by the index of its route, if it has one.
    pub(crate) fn request(&self, route: Option<usize>, status: StatusCode, took: Duration) {
        let route = &self.routes[route.unwrap_or(self.routes.len() - 1)];
        let index = STATUSES.iter().position(|known| *known == status.as_str());
        let label = index.map_or(OTHER_STATUS, |index| STATUSES[index]);
        let labels = [("route", route.label), ("status", label)];
        let count = &route.by_status[index.unwrap_or(STATUSES.len())];
        count.get_or_init(|| self.requests.get_or_create_owned(&labels)).inc();
        let latency = || self.latencies.get_or_create_owned(&[("route", route.label)]);
        route.latency.get_or_init(latency).observe(took);
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
        self.is_last_reload_successful.set(is_successful.into());
    }

    /// Returns all metrics in a format: those of the server, of the process and of a model, and `more`.
    pub(crate) fn expose(&self, format: Format, model: &Model, mut more: Registry) -> String {
        let waiting = i64::try_from(self.waiting.in_use()).unwrap_or(i64::MAX);
        self.scenarios_waiting.set(waiting);
        let build = Family::<[(&str, String); 2], Gauge>::default();
        let fingerprint = model.fingerprint().to_string();
        let labels = [
            ("engine_sandbox_version", ENGINE_SANDBOX_VERSION.into()),
            ("inputs_fingerprint", fingerprint),
        ];
        build.get_or_create(&labels).set(1);
        more.register("ghi_build_info", "Version and inputs of the running server", build);
        let last_day = model.coverage().last.duration_since(Date::constant(1970, 1, 1));
        let last_day = ConstGauge::new(last_day.as_secs());
        let help = "Start of the last day with data, as Unix time";
        more.register("ghi_figures_last_day_timestamp_seconds", help, last_day);
        process::register(&mut more);
        format.expose([&self.registry, &more])
    }
}

/// A histogram of latencies that is counted without a lock, unlike the library's.
#[derive(Clone, Debug, Default)]
struct Latency(Arc<Buckets>);

#[derive(Debug, Default)]
struct Buckets {
    /// By upper bound; the last is for anything above.
    counts: [AtomicU64; BOUNDS.len() + 1],
    nanos: AtomicU64,
}

impl Latency {
    fn observe(&self, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let bound = BOUNDS.iter().position(|bound| nanos <= 1_000 * bound).unwrap_or(BOUNDS.len());
        self.0.counts[bound].fetch_add(1, Ordering::Relaxed);
        self.0.nanos.fetch_add(nanos, Ordering::Relaxed);
    }
}

impl TypedMetric for Latency {
    const TYPE: MetricType = MetricType::Histogram;
}

impl EncodeMetric for Latency {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        let buckets: [(f64, u64); BOUNDS.len() + 1] = array::from_fn(|index| {
            let bound = BOUNDS.get(index).map_or(f64::INFINITY, |micros| *micros as f64 / 1e6);
            (bound, self.0.counts[index].load(Ordering::Relaxed))
        });
        let all = buckets.iter().map(|(_, count)| count).sum();
        let seconds = self.0.nanos.load(Ordering::Relaxed) as f64 / 1e9;
        encoder.encode_histogram::<NoLabelSet>(seconds, all, &buckets, None)
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
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
        let latency = Latency::default();
        latency.observe(took);
        let counts = latency.0.counts.each_ref().map(|count| count.load(Ordering::Relaxed));
        let mut expected = [0; BOUNDS.len() + 1];
        expected[bucket] = 1;
        assert_eq!(counts, expected, "{took:?}");
        assert_eq!(u128::from(latency.0.nanos.load(Ordering::Relaxed)), took.as_nanos());
    }

    #[test]
    fn a_request_is_counted_in_the_first_bucket_that_fits() {
        check(Duration::ZERO, 0);
        check(Duration::from_micros(5), 0);
        check(Duration::from_nanos(5_001), 1);
        check(Duration::from_micros(30), 3);
        check(Duration::from_secs(1), BOUNDS.len() - 1);
        check(Duration::from_secs(3), BOUNDS.len());
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
