//! Finds out whether there is a server to check.

use ghi_client::Resource;
use ghi_contract::{ForecastDays, GLOBAL};
use ghi_engine::visible;

use crate::check::recording_client::RecordingClient;
use crate::check::request::CheckRequest;
use crate::check::response::{EXCERPT_MAX, HttpResponse, NoResponse};

/// After this many requests without a response, the server counts as unreachable.
const FAILURES_MAX: usize = 2;

/// Requests documents until one is returned. Fails with the reason if none is.
pub(crate) fn probe_deployment(client: &mut RecordingClient) -> Result<(), String> {
    let requests = [
        Resource::Metadata,
        Resource::Snapshot,
        Resource::Regions,
        Resource::History(GLOBAL.into()),
        Resource::Network,
        Resource::Forecast(ForecastDays::default()),
    ]
    .map(|resource| CheckRequest::from(&resource));
    // Both at once, so that a server that never responds costs a single timeout.
    client.prefetch([requests[0].clone(), requests[1].clone()]);
    let mut failures = 0;
    let mut responses = Vec::new();
    for request in requests {
        let response = client.fetch(request);
        match &response.result {
            Ok(http) if http.document().is_some() => return Ok(()),
            Ok(_) => responses.push(response),
            Err(NoResponse::Unreachable(why)) => return Err(why.clone()),
            Err(_) => {
                failures += 1;
                if failures == FAILURES_MAX {
                    return Err(response.excerpt());
                }
            }
        }
    }
    let mut https = responses.iter().filter_map(|response| response.http());
    // This server can be judged: it breaks the rule that no credentials are needed.
    if https.clone().all(HttpResponse::requires_credentials) {
        return Ok(());
    }
    if https.any(|http| ghi_client::reports_tls_port(http.status, &http.body)) {
        return Err("the server expects TLS on this port; use https:// instead of http://".into());
    }
    let example = responses.first().map_or(String::new(), |response| {
        let excerpt = visible(&response.excerpt(), EXCERPT_MAX);
        format!(" ({} returned {excerpt})", response.request.target)
    });
    Err(format!("no document of the API was found{example}; is the base URL right?"))
}
