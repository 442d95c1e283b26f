//! Caching: how long an answer holds, and whether the client has it already.

use hyper::HeaderMap;
use hyper::header::{HeaderValue, IF_NONE_MATCH};

use crate::clock::Moment;

/// How long an answer may be reused, seconds; short, so that a change of inputs is seen soon.
const MAX_AGE: u64 = 60;

/// What an answer says of that, all day but at its end.
pub(crate) const CACHE_CONTROL_OF_THE_DAY: HeaderValue =
    HeaderValue::from_static("public, max-age=60");

/// What it says at the day's end: an answer must not outlive midnight, when the figures change.
pub(crate) fn cache_control_before_midnight(moment: Moment) -> Option<HeaderValue> {
    let seconds = moment.seconds_to_midnight();
    let value = || format!("public, max-age={seconds}");
    (seconds < MAX_AGE).then(|| HeaderValue::try_from(value()).expect("digits are visible ASCII"))
}

/// Whether `If-None-Match` names this tag. The comparison is weak, as RFC 9110 asks for.
pub(crate) fn is_known(tag: &HeaderValue, headers: &HeaderMap) -> bool {
    let Some(first) = headers.get(IF_NONE_MATCH) else { return false };
    fn opaque(tag: &str) -> &str {
        tag.strip_prefix("W/").unwrap_or(tag)
    }
    let tag_text = opaque(tag.to_str().unwrap_or_default());
    first == tag
        || headers
            .get_all(IF_NONE_MATCH)
            .iter()
            .filter_map(|line| line.to_str().ok())
            .flat_map(tags)
            .any(|known| known == "*" || opaque(known) == tag_text)
}

/// The tags of a list. Other than in quoted strings, a backslash in a tag is a character like any.
fn tags(list: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let tags = list.split(move |char| {
        quoted ^= char == '"';
        char == ',' && !quoted
    });
    tags.map(str::trim)
}
