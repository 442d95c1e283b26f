//! The counters of the process: requests, connections, latencies and resource usage.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ghi_engine::{ENGINE_SANDBOX_VERSION, Model};
use hyper::StatusCode;
use jiff::civil::Date;

use crate::net::PermitPool;
use crate::observe::exposition::{Exposition, Format};
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

/// The metrics of a server: the labels of its routes, and one shard per worker.
pub(crate) struct Metrics {
    routes: Vec<&'static str>,
    shards: Vec<Arc<Shard>>,
    /// Failed and successful reloads of the inputs.
    reloads: [AtomicU64; 2],
    has_last_reload_failed: AtomicBool,
    waiting: Arc<PermitPool>,
}

impl Metrics {
    pub(crate) fn new(
        routes: impl Iterator<Item = &'static str>,
        workers: usize,
        waiting: Arc<PermitPool>,
    ) -> Self {
        let routes: Vec<&str> = routes.collect();
        let shards = (0..workers).map(|_| Arc::new(Shard::new(routes.len())));
        Self {
            shards: shards.collect(),
            routes,
            reloads: Default::default(),
            has_last_reload_failed: AtomicBool::new(false),
            waiting,
        }
    }

    /// Returns the shard of a worker.
    pub(crate) fn shard(&self, worker: usize) -> Arc<Shard> {
        Arc::clone(&self.shards[worker])
    }

    /// Counts a reload of the inputs. If it failed, the old ones stay in use.
    pub(crate) fn reloaded(&self, is_successful: bool) {
        add(&self.reloads[usize::from(is_successful)], 1);
        self.has_last_reload_failed.store(!is_successful, Ordering::Relaxed);
    }

    /// Returns the build information and all counters in a format, without its [end](Format::end).
    pub(crate) fn counts(&self, format: Format, model: &Model) -> String {
        let mut exposition = Exposition::new(format);
        let labels = [
            ("engine_sandbox_version", ENGINE_SANDBOX_VERSION),
            ("inputs_fingerprint", &*model.fingerprint().to_string()),
        ];
        let help = "Version and inputs of the running server";
        exposition.metric("info", "ghi_build_info", help, [(labels, 1)]);
        self.reloads(&mut exposition);
        let help = "Start of the last day with data, as Unix time";
        let last_day = model.coverage().last.duration_since(Date::constant(1970, 1, 1));
        let seconds = last_day.as_secs() as f64;
        exposition.gauge("ghi_figures_last_day_timestamp_seconds", help, seconds);
        process::expose(&mut exposition);
        self.requests(&mut exposition);
        self.latencies(&mut exposition);
        self.connections(&mut exposition);
        self.scenarios(&mut exposition);
        exposition.text
    }

    fn sum(&self, counter: impl Fn(&Shard) -> &AtomicU64) -> u64 {
        self.shards.iter().map(|shard| counter(shard).load(Ordering::Relaxed)).sum()
    }

    fn total(&self, counter: Counter) -> u64 {
        self.sum(|shard| &shard.counters[counter as usize])
    }

    fn reloads(&self, exposition: &mut Exposition) {
        let help = "Whether the last reload of the inputs succeeded";
        let is_successful = !self.has_last_reload_failed.load(Ordering::Relaxed);
        exposition.gauge("ghi_inputs_last_reload_successful", help, u64::from(is_successful));
        let help = "Reloads of the inputs, by result";
        let [failed, succeeded] =
            self.reloads.each_ref().map(|count| count.load(Ordering::Relaxed));
        let counts = [([("result", "success")], succeeded), ([("result", "failure")], failed)];
        exposition.metric("counter", "ghi_inputs_reloads_total", help, counts);
    }

    /// Returns the labels of the routes by index, followed by the label of requests without a route.
    fn routes(&self) -> impl Iterator<Item = (usize, &'static str)> {
        self.routes.iter().copied().chain([NO_ROUTE]).enumerate()
    }

    fn requests(&self, exposition: &mut Exposition) {
        let help = "Responses sent, by route and status";
        let series = self.routes().flat_map(|(route, label)| {
            let codes = STATUSES.into_iter().chain([OTHER_STATUS]);
            codes.enumerate().filter_map(move |(status, code)| {
                let count = self.sum(|shard| &shard.requests[route].by_status[status]);
                // Series that are zero are omitted, except for status 200.
                let is_shown = count > 0 || (code == "200" && label != NO_ROUTE);
                is_shown.then_some(([("route", label), ("status", code)], count))
            })
        });
        exposition.metric("counter", "ghi_http_requests_total", help, series);
    }

    fn latencies(&self, exposition: &mut Exposition) {
        let help = "Time from the start of a request to its complete response, by route";
        let series = self.routes().filter_map(|(route, label)| {
            let bounds =
                BOUNDS.map(|micros| micros as f64 / 1e6).into_iter().chain([f64::INFINITY]);
            let counts = (0..=BOUNDS.len())
                .map(|bound| self.sum(|shard| &shard.requests[route].latencies[bound]));
            let buckets: Vec<(f64, u64)> = bounds.zip(counts).collect();
            let nanos = self.sum(|shard| &shard.requests[route].latency_nanos);
            // Routes without requests are omitted, because each takes many lines.
            let is_shown = buckets.iter().any(|bucket| bucket.1 > 0);
            is_shown.then(|| (("route", label), nanos as f64 / 1e9, buckets))
        });
        exposition.histograms("ghi_http_request_duration_seconds", help, series);
    }

    fn connections(&self, exposition: &mut Exposition) {
        // Read in this order, so that the difference is never negative.
        let closed = self.total(Counter::ConnectionsClosed);
        let open = self.total(Counter::ConnectionsOpened).saturating_sub(closed);
        exposition.gauge("ghi_http_connections_open", "Open connections", open);
        let refused = self.total(Counter::ConnectionsRefused);
        let help = "Connections refused because the client had too many";
        exposition.counter("ghi_http_connections_refused_total", help, refused);
        let evicted = self.total(Counter::ConnectionsEvicted);
        let help = "Connections evicted to free a slot for others";
        exposition.counter("ghi_http_connections_evicted_total", help, evicted);
        let limited = self.total(Counter::RequestsLimited);
        let help = "Requests rejected because the client sent too many";
        exposition.counter("ghi_http_requests_limited_total", help, limited);
    }

    fn scenarios(&self, exposition: &mut Exposition) {
        let mut counts: BTreeMap<_, u64> = BTreeMap::new();
        for shard in &self.shards {
            let scenarios = shard.scenarios.lock().unwrap_or_else(PoisonError::into_inner);
            for (kind, count) in &*scenarios {
                *counts.entry(*kind).or_default() += count;
            }
        }
        let series = counts
            .iter()
            .map(|((origin, kind), count)| ([("origin", *origin), ("scenario", *kind)], *count));
        let help = "Requests with a test scenario, by origin and scenario; not included in any other metric";
        exposition.metric("counter", "ghi_scenarios_total", help, series);
        let refused = self.total(Counter::ScenariosRefused);
        let help = "Test scenarios refused because too many responses were delayed or too many requests used at or figures";
        exposition.counter("ghi_scenarios_refused_total", help, refused);
        let help = "Delayed responses that are waiting now";
        exposition.gauge("ghi_scenarios_waiting", help, self.waiting.in_use());
    }
}

/// Something that happens rarely enough to be counted without further detail.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Counter {
    ConnectionsOpened,
    ConnectionsClosed,
    ConnectionsRefused,
    ConnectionsEvicted,
    RequestsLimited,
    ScenariosRefused,
}

/// The counters of one worker. Each worker has its own, so that counting never waits for another core; a
/// scrape adds them up.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Shard {
    /// By route; the last is for requests without a route.
    requests: Box<[Requests]>,
    /// By [`Counter`].
    counters: [AtomicU64; 6],
    /// By origin and scenario.
    scenarios: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
}

/// The requests of one route.
#[derive(Debug, Default)]
struct Requests {
    /// The last is for any other status.
    by_status: [AtomicU64; STATUSES.len() + 1],
    /// By upper bound; the last is for anything above.
    latencies: [AtomicU64; BOUNDS.len() + 1],
    latency_nanos: AtomicU64,
}

impl Shard {
    fn new(routes: usize) -> Self {
        let requests = (0..=routes).map(|_| Requests::default()).collect();
        Self { requests, ..Self::default() }
    }

    /// Counts a request by the index of its route, if it has one.
    pub(crate) fn request(&self, route: Option<usize>, status: StatusCode, took: Duration) {
        let requests = &self.requests[route.unwrap_or(self.requests.len() - 1)];
        let status = STATUSES.iter().position(|known| *known == status.as_str());
        add(&requests.by_status[status.unwrap_or(STATUSES.len())], 1);
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let bound = BOUNDS.iter().position(|bound| nanos <= 1_000 * bound).unwrap_or(BOUNDS.len());
        add(&requests.latencies[bound], 1);
        add(&requests.latency_nanos, nanos);
    }

    /// Counts a request with a scenario. It is counted separately, so that its status and its duration
    /// trigger no alerts.
    pub(crate) fn scenario(&self, scenario: &Scenario) {
        let kind = (scenario.origin(), scenario.kind());
        let mut counts = self.scenarios.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(kind).or_default() += 1;
    }

    pub(crate) fn count(&self, counter: Counter) {
        add(&self.counters[counter as usize], 1);
    }
}

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;

    use crate::http::problem::KINDS;

    use super::*;

    /// Checks that a request with this duration is counted in this bucket only.
    #[track_caller]
    fn check(took: Duration, bucket: usize) {
        let shard = Shard::new(0);
        shard.request(None, StatusCode::OK, took);
        let [requests] = &*shard.requests else { panic!("only requests without a route") };
        let counts = requests.latencies.each_ref().map(|count| count.load(Ordering::Relaxed));
        let mut expected = [0; BOUNDS.len() + 1];
        expected[bucket] = 1;
        assert_eq!(counts, expected, "{took:?}");
        assert_eq!(u128::from(requests.latency_nanos.load(Ordering::Relaxed)), took.as_nanos());
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
        let metrics = Metrics::new(["/a"].into_iter(), 1, PermitPool::new(1, 1));
        metrics.shard(0).request(Some(0), StatusCode::IM_A_TEAPOT, Duration::ZERO);
        let text = metrics.counts(Format::Prometheus, &Model::new(Inputs::default()));
        assert!(
            text.contains("ghi_http_requests_total{route=\"/a\",status=\"other\"} 1"),
            "{text}"
        );
        assert!(!text.contains("status=\"503\""), "{text}");
    }

    #[test]
    fn requests_are_summed_over_workers_by_route_and_status() {
        let metrics = Metrics::new(["/a", "/b"].into_iter(), 2, PermitPool::new(1, 1));
        metrics.shard(0).request(Some(1), StatusCode::OK, Duration::ZERO);
        metrics.shard(1).request(Some(1), StatusCode::OK, Duration::ZERO);
        metrics.shard(1).request(None, StatusCode::NOT_FOUND, Duration::ZERO);
        let text = metrics.counts(Format::OpenMetrics, &Model::new(Inputs::default()));
        let lines: Vec<&str> =
            text.lines().filter(|line| line.starts_with("ghi_http_requests_total{")).collect();
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
        let metrics = Metrics::new(["/a", "/b"].into_iter(), 2, PermitPool::new(1, 1));
        metrics.shard(0).request(Some(1), StatusCode::OK, Duration::from_micros(2));
        metrics.shard(1).request(Some(1), StatusCode::NOT_FOUND, Duration::from_millis(500));
        metrics.shard(1).request(None, StatusCode::NOT_FOUND, Duration::ZERO);
        let text = metrics.counts(Format::Prometheus, &Model::new(Inputs::default()));
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
