//! The first look: whether there is anything to judge.

use ghi_client::Resource;
use ghi_contract::{ForecastDays, GLOBAL};

use crate::check::deployment::Deployment;
use crate::check::exchange::Outcome;
use crate::check::request::Request;

/// How many requests may go without an answer before nothing is expected any more. Each may take as
/// long as the timeout.
const UNANSWERED_MAX: usize = 2;

/// Asks for documents until one comes. If none does, says why.
pub(crate) fn look(deployment: &mut Deployment) -> Result<(), String> {
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
        let exchange = deployment.ask(Request::document(&resource));
        if exchange.document().is_some() {
            return Ok(());
        }
        if let Outcome::Failed(why) = &exchange.outcome {
            unanswered += 1;
            if unanswered == UNANSWERED_MAX || why.starts_with("cannot connect") {
                return Err(format!("{}: {why}", exchange.request.target));
            }
        }
        first.get_or_insert(exchange);
    }
    let first = first.map(|exchange| format!("{}: {}", exchange.request.target, exchange.shown()));
    Err(format!(
        "not one document of the API came; is the base address right? {}",
        first.unwrap_or_default()
    ))
}
