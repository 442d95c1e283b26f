//! What Prometheus scrapes: the server's own metrics, and the index itself.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ghi_contract::GLOBAL;
use ghi_engine::{Costs, Day, ENGINE_SANDBOX_VERSION, Model};
use hyper::StatusCode;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};

/// Every status that a response can have, in order.
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

/// The upper bounds of the latency histogram, nanoseconds.
const BOUNDS: [u64; 11] = [
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// The label of requests for paths that no route has.
const NO_ROUTE: &str = "none";

/// The metrics of a server: the labels of its routes, and a shard for each worker.
pub(crate) struct Metrics {
    routes: Arc<[&'static str]>,
    shards: Vec<Arc<Shard>>,
}

impl Metrics {
    pub(crate) fn new(routes: impl Iterator<Item = &'static str>, workers: usize) -> Self {
        let routes: Arc<[&str]> = routes.collect();
        let shards = (0..workers).map(|_| Arc::new(Shard::new(routes.len())));
        Self { shards: shards.collect(), routes }
    }

    /// Where a worker counts.
    pub(crate) fn shard(&self, worker: usize) -> Arc<Shard> {
        Arc::clone(&self.shards[worker])
    }

    /// Everything in the OpenMetrics text format. There is no day while the clock is unusable.
    pub(crate) fn expose(&self, model: &Model, today: Option<&Day>) -> String {
        let scrape = Scrape {
            routes: Arc::clone(&self.routes),
            shards: self.shards.clone(),
            ids: model.registry().regions().iter().map(|region| region.id.clone()).collect(),
            forecast_usd: model.long_run_avg_usd().to_f64(),
            today: today.cloned(),
        };
        let mut registry = Registry::default();
        registry.register_collector(Box::new(scrape));
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry)
            .expect("writing to a string does not fail");
        text
    }
}

/// The counts of one worker. Each worker has its own, so that counting never waits for another
/// core; a scrape sums them up.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Shard {
    /// By route, the last for what matched none; then by status.
    requests: Box<[[AtomicU64; STATUSES.len()]]>,
    /// By bound, the last for what lies above them all.
    latencies: [AtomicU64; BOUNDS.len() + 1],
    latency_nanos: AtomicU64,
    opened: AtomicU64,
    closed: AtomicU64,
    limited: AtomicU64,
    refused: AtomicU64,
}

impl Shard {
    fn new(routes: usize) -> Self {
        Self {
            requests: (0..=routes).map(|_| Default::default()).collect(),
            latencies: Default::default(),
            latency_nanos: AtomicU64::new(0),
            opened: AtomicU64::new(0),
            closed: AtomicU64::new(0),
            limited: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }

    /// Counts a request for the route with this number, if it matched one.
    pub(crate) fn request(&self, route: Option<usize>, status: StatusCode, took: Duration) {
        let route = route.unwrap_or(self.requests.len() - 1);
        let status = STATUSES.iter().position(|known| *known == status);
        add(&self.requests[route][status.unwrap_or(STATUSES.len() - 1)], 1);
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let bound = BOUNDS.iter().position(|bound| nanos <= *bound).unwrap_or(BOUNDS.len());
        add(&self.latencies[bound], 1);
        add(&self.latency_nanos, nanos);
    }

    pub(crate) fn connection_opened(&self) {
        add(&self.opened, 1);
    }

    pub(crate) fn connection_closed(&self) {
        add(&self.closed, 1);
    }

    pub(crate) fn connection_refused(&self) {
        add(&self.refused, 1);
    }

    pub(crate) fn limited(&self) {
        add(&self.limited, 1);
    }
}

/// Only the worker itself adds to its counts, so nothing can come between.
fn add(counter: &AtomicU64, amount: u64) {
    counter.store(counter.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
}

/// What a scrape reads.
#[derive(Debug)]
struct Scrape {
    routes: Arc<[&'static str]>,
    shards: Vec<Arc<Shard>>,
    /// The regions' ids.
    ids: Vec<String>,
    forecast_usd: f64,
    today: Option<Day>,
}

impl Scrape {
    fn sum(&self, counter: impl Fn(&Shard) -> &AtomicU64) -> u64 {
        self.shards.iter().map(|shard| counter(shard).load(Ordering::Relaxed)).sum()
    }

    fn requests(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let help = "Requests answered, by route and status";
        let mut family =
            encoder.encode_descriptor("ghi_http_requests", help, None, MetricType::Counter)?;
        let labels = self.routes.iter().copied().chain([NO_ROUTE]);
        for (route, label) in labels.enumerate() {
            for (status, code) in STATUSES.iter().enumerate() {
                let count = self.sum(|shard| &shard.requests[route][status]);
                // What never happened is left out, but for the successes.
                if count > 0 || (*code == StatusCode::OK && route < self.routes.len()) {
                    let labels = [("route", label), ("status", code.as_str())];
                    family
                        .encode_family(&labels)?
                        .encode_counter::<NoLabelSet, _, u64>(&count, None)?;
                }
            }
        }
        Ok(())
    }

    fn latencies(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let help = "Time from the wake-up of a connection to the finished response";
        let unit = Unit::Seconds;
        let mut metric = encoder.encode_descriptor(
            "ghi_http_request_duration",
            help,
            Some(&unit),
            MetricType::Histogram,
        )?;
        let seconds = |nanos: u64| nanos as f64 / 1e9;
        let bounds = BOUNDS.map(seconds).into_iter().chain([f64::INFINITY]);
        let counts = (0..=BOUNDS.len()).map(|bound| self.sum(|shard| &shard.latencies[bound]));
        let buckets: Vec<(f64, u64)> = bounds.zip(counts).collect();
        let count = buckets.iter().map(|bucket| bucket.1).sum();
        let sum = seconds(self.sum(|shard| &shard.latency_nanos));
        metric.encode_histogram::<NoLabelSet>(sum, count, &buckets, None)
    }

    fn connections(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        // Read in this order, so that the difference is never negative.
        let closed = self.sum(|shard| &shard.closed);
        let open = self.sum(|shard| &shard.opened).saturating_sub(closed);
        let help = "Connections that are open now";
        encoder
            .encode_descriptor("ghi_http_connections_open", help, None, MetricType::Gauge)?
            .encode_gauge(&(open as f64))?;
        let refused = self.sum(|shard| &shard.refused);
        let help = "Connections refused because their client had too many";
        encoder
            .encode_descriptor("ghi_http_connections_refused", help, None, MetricType::Counter)?
            .encode_counter::<NoLabelSet, _, u64>(&refused, None)?;
        let limited = self.sum(|shard| &shard.limited);
        let help = "Requests refused because their client sent too many";
        encoder
            .encode_descriptor("ghi_http_requests_limited", help, None, MetricType::Counter)?
            .encode_counter::<NoLabelSet, _, u64>(&limited, None)
    }

    fn figures(&self, today: &Day, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let help = "Cost of one coin today, USD";
        let mut family =
            encoder.encode_descriptor("ghi_cost_usd", help, None, MetricType::Gauge)?;
        let regions = self.ids.iter().map(String::as_str).zip(&today.regions);
        for (region, costs) in std::iter::once((GLOBAL, &today.global)).chain(regions) {
            let Costs { min_usd, avg_usd, max_usd } = costs;
            for (bound, cost) in [("min", min_usd), ("avg", avg_usd), ("max", max_usd)] {
                let labels = [("region", region), ("bound", bound)];
                family.encode_family(&labels)?.encode_gauge(&cost.to_f64())?;
            }
        }
        let network = &today.network;
        for (name, help, value) in [
            ("ghi_network_hashrate_eh", "Hashrate, EH/s", network.hashrate_eh.to_f64()),
            ("ghi_network_difficulty", "Difficulty", network.difficulty as f64),
            (
                "ghi_network_avg_fee_usd",
                "Mean fee of a transaction, USD",
                network.avg_fee_usd.to_f64(),
            ),
            ("ghi_forecast_avg_cost_usd", "Predicted global average cost, USD", self.forecast_usd),
        ] {
            encoder.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&value)?;
        }
        Ok(())
    }
}

impl Collector for Scrape {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let labels = [("engine_sandbox_version", ENGINE_SANDBOX_VERSION)];
        encoder
            .encode_descriptor("ghi_build", "What is running", None, MetricType::Info)?
            .encode_info(&labels)?;
        self.requests(&mut encoder)?;
        self.latencies(&mut encoder)?;
        self.connections(&mut encoder)?;
        match &self.today {
            Some(today) => self.figures(today, &mut encoder),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::http::problem::Code;

    use super::*;

    /// A request that took this long counts in this bucket and in no other.
    #[track_caller]
    fn check(took: Duration, bucket: usize) {
        let shard = Shard::new(0);
        shard.request(None, StatusCode::OK, took);
        let counts = shard.latencies.each_ref().map(|count| count.load(Ordering::Relaxed));
        let mut expected = [0; BOUNDS.len() + 1];
        expected[bucket] = 1;
        assert_eq!(counts, expected, "{took:?}");
        assert_eq!(u128::from(shard.latency_nanos.load(Ordering::Relaxed)), took.as_nanos());
    }

    #[test]
    fn a_request_counts_in_the_first_bucket_that_it_fits() {
        check(Duration::ZERO, 0);
        check(Duration::from_micros(1), 0);
        check(Duration::from_nanos(1_001), 1);
        check(Duration::from_micros(30), 5);
        check(Duration::from_millis(100), BOUNDS.len() - 1);
        check(Duration::from_secs(3), BOUNDS.len());
    }

    #[test]
    fn every_status_of_a_problem_is_counted() {
        for code in Code::ALL {
            assert!(STATUSES.contains(&code.describe().status), "{code:?}");
        }
    }

    #[test]
    fn requests_are_summed_over_workers_by_route_and_status() {
        let metrics = Metrics::new(["/a", "/b"].into_iter(), 2);
        metrics.shard(0).request(Some(1), StatusCode::OK, Duration::ZERO);
        metrics.shard(1).request(Some(1), StatusCode::OK, Duration::ZERO);
        metrics.shard(1).request(None, StatusCode::NOT_FOUND, Duration::ZERO);
        let text = metrics.expose(&Model::new(ghi_engine::Inputs::default()), None);
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
}
