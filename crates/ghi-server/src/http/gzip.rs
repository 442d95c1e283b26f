//! gzip: content negotiation and compression.

use std::io::{Read, Write};
use std::mem;

use bytes::Bytes;
use flate2::read::GzDecoder;
use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;

use crate::http::lists::best_quality;

/// The largest number of bytes that is not compressed: they fit into one packet with their head.
pub(crate) const UNCOMPRESSED_MAX: usize = 1400;

/// How much of a table is compressed at a time, in bytes.
const CHUNK_BYTES: usize = 32 * 1024;

/// The header of a gzip stream: deflate, no file name, no time, unknown operating system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Whether `Accept-Encoding` allows gzip and ranks it no lower than `identity`. A client that doesn't
/// send the header may not support any encoding.
pub(crate) fn accepts_gzip(request: &HeaderMap) -> bool {
    let best = |codings: &[&str]| best_quality(request, ACCEPT_ENCODING, codings);
    let gzip = best(&["gzip", "x-gzip"]).or_else(|| best(&["*"])).unwrap_or(0);
    gzip > 0 && gzip >= best(&["identity"]).unwrap_or(0)
}

pub(crate) fn compress(content: &[u8], level: Compression) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(content.len() / 4), level);
    let written = encoder.write_all(content).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail").into()
}

/// Decompresses a gzip stream that the build made.
pub(crate) fn decompress(stream: &[u8]) -> Bytes {
    let mut content = Vec::new();
    GzDecoder::new(stream).read_to_end(&mut content).expect("the gzip stream is valid");
    content.into()
}

/// Returns chunks as a gzip stream; many of its own chunks are empty. Each part is compressed separately, without
/// references to those before it, so that no memory is held between two parts.
pub(crate) fn compress_chunks(
    mut chunks: impl Iterator<Item = Vec<u8>>,
) -> impl Iterator<Item = Vec<u8>> {
    let (mut part, mut crc, mut stream) = (Vec::new(), Crc::new(), HEADER.to_vec());
    let mut is_done = false;
    std::iter::from_fn(move || {
        if is_done {
            return None;
        }
        let chunk = chunks.next();
        is_done = chunk.is_none();
        part.extend(chunk.unwrap_or_default());
        if part.len() < CHUNK_BYTES && !is_done {
            return Some(Vec::new());
        }
        crc.update(&part);
        stream.extend(deflate(&mem::take(&mut part), is_done));
        if is_done {
            stream.extend(crc.sum().to_le_bytes());
            // The length is modulo 2^32.
            stream.extend(crc.amount().to_le_bytes());
        }
        Some(mem::take(&mut stream))
    })
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

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Decompresses a stream, which must have no trailing bytes.
    fn decompressed(stream: &[u8]) -> Vec<u8> {
        let mut content = Vec::new();
        let mut decoder = GzDecoder::new(stream);
        decoder.read_to_end(&mut content).unwrap();
        assert!(decoder.into_inner().is_empty(), "trailing bytes after the stream");
        content
    }

    #[track_caller]
    fn check(chunks: &[Vec<u8>]) {
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
        check(&[]);
        check(&[Vec::new()]);
        check(&[b"ab".repeat(100_000), b"cd".repeat(300_000)]);
        check(&[noise(300_000), noise(1), noise(CHUNK_BYTES), noise(10)]);
        check(&(0..30_000).map(|number| format!("{number},").into_bytes()).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn a_stream_of_chunks_decompresses_to_its_chunks(
            chunks in vec(vec(0_u8..4, 0..30_000), 0..5),
            others in vec(vec(any::<u8>(), 0..20_000), 0..5),
        ) {
            check(&[chunks, others].concat());
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
