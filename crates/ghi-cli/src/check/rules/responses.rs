//! The status, headers and errors that a request gets.

use std::iter;
use std::rc::Rc;

use ghi_contract::{GLOBAL, paths};
use jiff::civil::Time;
use reqwest::Method;
use serde_json::Value;

use crate::check::json_object::ObjectKind::{self, *};
use crate::check::json_object::{DOCUMENTS, JsonObject};
use crate::check::judge::{Judge, forecast, history};
use crate::check::response::{CheckRequest, CheckResponse, Finding, Judgement, Verified};
use crate::check::response::{json_error, unjudged};

/// A region that hardly any server has.
const UNKNOWN_ID: &str = "no-such-region";
pub(super) const UNKNOWN_REGION: &str = "/v1/ghi/regions/no-such-region";
pub(super) const UNKNOWN_PATH: &str = "/v1/ghi/no-such-path";

/// The methods that `Allow` lists.
pub(super) const ALLOWED: &str = "GET, HEAD, OPTIONS";

/// The headers that pages from other origins may read.
pub(super) const EXPOSED: [&str; 6] =
    ["ETag", "Link", "RateLimit", "RateLimit-Policy", "Retry-After", "Preference-Applied"];

/// The shortest response that is compressed, in bytes.
const COMPRESSED_MIN: usize = 1401;

pub(super) fn snapshot(method: Method) -> CheckRequest {
    CheckRequest { method, ..CheckRequest::from(paths::SNAPSHOT) }
}

pub(super) fn is_200(judge: &Judge, kind: ObjectKind) -> Judgement {
    judge.each(judge.targets(kind), |target| judge.verify_status(target, 200))
}

pub(super) fn responses_are_json(judge: &Judge) -> Judgement {
    judge.each_response(|response| {
        let target = &response.request.target;
        if response.status != 200 {
            return Err(unjudged(format!("no 200 from {target}")));
        }
        let problem = match json_error(&response.body) {
            Some(error) => match response.header("content-encoding") {
                Some(encoding) => format!("{encoding}, though only identity was accepted"),
                None => format!("not JSON ({error})"),
            },
            // The contract doesn't show the payload of the indicator.
            None if target == paths::INDICATOR => return Ok(()),
            None if response.body.trim_ascii().starts_with(b"{") => return Ok(()),
            None => "JSON, but not an object".into(),
        };
        response.verify(false, "a JSON object", format_args!("{problem}: {}", response.excerpt()))
    })
}

/// A request gets an error with this status and, if the error has a code, with this code.
pub(super) fn verify_problem(
    judge: &Judge,
    request: impl Into<CheckRequest>,
    status: u16,
    code: &str,
) -> Verified {
    judge.verify_response(request, format_args!("{status} {code}"), |response| {
        response.status == status && response.json.get("code").is_none_or(|found| found == code)
    })
}

pub(super) fn is_invalid(judge: &Judge, request: impl Into<CheckRequest>) -> Judgement {
    verify_problem(judge, request, 400, "invalid_parameter").map(drop)
}

pub(super) fn document_has(
    judge: &Judge,
    target: &str,
    field: &str,
    expected: impl Into<Value>,
) -> Judgement {
    let document = JsonObject::whole(judge.verify_status(target, 200)?);
    let (value, expected) = (document.get(field), expected.into());
    let is_same_number =
        value.is_some_and(Value::is_number) && value.and_then(Value::as_f64) == expected.as_f64();
    document.verify(field, value == Some(&expected) || is_same_number, &expected)
}

/// An unknown region gets 404, and so does a known one in upper case.
pub(super) fn unknown_is_404(judge: &Judge, target: fn(String) -> String) -> Judgement {
    let known = judge.ids(Region);
    let upper = known.first().map(|id| id.to_uppercase());
    let unknown = iter::once(UNKNOWN_ID.to_owned()).chain(upper).filter(|id| !known.contains(id));
    judge.each(unknown, |id| verify_problem(judge, target(id), 404, "unknown_region"))
}

pub(super) fn head_is_get_without_a_body(judge: &Judge) -> Judgement {
    let get = judge.document(paths::SNAPSHOT)?;
    let head = judge.verify_status(snapshot(Method::HEAD), 200)?;
    // The headers don't tell the day.
    judge.clock()?;
    judge.each(["content-length", "content-type", "etag"], |name| match get.response.header(name) {
        Some(expected) => head.verify_header_is(name, &expected),
        None => Ok(()),
    })
}

/// Judges the errors that wrong requests get.
pub(super) fn each_error(judge: &Judge, verify: impl Fn(&JsonObject) -> Judgement) -> Judgement {
    let unknown = [UNKNOWN_PATH.into(), UNKNOWN_REGION.into()];
    let requests = unknown.into_iter().chain([forecast(0).into(), snapshot(Method::POST)]);
    judge.each(requests, |request| match JsonObject::whole(judge.fetch(request)) {
        error if error.response.status >= 400 => verify(&error),
        _ => Err(unjudged("no request got an error")),
    })
}

pub(super) fn errors_are_problems(judge: &Judge) -> Judgement {
    each_error(judge, |problem| {
        problem.response.verify_header_is("content-type", "application/problem+json")?;
        let status = problem.response.status;
        let is_right = problem.number("status").is_ok_and(|number| number == f64::from(status));
        problem.verify("status", is_right, status)?;
        judge.each(["type", "title", "detail", "instance", "code"], |field| {
            problem.verify(field, problem.text(field).is_ok(), "a string")
        })
    })
}

pub(super) fn has_detail(response: Rc<CheckResponse>, text: &str) -> Judgement {
    let problem = JsonObject::whole(response);
    let is_right = problem.text("detail")?.contains(text);
    problem.verify("detail", is_right, format_args!("a sentence with {text}"))
}

pub(super) fn problem_type_is_a_page(judge: &Judge) -> Judgement {
    let problem = JsonObject::whole(judge.fetch(UNKNOWN_PATH));
    let uri = problem.text("type")?;
    let base_url = judge.client.borrow().base_url.clone();
    // A server that knows its own URL sends the full URL, others only the path. No other URL is requested.
    let path = uri.strip_prefix(base_url.as_str()).unwrap_or(uri);
    let target = path.strip_prefix(base_url.path()).unwrap_or(path);
    if !target.starts_with('/') || target.starts_with("//") || target.len() > 200 {
        return problem.verify("type", false, "the URL of a page on this server");
    }
    judge.verify_status(target, 200).map(drop)
}

/// Whether a header is a list with this entry.
pub(super) fn lists(value: &str, entry: &str) -> bool {
    value.split(',').any(|listed| listed.trim().eq_ignore_ascii_case(entry))
}

pub(super) fn preflight_is_answered(judge: &Judge) -> Judgement {
    let request = snapshot(Method::OPTIONS)
        .header("origin", "https://elsewhere.example")
        .header("access-control-request-method", "GET")
        .header("access-control-request-headers", "prefer,if-none-match");
    let response = judge.verify_status(request, 204)?;
    response.verify_header_is("access-control-allow-origin", "*")?;
    let methods = "access-control-allow-methods";
    response.verify_header(methods, "a list with GET", |value| lists(value, "GET"))?;
    response.verify_header_is("access-control-allow-headers", "*")
}

pub(super) fn tagged_network(judge: &Judge) -> Result<(JsonObject, String), Finding> {
    let network = judge.document(paths::NETWORK)?;
    let tag = network.response.header("etag");
    let missing = || unjudged(format!("no etag from {}", paths::NETWORK));
    Ok((network, tag.ok_or_else(missing)?))
}

pub(super) fn documents_hold_until_midnight(judge: &Judge) -> Judgement {
    judge.each_object(DOCUMENTS, |document| {
        // The seconds until midnight, by the document's own clock.
        let time = document.response.time()?.time();
        let most = 60.min(Time::MAX.duration_since(time).as_secs() + 1);
        let expected = format!("public, max-age of at most {most}");
        document.response.verify_header("cache-control", &expected, |value| {
            let max_age = value.strip_prefix("public, max-age=");
            max_age.and_then(|age| age.parse::<i64>().ok()).is_some_and(|age| age <= most)
        })
    })
}

/// `Prefer` selects the full or the reduced form of the snapshot.
pub(super) fn preference(judge: &Judge, preference: &str, is_full: bool) -> Judgement {
    let request = CheckRequest::from(paths::SNAPSHOT).header("prefer", preference);
    let form = if is_full { "full" } else { "reduced" };
    let right = judge.verify_response(request, format_args!("200, the {form} form"), |response| {
        let mut optional = Snapshot.fields().filter(|field| !field.is_required);
        response.is_document()
            && optional.all(|field| response.json.get(field.name).is_some() == is_full)
    });
    right?.verify_header_is("preference-applied", preference)
}

pub(super) fn long_answers_are_compressed(judge: &Judge) -> Judgement {
    let targets = [paths::SNAPSHOT.into(), history(GLOBAL.into()), paths::NETWORK.into()];
    judge.each(targets, |target: String| {
        let document = judge.document(target)?;
        let plain = &document.response;
        let request = plain.request.clone().header("accept-encoding", "gzip");
        let encoding = (plain.body.len() >= COMPRESSED_MIN).then_some("gzip");
        let expected = encoding.map_or("no content-encoding", |_| "content-encoding: gzip");
        let response = judge.verify_response(request, expected, |response| {
            response.header("content-encoding").as_deref() == encoding
        })?;
        if encoding.is_none() {
            return Ok(());
        }
        let vary = "accept-encoding";
        response.verify_header("vary", vary, |value| lists(value, vary))?;
        let without_time = |response: &CheckResponse| {
            let mut json = response.json.clone();
            _ = json.get_mut("timestamp_utc").map(Value::take);
            json
        };
        let is_right = without_time(&response) == without_time(plain);
        response.verify(is_right, "the same document as without gzip", response.excerpt())
    })
}
