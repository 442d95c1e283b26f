//! What Prometheus reads: the server's own measures, and the index itself.

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

use crate::router::{ROUTE_COUNT, ROUTES, RouteIndex};

/// Every status that an answer can have, in order.
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

/// The counts of one worker. Each worker has its own, so that counting never waits for another
/// core; the sum is taken when somebody asks.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Shard {
    /// By route, the last for what matched none; then by status.
    requests: [[AtomicU64; STATUSES.len()]; ROUTE_COUNT + 1],
    /// By bound, the last for what lies above them all.
    latencies: [AtomicU64; BOUNDS.len() + 1],
    latency_nanos: AtomicU64,
    opened: AtomicU64,
    closed: AtomicU64,
    limited: AtomicU64,
}

impl Shard {
    pub(crate) fn request(&self, route: Option<RouteIndex>, status: StatusCode, took: Duration) {
        let route = route.map_or(ROUTE_COUNT, RouteIndex::get);
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

    pub(crate) fn limited(&self) {
        add(&self.limited, 1);
    }
}

/// Only the worker itself adds to its counts, so nothing can come between.
fn add(counter: &AtomicU64, amount: u64) {
    counter.store(counter.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
}

/// Everything there is to read, at one moment.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) shards: Vec<Arc<Shard>>,
    /// The regions' ids.
    pub(crate) ids: Vec<String>,
    pub(crate) forecast_usd: f64,
    /// Absent while the clock is out of range.
    pub(crate) today: Option<Day>,
}

impl Reading {
    pub(crate) fn new(shards: &[Arc<Shard>], model: &Model, today: Option<Day>) -> Self {
        Self {
            shards: shards.to_vec(),
            ids: model.registry().iter().map(|region| region.id.clone()).collect(),
            forecast_usd: model.long_run_avg_usd().to_f64(),
            today,
        }
    }

    /// The reading in the OpenMetrics text format.
    pub(crate) fn into_text(self) -> String {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self));
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry)
            .expect("writing to a string does not fail");
        text
    }

    fn sum(&self, counter: impl Fn(&Shard) -> &AtomicU64) -> u64 {
        self.shards.iter().map(|shard| counter(shard).load(Ordering::Relaxed)).sum()
    }

    fn requests(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let help = "Requests answered, by route and status";
        let mut family =
            encoder.encode_descriptor("ghi_http_requests", help, None, MetricType::Counter)?;
        let paths = ROUTES.iter().map(|route| route.path).chain(["none"]);
        for (route, path) in paths.enumerate() {
            for (status, code) in STATUSES.iter().enumerate() {
                let count = self.sum(|shard| &shard.requests[route][status]);
                // What never happened is left out, but for the successes.
                if count > 0 || (*code == StatusCode::OK && route < ROUTE_COUNT) {
                    let labels = [("route", path), ("status", code.as_str())];
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

impl Collector for Reading {
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
