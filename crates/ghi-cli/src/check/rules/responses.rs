//! Which response a request gets: documents for anyone, and errors for what is wrong.

use std::iter;
use std::rc::Rc;

use ghi_client::{ErrorKind, Resource};
use ghi_contract::{ForecastDays, paths};
use reqwest::Method;
use serde_json::Value;

use crate::check::json_object::{JsonObject, ObjectKind};
use crate::check::judge::Judge;
use crate::check::response::{CheckRequest, CheckResponse, Finding, Judgement, unjudged};

/// An id that hardly any region has.
const UNKNOWN: &str = "no-such-region";

const MARKUP: &str = "<script>x</script>";

/// The methods that `Allow` lists.
pub(super) const ALLOWED: &str = "GET, HEAD, OPTIONS";

pub(super) fn is_200(judge: &mut Judge, kind: ObjectKind) -> Judgement {
    let resources = judge.resources(kind);
    judge.each(resources, |judge, resource| judge.verify_status(&resource, 200).map(drop))
}

pub(super) fn forecast_answers(judge: &mut Judge) -> Judgement {
    let resources = judge.resources(ObjectKind::Forecast);
    let statuses: Vec<_> = resources.iter().map(|resource| judge.fetch(resource).status).collect();
    judge.each(iter::zip(&resources, &statuses), |judge, (resource, status)| {
        // The contract shows no bounds, so a service may refuse some horizons.
        let is_refused = matches!(status, 400 | 404 | 422);
        match is_refused && statuses.contains(&200) {
            true => Ok(()),
            false => judge.verify_status(resource, 200).map(drop),
        }
    })
}

/// Judges the response for each resource, if there is one.
fn each_response(
    judge: &mut Judge,
    resources: Vec<Resource>,
    verify: impl Fn(&CheckResponse, &Resource) -> Judgement,
) -> Judgement {
    judge.each(resources, |judge, resource| {
        let response = judge.fetch(&resource);
        match response.status {
            0 => Err(unjudged(response.excerpt())),
            _ => verify(&response, &resource),
        }
    })
}

pub(super) fn no_credentials_are_needed(judge: &mut Judge) -> Judgement {
    let resources = judge.all_resources();
    each_response(judge, resources, |response, _| {
        let is_right = !response.requires_credentials();
        response.verify(is_right, "a response without credentials", response.excerpt())
    })
}

pub(super) fn responses_are_json(judge: &mut Judge) -> Judgement {
    let resources = judge.all_resources();
    each_response(judge, resources, |response, resource| {
        if response.status != 200 {
            return Err(unjudged(format!("no 200 from {}", response.request.target)));
        }
        let problem = match &response.failure {
            Some(failure) if failure.kind == ErrorKind::NotTheDocument => {
                match response.header("content-encoding") {
                    Some(encoding) => format!("{encoding}, though only identity was accepted"),
                    None => format!("not JSON ({})", failure.cause),
                }
            }
            // The contract doesn't show the payload of the indicator.
            _ if *resource == Resource::Indicator => return Ok(()),
            _ if response.body.trim_ascii().starts_with(b"{") => return Ok(()),
            _ => "JSON, but not an object".into(),
        };
        response.verify(false, "a JSON object", format_args!("{problem}: {}", response.excerpt()))
    })
}

pub(super) fn errors_echo_no_markup(judge: &mut Judge) -> Judgement {
    let resources = vec![Resource::RegionDetail(MARKUP.into()), Resource::History(MARKUP.into())];
    each_response(judge, resources, |response, _| {
        let mut windows = response.body.windows(MARKUP.len());
        let is_right = windows.all(|window| window != MARKUP.as_bytes());
        response.verify(is_right, "a body without the markup in the request", response.excerpt())
    })
}

pub(super) fn structure_is_stable(judge: &mut Judge) -> Judgement {
    let names = |object: &JsonObject| {
        let mut names = object.field_names();
        names.sort_unstable();
        names.join(", ")
    };
    // The snapshot may come in either form.
    judge.each([Resource::Metadata, Resource::Regions, Resource::Network], |judge, resource| {
        let first = judge.document(&resource)?;
        let second = judge.again(&first)?;
        let (expected, got) = (names(&first), names(&second));
        let is_right = expected == got;
        let expected = format_args!("{expected}, as in the first response");
        second.response.verify(is_right, expected, got)
    })
}

pub(super) fn forecast(days: &str) -> CheckRequest {
    CheckRequest::get(format!("{}?forecast_days={days}", paths::FORECAST))
}

pub(super) fn snapshot(method: Method) -> CheckRequest {
    CheckRequest::new(method, paths::SNAPSHOT)
}

fn unknown_region() -> CheckRequest {
    (&Resource::RegionDetail(UNKNOWN.into())).into()
}

fn unknown_path() -> CheckRequest {
    CheckRequest::get(format!("{}no-such-path", paths::PREFIX))
}

/// A request gets an error with this status and, if the error has a code, with this code.
fn verify_problem(
    judge: &mut Judge,
    request: CheckRequest,
    status: u16,
    code: &str,
) -> Result<Rc<CheckResponse>, Finding> {
    judge.verify_response(request, format_args!("{status} {code}"), |response| {
        response.status == status && response.json.get("code").is_none_or(|found| found == code)
    })
}

pub(super) fn is_invalid(judge: &mut Judge, request: CheckRequest) -> Judgement {
    verify_problem(judge, request, 400, "invalid_parameter").map(drop)
}

pub(super) fn document_has(
    judge: &mut Judge,
    path: &str,
    field: &str,
    expected: &Value,
) -> Judgement {
    let response = format_args!("200 with {field}: {expected}");
    let right = judge.verify_response(CheckRequest::get(path), response, |response| {
        let value = &response.json[field];
        let is_equal = value.is_number() && value.as_f64() == expected.as_f64();
        response.status == 200 && (value == expected || is_equal)
    });
    right.map(drop)
}

pub(super) fn forecast_days_run_from_1_to_365(judge: &mut Judge) -> Judgement {
    judge.verify_status(forecast(&ForecastDays::MAX.to_string()), 200)?;
    judge.each([ForecastDays::MIN - 1, ForecastDays::MAX + 1], |judge, days| {
        is_invalid(judge, forecast(&days.to_string()))
    })
}

pub(super) fn unknown_parameters_do_no_harm(judge: &mut Judge) -> Judgement {
    let request = CheckRequest::get(format!("{}?no_such_parameter=1", paths::METADATA));
    let right = judge.verify_response(request, "200, or 400 unknown_parameter", |response| {
        let is_rejected = response.status == 400 && response.json["code"] == "unknown_parameter";
        response.status == 200 || is_rejected
    });
    right.map(drop)
}

pub(super) fn parameters_are_decoded(judge: &mut Judge) -> Judgement {
    let sample = judge.sample();
    let id = sample.first().ok_or_else(|| unjudged("no region"))?;
    let encoded: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let detail = paths::REGION_DETAIL.replace("{id}", &encoded);
    let history = format!("{}?region%5Fid={encoded}", paths::HISTORY);
    judge.each([detail, history], |judge, target| {
        document_has(judge, &target, "region_id", &id.clone().into())
    })
}

pub(super) fn trailing_slash_is_the_same(judge: &mut Judge) -> Judgement {
    let id = judge.sample().into_iter().next();
    let resources = [Resource::Metadata, Resource::Regions];
    let resources = resources.into_iter().chain(id.map(Resource::RegionDetail));
    judge.each(resources, |judge, resource| {
        let plain = judge.document(&resource)?;
        let request = CheckRequest::get(format!("{}/", resource.target()));
        let right = judge.verify_response(request, "the document without the slash", |response| {
            let fields = response.json.as_object().filter(|_| response.status == 200);
            fields.is_some_and(|fields| fields.keys().eq(plain.field_names()))
        });
        right.map(drop)
    })
}

/// An unknown region gets 404, and so does a known one in upper case.
pub(super) fn unknown_is_404(judge: &mut Judge, resource: fn(String) -> Resource) -> Judgement {
    let known = judge.region_ids();
    let upper = known.first().map(|id| id.to_uppercase());
    let unknown = iter::once(UNKNOWN.to_owned()).chain(upper).filter(|id| !known.contains(id));
    judge.each(unknown, |judge, id| {
        verify_problem(judge, (&resource(id)).into(), 404, "unknown_region").map(drop)
    })
}

pub(super) fn other_methods_are_405(judge: &mut Judge) -> Judgement {
    judge.each([Method::POST, Method::PUT, Method::PATCH, Method::DELETE], |judge, method| {
        let response = verify_problem(judge, snapshot(method), 405, "method_not_allowed")?;
        response.verify_header_is("allow", ALLOWED)
    })
}

pub(super) fn head_is_get_without_a_body(judge: &mut Judge) -> Judgement {
    let get = judge.document(snapshot(Method::GET))?;
    let head = judge.verify_status(snapshot(Method::HEAD), 200)?;
    // The headers don't tell the day.
    judge.clock()?;
    judge.each(["content-length", "content-type", "etag"], |_, name| {
        match get.response.header(name) {
            Some(expected) => head.verify_header_is(name, &expected),
            None => Ok(()),
        }
    })
}

/// Judges the errors that wrong requests get.
pub(super) fn each_error(
    judge: &mut Judge,
    mut verify: impl FnMut(&mut Judge, JsonObject) -> Judgement,
) -> Judgement {
    let requests = [unknown_path(), unknown_region(), forecast("0"), snapshot(Method::POST)];
    judge.each(requests, |judge, request| {
        let response = judge.fetch(request);
        match response.status {
            400.. => verify(judge, JsonObject::whole(response)),
            _ => Err(unjudged("no request got an error")),
        }
    })
}

pub(super) fn errors_are_problems(judge: &mut Judge) -> Judgement {
    each_error(judge, |judge, problem| {
        let response = &problem.response;
        response.verify_header_is("content-type", "application/problem+json")?;
        let status = response.status;
        let is_right = problem.number("status").is_ok_and(|number| number == f64::from(status));
        problem.verify("status", is_right, status)?;
        judge.each(["type", "title", "detail", "instance", "code"], |_, field| {
            problem.verify(field, problem.text(field).is_ok(), "a string")
        })
    })
}

fn has_detail(response: Rc<CheckResponse>, text: &str) -> Judgement {
    let problem = JsonObject::whole(response);
    let is_right = problem.text("detail")?.contains(text);
    problem.verify("detail", is_right, format_args!("a sentence with {text}"))
}

pub(super) fn unknown_path_is_404(judge: &mut Judge) -> Judgement {
    has_detail(verify_problem(judge, unknown_path(), 404, "not_found")?, paths::METADATA)
}

pub(super) fn problems_say_what_is_right(judge: &mut Judge) -> Judgement {
    let id = judge.region_ids().into_iter().next().unwrap_or_default();
    let details = [(unknown_region(), id), (forecast("0"), ForecastDays::MAX.to_string())];
    judge.each(details, |judge, (request, text)| has_detail(judge.fetch(request), &text))
}

pub(super) fn problem_type_is_a_page(judge: &mut Judge) -> Judgement {
    let problem = JsonObject::whole(judge.fetch(unknown_path()));
    let uri = problem.text("type")?;
    let base_url = &judge.client.base_url;
    // A server that knows its own URL sends the full URL, others only the path. No other URL is requested.
    let path = uri.strip_prefix(base_url.as_str()).unwrap_or(uri);
    let target = path.strip_prefix(base_url.path()).unwrap_or(path);
    if !target.starts_with('/') || target.starts_with("//") || target.len() > 200 {
        return problem.verify("type", false, "the URL of a page on this server");
    }
    judge.verify_status(CheckRequest::get(target), 200).map(drop)
}
