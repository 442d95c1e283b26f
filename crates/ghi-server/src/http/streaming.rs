//! Streaming: responses whose content is generated while it is sent.

use std::io::Write;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG};
use hyper::{HeaderMap, Response};

use crate::http::caching::{GZIP, Hash, matches_etag, set_not_modified, vary_by};
use crate::http::common_headers::overwrite;
use crate::http::gzip::accepts_gzip;
use crate::http::problem::Problem;
use crate::net::{Chunks, Content, Permit};

/// How long the compressor may buffer data before it is flushed, so that a proxy sees progress.
const FLUSH_AFTER: Duration = Duration::from_millis(250);

/// Returns the response to a request with these headers: the chunks, or 304 if the entity tag matches.
/// The content doesn't exist yet, so the tag is a hash of `made_of`, which must list everything that
/// determines the content. Fails if no permit is available.
pub(crate) fn respond_streamed(
    headers: HeaderMap,
    made_of: &[&str],
    request: &HeaderMap,
    permit: impl FnOnce() -> Option<Permit>,
    chunks: impl Iterator<Item = Vec<u8>> + Send + 'static,
) -> Result<Response<Content>, Problem> {
    let hash = |hash: Hash, part: &&str| hash.with(part.as_bytes()).with(&[0]);
    let tag = made_of.iter().fold(Hash::default(), hash).tag();
    let mut response = Response::new(Content::default());
    *response.headers_mut() = headers;
    overwrite(response.headers_mut(), &ETAG, tag.clone());
    vary_by(response.headers_mut(), ACCEPT_ENCODING);
    if matches_etag(&tag, request) {
        set_not_modified(&mut response);
        return Ok(response);
    }
    let permit = permit().ok_or_else(Problem::busy)?;
    let chunks: Chunks = if accepts_gzip(request) {
        response.headers_mut().insert(CONTENT_ENCODING, GZIP);
        Box::new(compressed(chunks))
    } else {
        Box::new(chunks)
    };
    *response.body_mut() = Content::streamed(chunks, permit);
    Ok(response)
}

/// Returns the chunks as a gzip stream.
fn compressed(mut chunks: impl Iterator<Item = Vec<u8>>) -> impl Iterator<Item = Vec<u8>> {
    // Created with the first chunk and taken after the last.
    let mut encoder: Option<GzEncoder<Vec<u8>>> = None;
    let mut flushed = Instant::now();
    std::iter::from_fn(move || {
        let Some(chunk) = chunks.next() else {
            let encoder = encoder.take()?;
            return Some(encoder.finish().expect("writing to memory does not fail"));
        };
        let new = || GzEncoder::new(Vec::new(), Compression::default());
        let encoder = encoder.get_or_insert_with(new);
        encoder.write_all(&chunk).expect("writing to memory does not fail");
        if flushed.elapsed() >= FLUSH_AFTER {
            encoder.flush().expect("writing to memory does not fail");
            flushed = Instant::now();
        }
        Some(std::mem::take(encoder.get_mut()))
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;
    use hyper::StatusCode;
    use hyper::header::IF_NONE_MATCH;

    use crate::http::caching::daily_headers;
    use crate::http::site::Site;
    use crate::net::PermitPool;

    use super::*;

    fn respond(made_of: &[&str], headers: &[(&'static str, &str)]) -> Response<Content> {
        let headers = headers.iter().map(|(name, value)| {
            (hyper::header::HeaderName::from_static(name), value.parse().unwrap())
        });
        let cacheable = daily_headers(&Site::new(None), "text/csv");
        let lines = (0..10_000).map(|number| format!("{number}\n").into_bytes());
        let permit = || PermitPool::new(1, 1).acquire(None);
        respond_streamed(cacheable, made_of, &headers.collect(), permit, lines).unwrap()
    }

    #[test]
    fn a_compressed_stream_has_the_same_content_as_the_plain_one() {
        let plain = respond(&["a"], &[]);
        let compressed = respond(&["a"], &[("accept-encoding", "gzip")]);
        assert_eq!(compressed.headers()[CONTENT_ENCODING], "gzip");
        assert_eq!(plain.headers()[ETAG], compressed.headers()[ETAG]);
        let compressed = compressed.into_body().into_bytes();
        let mut text = Vec::new();
        GzDecoder::new(&*compressed).read_to_end(&mut text).unwrap();
        let plain = plain.into_body().into_bytes();
        assert!(plain == text && compressed.len() < plain.len() / 2);
    }

    #[test]
    fn the_tag_depends_on_everything_that_determines_the_content() {
        let tag = |made_of: &[&str]| respond(made_of, &[]).headers()[ETAG].clone();
        assert_eq!(tag(&["a", "b"]), tag(&["a", "b"]));
        let tags = [tag(&["a", "b"]), tag(&["a", "c"]), tag(&["ab", ""]), tag(&["", "ab"])];
        assert!(tags.iter().enumerate().all(|(at, tag)| !tags[..at].contains(tag)), "{tags:?}");
        let known = respond(&["a"], &[("if-none-match", tag(&["a"]).to_str().unwrap())]);
        assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(known.body().len(), Some(0));
    }

    #[test]
    fn a_stream_without_a_permit_is_busy_but_not_modified_needs_none() {
        let respond = |request: &HeaderMap| {
            let headers = daily_headers(&Site::new(None), "text/csv");
            respond_streamed(headers, &["a"], request, || None, std::iter::empty())
        };
        let refused = respond(&HeaderMap::new()).err().unwrap();
        assert_eq!(refused.describe().code, "busy");
        let tag = respond(&HeaderMap::from_iter([(IF_NONE_MATCH, "*".parse().unwrap())])).unwrap();
        assert_eq!(tag.status(), StatusCode::NOT_MODIFIED);
    }
}
