//! What operators and their machines ask.

use bytes::Bytes;
use hyper::{Response, StatusCode};

use crate::api::Ask;
use crate::conventions::response;
use crate::problem::Problem;

/// The process lives.
pub(crate) fn healthz(_ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    Ok(alive())
}

/// The word that the process lives, which needs no clock.
pub(crate) fn alive() -> Response<Bytes> {
    let alive = Bytes::from_static(br#"{"status":"alive"}"#);
    response(StatusCode::OK, "application/json", alive)
}

/// The process wants requests: not while it drains, nor while its clock is wrong.
pub(crate) fn readyz(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    if ask.is_draining() {
        return Err(Problem::draining());
    }
    ask.check_clock()?;
    let ready = Bytes::from_static(br#"{"status":"ready"}"#);
    Ok(response(StatusCode::OK, "application/json", ready))
}

/// The server's measures and the index's figures.
pub(crate) fn metrics(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    let text = ask.read_metrics().into_text();
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(response(StatusCode::OK, content_type, text.into()))
}
