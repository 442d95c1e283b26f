//! The first look: whether there is anything to judge.

use ghi_client::Resource;
use ghi_contract::{ForecastDays, GLOBAL};

use crate::check::exchange::{Answer, Outcome, shown};
use crate::check::recording_client::{CANNOT_CONNECT, RecordingClient};
use crate::check::request::Request;

/// How many requests may go without an answer before nothing is expected any more. Each may take as
/// long as the timeout.
const UNANSWERED_MAX: usize = 2;

/// Asks for documents until one comes. If none does, says why.
pub(crate) fn look(client: &mut RecordingClient) -> Result<(), String> {
    let resources = [
        Resource::Metadata,
        Resource::Snapshot,
        Resource::Regions,
        Resource::History(GLOBAL.into()),
        Resource::Network,
        Resource::Forecast(ForecastDays::default()),
    ];
    let mut unanswered = 0;
    let mut first = None;
    for resource in resources {
        let exchange = client.ask(Request::document(&resource));
        if exchange.document().is_some() {
            return Ok(());
        }
        if matches!(exchange.outcome, Outcome::Failed(_) | Outcome::Limited) {
            unanswered += 1;
            let why = exchange.shown();
            if unanswered == UNANSWERED_MAX || why.starts_with(CANNOT_CONNECT) {
                return Err(why);
            }
        }
        first.get_or_insert(exchange);
    }
    let answered = first.map(|exchange| {
        let what = exchange.answer().map_or_else(|| exchange.shown(), what);
        format!("{} answers {what}", exchange.request.target)
    });
    let answered = answered.unwrap_or_default();
    Err(format!("not one document of the API came ({answered}); is the base address right?"))
}

/// What an answer is, in a few words.
fn what(answer: &Answer) -> String {
    let header = |name| answer.header(name).map(|value| shown(&value));
    let status = answer.status;
    match (header("location"), header("content-type")) {
        (Some(location), _) => format!("{status}, a redirect to {location}"),
        (None, Some(content_type)) => format!("{status} with {content_type}"),
        (None, None) => format!("{status} without a content type"),
    }
}
