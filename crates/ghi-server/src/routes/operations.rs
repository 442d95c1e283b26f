//! Probes and metrics, for operators and their machines.

use hyper::{Response, StatusCode};
use serde::Serialize;

use crate::http::problem::Problem;
use crate::http::site::Site;
use crate::net::Content;
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
/// 200 if the server is to be sent requests: not while it drains, nor while its clock is unusable.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::READYZ, tag = TAG, responses((status = 200, body = Health))))]
pub(crate) fn readyz(context: &Context<'_>) -> Answer {
    if context.is_draining {
        return Err(Problem::draining());
    }
    context.now()?;
    Ok(Health { status: Status::Ready }.respond(context.site))
}

/// Metrics for Prometheus.
///
/// The server's own and the figures of the index, in the OpenMetrics text format.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::METRICS, tag = TAG,
    responses((status = 200, body = String, content_type = "application/openmetrics-text"))))]
pub(crate) fn metrics(context: &Context<'_>) -> Answer {
    let today = context.now.map(|now| now.edition().days().today());
    let text = context.metrics.expose(context.model, today);
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(context.site.response(StatusCode::OK, content_type, text))
}

/// What a probe is answered with.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct Health {
    /// How the process is.
    status: Status,
}

#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
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
