//! Section 7: errors, of which the contract shows nothing.

use std::rc::Rc;

use ghi_client::Resource;
use ghi_contract::{ForecastDays, paths};
use reqwest::Method;
use serde_json::Value;

use crate::check::case::Case;
use crate::check::exchange::{Exchange, shown_value};
use crate::check::fields::Type;
use crate::check::parts::region_ids;
use crate::check::request::Request;
use crate::check::rule::{Rule, strict};
use crate::check::rules::mistakes::{forecast, unknown_path, unknown_region, verify_problem};

pub(super) const RULES: &[Rule] = &[
    strict(
        "unknown-path-is-404",
        "7",
        "An unknown path is 404 `not_found`, and the detail points to the metadata.",
        unknown_path_is_404,
    ),
    strict(
        "errors-are-problems",
        "7",
        "An error is `application/problem+json` with the six fields of RFC 9457 and ours.",
        errors_are_problems,
    ),
    strict(
        "problems-say-what-is-right",
        "7",
        "The detail of a problem names the known regions, or the bounds of the parameter.",
        problems_say_what_is_right,
    ),
    strict(
        "problem-type-is-a-page",
        "7",
        "The `type` of a problem leads to a page of the same server.",
        problem_type_is_a_page,
    ),
    strict(
        "errors-are-not-stored",
        "7",
        "Errors come with `Cache-Control: no-store`.",
        errors_are_not_stored,
    ),
    strict(
        "errors-echo-no-markup",
        "7",
        "Nothing that a client sent comes back unescaped.",
        errors_echo_no_markup,
    ),
];

/// The fields of a problem.
const PROBLEM: [(&str, Type); 6] = [
    ("type", Type::Text),
    ("title", Type::Text),
    ("status", Type::Integer),
    ("detail", Type::Text),
    ("instance", Type::Text),
    ("code", Type::Text),
];

/// Markup as somebody might put it into a link.
const MARKUP: &str = "<script>x</script>";

/// The answers that are errors, to requests that are in error.
fn errors(case: &mut Case<'_>) -> Vec<Rc<Exchange>> {
    let wrong_method = Request::get(paths::SNAPSHOT).method(Method::POST);
    let requests = [unknown_path(), unknown_region(), forecast("0"), wrong_method];
    let errors = requests.into_iter().filter_map(|request| case.answer(request));
    let mut errors: Vec<_> = errors.collect();
    errors.retain(|exchange| exchange.answer().is_some_and(|answer| answer.status >= 400));
    if errors.is_empty() {
        case.skip("no error was answered");
    }
    errors
}

fn unknown_path_is_404(case: &mut Case<'_>) {
    verify_problem(case, unknown_path(), 404, "not_found");
    let exchange = case.ask(unknown_path());
    if let Some(detail) = exchange.problem().and_then(|problem| problem.get("detail")?.as_str()) {
        let expected = format!("a detail that names {}", paths::METADATA);
        case.verify(&exchange, detail.contains(paths::METADATA), expected, detail);
    }
}

fn errors_are_problems(case: &mut Case<'_>) {
    for exchange in errors(case) {
        let problem = "application/problem+json";
        case.verify_header(&exchange, "content-type", problem, |value| value == problem);
        let status = exchange.answer().map(|answer| answer.status);
        for (field, of_type) in PROBLEM {
            let value = exchange.problem().and_then(|problem| problem.get(field));
            let is_status =
                field != "status" || value.and_then(Value::as_u64) == status.map(u64::from);
            let is_right = is_status && value.is_some_and(|value| of_type.is(value));
            let expected = format!("{field}: {}", of_type.name());
            let got = format!("{field}: {}", shown_value(value));
            case.verify(&exchange, is_right, expected, got);
        }
    }
}

fn problems_say_what_is_right(case: &mut Case<'_>) {
    let id = region_ids(case).into_iter().next().unwrap_or_default();
    let bound = ForecastDays::MAX.to_string();
    for (request, word) in [(unknown_region(), id), (forecast("0"), bound)] {
        let Some(exchange) = case.answer(request) else { continue };
        let detail = exchange.problem().and_then(|problem| problem.get("detail")?.as_str());
        if let Some(detail) = detail {
            let expected = format!("a detail that names {word}");
            case.verify(&exchange, detail.contains(&word), expected, detail);
        }
    }
}

fn problem_type_is_a_page(case: &mut Case<'_>) {
    let error = case.ask(unknown_path());
    let Some(reference) = error.problem().and_then(|problem| problem.get("type")?.as_str()) else {
        case.skip("there is no problem with a type");
        return;
    };
    let base_url = case.client().base_url().clone();
    // It is a whole URL where the server knows its own, else a path. No other server is asked.
    let reference = reference.strip_prefix(&base_url.to_string()).unwrap_or(reference);
    let target = reference.strip_prefix(base_url.path()).unwrap_or(reference);
    if !target.starts_with('/') || target.starts_with("//") || target.len() > 200 {
        case.verify(&error, false, "a type that is a page of this server", reference);
        return;
    }
    if let Some(page) = case.answer(Request::get(target)) {
        let expected = "200: the type of a problem is a page";
        case.verify_answer(&page, expected, |answer| answer.status == 200);
    }
}

fn errors_are_not_stored(case: &mut Case<'_>) {
    for exchange in errors(case) {
        case.verify_header(&exchange, "cache-control", "no-store", |value| value == "no-store");
    }
}

fn errors_echo_no_markup(case: &mut Case<'_>) {
    let id = || MARKUP.to_owned();
    for resource in [Resource::RegionDetail(id()), Resource::History(id())] {
        if let Some(exchange) = case.answer(Request::document(&resource)) {
            case.verify_answer(&exchange, "a body without the markup that was sent", |answer| {
                !answer.body.windows(MARKUP.len()).any(|window| window == MARKUP.as_bytes())
            });
        }
    }
}
