//! The metrics: requests, latencies, connections, scenarios, reloads and the process, and the text formats they are sent
//! in. Metrics of the process have the names that exporters share.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ghi_engine::{ENGINE_SANDBOX_VERSION, Model};
use hyper::header::ACCEPT;
use hyper::{HeaderMap, StatusCode};
use jiff::civil::Date;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Resource, getrlimit};

use crate::http::lists::best_quality;
use crate::net::{ConnectionCounts, PermitPool};
use crate::scenarios::Scenario;

/// The upper bounds of the latency histogram, in seconds. Most requests take a few microseconds, and pages a few
/// thousand.
const BOUNDS: [f64; 11] =
    [0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.001, 0.01, 0.025, 0.1, 1.0];

/// The number of log lines dropped because they could not be written in time. The program that writes the log counts them.
pub static LOG_LINES_DROPPED: AtomicU64 = AtomicU64::new(0);

type Label = [(&'static str, &'static str); 1];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteAndStatus {
    route: &'static str,
    status: u16,
}

#[derive(Debug)]
pub(crate) struct Metrics {
    requests: Family<RouteAndStatus, Counter>,
    latencies: Family<Label, Histogram, fn() -> Histogram>,
    pub(crate) connections: ConnectionCounts,
    pub(crate) requests_limited: Counter,
    pub(crate) scenarios_refused: Counter,
    scenarios: Family<[(&'static str, String); 2], Counter>,
    waiting: Arc<PermitPool>,
    reloads: Family<Label, Counter>,
    is_last_reload_successful: Gauge,
}

impl Metrics {
    pub(crate) fn new(
        routes: impl Iterator<Item = &'static str>,
        waiting: Arc<PermitPool>,
    ) -> Self {
        let metrics = Self {
            requests: Family::default(),
            latencies: Family::new_with_constructor(|| Histogram::new(BOUNDS)),
            connections: ConnectionCounts::default(),
            requests_limited: Counter::default(),
            scenarios_refused: Counter::default(),
            scenarios: Family::default(),
            waiting,
            reloads: Family::default(),
            is_last_reload_successful: Gauge::default(),
        };
        LazyLock::force(&STARTED);
        metrics.is_last_reload_successful.set(1);
        // These series exist from the start; others appear with their first event.
        for result in ["success", "failure"] {
            _ = metrics.reloads.get_or_create(&[("result", result)]);
        }
        for route in routes {
            _ = metrics.requests.get_or_create(&RouteAndStatus { route, status: 200 });
        }
        metrics
    }

    /// Counts a request by its route, if it has one.
    pub(crate) fn request(&self, route: Option<&'static str>, status: StatusCode, took: Duration) {
        let route = route.unwrap_or("none");
        self.requests.get_or_create(&RouteAndStatus { route, status: status.as_u16() }).inc();
        self.latencies.get_or_create(&[("route", route)]).observe(took.as_secs_f64());
    }

    /// Counts a request with a scenario separately, so that its status and its duration trigger no alerts.
    pub(crate) fn scenario(&self, scenario: &Scenario) {
        let labels = [("origin", scenario.origin().into()), ("scenario", scenario.kind())];
        self.scenarios.get_or_create(&labels).inc();
    }

    /// Counts a reload of the inputs. If it failed, the old ones stay in use.
    pub(crate) fn reloaded(&self, is_successful: bool) {
        let result = if is_successful { "success" } else { "failure" };
        self.reloads.get_or_create(&[("result", result)]).inc();
        self.is_last_reload_successful.set(is_successful.into());
    }

    /// Returns all metrics as OpenMetrics: those of the registry, of the server, of the process and of a model.
    pub(crate) fn expose(&self, model: &Model, mut registry: Registry) -> String {
        self.register(&mut registry);
        let last_day = model.coverage().last.duration_since(Date::constant(1970, 1, 1));
        let last_day = ConstGauge::new(last_day.as_secs());
        let help = "Start of the last day with data, as Unix time";
        registry.register("ghi_figures_last_day_timestamp_seconds", help, last_day);
        let build = Family::<[(&str, String); 2], Gauge>::default();
        let version = ("engine_sandbox_version", ENGINE_SANDBOX_VERSION.into());
        let inputs = ("inputs_fingerprint", model.inputs().fingerprint());
        build.get_or_create(&[version, inputs]).set(1);
        registry.register("ghi_build_info", "Version and inputs of the running server", build);
        register_process(&mut registry);
        let mut text = String::new();
        encode(&mut text, &registry).expect("a string takes any text");
        text
    }

    fn register(&self, registry: &mut Registry) {
        let help = "Responses sent, by route and status";
        registry.register("ghi_http_requests", help, self.requests.clone());
        let help = "Time from the start of a request to its complete response, by route";
        registry.register("ghi_http_request_duration_seconds", help, self.latencies.clone());
        let help = "Connections refused because the client had too many";
        registry.register("ghi_http_connections_refused", help, self.connections.refused.clone());
        let help = "Connections evicted to free a slot for others";
        registry.register("ghi_http_connections_evicted", help, self.connections.evicted.clone());
        let help = "Requests rejected because the client sent too many";
        registry.register("ghi_http_requests_limited", help, self.requests_limited.clone());
        let help = "Test scenarios refused because too many responses were delayed or too many requests used at or figures";
        registry.register("ghi_scenarios_refused", help, self.scenarios_refused.clone());
        let help = "Requests with a test scenario, by origin and scenario; not included in any other metric";
        registry.register("ghi_scenarios", help, self.scenarios.clone());
        let help = "Reloads of the inputs, by result";
        registry.register("ghi_inputs_reloads", help, self.reloads.clone());
        let open = self.connections.open.clone();
        registry.register("ghi_http_connections_open", "Open connections", open);
        let waiting = ConstGauge::new(self.waiting.in_use() as u64);
        let help = "Delayed responses that are waiting now";
        registry.register("ghi_scenarios_waiting", help, waiting);
        let help = "Whether the last reload of the inputs succeeded";
        let is_successful = self.is_last_reload_successful.clone();
        registry.register("ghi_inputs_last_reload_successful", help, is_successful);
    }
}

/// Registers the metrics of this process, those from `/proc` only if it exists.
fn register_process(registry: &mut Registry) {
    let help = "Log lines dropped because they could not be written in time";
    let dropped = LOG_LINES_DROPPED.load(Ordering::Relaxed);
    registry.register("ghi_log_lines_dropped", help, ConstCounter::new(dropped));
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = |field: usize| Some(stat_field(&stat, field)? / clock_ticks_per_second() as f64);
    if let (Some(user), Some(system)) = (ticks(14), ticks(15)) {
        let help = "CPU time, user and system";
        registry.register("process_cpu_seconds", help, ConstCounter::new(user + system));
    }
    let resident = stat_field(&stat, 24).map(|pages| pages * page_size() as f64);
    let started = STARTED.duration_since(UNIX_EPOCH).ok().map(|started| started.as_secs_f64());
    let limit = getrlimit(Resource::Nofile).current.map(|limit| limit as f64);
    for (name, help, value) in [
        ("process_resident_memory_bytes", "Resident memory size", resident),
        ("process_virtual_memory_bytes", "Virtual memory size", stat_field(&stat, 23)),
        ("process_threads", "Threads", stat_field(&stat, 20)),
        ("process_start_time_seconds", "Start time of the process, as Unix time", started),
        ("process_open_fds", "Open file descriptors", open_descriptors().map(|count| count as f64)),
        ("process_max_fds", "Limit on open file descriptors", limit),
    ] {
        if let Some(value) = value {
            registry.register(name, help, ConstGauge::new(value));
        }
    }
}

/// When the first server of the process was created.
static STARTED: LazyLock<SystemTime> = LazyLock::new(SystemTime::now);

/// Returns a field of `/proc/self/stat` from the third on, numbered as in the manual page.
fn stat_field(stat: &str, number: usize) -> Option<f64> {
    // The second field is the program's name in parentheses, and may contain any character.
    let (_, from_third) = stat.rsplit_once(") ")?;
    from_third.split_ascii_whitespace().nth(number - 3)?.parse().ok()
}

/// Returns the number of open file descriptors, without the one used to list them.
fn open_descriptors() -> Option<u64> {
    Some(fs::read_dir("/proc/self/fd").ok()?.count() as u64 - 1)
}

/// Returns metrics with their content type: as OpenMetrics if the request accepts that by name and doesn't prefer plain
/// text, and otherwise in the Prometheus text format.
pub(crate) fn in_accepted_format(
    headers: &HeaderMap,
    open_metrics: String,
) -> (&'static str, String) {
    let quality = |name| best_quality(headers, ACCEPT, &[name]).unwrap_or(0);
    let preference = quality("application/openmetrics-text");
    if preference > 0 && preference >= quality("text/plain") {
        return ("application/openmetrics-text; version=1.0.0; charset=utf-8", open_metrics);
    }
    ("text/plain; version=0.0.4; charset=utf-8", to_prometheus(&open_metrics))
}

/// Returns metrics in the Prometheus text format, in which a family of counters has the name of its series.
fn to_prometheus(open_metrics: &str) -> String {
    let types = open_metrics.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let mut text = open_metrics.replace("# EOF\n", "");
    for name in types.filter_map(|line| line.strip_suffix(" counter")) {
        for kind in ["HELP", "TYPE"] {
            text = text.replace(&format!("# {kind} {name} "), &format!("# {kind} {name}_total "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use ghi_engine::Inputs;
    use hyper::header::HeaderValue;

    use super::*;

    fn metrics() -> Metrics {
        Metrics::new(["/a", "/b"].into_iter(), PermitPool::new(1, 1))
    }

    fn exposed(metrics: &Metrics) -> String {
        metrics.expose(&Model::new(Inputs::default()), Registry::default())
    }

    /// Checks that a request with this duration is counted from the bucket with this bound on.
    #[track_caller]
    fn check(took: Duration, bound: &str) {
        let metrics = metrics();
        metrics.request(Some("/a"), StatusCode::OK, took);
        let text = exposed(&metrics);
        let name = "ghi_http_request_duration_seconds";
        let counted = format!("{name}_bucket{{le=\"{bound}\",route=\"/a\"}} 1");
        let mut buckets = text.lines().filter(|line| line.starts_with(&format!("{name}_bucket")));
        let first = buckets.find(|line| line.ends_with(" 1"));
        assert_eq!(first, Some(&*counted), "{text}");
    }

    #[test]
    fn a_request_is_counted_in_the_first_bucket_that_fits() {
        check(Duration::ZERO, "0.000005");
        check(Duration::from_micros(5), "0.000005");
        check(Duration::from_nanos(5_001), "0.00001");
        check(Duration::from_micros(30), "0.00005");
        check(Duration::from_secs(1), "1.0");
        check(Duration::from_secs(3), "+Inf");
    }

    #[test]
    fn requests_are_counted_by_route_and_status() {
        let metrics = metrics();
        metrics.request(Some("/b"), StatusCode::OK, Duration::ZERO);
        metrics.request(Some("/b"), StatusCode::OK, Duration::ZERO);
        metrics.request(None, StatusCode::NOT_FOUND, Duration::ZERO);
        let text = exposed(&metrics);
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
        metrics.request(Some("/b"), StatusCode::OK, Duration::from_micros(2));
        metrics.request(Some("/b"), StatusCode::NOT_FOUND, Duration::from_millis(500));
        metrics.request(None, StatusCode::NOT_FOUND, Duration::ZERO);
        let text = exposed(&metrics);
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

    #[track_caller]
    fn check_accepted(accept: &'static str, is_open_metrics: bool) {
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
        let (content_type, _) = in_accepted_format(&headers, String::new());
        let expected =
            if is_open_metrics { "application/openmetrics-text; v" } else { "text/plain; v" };
        assert!(content_type.starts_with(expected), "{accept}");
    }

    #[test]
    fn open_metrics_is_used_if_it_is_accepted_by_name_and_plain_text_is_not_preferred() {
        for prometheus_server in [
            "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.1",
            "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
            "application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
        ] {
            check_accepted(prometheus_server, true);
        }
        check_accepted(
            "application/vnd.google.protobuf;encoding=delimited;q=0.7,text/plain;version=0.0.4;q=0.3",
            false,
        );
        for (accept, is_open_metrics) in [
            ("*/*", false),
            ("application/*", false),
            ("text/html,application/xml;q=0.9,*/*;q=0.8", false),
            ("application/openmetrics-text", true),
            ("Application/OpenMetrics-Text ; Version=\"1.0.0\"", true),
            ("application/openmetrics-text, text/plain", true),
            ("application/openmetrics-text;q=0.4, text/plain;q=0.5", false),
            ("application/openmetrics-text;q=0", false),
        ] {
            check_accepted(accept, is_open_metrics);
        }
    }

    #[test]
    fn each_kind_of_metric_follows_its_format() {
        let mut registry = Registry::default();
        let labels = Family::<[(&str, &str); 1], Counter>::default();
        labels.get_or_create(&[("a", "x")]).inc();
        registry.register("x_requests", "All requests", labels);
        registry.register("x_memory_bytes", "Memory", ConstGauge::new(3.5));
        let mut open_metrics = String::new();
        encode(&mut open_metrics, &registry).unwrap();
        assert_eq!(
            open_metrics,
            "# HELP x_requests All requests.\n\
             # TYPE x_requests counter\n\
             x_requests_total{a=\"x\"} 1\n\
             # HELP x_memory_bytes Memory.\n\
             # TYPE x_memory_bytes gauge\n\
             x_memory_bytes 3.5\n\
             # EOF\n"
        );
        assert_eq!(
            to_prometheus(&open_metrics),
            "# HELP x_requests_total All requests.\n\
             # TYPE x_requests_total counter\n\
             x_requests_total{a=\"x\"} 1\n\
             # HELP x_memory_bytes Memory.\n\
             # TYPE x_memory_bytes gauge\n\
             x_memory_bytes 3.5\n"
        );
    }

    #[test]
    fn fields_are_counted_after_the_program_name_whatever_it_contains() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 99 0 0 0 150 50 0 0 20 0 3 0 1234 8192 2 184467";
        let fields = [14, 15, 20, 22, 23, 24].map(|number| stat_field(stat, number).unwrap());
        assert_eq!(fields, [150.0, 50.0, 3.0, 1234.0, 8192.0, 2.0]);
        for broken in ["", "7 (a)", "7 (a) S 1 2", "7 (a) S 1 7 7 0 -1 4 9 0 0 0 x 5 0 0 2 0 3 0 1"]
        {
            assert_eq!(stat_field(broken, 14), None, "{broken}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_uses_resources() {
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let [threads, all, resident] = [20, 23, 24].map(|field| stat_field(&stat, field).unwrap());
        assert!(threads >= 1.0, "{stat}");
        let resident_bytes = resident * page_size() as f64;
        assert!(resident_bytes > 100_000.0 && all >= resident_bytes, "{stat}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn open_descriptors_are_counted() {
        let hundred: Vec<File> = (0..100).map(|_| File::open("/proc/self/stat").unwrap()).collect();
        // Tests running in parallel have some open as well.
        assert!((100..10_000).contains(&open_descriptors().unwrap()));
        drop(hundred);
    }
}
