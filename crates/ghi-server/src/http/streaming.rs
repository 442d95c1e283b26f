//! Responses whose content is made while it is sent.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, ETAG};
use hyper::{HeaderMap, Response, StatusCode};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::http::caching::{Cacheable, GZIP, Hash, is_known, vary_by};
use crate::http::common_headers::overwrite;
use crate::http::gzip::accepts_gzip;
use crate::net::{Content, Source};

/// How many streams may be compressed at a time, each of which takes about 300 KiB of memory for it.
/// Beyond that they are sent as they are.
static COMPRESSING: Semaphore = Semaphore::const_new(64);

/// The response to a request with these headers: what a source makes, or 304 if the client has it.
/// The content is not there to be tagged, so the tag is over all that it is made of.
pub(crate) fn respond_streamed(
    headers: Cacheable,
    made_of: &[&str],
    request: &HeaderMap,
    source: impl Source,
) -> Response<Content> {
    let mut hash = Hash::default();
    for part in made_of {
        hash = hash.with(part.as_bytes()).with(&[0]);
    }
    let tag = hash.tag();
    let mut response = Response::new(Content::default());
    *response.headers_mut() = headers.into_headers();
    overwrite(response.headers_mut(), &ETAG, tag.clone());
    vary_by(response.headers_mut(), ACCEPT_ENCODING);
    if is_known(&tag, request) {
        response.headers_mut().remove(CONTENT_TYPE);
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    let room = if accepts_gzip(request) { COMPRESSING.try_acquire().ok() } else { None };
    *response.body_mut() = match room {
        None => Content::streamed(source),
        Some(room) => {
            response.headers_mut().insert(CONTENT_ENCODING, GZIP);
            Content::streamed(Compressed::new(source, room))
        }
    };
    response
}

/// What a source makes, as a gzip stream.
struct Compressed<S> {
    source: S,
    made: Vec<u8>,
    /// Made with the first bit: who wants the head alone needs none.
    encoder: Option<GzEncoder<Vec<u8>>>,
    _room: SemaphorePermit<'static>,
}

impl<S> Compressed<S> {
    fn new(source: S, room: SemaphorePermit<'static>) -> Self {
        Self { source, made: Vec::new(), encoder: None, _room: room }
    }
}

impl<S: Source> Source for Compressed<S> {
    fn write_next(&mut self, to: &mut Vec<u8>) -> bool {
        self.made.clear();
        let has_more = self.source.write_next(&mut self.made);
        let new = || GzEncoder::new(Vec::new(), Compression::default());
        let encoder = self.encoder.get_or_insert_with(new);
        encoder.write_all(&self.made).expect("memory takes what is written");
        to.append(encoder.get_mut());
        if !has_more && let Some(encoder) = self.encoder.take() {
            to.extend(encoder.finish().expect("memory takes what is written"));
        }
        has_more
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use crate::http::site::Site;

    use super::*;

    /// So many lines, and nothing behind them.
    struct Lines(usize);

    impl Source for Lines {
        fn write_next(&mut self, to: &mut Vec<u8>) -> bool {
            to.extend_from_slice(format!("{}\n", self.0).as_bytes());
            self.0 -= 1;
            self.0 > 0
        }
    }

    fn respond(made_of: &[&str], headers: &[(&'static str, &str)]) -> Response<Content> {
        let headers = headers.iter().map(|(name, value)| {
            (hyper::header::HeaderName::from_static(name), value.parse().unwrap())
        });
        let cacheable = Cacheable::daily(&Site::new(None), "text/csv");
        respond_streamed(cacheable, made_of, &headers.collect(), Lines(10_000))
    }

    #[test]
    fn a_compressed_stream_holds_what_the_plain_one_does() {
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
    fn the_tag_is_of_all_that_the_content_is_made_of() {
        let tag = |made_of: &[&str]| respond(made_of, &[]).headers()[ETAG].clone();
        assert_eq!(tag(&["a", "b"]), tag(&["a", "b"]));
        let tags = [tag(&["a", "b"]), tag(&["a", "c"]), tag(&["ab", ""]), tag(&["", "ab"])];
        assert!(tags.iter().enumerate().all(|(at, tag)| !tags[..at].contains(tag)), "{tags:?}");
        let known = respond(&["a"], &[("if-none-match", tag(&["a"]).to_str().unwrap())]);
        assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(known.body().len(), Some(0));
    }
}
