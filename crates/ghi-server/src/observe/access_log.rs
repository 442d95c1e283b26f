//! The access log: one line per request, if enabled.

use std::net::IpAddr;
use std::time::Duration;

use hyper::header::{HeaderValue, USER_AGENT};
use hyper::{Request, Response};

use crate::net::Content;
use crate::scenarios::Scenario;

/// The maximum number of bytes of client text in a line, before escaping.
const TEXT_MAX: usize = 256;

/// Logs a request.
pub(crate) fn write(
    id: &HeaderValue,
    traceparent: Option<&HeaderValue>,
    client: IpAddr,
    (request, response): (&Request<()>, &Response<Content>),
    scenario: Option<&Scenario>,
    took: Duration,
) {
    let agent = request.headers().get(USER_AGENT).map_or(&b""[..], HeaderValue::as_bytes);
    let target = request.uri().path_and_query().map_or("", |target| target.as_str());
    tracing::info!(
        target: "access",
        request_id = id.to_str().unwrap_or_default(),
        traceparent = traceparent.and_then(|value| value.to_str().ok()),
        %client,
        method = escaped(request.method().as_str().as_bytes()),
        target = escaped(target.as_bytes()),
        status = response.status().as_u16(),
        bytes = response.body().len(),
        scenario = scenario.map(|scenario| format!("{}: {}", scenario.origin(), scenario.kind())),
        micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        user_agent = escaped(agent),
    );
}

/// Returns text sent by a client as visible ASCII of limited length, so that it can neither break a line
/// nor control a terminal.
fn escaped(sent: &[u8]) -> String {
    let cut = &sent[..sent.len().min(TEXT_MAX)];
    let text = cut.escape_ascii().to_string();
    if cut.len() < sent.len() { text + "..." } else { text }
}
