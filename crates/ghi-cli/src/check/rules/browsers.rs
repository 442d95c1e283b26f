//! What pages of other origins, and tools, need.

use ghi_contract::paths;
use reqwest::Method;

use crate::check::case::Case;
use crate::check::parts::all_documents;
use crate::check::request::Request;
use crate::check::rule::{Rule, strict};

pub(super) const RULES: &[Rule] = &[
    strict(
        "any-origin-may-read",
        "4",
        "Documents have `Access-Control-Allow-Origin: *` and ask for no credentials.",
        any_origin_may_read,
    ),
    strict(
        "headers-are-exposed",
        "4",
        "Pages of other origins may read `ETag`, `Link`, `Retry-After` and the like.",
        headers_are_exposed,
    ),
    strict(
        "preflight-is-answered",
        "4",
        "A preflight is 204, and allows GET with any header to any origin.",
        preflight_is_answered,
    ),
    strict(
        "description-is-linked",
        "4",
        "Documents have a `Link` to the OpenAPI document, `rel=\"service-desc\"`.",
        description_is_linked,
    ),
];

/// The headers that pages may read.
const EXPOSED: [&str; 6] =
    ["ETag", "Link", "RateLimit", "RateLimit-Policy", "Retry-After", "Preference-Applied"];

fn any_origin_may_read(case: &mut Case<'_>) {
    for part in all_documents(case) {
        case.verify_header(&part.exchange, "access-control-allow-origin", "*", |value| {
            value == "*"
        });
        if let Some(answer) = part.exchange.answer() {
            let name = "access-control-allow-credentials";
            let is_right = answer.header(name).is_none();
            case.verify(
                &part.exchange,
                is_right,
                format_args!("no {name}"),
                answer.shown_header(name),
            );
        }
    }
}

fn headers_are_exposed(case: &mut Case<'_>) {
    for part in all_documents(case) {
        let Some(answer) = part.exchange.answer() else { continue };
        let name = "access-control-expose-headers";
        let is_right = EXPOSED.iter().all(|exposed| answer.lists(name, exposed));
        let expected = format!("{name}: {}", EXPOSED.join(", "));
        case.verify(&part.exchange, is_right, expected, answer.shown_header(name));
    }
}

fn preflight_is_answered(case: &mut Case<'_>) {
    let request = Request::get(paths::SNAPSHOT)
        .method(Method::OPTIONS)
        .header("origin", "https://elsewhere.example")
        .header("access-control-request-method", "GET")
        .header("access-control-request-headers", "prefer,if-none-match");
    let Some(exchange) = case.answer(request) else { return };
    case.verify_answer(&exchange, "204", |answer| answer.status == 204);
    case.verify_header(&exchange, "access-control-allow-origin", "*", |value| value == "*");
    case.verify_header(&exchange, "access-control-allow-methods", "a list with GET", |value| {
        value.split(',').any(|method| method.trim() == "GET")
    });
    case.verify_header(&exchange, "access-control-allow-headers", "*", |value| value == "*");
}

fn description_is_linked(case: &mut Case<'_>) {
    for part in all_documents(case) {
        let expected = "a link with rel=\"service-desc\"";
        case.verify_header(&part.exchange, "link", expected, |value| {
            value.contains("rel=\"service-desc\"")
        });
    }
}
