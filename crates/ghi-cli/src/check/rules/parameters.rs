//! What requests may ask for, where the contract does not say.

use ghi_client::Resource;
use ghi_contract::{ForecastDays, GLOBAL, paths};

use crate::check::case::Case;
use crate::check::parts::{region_ids, sample};
use crate::check::request::Request;
use crate::check::rule::{Rule, strict};
use crate::check::rules::mistakes::{UNKNOWN, forecast, verify_problem};

pub(super) const RULES: &[Rule] = &[
    strict(
        "history-defaults-to-global",
        "4",
        "Without `region_id` the history is global.",
        history_defaults_to_global,
    ),
    strict(
        "forecast-days-run-from-1-to-365",
        "4",
        "`forecast_days=365` is answered; 0 and 366 are 400 `invalid_parameter`.",
        forecast_days_run_from_1_to_365,
    ),
    strict(
        "forecast-days-are-plain-digits",
        "4",
        "`forecast_days` with sign, space, fraction, exponent, leading zero or nothing is 400.",
        forecast_days_are_plain_digits,
    ),
    strict(
        "parameters-come-once",
        "4",
        "A parameter that is given twice is 400 `invalid_parameter`.",
        parameters_come_once,
    ),
    strict(
        "queries-are-utf-8",
        "4",
        "A query that is not UTF-8 once decoded is 400 `invalid_parameter`.",
        |case| {
            verify_problem(
                case,
                Request::get(format!("{}?x=%ff", paths::METADATA)),
                400,
                "invalid_parameter",
            )
        },
    ),
    strict(
        "unknown-parameters-do-no-harm",
        "4",
        "An unknown parameter is ignored, or 400 `unknown_parameter`.",
        unknown_parameters_do_no_harm,
    ),
    strict(
        "parameters-are-decoded",
        "4",
        "Ids are percent-decoded, in the path and in the query.",
        parameters_are_decoded,
    ),
    strict(
        "trailing-slash-is-the-same",
        "4",
        "A path with a slash at its end is the same resource.",
        trailing_slash_is_the_same,
    ),
    strict(
        "unknown-region-is-404",
        "4",
        "An unknown id in the path, also in upper case, is 404 `unknown_region`.",
        |case| verify_unknown(case, Resource::RegionDetail),
    ),
    strict(
        "unknown-region-id-is-404",
        "4",
        "An unknown `region_id`, also in upper case, is 404 `unknown_region`.",
        |case| verify_unknown(case, Resource::History),
    ),
];

fn history_defaults_to_global(case: &mut Case<'_>) {
    if let Some(exchange) = case.document_by(Request::get(paths::HISTORY)) {
        let region_id = exchange.document().and_then(|document| document.get("region_id"));
        case.verify_value(&exchange, "region_id", GLOBAL, region_id);
    }
}

fn forecast_days_run_from_1_to_365(case: &mut Case<'_>) {
    if let Some(exchange) = case.answer(forecast(&ForecastDays::MAX.to_string())) {
        case.verify_answer(&exchange, "200", |answer| answer.status == 200);
    }
    for days in [ForecastDays::MIN - 1, ForecastDays::MAX + 1] {
        verify_problem(case, forecast(&days.to_string()), 400, "invalid_parameter");
    }
}

fn forecast_days_are_plain_digits(case: &mut Case<'_>) {
    for days in ["", "-7", "%2B7", "%207", "7.0", "1e1", "07", "%D9%A7", "18446744073709551623"] {
        verify_problem(case, forecast(days), 400, "invalid_parameter");
    }
}

fn parameters_come_once(case: &mut Case<'_>) {
    let history = format!("{}?region_id=global&region_id=global", paths::HISTORY);
    for request in [Request::get(history), forecast("7&forecast_days=7")] {
        verify_problem(case, request, 400, "invalid_parameter");
    }
}

fn unknown_parameters_do_no_harm(case: &mut Case<'_>) {
    let request = Request::get(format!("{}?no_such_parameter=1", paths::METADATA));
    if let Some(exchange) = case.answer(request) {
        let code = exchange.problem().and_then(|problem| problem.get("code"));
        let is_refused = code.is_some_and(|code| code == "unknown_parameter");
        case.verify_answer(&exchange, "200, or 400 unknown_parameter", |answer| {
            answer.status == 200 || answer.status == 400 && is_refused
        });
    }
}

fn parameters_are_decoded(case: &mut Case<'_>) {
    let Some(id) = sample(case).into_iter().next() else {
        case.skip("there is no region to ask for");
        return;
    };
    let encoded: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
    for target in [
        paths::REGION_DETAIL.replace("{id}", &encoded),
        format!("{}?region%5Fid={encoded}", paths::HISTORY),
    ] {
        if let Some(exchange) = case.answer(Request::get(target)) {
            let expected = format!("200, with the region_id {id}");
            let region_id = exchange.document().and_then(|document| document.get("region_id"));
            let is_right = region_id.is_some_and(|region_id| *region_id == id);
            case.verify(&exchange, is_right, expected, exchange.shown());
        }
    }
}

fn trailing_slash_is_the_same(case: &mut Case<'_>) {
    let id = sample(case).into_iter().next();
    let resources = [Resource::Metadata, Resource::Regions];
    for resource in resources.into_iter().chain(id.map(Resource::RegionDetail)) {
        let Some(plain) = case.document(&resource) else { continue };
        let request = Request::get(format!("{}/", resource.target()));
        let Some(exchange) = case.answer(request) else { continue };
        let names = |document: &serde_json::Map<String, serde_json::Value>| {
            document.keys().cloned().collect::<Vec<_>>()
        };
        let is_right = exchange.document().map(names) == plain.document().map(names);
        case.verify(&exchange, is_right, "the document without the slash", exchange.shown());
    }
}

fn verify_unknown(case: &mut Case<'_>, resource: fn(String) -> Resource) {
    let known = region_ids(case);
    let upper = known.first().map(|id| id.to_uppercase());
    for id in std::iter::once(UNKNOWN.to_owned()).chain(upper) {
        if !known.contains(&id) {
            verify_problem(case, Request::document(&resource(id)), 404, "unknown_region");
        }
    }
}
