//! The `Prefer` header as a parameter: the forms of the snapshot, and the scenarios of the sandbox.

use ghi_contract::paths;
use serde_json::{Value, json};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{Object, Required, Type};

/// The name of the header.
pub(crate) const PREFER: &str = "Prefer";

/// The statuses that a request can select and that have a problem document.
pub(crate) const CODES: [u16; 5] = [400, 404, 429, 500, 503];

/// The statuses that a request can select and that have a proxy's page. They are not described as
/// responses, because the errors of generated clients would then be either text or a problem.
const PROXY_CODES: [u16; 2] = [502, 504];

/// A time that a request can select.
pub(crate) const LEAP_DAY: &str = "2028-02-29T23:59:59Z";

/// The preferences that only the snapshot accepts.
const FORMS: &str = "\
    - `return=minimal`: returns the reduced form\n\
    - `return=representation`: returns the full form\n";

/// The scenarios.
const SCENARIOS: &str = "\
    - `retry-after=SECONDS|date|none`, with `code=429` or `code=503`: sets `Retry-After` to this many seconds or to a date, or \
    omits it\n\
    - `delay=MILLISECONDS`: delays the response by 0 to 10,000 ms\n\
    - `break=truncate`: the body ends early\n\
    - `break=json`: the body is not JSON\n\
    - `break=cut`: the connection is closed after the headers, so there is no body\n\
    - `break=drip`: the body is sent in small pieces over three seconds\n\
    - `break=reset`: the connection is reset before the first byte\n\
    - `break=null`: the first cost is null\n\
    - `break=missing`: the first cost is absent\n\
    - `break=string`: the first cost is a string\n\
    - `break=extra`: the document has fields and a history point that a later release might add\n\
    - `break=gap`: the history lacks a day\n\
    - `figures=spike`, in documents with costs: today's costs are multiplied by 1.25\n\
    - `figures=drop`, in documents with costs: today's costs are multiplied by 0.75\n\
    - `figures=flat`, in documents with costs: all seven days have today's costs\n\
    - `at=TIMESTAMP`: returns the response for that time, from 1970 to 9999. A date means 00:00 UTC on that day; quotes are optional\n\
    - `times=N, key=K`: apply `code`, `break`, `figures` or `delay` only to the first N requests with this key on this path. N is \
    1 to 100; K is 1 to 64 of `A-Za-z0-9_-`\n\
    - `handling=strict`: returns 400 for preferences without effect and for unknown parameters\n\n\
    Separate several with commas. `delay` can be combined with all others, `at` and `figures` with all except \
    `code`, `break=json` and `break=reset`; `code` takes precedence over `break`. `Preference-Applied` lists the preferences that \
    had an effect; the server ignores others. If too many delayed responses are waiting, or too many requests use `at` or `figures`, the response is \
    429. `--no-scenarios` disables all of them";

/// The names and values of examples.
const EXAMPLES: [(&str, &str); 16] = [
    ("bad_request", "code=400"),
    ("not_found", "code=404"),
    ("too_many_requests", "code=429"),
    ("server_error", "code=500"),
    ("unavailable", "code=503"),
    ("slow", "delay=100"),
    ("truncated", "break=truncate"),
    ("no_json", "break=json"),
    ("cut", "break=cut"),
    ("bad_gateway", "code=502"),
    ("slow_body", "break=drip"),
    ("reset", "break=reset"),
    ("later_release", "break=extra"),
    ("spike", "figures=spike"),
    ("recovery", "code=503, times=2, key=test-1"),
    ("strict", "handling=strict"),
];

/// Returns the header as a parameter of the operation at a path.
pub(crate) fn parameter(path: &str) -> Parameter {
    let [codes, pages] = [&CODES[..], &PROXY_CODES]
        .map(|codes| codes.iter().map(u16::to_string).collect::<Vec<_>>().join("|"));
    let code = format!(
        "- `code={codes}`: returns that error\n\
         - `code={pages}`: returns an HTML error page, as a proxy would\n"
    );
    let is_snapshot = path == paths::SNAPSHOT;
    let (forms, except_forms) = if is_snapshot { (FORMS, " except `return`") } else { ("", "") };
    let about =
        format!("Requests a test scenario (RFC 7240):\n\n{forms}{code}{SCENARIOS}{except_forms}.");
    ParameterBuilder::new()
        .name(PREFER)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(about))
        .schema(Some(Object::with_type(Type::String)))
        .build()
}

/// Returns named examples of the header for the operation at a path.
pub(crate) fn examples(path: &str) -> Value {
    let instant = format!("at={LEAP_DAY}");
    let forms = [("reduced", "return=minimal"), ("full", "return=representation")];
    let forms = if path == paths::SNAPSHOT { &forms[..] } else { &[] };
    let named = forms.iter().chain(&EXAMPLES).copied().chain([("leap_day", &*instant)]);
    named.map(|(name, value)| (name.to_owned(), json!({ "value": value }))).collect()
}
