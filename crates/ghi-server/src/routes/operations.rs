//! Probes and metrics, for operators and orchestrators.

use ghi_engine::NoFigures;
use hyper::header::ACCEPT;
use hyper::{Response, StatusCode};
use serde::Serialize;

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation, encode, vary_by};
use crate::http::problem::Problem;
use crate::http::site::Site;
use crate::net::Content;
use crate::observe::exposition::Format;
use crate::observe::figures::figures;
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
    let response = |text| context.site.response(StatusCode::OK, format.content_type(), text);
    let edition = context.edition();
    let make = || figures_of_day(edition, context.site, format);
    let mut response = match edition.files.try_get(figures_file(format), make) {
        Ok(figures) => {
            let mut response = response(String::new());
            figures.fill(&mut response, context.headers, counts.as_bytes());
            response
        }
        // There may be no data for the day.
        Err(_) => encode(response(counts + format.end()), context.headers),
    };
    vary_by(response.headers_mut(), ACCEPT);
    Ok(response)
}

/// Renders the metrics that are slow with many regions.
pub(crate) fn warm(edition: &Edition, site: &Site) {
    for format in Format::ALL {
        edition.files.warm(figures_file(format), || figures_of_day(edition, site, format));
    }
}

/// Renders the metrics that stay the same all day, with an empty slot before them for the others.
fn figures_of_day(
    edition: &Edition,
    site: &Site,
    format: Format,
) -> Result<Representation, NoFigures> {
    let headers = Cacheable::daily(site, format.content_type()).into();
    let text = figures(edition.model(), edition.days().today()?, format) + format.end();
    Ok(Representation::with_visible_slot(headers, text, 0))
}

fn figures_file(format: Format) -> DailyFile {
    DailyFile::Metrics { is_open_metrics: format == Format::OpenMetrics }
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
