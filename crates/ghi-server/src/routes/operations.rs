//! Probes and metrics, for operators and their machines.

use ghi_engine::{NoFigures, Scope};
use hyper::header::ACCEPT;
use hyper::{Response, StatusCode};
use serde::Serialize;

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation, encode, vary_by};
use crate::http::paths;
use crate::http::problem::Problem;
use crate::http::site::Site;
use crate::net::Content;
use crate::observe::exposition::Format;
use crate::observe::figures::figures;
use crate::routes::context::{Answer, Context};

/// The tag of these operations in the OpenAPI document.
pub(crate) const TAG: &str = "Operation";

/// Liveness probe.
///
/// 200 as long as the process answers at all; an orchestrator restarts what does not.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::HEALTHZ, tag = TAG, responses((status = 200, body = Health))))]
pub(crate) fn healthz(context: &Context<'_>) -> Answer {
    Ok(alive(context.site))
}

/// The response of the liveness probe, which needs no clock.
pub(crate) fn alive(site: &Site) -> Response<Content> {
    Health { status: Status::Alive }.respond(site)
}

/// Readiness probe.
///
/// 200 if the server is to be sent requests: not while it drains, nor while its clock is unusable or
/// today has no figures.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::READYZ, tag = TAG, responses((status = 200, body = Health))))]
pub(crate) fn readyz(context: &Context<'_>) -> Answer {
    if context.is_draining {
        return Err(Problem::draining());
    }
    context.now()?.edition().days().today()?;
    Ok(Health { status: Status::Ready }.respond(context.site))
}

/// Metrics for Prometheus.
///
/// The server's own and the figures of the index: in the OpenMetrics text format where `Accept` asks
/// for it, as Prometheus does, and in Prometheus' text format otherwise.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::METRICS, tag = TAG,
    responses((status = 200, content((String = "text/plain"), (String = "application/openmetrics-text"))))))]
pub(crate) fn metrics(context: &Context<'_>) -> Answer {
    let format = Format::accepted(context.headers);
    let counts = context.metrics.counts(format, context.model);
    let response = |text| context.site.response(StatusCode::OK, format.content_type(), text);
    let figures = context.now.and_then(|now| {
        let edition = now.edition();
        let make = || figures_of_day(edition, context.site, format);
        edition.files.try_get(figures_file(format), make).ok()
    });
    let mut response = match figures {
        Some(figures) => {
            figures.in_response(response(String::new()), context.headers, counts.as_bytes())
        }
        // There is no day while the clock is unusable, and there may be no figures of it.
        None => encode(response(counts + format.end()), context.headers),
    };
    vary_by(response.headers_mut(), ACCEPT);
    Ok(response)
}

/// Makes what takes long with many regions.
pub(crate) fn prepare(edition: &Edition, site: &Site) {
    for format in Format::ALL {
        edition.files.prepare(figures_file(format), || figures_of_day(edition, site, format));
    }
}

/// The metrics that stay the same all day, with an empty slot before them for those that do not.
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
    DailyFile { path: paths::METRICS, scope: Scope::Global, variant: format.content_type() }
}

/// What a probe is answered with.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct Health {
    /// How the process is.
    #[cfg_attr(feature = "internals", schema(value_type = String, examples("alive", "ready")))]
    status: Status,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Alive,
    Ready,
}

impl Health {
    fn respond(&self, site: &Site) -> Response<Content> {
        let body = serde_json::to_vec(self).expect("a status is plain JSON");
        site.response(StatusCode::OK, "application/json", body)
    }
}
