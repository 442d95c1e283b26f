//! Caching: how long an answer holds, and whether the client has it already.

use bytes::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH};
use hyper::{HeaderMap, Response, StatusCode};

use crate::clock::Moment;
use crate::conventions::response;

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

/// The response with content that holds until midnight, as the documents of the day do.
pub(crate) fn of_the_day(
    moment: Moment,
    request: &HeaderMap,
    content_type: &'static str,
    content: Bytes,
) -> Response<Bytes> {
    let lifetime = cache_control_before_midnight(moment).unwrap_or(CACHE_CONTROL_OF_THE_DAY);
    let tag = tag(&content);
    conditional(request, content_type, content, tag, lifetime)
}

/// Content that changes with the program alone, and its tag.
pub(crate) struct Standing {
    content_type: &'static str,
    content: Bytes,
    tag: HeaderValue,
}

impl Standing {
    pub(crate) fn new(content_type: &'static str, content: impl Into<Bytes>) -> Self {
        let content = content.into();
        let tag = tag(&content);
        Self { content_type, content, tag }
    }

    /// Nobody knows when the program will change, so the client asks each time whether it has.
    pub(crate) fn respond(&self, request: &HeaderMap) -> Response<Bytes> {
        let lifetime = HeaderValue::from_static("no-cache");
        conditional(request, self.content_type, self.content.clone(), self.tag.clone(), lifetime)
    }
}

fn conditional(
    request: &HeaderMap,
    content_type: &'static str,
    content: Bytes,
    tag: HeaderValue,
    lifetime: HeaderValue,
) -> Response<Bytes> {
    let mut response = response(StatusCode::OK, content_type, content);
    if is_known(&tag, request) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Bytes::new();
        response.headers_mut().remove(CONTENT_TYPE);
    }
    response.headers_mut().insert(ETAG, tag);
    response.headers_mut().insert(CACHE_CONTROL, lifetime);
    response
}

/// The weak entity tag of some content.
///
/// FNV-1a, 64 bits: the same on every replica, whatever it was built with.
pub(crate) fn tag<'a>(content: impl IntoIterator<Item = &'a u8>) -> HeaderValue {
    let hash = content.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    HeaderValue::try_from(format!("W/\"{hash:016x}\"")).expect("digits are visible ASCII")
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
