//! Section 4 and 5: that the endpoints answer, to everybody.

use ghi_client::Resource;

use crate::check::case::Case;
use crate::check::exchange::Outcome;
use crate::check::fields::Shape;
use crate::check::parts::{DOCUMENTS, resources};
use crate::check::request::Request;
use crate::check::rule::{Rule, contract};
use crate::check::rules::metadata::supports_v1_0;

pub(super) const RULES: &[Rule] = &[
    contract("metadata-answers", "4", "`GET /v1/ghi/metadata` answers 200.", |case| {
        verify_200(case, Shape::Metadata);
    }),
    contract("regions-answer", "4", "`GET /v1/ghi/regions` answers 200.", |case| {
        verify_200(case, Shape::Regions);
    }),
    contract(
        "region-detail-answers",
        "4",
        "`GET /v1/ghi/regions/{id}` answers 200 for the ids of the registry.",
        |case| verify_200(case, Shape::RegionDetail),
    ),
    contract("snapshot-answers", "4", "`GET /v1/ghi/snapshot` answers 200.", |case| {
        verify_200(case, Shape::Snapshot);
    }),
    contract(
        "history-answers",
        "4",
        "`GET /v1/ghi/history` answers 200 for `global` and the ids of the registry.",
        |case| verify_200(case, Shape::History),
    ),
    contract("network-answers", "4", "`GET /v1/ghi/network` answers 200.", |case| {
        verify_200(case, Shape::Network);
    }),
    contract(
        "forecast-answers",
        "4",
        "`GET /v1/ghi/forecast` answers 200; of 1, 7 and 30 days it may refuse some.",
        forecast_answers,
    ),
    contract(
        "no-credentials-are-needed",
        "5",
        "No endpoint answers 401, 403 or 407 to a request without credentials.",
        no_credentials_are_needed,
    ),
    contract(
        "indicator-answers",
        "9.4",
        "`GET /v1/ghi/indicator` answers 200, where the metadata says that 1.0 is supported.",
        indicator_answers,
    ),
];

fn verify_200(case: &mut Case<'_>, shape: Shape) {
    for resource in resources(case, shape) {
        verify_answers(case, &resource);
    }
}

fn verify_answers(case: &mut Case<'_>, resource: &Resource) {
    let exchange = case.ask(Request::document(resource));
    match &exchange.outcome {
        Outcome::Answer(answer) => {
            case.verify(&exchange, answer.status == 200, "200", answer.excerpt());
        }
        Outcome::Failed(_) => case.verify(&exchange, false, "200", exchange.shown()),
        // The limit is best-effort, and no broken rule; nor is a length.
        Outcome::TooLarge(_) | Outcome::Limited | Outcome::NotAsked(_) => {
            case.skip(exchange.shown());
        }
    }
}

/// Which horizons there are is not shown: what refuses one and takes another keeps the contract.
fn forecast_answers(case: &mut Case<'_>) {
    let resources = resources(case, Shape::Forecast);
    let status = |case: &mut Case<'_>, resource| {
        case.ask(Request::document(resource)).answer().map(|answer| answer.status)
    };
    let takes_one = resources.iter().any(|resource| status(case, resource) == Some(200));
    for resource in &resources {
        match status(case, resource) {
            Some(400 | 404 | 422) if takes_one => {}
            _ => verify_answers(case, resource),
        }
    }
}

fn no_credentials_are_needed(case: &mut Case<'_>) {
    let shown = DOCUMENTS.iter().flat_map(|shape| resources(case, *shape));
    let mut resources: Vec<_> = shown.collect();
    if supports_v1_0(case) {
        resources.push(Resource::Indicator);
    }
    for resource in resources {
        let exchange = case.ask(Request::document(&resource));
        case.verify_answer(&exchange, "an answer without credentials", |answer| {
            !answer.wants_credentials()
        });
    }
}

/// v1.0 exposes the indicator, and the metadata is the authority on whether v1.0 is supported. What
/// the answer holds is not shown, so that it comes is all that can be asked for.
fn indicator_answers(case: &mut Case<'_>) {
    match supports_v1_0(case) {
        true => verify_answers(case, &Resource::Indicator),
        false => case.skip("the metadata does not say that 1.0 is supported"),
    }
}
