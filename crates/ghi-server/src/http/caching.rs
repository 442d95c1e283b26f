//! Caching: how long clients may reuse a response, and conditional requests.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use hyper::{HeaderMap, Response, StatusCode};

use crate::clock::{Moment, Speed};
use crate::http::common_headers::PLACEHOLDER;
use crate::http::gzip::{
    UNCOMPRESSED_MAX, accepts_gzip, compress_chunks, compress_fast, compress_well, decompress,
};
use crate::http::prefer::PREFER;
use crate::http::site::Site;
use crate::net::Content;

/// `max-age` in seconds; short, so that clients see reloaded inputs soon.
const MAX_AGE_SECONDS: u64 = 60;

/// Headers for content that changes at midnight UTC. [`limit_to_day`] shortens the lifetime when midnight
/// is near.
pub(crate) fn daily_headers(site: &Site, content_type: &'static str) -> HeaderMap {
    cacheable_headers(site, content_type, max_age(MAX_AGE_SECONDS))
}

/// Headers for daily content of the API, which varies by `Prefer` if scenarios are enabled.
pub(crate) fn daily_api_headers(site: &Site, content_type: &'static str) -> HeaderMap {
    let mut headers = daily_headers(site, content_type);
    if site.has_scenarios {
        headers.insert(VARY, PREFER.into());
    }
    headers
}

/// Headers for content that changes only with a new release. That can happen at any time, so clients must
/// revalidate.
pub(crate) fn fixed_headers(site: &Site, content_type: &'static str) -> HeaderMap {
    cacheable_headers(site, content_type, HeaderValue::from_static("no-cache"))
}

fn cacheable_headers(
    site: &Site,
    content_type: &'static str,
    cache_control: HeaderValue,
) -> HeaderMap {
    let mut headers = HeaderMap::from_iter([(ETAG, PLACEHOLDER)]);
    headers.extend(site.common_headers());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, cache_control);
    headers
}

/// Content that many requests share, except for its stamp if it has one.
#[derive(Debug)]
pub(crate) struct Representation {
    /// Cloning the map is cheaper than inserting the headers one by one.
    headers: Arc<HeaderMap>,
    tag: HeaderValue,
    content: Bytes,
    /// Where the stamp of a request is inserted.
    stamp_at: Option<usize>,
    gzip: OnceLock<Bytes>,
}

impl Representation {
    /// Content that is the same for each request.
    pub(crate) fn new(headers: HeaderMap, content: impl Into<Bytes>) -> Self {
        let content = content.into();
        let tag = Hash::default().with(&content).tag();
        Self { headers: headers.into(), tag, content, stamp_at: None, gzip: OnceLock::new() }
    }

    /// Content given as a gzip stream.
    pub(crate) fn from_gzip(headers: HeaderMap, stream: Bytes) -> Self {
        let content = decompress(&stream);
        Self { gzip: OnceLock::from(stream), ..Self::new(headers, content) }
    }

    /// Content with a stamp, which differs in each response. The entity tag covers everything outside `untagged`.
    pub(crate) fn stamped(
        headers: Arc<HeaderMap>,
        content: Vec<u8>,
        stamp_at: usize,
        untagged: Range<usize>,
    ) -> Self {
        let hash = Hash::default().with(&content[..untagged.start]).with(&content[untagged.end..]);
        let (tag, content, gzip) = (hash.tag(), content.into(), OnceLock::new());
        Self { headers, tag, content, stamp_at: Some(stamp_at), gzip }
    }

    /// Returns the response to a request with these headers: the content with the stamp, or 304 if
    /// the entity tag matches.
    pub(crate) fn respond(&self, request: &HeaderMap, stamp: &[u8]) -> Response<Content> {
        let mut response = Response::new(Content::default());
        *response.headers_mut() = HeaderMap::clone(&self.headers);
        response.headers_mut().insert(ETAG, self.tag.clone());
        if self.is_compressible() {
            vary_by(response.headers_mut(), ACCEPT_ENCODING);
        }
        if matches_etag(&self.tag, request) {
            set_not_modified(&mut response);
            return response;
        }
        let is_gzip = self.is_compressible() && accepts_gzip(request);
        if is_gzip {
            response.headers_mut().insert(CONTENT_ENCODING, GZIP);
        }
        *response.body_mut() = match (self.stamp_at, is_gzip) {
            (None, false) => self.content.clone().into(),
            (None, true) => self.gzip.get_or_init(|| compress_well(&self.content)).clone().into(),
            (Some(at), false) => self.with_stamp(at, stamp).into(),
            (Some(at), true) => compress_fast(&self.with_stamp(at, stamp)).into(),
        };
        response
    }

    fn with_stamp(&self, at: usize, stamp: &[u8]) -> Vec<u8> {
        [&self.content[..at], stamp, &self.content[at..]].concat()
    }

    fn is_compressible(&self) -> bool {
        self.content.len() > UNCOMPRESSED_MAX
    }
}

/// Returns the response to a request with these headers: a table that is generated while it is sent, or 304 if the
/// entity tag matches. The content doesn't exist yet, so the tag is a hash of `made_of`, which must list everything
/// that determines the content.
pub(crate) fn respond_lazily(
    headers: HeaderMap,
    made_of: &[&str],
    request: &HeaderMap,
    chunks: impl Iterator<Item = Vec<u8>> + Send + 'static,
) -> Response<Content> {
    let hash = |hash: Hash, part: &&str| hash.with(part.as_bytes()).with(&[0]);
    let tag = made_of.iter().fold(Hash::default(), hash).tag();
    let mut response = Response::new(Content::default());
    *response.headers_mut() = headers;
    response.headers_mut().insert(ETAG, tag.clone());
    vary_by(response.headers_mut(), ACCEPT_ENCODING);
    if matches_etag(&tag, request) {
        set_not_modified(&mut response);
    } else if accepts_gzip(request) {
        response.headers_mut().insert(CONTENT_ENCODING, GZIP);
        *response.body_mut() = Content::lazy(Box::new(compress_chunks(chunks)));
    } else {
        *response.body_mut() = Content::lazy(Box::new(chunks));
    }
    response
}

/// Turns a response without content into a 304.
fn set_not_modified(response: &mut Response<Content>) {
    response.headers_mut().remove(CONTENT_TYPE);
    *response.status_mut() = StatusCode::NOT_MODIFIED;
}

/// Adds a request header to `Vary`.
pub(crate) fn vary_by(headers: &mut HeaderMap, name: HeaderName) {
    let varies = match headers.get(VARY).and_then(|value| value.to_str().ok()) {
        // The common case in the API; avoids an allocation.
        Some("prefer") if name == ACCEPT_ENCODING => {
            Some(HeaderValue::from_static("prefer, accept-encoding"))
        }
        Some(others) => HeaderValue::try_from(format!("{others}, {name}")).ok(),
        None => Some(name.into()),
    };
    varies.map(|value| headers.insert(VARY, value));
}

const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// Compresses a response made for a single request, if it is long enough and the client accepts
/// gzip.
pub(crate) fn encode(mut response: Response<Content>, request: &HeaderMap) -> Response<Content> {
    if response.body().len().is_none_or(|length| length <= UNCOMPRESSED_MAX) {
        return response;
    }
    vary_by(response.headers_mut(), ACCEPT_ENCODING);
    if accepts_gzip(request) {
        response.headers_mut().insert(CONTENT_ENCODING, GZIP);
        response = response.map(|content| compress_fast(&content.into_bytes()).into());
    }
    response
}

/// Ends the lifetime of a daily response at midnight UTC, when the data changes. `max-age` is in real
/// seconds, however fast the clock runs.
pub(crate) fn limit_to_day(headers: &mut HeaderMap, moment: Moment, speed: Speed) {
    let seconds = moment.seconds_to_midnight();
    if seconds < MAX_AGE_SECONDS * speed.get() {
        headers.insert(CACHE_CONTROL, max_age(seconds / speed.get()));
    }
}

fn max_age(seconds: u64) -> HeaderValue {
    let value = format!("public, max-age={seconds}");
    HeaderValue::try_from(value).expect("digits are visible ASCII")
}

/// FNV-1a, 64 bits: the same on every replica and with every compiler.
#[derive(Clone, Copy, Debug)]
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    /// Hashes more bytes.
    fn with(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }

    /// Formats the hash as a weak entity tag.
    fn tag(self) -> HeaderValue {
        HeaderValue::try_from(format!("W/\"{:016x}\"", self.0)).expect("digits are visible ASCII")
    }
}

/// Whether `If-None-Match` contains this tag. The comparison is weak, as RFC 9110 requires.
fn matches_etag(tag: &HeaderValue, headers: &HeaderMap) -> bool {
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
            .any(|listed| listed == "*" || opaque(listed) == tag_text)
}

/// The tags of a list. Unlike in quoted strings, a backslash in a tag is not an escape.
fn tags(list: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let tags = list.split(move |char| {
        quoted ^= char == '"';
        char == ',' && !quoted
    });
    tags.map(str::trim)
}
