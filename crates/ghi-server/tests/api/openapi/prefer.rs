//! The header `Prefer`, as a parameter: the forms of the snapshot, and the scenarios of the sandbox.

use ghi_contract::paths;
use serde_json::{Value, json};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{Object, Required, Type};

/// The name of the header.
pub(crate) const PREFER: &str = "Prefer";

/// The statuses that a request may ask to be answered with.
pub(crate) const CODES: [u16; 5] = [400, 404, 429, 500, 503];

/// An instant that a request may ask about.
pub(crate) const LEAP_DAY: &str = "2028-02-29T23:59:59Z";

/// What the snapshot takes beside the scenarios.
const FORMS: &str =
    "- `return=minimal`: the reduced form; `return=representation`: the full form\n";

/// What may be asked for.
const SCENARIOS: &str = "\
    - `delay=MILLISECONDS`, 0 to 10,000: the answer comes that much later\n\
    - `break=truncate|json|cut`: the body ends early, is no JSON, or never comes since the connection is cut \
    right after the headers\n\
    - `at=TIMESTAMP`, quoted or not: the answer of that instant, of the years 1970 to 9999\n\n\
    Several are separated by commas: `delay` goes with all others, `at` with all but `code`; of `code` and `break`, `code` \
    counts. `Preference-Applied` names what was followed. What is unknown, malformed or out of range is ignored. Where too many requests wait, or too many other days are \
    asked for, the answer is 429. \
    `--no-scenarios` switches all of them off";

/// What a request may be named that asks for one of them, and how it asks.
const EXAMPLES: [(&str, &str); 9] = [
    ("bad_request", "code=400"),
    ("not_found", "code=404"),
    ("too_many_requests", "code=429"),
    ("server_error", "code=500"),
    ("unavailable", "code=503"),
    ("slow", "delay=100"),
    ("truncated", "break=truncate"),
    ("no_json", "break=json"),
    ("cut", "break=cut"),
];

/// The header as a parameter of the operation at a path.
pub(crate) fn parameter(path: &str) -> Parameter {
    let codes = CODES.map(|code| code.to_string()).join("|");
    let code = format!("- `code={codes}`: that problem instead of the answer\n");
    let is_snapshot = path == paths::SNAPSHOT;
    let (forms, but_forms) = if is_snapshot { (FORMS, ", but for `return`") } else { ("", "") };
    let about = format!(
        "Asks for an answer that a client is to be tested with, RFC 7240:\n\n{forms}{code}{SCENARIOS}{but_forms}."
    );
    ParameterBuilder::new()
        .name(PREFER)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(about))
        .schema(Some(Object::with_type(Type::String)))
        .build()
}

/// Named examples of what a parameter of this name may be, where there are any.
pub(crate) fn examples(path: &str) -> Value {
    let instant = format!("at={LEAP_DAY}");
    let forms = [("reduced", "return=minimal"), ("full", "return=representation")];
    let forms = if path == paths::SNAPSHOT { &forms[..] } else { &[] };
    let named = forms.iter().chain(&EXAMPLES).copied().chain([("leap_day", &*instant)]);
    named.map(|(name, value)| (name.to_owned(), json!({ "value": value }))).collect()
}
