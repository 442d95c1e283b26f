//! Parameters, methods and errors, where the contract is silent.

use std::rc::Rc;

use ghi_client::Resource;
use ghi_contract::{ForecastDays, paths};
use reqwest::Method;
use serde_json::Value;

use crate::check::json_object::JsonObject;
use crate::check::judge::Judge;
use crate::check::request::CheckRequest;
use crate::check::response::RecordedResponse;
use crate::check::response::judged;

/// An id that hardly any region has.
const UNKNOWN: &str = "no-such-region";

/// Markup as it might be injected through a link.
const MARKUP: &str = "<script>x</script>";

/// The methods that `Allow` lists.
pub(super) const ALLOWED: &str = "GET, HEAD, OPTIONS";

fn unknown_region() -> CheckRequest {
    (&Resource::RegionDetail(UNKNOWN.into())).into()
}

fn unknown_path() -> CheckRequest {
    CheckRequest::get(format!("{}no-such-path", paths::PREFIX))
}

/// The request for a forecast with this text as the horizon.
fn forecast(days: &str) -> CheckRequest {
    CheckRequest::get(format!("{}?forecast_days={days}", paths::FORECAST))
}

pub(super) fn snapshot(method: Method) -> CheckRequest {
    CheckRequest::get(paths::SNAPSHOT).method(method)
}

/// A request gets an error with this status and, if the error has a code, with this code.
fn verify_problem(
    judge: &mut Judge,
    request: CheckRequest,
    status: u16,
    code: &str,
) -> Option<Rc<RecordedResponse>> {
    judge.verify_response(request, format_args!("{status} {code}"), |http| {
        http.status == status && http.problem_field("code").is_none_or(|found| found == code)
    })
}

/// Verifies that a request gets 400.
pub(super) fn is_invalid(judge: &mut Judge, path: &str, query: &str) {
    let request = CheckRequest::get(format!("{path}?{query}"));
    verify_problem(judge, request, 400, "invalid_parameter");
}

/// Verifies that the document at a path has this value in a field.
pub(super) fn document_has(judge: &mut Judge, path: &str, field: &str, default: &Value) {
    let expected = format!("200 with {field}: {default}");
    judge.verify_response(CheckRequest::get(path), expected, |http| {
        let value = http.document().and_then(|document| document.get(field));
        value == Some(default)
            || value.and_then(Value::as_f64).is_some_and(|number| Some(number) == default.as_f64())
    });
}

pub(super) fn forecast_days_run_from_1_to_365(judge: &mut Judge) {
    judge.verify_status(forecast(&ForecastDays::MAX.to_string()), 200);
    for days in [ForecastDays::MIN - 1, ForecastDays::MAX + 1] {
        is_invalid(judge, paths::FORECAST, &format!("forecast_days={days}"));
    }
}

pub(super) fn unknown_parameters_do_no_harm(judge: &mut Judge) {
    let request = CheckRequest::get(format!("{}?no_such_parameter=1", paths::METADATA));
    judge.verify_response(request, "200, or 400 unknown_parameter", |http| match http.status {
        400 => http.problem_field("code").is_some_and(|code| code == "unknown_parameter"),
        status => status == 200,
    });
}

pub(super) fn parameters_are_decoded(judge: &mut Judge) {
    let Some(id) = judge.sample().into_iter().next() else { return };
    let encoded: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
    for target in [
        paths::REGION_DETAIL.replace("{id}", &encoded),
        format!("{}?region%5Fid={encoded}", paths::HISTORY),
    ] {
        document_has(judge, &target, "region_id", &id.clone().into());
    }
}

pub(super) fn trailing_slash_is_the_same(judge: &mut Judge) {
    let id = judge.sample().into_iter().next();
    let resources = [Resource::Metadata, Resource::Regions];
    for resource in resources.into_iter().chain(id.map(Resource::RegionDetail)) {
        let Some(plain) = judge.document(&resource) else { continue };
        let request = CheckRequest::get(format!("{}/", resource.target())).unrecorded();
        judge.verify_response(request, "the document without the slash", |http| {
            let fields = http.document().and_then(Value::as_object);
            fields.is_some_and(|fields| fields.keys().eq(plain.field_names()))
        });
    }
}

/// An unknown region gets 404, and so does a known one in upper case.
pub(super) fn unknown_is_404(judge: &mut Judge, resource: fn(String) -> Resource) {
    let known = judge.region_ids();
    let upper = known.first().map(|id| id.to_uppercase());
    for id in std::iter::once(UNKNOWN.to_owned()).chain(upper) {
        if !known.contains(&id) {
            verify_problem(judge, (&resource(id)).into(), 404, "unknown_region");
        }
    }
}

pub(super) fn other_methods_are_405(judge: &mut Judge) {
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
        if let Some(response) = verify_problem(judge, snapshot(method), 405, "method_not_allowed") {
            judge.record(&response, response.verify_header_is("allow", ALLOWED));
        }
    }
}

pub(super) fn head_is_get_without_a_body(judge: &mut Judge) {
    let Some(get) = judge.document(snapshot(Method::GET)) else { return };
    let Some(head) = judge.verify_status(snapshot(Method::HEAD), 200) else { return };
    // The headers don't tell the day.
    let now = judge.clock().map(|[_, latest]| latest);
    for name in ["content-length", "content-type", "etag"] {
        if let Some(expected) = get.response.http().and_then(|http| http.header(name)) {
            let comparable = judge.comparable_times(get.time(), now);
            let judgement = comparable.and_then(|()| head.verify_header_is(name, &expected));
            judge.record(&head, judgement);
        }
    }
}

/// The errors that wrong requests get.
pub(super) fn errors(judge: &mut Judge) -> Vec<Rc<RecordedResponse>> {
    let requests = [unknown_path(), unknown_region(), forecast("0"), snapshot(Method::POST)];
    let mut errors = requests.map(|request| judge.fetch(request)).to_vec();
    errors.retain(|response| response.status().is_some_and(|status| status >= 400));
    if errors.is_empty() {
        judge.skip("no request got an error");
    }
    errors
}

/// The `detail` of an error contains this text.
fn verify_detail(judge: &mut Judge, response: Rc<RecordedResponse>, text: &str) {
    let problem = JsonObject::whole(response);
    let judgement = problem.text("detail").and_then(|detail| {
        problem.verify("detail", detail.contains(text), format_args!("a sentence with {text}"))
    });
    judge.record(&problem.response, judgement);
}

pub(super) fn unknown_path_is_404(judge: &mut Judge) {
    if let Some(response) = verify_problem(judge, unknown_path(), 404, "not_found") {
        verify_detail(judge, response, paths::METADATA);
    }
}

pub(super) fn problems_say_what_is_right(judge: &mut Judge) {
    let id = judge.region_ids().into_iter().next().unwrap_or_default();
    for (request, text) in [(unknown_region(), id), (forecast("0"), ForecastDays::MAX.to_string())]
    {
        let response = judge.fetch(request);
        verify_detail(judge, response, &text);
    }
}

pub(super) fn errors_are_problems(judge: &mut Judge) {
    for response in errors(judge) {
        let content_type = response.verify_header_is("content-type", "application/problem+json");
        judge.record(&response, content_type);
        let problem = JsonObject::whole(Rc::clone(&response));
        for field in ["type", "title", "detail", "instance", "code"] {
            let is_right = problem.text(field).is_ok();
            judge.record(&response, problem.verify(field, is_right, "a string"));
        }
        let status = response.status().unwrap_or_default();
        let is_right = problem.number("status").is_ok_and(|number| number == f64::from(status));
        judge.record(&response, problem.verify("status", is_right, status));
    }
}

pub(super) fn problem_type_is_a_page(judge: &mut Judge) {
    let problem = JsonObject::whole(judge.fetch(unknown_path()));
    let uri = match problem.text("type") {
        Ok(uri) => uri,
        Err(why) => return judge.record(&problem.response, Err(why)),
    };
    let base_url = &judge.client.base_url;
    // A server that knows its own URL sends the full URL, others only the path. No other URL is requested.
    let path = uri.strip_prefix(base_url.as_str()).unwrap_or(uri);
    let target = path.strip_prefix(base_url.path()).unwrap_or(path).to_owned();
    if !target.starts_with('/') || target.starts_with("//") || target.len() > 200 {
        let wrong = problem.verify("type", false, "the URL of a page on this server");
        return judge.record(&problem.response, wrong);
    }
    judge.verify_status(CheckRequest::get(target), 200);
}

pub(super) fn errors_echo_no_markup(judge: &mut Judge) {
    for resource in [Resource::RegionDetail, Resource::History] {
        let response = judge.fetch(&resource(MARKUP.into()));
        match response.http() {
            Some(http) => {
                let mut windows = http.body.windows(MARKUP.len());
                let is_right = windows.all(|window| window != MARKUP.as_bytes());
                let expected = "a body without the markup in the request";
                judge.record(&response, judged(is_right, expected, http.excerpt()));
            }
            None => judge.skip(response.excerpt()),
        }
    }
}
