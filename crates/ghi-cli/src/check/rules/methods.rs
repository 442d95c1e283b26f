//! Other methods than `GET`.

use ghi_contract::paths;
use reqwest::Method;

use crate::check::case::Case;
use crate::check::request::Request;
use crate::check::rule::{Rule, strict};
use crate::check::rules::mistakes::verify_problem;

pub(super) const RULES: &[Rule] = &[
    strict(
        "other-methods-are-405",
        "1.5",
        "POST, PUT, PATCH and DELETE are 405 `method_not_allowed`, with `Allow`.",
        other_methods_are_405,
    ),
    strict(
        "head-is-get-without-a-body",
        "1.5",
        "HEAD answers with the status and the headers of GET.",
        head_is_get_without_a_body,
    ),
    strict("options-are-204", "1.5", "OPTIONS is 204, with `Allow`.", options_are_204),
];

/// The value of `Allow`.
const ALLOWED: &str = "GET, HEAD, OPTIONS";

fn snapshot(method: Method) -> Request {
    Request::get(paths::SNAPSHOT).method(method)
}

fn other_methods_are_405(case: &mut Case<'_>) {
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
        let request = snapshot(method);
        verify_problem(case, request.clone(), 405, "method_not_allowed");
        let exchange = case.ask(request);
        if exchange.answer().is_some_and(|answer| answer.status == 405) {
            case.verify_header(&exchange, "allow", ALLOWED, |value| value == ALLOWED);
        }
    }
}

fn head_is_get_without_a_body(case: &mut Case<'_>) {
    let get = case.ask(snapshot(Method::GET));
    let Some(plain) = get.answer().filter(|answer| answer.status == 200) else {
        case.skip("the snapshot did not come");
        return;
    };
    let Some(head) = case.answer(snapshot(Method::HEAD)) else { return };
    case.verify_answer(&head, "200", |answer| answer.status == 200);
    if head.answer().is_none_or(|answer| answer.status != 200) {
        return;
    }
    for name in ["content-length", "content-type", "etag"] {
        if let Some(expected) = plain.header(name) {
            case.verify_header(&head, name, &expected, |value| value == expected);
        }
    }
}

fn options_are_204(case: &mut Case<'_>) {
    if let Some(exchange) = case.answer(snapshot(Method::OPTIONS)) {
        case.verify_answer(&exchange, "204", |answer| answer.status == 204);
        case.verify_header(&exchange, "allow", ALLOWED, |value| value == ALLOWED);
    }
}
