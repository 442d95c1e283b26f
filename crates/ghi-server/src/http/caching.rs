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
use crate::http::common_headers::{PLACEHOLDER, overwrite};
use crate::http::gzip::{GZIP_MIN, Gzip, accepts_gzip, compress, decompress};
use crate::http::prefer::PREFER;
use crate::http::site::Site;
use crate::net::Content;

/// `max-age` in seconds; short, so that clients see reloaded inputs soon.
const MAX_AGE_SECONDS: u64 = 60;

/// The longest content that is copied for each request instead of being sent in pieces, in bytes.
const COPY_MAX: usize = 4096;

/// The longest content that is compressed while the client waits, in bytes. Longer content is sent
/// uncompressed until [`Representation::compress`] has run.
const COMPRESS_MAX: usize = 256 * 1024;

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

/// Content that is sent many times: shared bytes, with a slot for the stamp, which is the part that
/// differs in each response.
#[derive(Debug)]
pub(crate) struct Representation {
    /// Cloning the map is cheaper than inserting the headers one by one.
    headers: Arc<HeaderMap>,
    tag: Tag,
    content: Bytes,
    /// The byte range of the stamp, overwritten in each response.
    slot: Option<Range<usize>>,
    is_compressible: bool,
    gzip: OnceLock<Box<Encoded>>,
}

/// The entity tag of a representation.
#[derive(Debug)]
enum Tag {
    /// Independent of the stamp.
    Fixed(HeaderValue),
    /// Computed from the content and the stamp.
    WithStamp(Hash),
}

/// The content as gzip.
#[derive(Debug)]
enum Encoded {
    Whole(Bytes),
    Around(Gzip),
}

impl Representation {
    /// Content that is the same for each request.
    pub(crate) fn new(headers: impl Into<Arc<HeaderMap>>, content: impl Into<Bytes>) -> Self {
        let content = content.into();
        let tag = Tag::Fixed(Hash::default().with(&content).tag());
        Self::of(headers.into(), tag, content, None)
    }

    /// Content given as a gzip stream.
    pub(crate) fn from_gzip(headers: HeaderMap, stream: Bytes) -> Self {
        let content = decompress(&stream);
        let gzip = OnceLock::from(Box::new(Encoded::Whole(stream)));
        Self { gzip, ..Self::new(headers, content) }
    }

    /// Content with a slot for a stamp that doesn't affect the entity tag. The tag covers everything
    /// outside `untagged`.
    pub(crate) fn with_slot(
        headers: Arc<HeaderMap>,
        content: impl Into<Bytes>,
        slot: Range<usize>,
        untagged: Range<usize>,
    ) -> Self {
        let content = content.into();
        let hash = Hash::default().with(&content[..untagged.start]).with(&content[untagged.end..]);
        Self::of(headers, Tag::Fixed(hash.tag()), content, Some(slot))
    }

    /// Content with an empty slot for a stamp that is part of the entity tag. Content and stamp
    /// together must be long enough to compress.
    pub(crate) fn with_visible_slot(
        headers: Arc<HeaderMap>,
        content: impl Into<Bytes>,
        start: usize,
    ) -> Self {
        let content = content.into();
        let tag = Tag::WithStamp(Hash::default().with(&content));
        let content = Self::of(headers, tag, content, Some(start..start));
        Self { is_compressible: true, ..content }
    }

    fn of(headers: Arc<HeaderMap>, tag: Tag, content: Bytes, slot: Option<Range<usize>>) -> Self {
        let is_compressible = content.len() >= GZIP_MIN;
        Self { headers, tag, content, slot, is_compressible, gzip: OnceLock::new() }
    }

    /// Returns the response to a request with these headers: the content with the stamp, or 304 if
    /// the entity tag matches.
    pub(crate) fn respond(&self, request: &HeaderMap, stamp: &[u8]) -> Response<Content> {
        let tag = self.tag(stamp);
        if !matches_etag(&tag, request) {
            return self.respond_in_full(request, stamp);
        }
        let mut response = self.head(tag);
        if self.is_compressible {
            vary_by(response.headers_mut(), ACCEPT_ENCODING);
        }
        set_not_modified(&mut response);
        response
    }

    /// Returns the response to a request without conditions.
    pub(crate) fn respond_in_full(&self, request: &HeaderMap, stamp: &[u8]) -> Response<Content> {
        let mut response = self.head(self.tag(stamp));
        self.fill(&mut response, request, stamp);
        response
    }

    fn tag(&self, stamp: &[u8]) -> HeaderValue {
        match &self.tag {
            Tag::Fixed(tag) => tag.clone(),
            Tag::WithStamp(hash) => hash.with(stamp).tag(),
        }
    }

    /// Returns a response with the headers and no content.
    fn head(&self, tag: HeaderValue) -> Response<Content> {
        let mut response = Response::new(Content::default());
        *response.headers_mut() = HeaderMap::clone(&self.headers);
        overwrite(response.headers_mut(), &ETAG, tag);
        response
    }

    /// Sets the body of a response to the content with the stamp, compressed if the client accepts
    /// gzip.
    pub(crate) fn fill(&self, response: &mut Response<Content>, request: &HeaderMap, stamp: &[u8]) {
        if !self.is_compressible {
            *response.body_mut() = self.plain(stamp);
            return;
        }
        vary_by(response.headers_mut(), ACCEPT_ENCODING);
        let gzip = self.gzip_for(request);
        if gzip.is_some() {
            response.headers_mut().insert(CONTENT_ENCODING, GZIP);
        }
        *response.body_mut() = match gzip {
            None => self.plain(stamp),
            Some(Encoded::Whole(stream)) => stream.clone().into(),
            Some(Encoded::Around(gzip)) => gzip.stamped(stamp),
        };
    }

    /// The uncompressed content with the stamp.
    pub(crate) fn plain(&self, stamp: &[u8]) -> Content {
        let content = &self.content;
        let Some(Range { start, end }) = self.slot else { return content.clone().into() };
        let (before, after) = (&content[..start], &content[end..]);
        if content.len() > COPY_MAX {
            let start = [before, stamp].concat();
            return Content::of_pieces([start.into(), content.slice(end..)]);
        }
        let mut whole = Vec::with_capacity(before.len() + stamp.len() + after.len());
        whole.extend_from_slice(before);
        whole.extend_from_slice(stamp);
        whole.extend_from_slice(after);
        whole.into()
    }

    /// Returns the content as gzip, if the client accepts gzip and the stream is available or quick
    /// to make.
    fn gzip_for(&self, request: &HeaderMap) -> Option<&Encoded> {
        if !accepts_gzip(request) {
            return None;
        }
        if self.gzip.get().is_none() && self.content.len() <= COMPRESS_MAX {
            self.compress();
        }
        self.gzip.get().map(|gzip| &**gzip)
    }

    /// Compresses the content ahead of requests, once.
    pub(crate) fn compress(&self) {
        if !self.is_compressible {
            return;
        }
        self.gzip.get_or_init(|| {
            let content = &self.content;
            Box::new(match self.slot {
                None => Encoded::Whole(compress(content)),
                Some(Range { start, end }) => {
                    Encoded::Around(Gzip::around(&content[..start], &content[end..]))
                }
            })
        });
    }
}

/// Turns a response without content into a 304.
pub(super) fn set_not_modified(response: &mut Response<Content>) {
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

pub(super) const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// Compresses a response made for a single request, if it is long enough and the client accepts
/// gzip.
pub(crate) fn encode(mut response: Response<Content>, request: &HeaderMap) -> Response<Content> {
    if response.body().len().is_none_or(|length| length < GZIP_MIN) {
        return response;
    }
    vary_by(response.headers_mut(), ACCEPT_ENCODING);
    if accepts_gzip(request) {
        response.headers_mut().insert(CONTENT_ENCODING, GZIP);
        response = response.map(|content| compress(&content.into_bytes()).into());
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
pub(super) struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    /// Hashes more bytes.
    pub(super) fn with(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }

    /// Formats the hash as a weak entity tag.
    pub(super) fn tag(self) -> HeaderValue {
        HeaderValue::try_from(format!("W/\"{:016x}\"", self.0)).expect("digits are visible ASCII")
    }
}

/// Whether `If-None-Match` contains this tag. The comparison is weak, as RFC 9110 requires.
pub(super) fn matches_etag(tag: &HeaderValue, headers: &HeaderMap) -> bool {
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
