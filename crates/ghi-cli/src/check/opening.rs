//! The first look: whether there is anything to judge.

use std::rc::Rc;

use ghi_client::Resource;
use ghi_contract::{ForecastDays, GLOBAL};

use crate::check::exchange::{Answer, Exchange, Outcome, shown};
use crate::check::recording_client::{CANNOT_CONNECT, RecordingClient};
use crate::check::request::Request;

/// How many requests may go without an answer before nothing is expected any more.
const UNANSWERED_MAX: usize = 2;

/// Asks for documents until one comes. If none does, says why.
pub(crate) fn look(client: &mut RecordingClient) -> Result<(), String> {
    let [first, second, others @ ..] = [
        Resource::Metadata,
        Resource::Snapshot,
        Resource::Regions,
        Resource::History(GLOBAL.into()),
        Resource::Network,
        Resource::Forecast(ForecastDays::default()),
    ]
    .map(|resource| Request::document(&resource));
    // One endpoint that hangs is not the whole server, and a server that is silent is waited for once.
    client.ask_both([first.clone(), second.clone()]);
    let mut unanswered = 0;
    let mut answers = Vec::new();
    for request in [first, second].into_iter().chain(others) {
        let exchange = client.ask(request);
        match &exchange.outcome {
            _ if exchange.document().is_some() => return Ok(()),
            Outcome::Answer(_) => answers.push(exchange),
            Outcome::Failed(_) | Outcome::TooLarge(_) | Outcome::Limited | Outcome::NotAsked(_) => {
                unanswered += 1;
                let why = exchange.shown();
                if unanswered == UNANSWERED_MAX || why.starts_with(CANNOT_CONNECT) {
                    return Err(why);
                }
            }
        }
    }
    let wants_credentials =
        |exchange: &Rc<Exchange>| exchange.answer().is_some_and(Answer::wants_credentials);
    // That nobody needs credentials is a rule, and this deployment breaks it.
    if answers.iter().all(wants_credentials) {
        return Ok(());
    }
    let speaks_tls =
        |answer: &Answer| ghi_client::says_that_it_speaks_tls(answer.status, &answer.body);
    if answers.iter().filter_map(|exchange| exchange.answer()).any(speaks_tls) {
        return Err("the server speaks TLS at this port; use https:// instead of http://".into());
    }
    let said = answers.first().map(|exchange| {
        let what = exchange.unjudged().or_else(|| exchange.answer().map(what));
        format!("{} answers {}", exchange.request.target, what.unwrap_or_default())
    });
    let said = said.unwrap_or_default();
    Err(format!("not one document of the API came ({said}); is the base address right?"))
}

/// What an answer is, in a few words.
fn what(answer: &Answer) -> String {
    let status = answer.status;
    answer.redirect().unwrap_or_else(|| match answer.header("content-type") {
        Some(content_type) => format!("{status} with {}", shown(&content_type)),
        None => format!("{status} without a content type"),
    })
}
