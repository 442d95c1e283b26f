//! Probes and metrics, for operators and orchestrators.

use ghi_contract::GLOBAL;
use ghi_engine::{Costs, Day, Model};
use hyper::header::ACCEPT;
use hyper::{Response, StatusCode};
use serde::Serialize;

use crate::http::caching::{encode, vary_by};
use crate::http::problem::Problem;
use crate::http::site::Site;
use crate::net::Content;
use crate::observe::exposition::{Exposition, Format};
use crate::routes::context::{Context, HandlerResult};

/// The tag of these operations in the OpenAPI document.
pub(crate) const TAG: &str = "Operation";

/// Liveness probe.
///
/// Returns 200 as long as the process responds; otherwise, an orchestrator should restart it.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::HEALTHZ, tag = TAG, responses((status = 200, body = Health))))]
pub(crate) fn healthz(context: &Context<'_>) -> HandlerResult {
    Ok(Health { status: "alive" }.respond(context.site))
}

/// Readiness probe.
///
/// Returns 503 while the server is shutting down or has no data for today; otherwise 200.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::READYZ, tag = TAG, responses((status = 200, body = Health))))]
pub(crate) fn readyz(context: &Context<'_>) -> HandlerResult {
    if context.is_draining {
        return Err(Problem::draining());
    }
    context.edition().days().today()?;
    Ok(Health { status: "ready" }.respond(context.site))
}

/// Metrics for Prometheus.
///
/// The server's metrics and the index data, in the OpenMetrics text format if the `Accept` header requests
/// it, as Prometheus's does, and otherwise in the Prometheus text format.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::METRICS, tag = TAG,
    responses((status = 200, content((String = "text/plain"), (String = "application/openmetrics-text"))))))]
pub(crate) fn metrics(context: &Context<'_>) -> HandlerResult {
    let format = Format::accepted(context.headers);
    let counts = context.metrics.counts(format, context.model());
    // There may be no data for the day.
    let today = context.edition().days().today();
    let figures = today.map(|today| figures(context.model(), today, format)).unwrap_or_default();
    let text = counts + &figures + format.end();
    let response = context.site.response(StatusCode::OK, format.content_type(), text);
    let mut response = encode(response, context.headers);
    vary_by(response.headers_mut(), ACCEPT);
    Ok(response)
}

/// Returns the data of a day in a format, without its [end](Format::end).
fn figures(model: &Model, day: &Day, format: Format) -> String {
    let mut exposition = Exposition::new(format);
    let ids = model.registry().regions().iter().map(|region| &*region.id);
    let scopes = std::iter::once((GLOBAL, &day.global)).chain(ids.zip(&day.regions));
    let costs = scopes.flat_map(|(region, costs)| {
        let Costs { min_usd, avg_usd, max_usd } = costs;
        [("min", min_usd), ("avg", avg_usd), ("max", max_usd)]
            .map(|(bound, cost)| ([("region", region), ("bound", bound)], cost.to_f64()))
    });
    exposition.metric("gauge", "ghi_cost_usd", "Cost of one coin today, USD", costs);
    let network = &day.network;
    let hashrate_eh = network.hashrate_eh.to_f64();
    exposition.gauge("ghi_network_hashrate_eh", "Hashrate, EH/s", hashrate_eh);
    exposition.gauge("ghi_network_difficulty", "Difficulty", network.difficulty as f64);
    let help = "Average transaction fee, USD";
    exposition.gauge("ghi_network_avg_fee_usd", help, network.avg_fee_usd.to_f64());
    let help = "Predicted global average cost, USD";
    exposition.gauge("ghi_forecast_avg_cost_usd", help, model.forecast_avg_usd(day).to_f64());
    exposition.text
}

/// The response to a probe.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct Health {
    /// The status of the process.
    #[cfg_attr(feature = "internals", schema(examples("alive", "ready")))]
    status: &'static str,
}

impl Health {
    fn respond(&self, site: &Site) -> Response<Content> {
        let body = serde_json::to_vec(self).expect("a status is plain JSON");
        site.response(StatusCode::OK, "application/json", body)
    }
}
