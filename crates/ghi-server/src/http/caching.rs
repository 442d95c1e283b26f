//! Caching: how long a response may be reused, and whether the client has it already.

use std::sync::LazyLock;

use bytes::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH};
use hyper::{HeaderMap, Response, StatusCode};

use crate::clock::Moment;
use crate::http::common_headers::{PLACEHOLDER, common_headers, overwrite};

/// How long a response may be reused, seconds; short, so that a change of inputs is seen soon.
const MAX_AGE_SECONDS: u64 = 60;

/// The headers of responses that a client may keep, ready to be copied: that is cheaper than to
/// insert them one by one.
#[derive(Debug)]
pub(crate) struct Cacheable(HeaderMap);

impl Cacheable {
    /// Content that changes at midnight, with the figures. [`limit_to_day`] shortens its lifetime
    /// when midnight is near.
    pub(crate) fn daily(content_type: &'static str) -> Self {
        static MAX_AGE: LazyLock<HeaderValue> = LazyLock::new(|| max_age(MAX_AGE_SECONDS));
        Self::new(content_type, MAX_AGE.clone())
    }

    /// Content that changes with the program alone. Nobody knows when that will be, so the client
    /// asks each time whether it has.
    fn fixed(content_type: &'static str) -> Self {
        Self::new(content_type, HeaderValue::from_static("no-cache"))
    }

    fn new(content_type: &'static str, cache_control: HeaderValue) -> Self {
        let mut headers = HeaderMap::from_iter([(ETAG, PLACEHOLDER)]);
        headers.extend(common_headers());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(CACHE_CONTROL, cache_control);
        Self(headers)
    }

    /// The same with one more header.
    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.append(name, value);
        self
    }

    /// The response to a request with these headers: the content, or 304 if the client has it.
    pub(crate) fn respond(
        &self,
        request: &HeaderMap,
        tag: &HeaderValue,
        content: impl FnOnce() -> Bytes,
    ) -> Response<Bytes> {
        let is_known = is_known(tag, request);
        let mut response = Response::new(if is_known { Bytes::new() } else { content() });
        let headers = response.headers_mut();
        *headers = self.0.clone();
        overwrite(headers, &ETAG, tag.clone());
        if is_known {
            headers.remove(CONTENT_TYPE);
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        response
    }
}

/// The response with content that was made for a request out of the day's figures.
pub(crate) fn daily_content(
    moment: Moment,
    request: &HeaderMap,
    content_type: &'static str,
    content: Bytes,
) -> Response<Bytes> {
    let tag = entity_tag(&content);
    let mut response = Cacheable::daily(content_type).respond(request, &tag, || content);
    limit_to_day(response.headers_mut(), moment);
    response
}

/// Ends the lifetime of a daily response at midnight, when the figures change.
pub(crate) fn limit_to_day(headers: &mut HeaderMap, moment: Moment) {
    let seconds = moment.seconds_to_midnight();
    if seconds < MAX_AGE_SECONDS {
        headers.insert(CACHE_CONTROL, max_age(seconds));
    }
}

fn max_age(seconds: u64) -> HeaderValue {
    let value = format!("public, max-age={seconds}");
    HeaderValue::try_from(value).expect("digits are visible ASCII")
}

/// Content that changes with the program alone, and its tag.
pub(crate) struct StaticContent {
    headers: Cacheable,
    content: Bytes,
    tag: HeaderValue,
}

impl StaticContent {
    pub(crate) fn new(content_type: &'static str, content: impl Into<Bytes>) -> Self {
        let content = content.into();
        let tag = entity_tag(&content);
        Self { headers: Cacheable::fixed(content_type), content, tag }
    }

    pub(crate) fn respond(&self, request: &HeaderMap) -> Response<Bytes> {
        self.headers.respond(request, &self.tag, || self.content.clone())
    }
}

/// The weak entity tag of some content.
///
/// FNV-1a, 64 bits: the same on every replica, whatever it was built with.
pub(crate) fn entity_tag<'a>(content: impl IntoIterator<Item = &'a u8>) -> HeaderValue {
    let hash = content.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    HeaderValue::try_from(format!("W/\"{hash:016x}\"")).expect("digits are visible ASCII")
}

/// Whether `If-None-Match` names this tag. The comparison is weak, as RFC 9110 asks for.
fn is_known(tag: &HeaderValue, headers: &HeaderMap) -> bool {
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
