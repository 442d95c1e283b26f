//! What operators and their machines ask.

use bytes::Bytes;
use hyper::{Response, StatusCode};
use serde::Serialize;

use crate::api::Ask;
use crate::conventions::response;
use crate::problem::Problem;

pub(crate) const HEALTHZ: &str = "/healthz";
pub(crate) const READYZ: &str = "/readyz";
pub(crate) const METRICS: &str = "/metrics";

/// The chapter of the description that they stand in.
pub(crate) const OPERATION: &str = "Operation";

/// The process lives.
///
/// As long as it answers at all; an orchestrator restarts what does not.
#[utoipa::path(get, path = HEALTHZ, tag = OPERATION, responses((status = 200, body = Health)))]
pub(crate) fn healthz(_ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    Ok(alive())
}

/// The word that the process lives, which needs no clock.
pub(crate) fn alive() -> Response<Bytes> {
    Health { status: Status::Alive }.respond()
}

/// The process wants requests.
///
/// Not while it drains, nor while its clock is wrong.
#[utoipa::path(get, path = READYZ, tag = OPERATION, responses((status = 200, body = Health)))]
pub(crate) fn readyz(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    if ask.is_draining() {
        return Err(Problem::draining());
    }
    ask.check_clock()?;
    Ok(Health { status: Status::Ready }.respond())
}

/// The server's measures and the index's figures.
///
/// In the OpenMetrics text format, for Prometheus.
#[utoipa::path(get, path = METRICS, tag = OPERATION,
    responses((status = 200, body = String, content_type = "application/openmetrics-text")))]
pub(crate) fn metrics(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    let text = ask.read_metrics().into_text();
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(response(StatusCode::OK, content_type, text.into()))
}

/// What a probe hears.
#[derive(Serialize, utoipa::ToSchema)]
struct Health {
    /// How the process is.
    status: Status,
}

#[derive(Serialize, utoipa::ToSchema)]
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
