//! Caching: how long an answer holds, and whether the client has it already.

use hyper::HeaderMap;
use hyper::header::{HeaderValue, IF_NONE_MATCH};

use crate::clock::Moment;
use crate::field_value::elements;

/// How long an answer may be reused, seconds; short, so that a change of inputs is seen soon.
const MAX_AGE: u64 = 60;

/// How long an answer of this moment may be reused: not past midnight, when the figures change.
pub(crate) fn cache_control(moment: Moment) -> HeaderValue {
    match moment.seconds_to_midnight() {
        MAX_AGE.. => HeaderValue::from_static("public, max-age=60"),
        seconds => HeaderValue::try_from(format!("public, max-age={seconds}"))
            .expect("digits are visible ASCII"),
    }
}

/// Whether `If-None-Match` names this tag. The comparison is weak, as RFC 9110 asks for.
pub(crate) fn is_known(tag: &HeaderValue, headers: &HeaderMap) -> bool {
    let Some(first) = headers.get(IF_NONE_MATCH) else { return false };
    fn opaque(tag: &str) -> &str {
        tag.strip_prefix("W/").unwrap_or(tag)
    }
    let tag_text = opaque(tag.to_str().unwrap_or_default());
    first == tag
        || elements(headers, IF_NONE_MATCH.as_str())
            .any(|element| element == "*" || opaque(element) == tag_text)
}
