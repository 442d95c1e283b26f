//! Caching: how long clients may reuse a response, conditional requests, and a cache of what is rendered on demand.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bytes::Bytes;
use flate2::Compression;
use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use hyper::{HeaderMap, Response, StatusCode};

use crate::clock::{Moment, Speed};
use crate::http::gzip::{UNCOMPRESSED_MAX, accepts_gzip, compress, compress_chunks, decompress};
use crate::http::prefer::PREFER;
use crate::http::site::Site;
use crate::net::Content;

/// `max-age` in seconds; short, so that clients see reloaded inputs soon.
const MAX_AGE_SECONDS: u64 = 60;

const GZIP: HeaderValue = HeaderValue::from_static("gzip");

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

fn cacheable_headers(site: &Site, content_type: &'static str, lifetime: HeaderValue) -> HeaderMap {
    // The tag is set later, but is one of the first headers.
    let mut headers = HeaderMap::from_iter([(ETAG, HeaderValue::from_static(""))]);
    headers.extend(site.common_headers.clone());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, lifetime);
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
        let (headers, content) = (headers.into(), content.into());
        let tag = entity_tag(&[&content]);
        Self { headers, tag, content, stamp_at: None, gzip: OnceLock::new() }
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
        let tag = entity_tag(&[&content[..untagged.start], &content[untagged.end..]]);
        let (content, stamp_at, gzip) = (content.into(), Some(stamp_at), OnceLock::new());
        Self { headers, tag, content, stamp_at, gzip }
    }

    /// Returns the response to a request with these headers: the content with the stamp, or 304 if
    /// the entity tag matches.
    pub(crate) fn respond(&self, request: &HeaderMap, stamp: &[u8]) -> Response<Content> {
        let is_compressible = self.content.len() > UNCOMPRESSED_MAX;
        let headers = HeaderMap::clone(&self.headers);
        respond(headers, &self.tag, request, is_compressible, |is_gzip| {
            let stamped = self.stamp_at.map(|at| {
                let (before, after) = self.content.split_at(at);
                [before, stamp, after].concat()
            });
            let shared = || compress(&self.content, Compression::default());
            match (stamped, is_gzip) {
                (None, false) => self.content.clone().into(),
                (None, true) => self.gzip.get_or_init(shared).clone().into(),
                (Some(stamped), false) => stamped.into(),
                (Some(stamped), true) => compress(&stamped, Compression::fast()).into(),
            }
        })
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
    let tag = entity_tag(&[made_of.join("\0").as_bytes(), b"\0"]);
    respond(headers, &tag, request, true, |is_gzip| match is_gzip {
        true => Content::lazy(Box::new(compress_chunks(chunks))),
        false => Content::lazy(Box::new(chunks)),
    })
}

/// Returns the response to a request: content that is made with or without gzip, or 304.
fn respond(
    mut headers: HeaderMap,
    tag: &HeaderValue,
    request: &HeaderMap,
    is_compressible: bool,
    content: impl FnOnce(bool) -> Content,
) -> Response<Content> {
    headers.insert(ETAG, tag.clone());
    if is_compressible {
        vary_by(&mut headers, ACCEPT_ENCODING);
    }
    let mut response = Response::new(Content::default());
    if matches_etag(tag, request) {
        headers.remove(CONTENT_TYPE);
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        let is_gzip = is_compressible && accepts_gzip(request);
        if is_gzip {
            headers.insert(CONTENT_ENCODING, GZIP);
        }
        *response.body_mut() = content(is_gzip);
    }
    *response.headers_mut() = headers;
    response
}

/// Compresses a response made for a single request, if it is long enough and the client accepts
/// gzip.
pub(crate) fn encode(mut response: Response<Content>, request: &HeaderMap) -> Response<Content> {
    if response.body().len().is_none_or(|length| length <= UNCOMPRESSED_MAX) {
        return response;
    }
    vary_by(response.headers_mut(), ACCEPT_ENCODING);
    if accepts_gzip(request) {
        response.headers_mut().insert(CONTENT_ENCODING, GZIP);
        response =
            response.map(|content| compress(&content.into_bytes(), Compression::fast()).into());
    }
    response
}

/// Adds a request header to `Vary`.
pub(crate) fn vary_by(headers: &mut HeaderMap, name: HeaderName) {
    let others = headers.get(VARY).and_then(|value| value.to_str().ok());
    let all =
        others.map_or(Ok(name.clone().into()), |others| format!("{others}, {name}").try_into());
    headers.insert(VARY, all.expect("names of headers are visible ASCII"));
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

/// Returns the weak entity tag of content in parts. The hash, FNV-1a with 64 bits, is the same on every replica and
/// with every compiler.
fn entity_tag(parts: &[&[u8]]) -> HeaderValue {
    let hash = parts.iter().copied().flatten().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    HeaderValue::try_from(format!("W/\"{hash:016x}\"")).expect("digits are visible ASCII")
}

/// Whether `If-None-Match` contains this tag. The comparison is weak, as RFC 9110 requires.
fn matches_etag(tag: &HeaderValue, headers: &HeaderMap) -> bool {
    let own = tag.to_str().unwrap_or_default().trim_start_matches("W/");
    let lines = headers.get_all(IF_NONE_MATCH).iter().filter_map(|line| line.to_str().ok());
    let mut tags = lines.flat_map(|line| {
        // Unlike in other quoted strings, a backslash is not an escape.
        let mut is_quoted = false;
        line.split(move |char| {
            is_quoted ^= char == '"';
            char == ',' && !is_quoted
        })
    });
    tags.any(|tag| tag.trim() == "*" || tag.trim().trim_start_matches("W/") == own)
}

/// Representations by key. When the cache is full, it starts again, empty.
#[derive(Debug)]
pub(crate) struct PageCache<K> {
    capacity: usize,
    pages: RwLock<HashMap<K, CachedPage>>,
}

#[derive(Debug)]
struct CachedPage {
    version: String,
    page: Arc<Representation>,
}

impl<K: Eq + Hash> PageCache<K> {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { capacity, pages: RwLock::default() }
    }

    /// Returns the cached page if it has this version, or renders it.
    pub(crate) fn get<E>(
        &self,
        key: K,
        version: &str,
        render: impl FnOnce() -> Result<Representation, E>,
    ) -> Result<Arc<Representation>, E> {
        let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = pages.get(&key).filter(|cached| cached.version == version) {
            return Ok(Arc::clone(&cached.page));
        }
        drop(pages);
        // Without the lock: two requests may render the same page, but none waits for another.
        let page = Arc::new(render()?);
        let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        if pages.len() >= self.capacity {
            pages.clear();
        }
        pages.insert(key, CachedPage { version: version.into(), page: Arc::clone(&page) });
        Ok(page)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use super::*;

    fn page() -> Result<Representation, Infallible> {
        Ok(Representation::new(fixed_headers(&Site::new(None), "text/plain"), "content"))
    }

    /// Gets a page and returns whether it had to be rendered.
    fn is_rendered(cache: &PageCache<usize>, key: usize, version: &str) -> bool {
        let rendered = Cell::new(false);
        let Ok(_) = cache.get(key, version, || {
            rendered.set(true);
            page()
        });
        rendered.get()
    }

    #[test]
    fn a_page_is_rendered_once_for_each_version() {
        let cache = PageCache::with_capacity(2);
        assert!(is_rendered(&cache, 1, "") && !is_rendered(&cache, 1, ""));
        assert!(is_rendered(&cache, 1, "later") && !is_rendered(&cache, 1, "later"));
    }

    #[test]
    fn a_full_cache_starts_again() {
        let cache = PageCache::with_capacity(2);
        assert!([1, 2].into_iter().all(|key| is_rendered(&cache, key, "")));
        assert!(![1, 2].into_iter().any(|key| is_rendered(&cache, key, "")));
        assert!(is_rendered(&cache, 3, ""), "1 and 2 are dropped");
        assert!(is_rendered(&cache, 1, "") && !is_rendered(&cache, 3, ""));
    }

    #[test]
    fn a_failed_render_is_not_cached() {
        let cache = PageCache::with_capacity(2);
        assert!(cache.get(1, "", || Err(())).is_err());
        assert!(is_rendered(&cache, 1, ""));
    }

    #[test]
    fn no_lock_is_held_while_a_page_is_rendered() {
        let cache = PageCache::with_capacity(2);
        let Ok(_) = cache.get(1, "", || cache.get(1, "", page).and_then(|_| page()));
    }
}
