//! Probes and metrics, for operators and their machines.

use bytes::Bytes;
use hyper::header::{ACCEPT, VARY};
use hyper::{Response, StatusCode};
use serde::Serialize;

use crate::http::common_headers::response;
use crate::http::problem::Problem;
use crate::observe::exposition::Format;
use crate::observe::figures::figures;
use crate::routes::context::{Answer, Context};

/// The tag of these operations in the OpenAPI document.
pub(crate) const TAG: &str = "Operation";

/// Liveness probe.
///
/// 200 as long as the process answers at all; an orchestrator restarts what does not.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::HEALTHZ, tag = TAG, responses((status = 200, body = Health))))]
pub(crate) fn healthz(_context: &Context<'_>) -> Answer {
    Ok(alive())
}

/// The response of the liveness probe, which needs no clock.
pub(crate) fn alive() -> Response<Bytes> {
    Health { status: Status::Alive }.respond()
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
    Ok(Health { status: Status::Ready }.respond())
}

/// Metrics for Prometheus.
///
/// The server's own and the figures of the index: in the OpenMetrics text format where `Accept` asks
/// for it, as Prometheus does, and in Prometheus' text format otherwise.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::METRICS, tag = TAG,
    responses((status = 200, content((String = "text/plain"), (String = "application/openmetrics-text"))))))]
pub(crate) fn metrics(context: &Context<'_>) -> Answer {
    let format = Format::accepted(context.headers);
    let mut text = context.metrics.counts(format);
    // There is no day while the clock is unusable.
    if let Some(now) = context.now {
        text += &figures(context.model, now.edition().days().today(), format);
    }
    text += format.end();
    let mut response = response(StatusCode::OK, format.content_type(), text.into());
    response.headers_mut().insert(VARY, ACCEPT.into());
    Ok(response)
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
    fn respond(&self) -> Response<Bytes> {
        let body = serde_json::to_vec(self).expect("a status is plain JSON");
        response(StatusCode::OK, "application/json", body.into())
    }
}
