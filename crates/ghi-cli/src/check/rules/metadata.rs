//! The metadata.

use ghi_client::Resource;
use ghi_contract::{API_CURRENT, API_PREVIOUS, API_SUPPORTED, ENVIRONMENT, paths};
use serde_json::{Value, json};

use crate::check::case::Case;
use crate::check::exchange::shown_value;
use crate::check::fields::Shape;
use crate::check::parts::parts;
use crate::check::rule::{Rule, contract, strict};

pub(super) const RULES: &[Rule] = &[
    contract("environment-is-sandbox", "1.6", "`environment` is `sandbox`.", |case| {
        verify_field(case, "environment", ENVIRONMENT);
    }),
    contract("current-api-is-1-1", "1.6", "`api_current` is `1.1`.", |case| {
        verify_field(case, "api_current", API_CURRENT);
    }),
    contract(
        "endpoints-are-below-the-prefix",
        "2",
        "Each of `available_endpoints` is a path below `/v1/ghi`.",
        endpoints_are_below_the_prefix,
    ),
    contract(
        "endpoints-are-listed",
        "4.5",
        "`available_endpoints` names the six paths without an id, in any order.",
        |case| verify_list(case, "available_endpoints", &paths::AVAILABLE_ENDPOINTS),
    ),
    strict(
        "endpoints-are-in-order",
        "4.5",
        "`available_endpoints` is the six paths alone, in the contract's order.",
        |case| verify_exact(case, "available_endpoints", &paths::AVAILABLE_ENDPOINTS),
    ),
    contract(
        "supported-versions-are-listed",
        "9.2",
        "`api_supported` has `1.1` and `1.0`, in any order.",
        |case| verify_list(case, "api_supported", &API_SUPPORTED),
    ),
    strict("supported-versions-are-in-order", "9.2", "`api_supported` is `1.1`, `1.0`.", |case| {
        verify_exact(case, "api_supported", &API_SUPPORTED)
    }),
];

fn verify_field(case: &mut Case<'_>, field: &str, expected: &str) {
    for part in parts(case, Shape::Metadata) {
        if part.text(field).is_some() {
            case.verify_value(&part.exchange, field, expected, part.get(field));
        }
    }
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn endpoints_are_below_the_prefix(case: &mut Case<'_>) {
    for part in parts(case, Shape::Metadata) {
        for path in part.get("available_endpoints").map(texts).unwrap_or_default() {
            let expected = format!("a path below {}", paths::PREFIX);
            case.verify(&part.exchange, path.starts_with(paths::PREFIX), expected, path);
        }
    }
}

/// Whether a value is a list of texts. That it should be is another rule's.
fn is_list(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

fn verify_list(case: &mut Case<'_>, field: &str, required: &[&str]) {
    for part in parts(case, Shape::Metadata) {
        if let Some(list) = part.get(field).filter(|list| is_list(list)) {
            let listed = texts(list);
            let is_right = required.iter().all(|required| listed.contains(required));
            let expected = format!("{field} with {}", required.join(", "));
            case.verify(&part.exchange, is_right, expected, shown_value(Some(list)));
        }
    }
}

fn verify_exact(case: &mut Case<'_>, field: &str, required: &[&str]) {
    for part in parts(case, Shape::Metadata) {
        // A list that lacks one of them breaks a rule of the contract.
        let list = part.get(field).filter(|list| is_list(list));
        let list = list.filter(|list| required.iter().all(|name| texts(list).contains(name)));
        if let Some(list) = list {
            case.verify_value(&part.exchange, field, json!(required), Some(list));
        }
    }
}

/// Whether the deployment says that it supports v1.0. The metadata is the authority on it.
pub(super) fn supports_v1_0(case: &mut Case<'_>) -> bool {
    let metadata = case.document(&Resource::Metadata);
    let supported =
        metadata.as_ref().and_then(|exchange| exchange.document()?.get("api_supported"));
    supported.is_some_and(|supported| texts(supported).contains(&API_PREVIOUS))
}
