//! Caching and compression: how long clients may reuse a response, conditional requests, gzip, and a cache of what is
//! rendered on demand.

use std::collections::HashMap;
use std::hash::Hash;
use std::io::{Read, Write};
use std::mem;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bytes::Bytes;
use flate2::read::GzDecoder;
use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use hyper::{HeaderMap, Response, StatusCode};

use crate::clock::Moment;
use crate::http::lists::{add_elements, best_quality};
use crate::http::prefer::PREFER;
use crate::http::site::Site;
use crate::net::Content;

/// `max-age` in seconds; short, so that clients see reloaded inputs soon.
const MAX_AGE_SECONDS: u64 = 60;

/// The largest number of bytes that is not compressed: they fit into one packet with their head.
const UNCOMPRESSED_MAX: usize = 1400;

/// How much of a table is compressed at a time, in bytes.
const CHUNK_BYTES: usize = 32 * 1024;

/// The header of a gzip stream: deflate, no file name, no time, unknown operating system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

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
    let mut headers = site.headers(content_type);
    headers.insert(CACHE_CONTROL, lifetime);
    headers
}

/// Content that many requests share, except for its stamp if it has one.
#[derive(Debug)]
pub(crate) struct Representation {
    /// All headers but that of gzip. Cloning the map is cheaper than inserting them one by one.
    headers: HeaderMap,
    content: Bytes,
    /// Where the stamp of a request is inserted.
    stamp_at: Option<usize>,
    gzip: OnceLock<Bytes>,
}

impl Representation {
    pub(crate) fn new(mut headers: HeaderMap, content: impl Into<Bytes>) -> Self {
        let content = content.into();
        headers.insert(ETAG, entity_tag(&[&content]));
        if content.len() > UNCOMPRESSED_MAX {
            vary_by(&mut headers, ACCEPT_ENCODING);
        }
        Self { headers, content, stamp_at: None, gzip: OnceLock::new() }
    }

    /// Content given as a gzip stream that the build made.
    pub(crate) fn from_gzip(headers: HeaderMap, stream: Bytes) -> Self {
        let mut content = Vec::new();
        GzDecoder::new(&*stream).read_to_end(&mut content).expect("the gzip stream is valid");
        Self { gzip: OnceLock::from(stream), ..Self::new(headers, content) }
    }

    /// Content with a timestamp whose time of day is that of each response. The entity tag covers everything else.
    pub(crate) fn stamped(headers: HeaderMap, content: &str, timestamp: &str) -> Self {
        let (before, after) = content.split_once(timestamp).expect("the content is of that day");
        let date = &timestamp[.."YYYY-MM-DDT".len()];
        let without_time = [before, date, "Z", after].concat();
        let stamp_at = Some(before.len() + date.len());
        let mut stamped = Self { stamp_at, ..Self::new(headers, without_time) };
        stamped.headers.insert(ETAG, entity_tag(&[before.as_bytes(), after.as_bytes()]));
        stamped
    }

    /// Returns the response to a request with these headers: the content with the stamp, or 304 if
    /// the entity tag matches.
    pub(crate) fn respond(&self, request: &HeaderMap, stamp: &[u8]) -> Response<Content> {
        conditional(self.headers.clone(), request, |headers| {
            let is_gzip = self.content.len() > UNCOMPRESSED_MAX && accepts_gzip(request);
            if is_gzip {
                headers.insert(CONTENT_ENCODING, GZIP);
            }
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
    mut headers: HeaderMap,
    made_of: &[&str],
    request: &HeaderMap,
    chunks: impl Iterator<Item = Vec<u8>> + Send + 'static,
) -> Response<Content> {
    headers.insert(ETAG, entity_tag(&[made_of.join("\0").as_bytes(), b"\0"]));
    vary_by(&mut headers, ACCEPT_ENCODING);
    conditional(headers, request, |headers| {
        if !accepts_gzip(request) {
            return Content::lazy(Box::new(chunks));
        }
        headers.insert(CONTENT_ENCODING, GZIP);
        Content::lazy(Box::new(compress_chunks(chunks)))
    })
}

fn conditional(
    mut headers: HeaderMap,
    request: &HeaderMap,
    content: impl FnOnce(&mut HeaderMap) -> Content,
) -> Response<Content> {
    let mut response = Response::new(Content::default());
    if matches_etag(&headers[ETAG], request) {
        headers.remove(CONTENT_TYPE);
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        *response.body_mut() = content(&mut headers);
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

pub(crate) fn vary_by(headers: &mut HeaderMap, name: HeaderName) {
    add_elements(headers, VARY, name.as_str());
}

/// Ends the lifetime of a daily response at midnight UTC, when the data changes. `max-age` is in real
/// seconds, however fast the clock runs.
pub(crate) fn limit_to_day(headers: &mut HeaderMap, moment: Moment, speed: u64) {
    let seconds = moment.seconds_to_midnight();
    if seconds < MAX_AGE_SECONDS * speed {
        headers.insert(CACHE_CONTROL, max_age(seconds / speed));
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
    // Each tag of the list is quoted, and none contains a quote.
    let quoted = tag.to_str().unwrap_or_default().trim_start_matches("W/");
    let mut lines = headers.get_all(IF_NONE_MATCH).iter().filter_map(|line| line.to_str().ok());
    lines.any(|line| line.trim() == "*" || line.contains(quoted))
}

/// Whether `Accept-Encoding` allows gzip and ranks it no lower than `identity`. A client that doesn't
/// send the header may not support any encoding.
fn accepts_gzip(request: &HeaderMap) -> bool {
    let best = |codings: &[&str]| best_quality(request, ACCEPT_ENCODING, codings);
    let gzip = best(&["gzip", "x-gzip"]).or_else(|| best(&["*"])).unwrap_or(0);
    gzip > 0 && gzip >= best(&["identity"]).unwrap_or(0)
}

fn compress(content: &[u8], level: Compression) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(content.len() / 4), level);
    let written = encoder.write_all(content).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail").into()
}

/// Returns chunks as a gzip stream; many of its own chunks are empty. Each part is compressed separately, without
/// references to those before it, so that no memory is held between two parts.
fn compress_chunks(chunks: impl Iterator<Item = Vec<u8>>) -> impl Iterator<Item = Vec<u8>> {
    let (mut part, mut crc) = (Vec::new(), Crc::new());
    let parts = chunks.map(Some).chain([None]).map(move |chunk| {
        let is_last = chunk.is_none();
        part.extend(chunk.unwrap_or_default());
        if part.len() < CHUNK_BYTES && !is_last {
            return Vec::new();
        }
        crc.update(&part);
        let mut compressed = deflate(&mem::take(&mut part), is_last);
        if is_last {
            compressed.extend([crc.sum(), crc.amount()].map(u32::to_le_bytes).as_flattened());
        }
        compressed
    });
    std::iter::once(HEADER.to_vec()).chain(parts)
}

/// Compresses a part of a deflate stream. A part that is not the last ends at a byte.
fn deflate(part: &[u8], is_last: bool) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(part).and_then(|()| match is_last {
        true => encoder.finish(),
        false => encoder.flush().map(|()| mem::take(encoder.get_mut())),
    });
    written.expect("writing to memory does not fail")
}

/// Representations by key. When the cache is full, it starts again, empty.
#[derive(Debug)]
pub(crate) struct PageCache<K> {
    capacity: usize,
    /// Each with its version.
    pages: RwLock<HashMap<K, (String, Arc<Representation>)>>,
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
        if let Some((_, page)) = pages.get(&key).filter(|(cached, _)| cached == version) {
            return Ok(Arc::clone(page));
        }
        drop(pages);
        // Without the lock: two requests may render the same page, but none waits for another.
        let page = Arc::new(render()?);
        let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        if pages.len() >= self.capacity {
            pages.clear();
        }
        pages.insert(key, (version.into(), Arc::clone(&page)));
        Ok(page)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use proptest::collection::vec;
    use proptest::prelude::*;

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

    /// Decompresses a stream, which must have no trailing bytes.
    fn decompressed(stream: &[u8]) -> Vec<u8> {
        let mut content = Vec::new();
        let mut decoder = GzDecoder::new(stream);
        decoder.read_to_end(&mut content).unwrap();
        assert!(decoder.into_inner().is_empty(), "trailing bytes after the stream");
        content
    }

    #[track_caller]
    fn check_gzip(chunks: &[Vec<u8>]) {
        let stream: Vec<u8> = compress_chunks(chunks.iter().cloned()).flatten().collect();
        let whole = chunks.concat();
        assert!(decompressed(&stream) == whole);
        assert!(decompressed(&compress(&whole, Compression::default())) == whole);
        assert!(decompressed(&compress(&whole, Compression::fast())) == whole);
    }

    /// Nearly incompressible bytes.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn streams_of_chunks_of_any_length_decompress() {
        check_gzip(&[]);
        check_gzip(&[Vec::new()]);
        check_gzip(&[b"ab".repeat(100_000), b"cd".repeat(300_000)]);
        check_gzip(&[noise(300_000), noise(1), noise(CHUNK_BYTES), noise(10)]);
        check_gzip(
            &(0..30_000).map(|number| format!("{number},").into_bytes()).collect::<Vec<_>>(),
        );
    }

    proptest! {
        #[test]
        fn a_stream_of_chunks_decompresses_to_its_chunks(
            chunks in vec(vec(0_u8..4, 0..30_000), 0..5),
            others in vec(vec(any::<u8>(), 0..20_000), 0..5),
        ) {
            check_gzip(&[chunks, others].concat());
        }
    }

    #[test]
    fn gzip_is_accepted_unless_identity_is_preferred() {
        for (accepted, expected) in [
            ("gzip", true),
            ("GZip", true),
            ("x-gzip", true),
            ("*", true),
            ("br, deflate, gzip;q=0.5", true),
            ("gzip;q=1.0, identity; q=0.5, *;q=0", true),
            ("gzip;q=0.5, identity;q=0.5", true),
            ("gzip;q=0.001", true),
            ("identity;q=0, gzip", true),
            ("", false),
            ("identity", false),
            ("br", false),
            ("gzip;q=0", false),
            ("gzip;q=0.000", false),
            ("gzip;q=0, *", false),
            ("*;q=0", false),
            ("gzip;q=0.4, identity;q=0.5", false),
            ("gzipped", false),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, accepted.parse().unwrap())]);
            assert_eq!(accepts_gzip(&headers), expected, "{accepted:?}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
