//! What operators and their machines ask.

use bytes::Bytes;
use hyper::Response;
use hyper::header::{CONTENT_TYPE, HeaderValue};

use crate::api::Ask;
use crate::problem::Problem;

/// The process lives.
pub(crate) fn healthz(_ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    Ok(plain("application/json", Bytes::from_static(br#"{"status":"alive"}"#)))
}

/// The process wants requests: not while it drains, nor while its clock is wrong.
pub(crate) fn readyz(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    if ask.is_draining() {
        return Err(Problem::draining());
    }
    ask.check_clock()?;
    Ok(plain("application/json", Bytes::from_static(br#"{"status":"ready"}"#)))
}

/// The server's measures and the index's figures.
pub(crate) fn metrics(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    let text = ask.read_metrics().to_text();
    Ok(plain("application/openmetrics-text; version=1.0.0; charset=utf-8", text.into()))
}

fn plain(content_type: &'static str, body: Bytes) -> Response<Bytes> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
