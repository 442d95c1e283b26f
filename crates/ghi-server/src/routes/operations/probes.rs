//! Probes and metrics, for operators and orchestrators.

use std::sync::atomic::AtomicU64;

use ghi_contract::{ForecastDays, GLOBAL};
use ghi_engine::{Costs, Day, Model};
use hyper::header::ACCEPT;
use hyper::{Response, StatusCode};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::Registry;
use serde::Serialize;

use crate::http::caching::{encode, vary_by};
use crate::http::problem::{Code, Problem};
use crate::http::site::Site;
use crate::net::Content;
use crate::observe::metrics::in_accepted_format;
use crate::routes::context::{Context, HandlerResult};

/// The tag of these operations in the OpenAPI document.
pub(crate) const TAG: &str = "Operation";

/// Liveness probe.
///
/// Returns 200 as long as the process responds; otherwise, an orchestrator should restart it.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::HEALTHZ, tag = TAG, responses((status = 200, body = Health))))]
pub(crate) fn healthz(context: &Context<'_>) -> HandlerResult {
    Ok(health(context.site, "alive"))
}

/// Readiness probe.
///
/// Returns 503 while the server is shutting down or has no data for today; otherwise 200.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::READYZ, tag = TAG, responses((status = 200, body = Health))))]
pub(crate) fn readyz(context: &Context<'_>) -> HandlerResult {
    if context.is_draining {
        let detail = "The server is shutting down; send new requests elsewhere.";
        return Err(Problem::new(Code::Draining, detail));
    }
    context.edition().days().today()?;
    Ok(health(context.site, "ready"))
}

/// Metrics for Prometheus.
///
/// The server's metrics and the index data, in the OpenMetrics text format if the `Accept` header requests
/// it, as Prometheus's does, and otherwise in the Prometheus text format.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::METRICS, tag = TAG,
    responses((status = 200, content((String = "text/plain"), (String = "application/openmetrics-text"))))))]
pub(crate) fn metrics(context: &Context<'_>) -> HandlerResult {
    let mut figures = Registry::default();
    if let Ok(today) = context.edition().days().today() {
        register_figures(&mut figures, context.model(), today);
    }
    let text = context.metrics.expose(context.model(), figures);
    let (content_type, text) = in_accepted_format(context.headers, text);
    let response = context.site.response(StatusCode::OK, content_type, text);
    let mut response = encode(response, context.headers);
    vary_by(response.headers_mut(), ACCEPT);
    Ok(response)
}

fn register_figures(registry: &mut Registry, model: &Model, day: &Day) {
    let ids = model.registry().regions().iter().map(|region| &*region.id);
    let costs = Family::<[(&str, String); 2], Gauge<f64, AtomicU64>>::default();
    for (region, of_region) in std::iter::once((GLOBAL, &day.global)).chain(ids.zip(&day.regions)) {
        let Costs { min_usd, avg_usd, max_usd } = of_region;
        for (bound, cost) in [("min", min_usd), ("avg", avg_usd), ("max", max_usd)] {
            let labels = [("region", region.into()), ("bound", bound.into())];
            costs.get_or_create(&labels).set(cost.to_f64());
        }
    }
    registry.register("ghi_cost_usd", "Cost of one coin today, USD", costs);
    let network = &day.network;
    for (name, help, value) in [
        ("ghi_network_hashrate_eh", "Hashrate, EH/s", network.hashrate_eh.to_f64()),
        ("ghi_network_difficulty", "Difficulty", network.difficulty as f64),
        ("ghi_network_avg_fee_usd", "Average transaction fee, USD", network.avg_fee_usd.to_f64()),
        (
            "ghi_forecast_avg_cost_usd",
            "Predicted global average cost, USD",
            model.forecast_avg_usd(day, ForecastDays::DEFAULT).to_f64(),
        ),
    ] {
        registry.register(name, help, ConstGauge::new(value));
    }
}

/// The response to a probe.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct Health {
    /// The status of the process.
    #[cfg_attr(feature = "internals", schema(examples("alive", "ready")))]
    status: &'static str,
}

fn health(site: &Site, status: &'static str) -> Response<Content> {
    let body = serde_json::to_vec(&Health { status }).expect("a status is plain JSON");
    site.response(StatusCode::OK, "application/json", body)
}
