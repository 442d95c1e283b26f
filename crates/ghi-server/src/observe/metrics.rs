//! What the process counts: requests, connections, latencies, and what it uses of the machine.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use ghi_engine::{ENGINE_SANDBOX_VERSION, Model};
use hyper::StatusCode;
use jiff::civil::Date;

use crate::net::PermitPool;
use crate::observe::exposition::{Exposed, Exposition, Format, text};
use crate::observe::process;
use crate::observe::scenarios;
use crate::observe::scenarios::ScenarioCounts;
use crate::scenarios::Scenario;

/// The statuses that are counted by themselves, in order; all others are counted together.
const STATUSES: [StatusCode; 10] = [
    StatusCode::OK,
    StatusCode::NO_CONTENT,
    StatusCode::NOT_MODIFIED,
    StatusCode::BAD_REQUEST,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::URI_TOO_LONG,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::SERVICE_UNAVAILABLE,
];

/// The upper bounds of the latency histogram, nanoseconds: most requests take a few microseconds, pages
/// some milliseconds.
const BOUNDS: [u64; 11] = [
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    1_000_000,
    10_000_000,
    25_000_000,
    100_000_000,
    1_000_000_000,
];

/// The label of any other status.
const OTHER_STATUS: &str = "other";

/// The label of requests for paths that no route has.
const NO_ROUTE: &str = "none";

/// The metrics of a server: the labels of its routes, and a shard for each worker.
pub(crate) struct Metrics {
    routes: Arc<[&'static str]>,
    shards: Vec<Arc<Shard>>,
    reloads: Arc<Reloads>,
    waiting: Arc<PermitPool>,
}

impl Metrics {
    pub(crate) fn new(
        routes: impl Iterator<Item = &'static str>,
        workers: usize,
        waiting: Arc<PermitPool>,
    ) -> Self {
        let routes: Arc<[&str]> = routes.collect();
        let shards = (0..workers).map(|_| Arc::new(Shard::new(routes.len())));
        Self { shards: shards.collect(), routes, reloads: Arc::default(), waiting }
    }

    /// Where a worker counts.
    pub(crate) fn shard(&self, worker: usize) -> Arc<Shard> {
        Arc::clone(&self.shards[worker])
    }

    /// Where reloads of the inputs are counted.
    pub(crate) fn reloads(&self) -> &Reloads {
        &self.reloads
    }

    /// What runs and what is counted up to now in a format, without its [end](Format::end).
    pub(crate) fn counts(&self, format: Format, model: &Model) -> String {
        let scrape = Scrape {
            inputs_fingerprint: model.fingerprint().to_string(),
            last_day: model.coverage().last(),
            routes: Arc::clone(&self.routes),
            shards: self.shards.clone(),
            reloads: Arc::clone(&self.reloads),
            waiting: Arc::clone(&self.waiting),
        };
        text(scrape, format)
    }
}

/// The counts of one worker. Each worker has its own, so that counting never waits for another
/// core; a scrape sums them up.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Shard {
    /// By route, the last for what matched none.
    requests: Box<[Requests]>,
    opened: AtomicU64,
    closed: AtomicU64,
    limited: AtomicU64,
    refused: AtomicU64,
    evicted: AtomicU64,
    scenarios: ScenarioCounts,
}

/// The requests for one route.
#[derive(Debug, Default)]
struct Requests {
    /// The last for any other.
    by_status: [AtomicU64; STATUSES.len() + 1],
    /// By bound, the last for what lies above them all.
    latencies: [AtomicU64; BOUNDS.len() + 1],
    latency_nanos: AtomicU64,
}

impl Shard {
    fn new(routes: usize) -> Self {
        Self {
            requests: (0..=routes).map(|_| Requests::default()).collect(),
            opened: AtomicU64::new(0),
            closed: AtomicU64::new(0),
            limited: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            evicted: AtomicU64::new(0),
            scenarios: ScenarioCounts::default(),
        }
    }

    /// Counts a request for the route with this number, if it matched one.
    pub(crate) fn request(&self, route: Option<usize>, status: StatusCode, took: Duration) {
        let requests = &self.requests[route.unwrap_or(self.requests.len() - 1)];
        let status = STATUSES.iter().position(|known| *known == status);
        add(&requests.by_status[status.unwrap_or(STATUSES.len())], 1);
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let bound = BOUNDS.iter().position(|bound| nanos <= *bound).unwrap_or(BOUNDS.len());
        add(&requests.latencies[bound], 1);
        add(&requests.latency_nanos, nanos);
    }

    /// Counts a request whose answer is as a scenario wants it. It is no request like others: its
    /// status is no error, its time is none to alert on.
    pub(crate) fn scenario(&self, scenario: &Scenario) {
        self.scenarios.count(scenario);
    }

    /// Counts a request for a scenario that was refused, since a bound of them was reached.
    pub(crate) fn scenario_refused(&self) {
        self.scenarios.count_refused();
    }

    pub(crate) fn connection_opened(&self) {
        add(&self.opened, 1);
    }

    pub(crate) fn connection_closed(&self) {
        add(&self.closed, 1);
    }

    pub(crate) fn connection_evicted(&self) {
        add(&self.evicted, 1);
    }

    pub(crate) fn connection_refused(&self) {
        add(&self.refused, 1);
    }

    pub(crate) fn limited(&self) {
        add(&self.limited, 1);
    }
}

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

/// What a scrape reads.
#[derive(Debug)]
struct Scrape {
    inputs_fingerprint: String,
    /// The last day that there are figures of.
    last_day: Date,
    routes: Arc<[&'static str]>,
    shards: Vec<Arc<Shard>>,
    reloads: Arc<Reloads>,
    waiting: Arc<PermitPool>,
}

impl Scrape {
    fn sum(&self, counter: impl Fn(&Shard) -> &AtomicU64) -> u64 {
        self.shards.iter().map(|shard| counter(shard).load(Ordering::Relaxed)).sum()
    }

    /// The labels of the routes by their numbers, last that of requests which matched none.
    fn routes(&self) -> impl Iterator<Item = (usize, &'static str)> {
        self.routes.iter().copied().chain([NO_ROUTE]).enumerate()
    }

    fn requests(&self, exposition: &mut Exposition<'_>) -> fmt::Result {
        let help = "Requests answered, by route and status";
        let series = self.routes().flat_map(|(route, label)| {
            let codes = STATUSES.iter().map(StatusCode::as_str).chain([OTHER_STATUS]);
            codes.enumerate().filter_map(move |(status, code)| {
                let count = self.sum(|shard| &shard.requests[route].by_status[status]);
                // What never happened is left out, but for the successes.
                let is_shown = count > 0 || (code == "200" && label != NO_ROUTE);
                is_shown.then_some(([("route", label), ("status", code)], count))
            })
        });
        exposition.counters("ghi_http_requests_total", help, series)
    }

    fn latencies(&self, exposition: &mut Exposition<'_>) -> fmt::Result {
        let help = "Time from the start of a request to its finished response, by route";
        let seconds = |nanos: u64| nanos as f64 / 1e9;
        let series = self.routes().filter_map(|(route, label)| {
            let bounds = BOUNDS.map(seconds).into_iter().chain([f64::INFINITY]);
            let counts = (0..=BOUNDS.len())
                .map(|bound| self.sum(|shard| &shard.requests[route].latencies[bound]));
            let buckets: Vec<(f64, u64)> = bounds.zip(counts).collect();
            let nanos = self.sum(|shard| &shard.requests[route].latency_nanos);
            // Routes that nobody asked for are left out: each is many lines.
            let is_shown = buckets.iter().any(|bucket| bucket.1 > 0);
            is_shown.then(|| ([("route", label)], seconds(nanos), buckets))
        });
        exposition.histograms("ghi_http_request_duration_seconds", help, series)
    }

    fn connections(&self, exposition: &mut Exposition<'_>) -> fmt::Result {
        // Read in this order, so that the difference is never negative.
        let closed = self.sum(|shard| &shard.closed);
        let open = self.sum(|shard| &shard.opened).saturating_sub(closed);
        exposition.gauge("ghi_http_connections_open", "Connections that are open now", open)?;
        let refused = self.sum(|shard| &shard.refused);
        let help = "Connections refused because their client had too many";
        exposition.counter("ghi_http_connections_refused_total", help, refused)?;
        let evicted = self.sum(|shard| &shard.evicted);
        let help = "Connections closed to make room for others";
        exposition.counter("ghi_http_connections_evicted_total", help, evicted)?;
        let limited = self.sum(|shard| &shard.limited);
        let help = "Requests refused because their client sent too many";
        exposition.counter("ghi_http_requests_limited_total", help, limited)
    }
}

impl Exposed for Scrape {
    fn expose(&self, exposition: &mut Exposition<'_>) -> fmt::Result {
        let labels = [
            ("engine_sandbox_version", ENGINE_SANDBOX_VERSION),
            ("inputs_fingerprint", &self.inputs_fingerprint),
        ];
        exposition.info("ghi_build_info", "What is running", &labels)?;
        self.reloads.expose(exposition)?;
        let help = "The last day that there are figures of, as the time at which it begins";
        let seconds = self.last_day.duration_since(Date::constant(1970, 1, 1)).as_secs();
        exposition.gauge("ghi_figures_last_day_timestamp_seconds", help, seconds as f64)?;
        process::expose(exposition)?;
        self.requests(exposition)?;
        self.latencies(exposition)?;
        self.connections(exposition)?;
        let shards: Vec<_> = self.shards.iter().map(|shard| &shard.scenarios).collect();
        scenarios::expose(&shards, self.waiting.in_use(), exposition)
    }
}

/// Counts reloads of the inputs.
#[derive(Debug, Default)]
pub(crate) struct Reloads {
    succeeded: AtomicU64,
    failed: AtomicU64,
    has_last_failed: AtomicBool,
}

impl Reloads {
    /// The figures are those of the inputs that were read.
    pub(crate) fn succeeded(&self) {
        self.succeeded.fetch_add(1, Ordering::Relaxed);
        self.has_last_failed.store(false, Ordering::Relaxed);
    }

    /// The inputs could not be read, and the figures are those of before.
    pub(crate) fn failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        self.has_last_failed.store(true, Ordering::Relaxed);
    }

    /// Writes the counts as metrics.
    pub(crate) fn expose(&self, exposition: &mut Exposition<'_>) -> fmt::Result {
        let help = "Whether the inputs could be read, the last time that they were";
        let successful = u64::from(!self.has_last_failed.load(Ordering::Relaxed));
        exposition.gauge("ghi_inputs_last_reload_successful", help, successful)?;
        let help = "Reloads of the inputs, by result";
        let counts = [("success", &self.succeeded), ("failure", &self.failed)]
            .map(|(result, count)| ([("result", result)], count.load(Ordering::Relaxed)));
        exposition.counters("ghi_inputs_reloads_total", help, counts)
    }
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;

    use crate::http::problem::KINDS;

    use super::*;

    /// A request that took this long counts in this bucket and in no other.
    #[track_caller]
    fn check(took: Duration, bucket: usize) {
        let shard = Shard::new(0);
        shard.request(None, StatusCode::OK, took);
        let [requests] = &*shard.requests else { panic!("one for what matched no route") };
        let counts = requests.latencies.each_ref().map(|count| count.load(Ordering::Relaxed));
        let mut expected = [0; BOUNDS.len() + 1];
        expected[bucket] = 1;
        assert_eq!(counts, expected, "{took:?}");
        assert_eq!(u128::from(requests.latency_nanos.load(Ordering::Relaxed)), took.as_nanos());
    }

    #[test]
    fn a_request_counts_in_the_first_bucket_that_it_fits() {
        check(Duration::ZERO, 0);
        check(Duration::from_micros(5), 0);
        check(Duration::from_nanos(5_001), 1);
        check(Duration::from_micros(30), 3);
        check(Duration::from_secs(1), BOUNDS.len() - 1);
        check(Duration::from_secs(3), BOUNDS.len());
    }

    #[test]
    fn every_status_of_a_problem_is_counted_by_itself_and_any_other_as_such() {
        for kind in &KINDS {
            assert!(STATUSES.contains(&kind.status), "{}", kind.code);
        }
        let metrics = Metrics::new(["/a"].into_iter(), 1, Arc::new(PermitPool::new(1, 1)));
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
        let metrics = Metrics::new(["/a", "/b"].into_iter(), 2, Arc::new(PermitPool::new(1, 1)));
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
    fn latencies_are_by_route_without_those_that_nobody_asked_for() {
        let metrics = Metrics::new(["/a", "/b"].into_iter(), 2, Arc::new(PermitPool::new(1, 1)));
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
