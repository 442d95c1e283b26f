//! gzip: content negotiation, and streams assembled from parts that are compressed once.
//!
//! Between two responses, only a document's stamp changes, such as its timestamp. The stamp goes into
//! the gzip stream as a separate, uncompressed block. The parts before and after it are compressed
//! once, separately, so that there are no back-references across the stamp; the first part ends in a
//! full flush. The checksum of the whole content is combined from the checksums of its parts.

use std::io::Read;

use bytes::Bytes;
use crc32fast::Hasher;
use flate2::read::GzDecoder;
use flate2::{Compress, Compression, FlushCompress};
use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;

use crate::http::lists::{elements, quality};
use crate::net::Content;

/// The size in bytes from which content is worth compressing.
pub(crate) const GZIP_MIN: usize = 1024;

/// The longest stamp that is stored uncompressed, in bytes; a block can hold 65,535.
const STORED_MAX: usize = 1024;

/// The header of a gzip stream: deflate, no file name, no time, unknown operating system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Whether `Accept-Encoding` allows gzip and ranks it no lower than `identity`. A client that doesn't
/// send the header may not support any encoding.
pub(crate) fn accepts_gzip(request: &HeaderMap) -> bool {
    let (mut gzip, mut any, mut identity) = (None, None, None);
    for element in elements(request, ACCEPT_ENCODING) {
        let (coding, quality) = quality(element);
        match () {
            () if ["gzip", "x-gzip"].iter().any(|name| coding.eq_ignore_ascii_case(name)) => {
                gzip = gzip.max(Some(quality));
            }
            () if coding.eq_ignore_ascii_case("identity") => identity = Some(quality),
            () if coding == "*" => any = Some(quality),
            () => {}
        }
    }
    let gzip = gzip.or(any).unwrap_or(0);
    gzip > 0 && gzip >= identity.unwrap_or(0)
}

/// Content that is compressed except for the stamp in it.
#[derive(Debug)]
pub(crate) struct Gzip {
    /// The header of the stream and the part before the stamp.
    before: Bytes,
    checksum_before: Hasher,
    /// The part after the stamp, without the trailer.
    after: Bytes,
    checksum_after: Hasher,
}

impl Gzip {
    /// Compresses the parts before and after a stamp.
    pub(crate) fn around(before: &[u8], after: &[u8]) -> Self {
        let mut compressed = HEADER.to_vec();
        deflate(before, FlushCompress::Full, &mut compressed);
        let mut compressed_after = Vec::new();
        deflate(after, FlushCompress::Finish, &mut compressed_after);
        Self {
            before: compressed.into(),
            checksum_before: checksum(before),
            after: compressed_after.into(),
            checksum_after: checksum(after),
        }
    }

    /// Returns the whole stream with a stamp in it.
    pub(crate) fn stamped(&self, stamp: &[u8]) -> Content {
        let mut start = Vec::with_capacity(self.before.len() + 5 + stamp.len());
        start.extend_from_slice(&self.before);
        match u16::try_from(stamp.len()).ok().filter(|length| usize::from(*length) <= STORED_MAX) {
            Some(length) => {
                // A stored block that is not the last.
                start.push(0);
                start.extend_from_slice(&length.to_le_bytes());
                start.extend_from_slice(&(!length).to_le_bytes());
                start.extend_from_slice(stamp);
            }
            None => deflate(stamp, FlushCompress::Full, &mut start),
        }
        let mut whole = self.checksum_before.clone();
        whole.update(stamp);
        whole.combine(&self.checksum_after);
        Content::of_pieces([start.into(), self.after.clone(), trailer(whole)])
    }
}

/// Compresses content without a stamp to a gzip stream.
pub(crate) fn compress(content: &[u8]) -> Bytes {
    let mut compressed = HEADER.to_vec();
    deflate(content, FlushCompress::Finish, &mut compressed);
    compressed.extend_from_slice(&trailer(checksum(content)));
    compressed.into()
}

/// Decompresses a gzip stream that this program or its build made.
pub(crate) fn decompress(stream: &[u8]) -> Bytes {
    let mut content = Vec::new();
    GzDecoder::new(stream).read_to_end(&mut content).expect("the gzip stream is valid");
    content.into()
}

fn checksum(content: &[u8]) -> Hasher {
    let mut hasher = Hasher::new();
    hasher.update(content);
    hasher
}

/// The end of a gzip stream: the checksum and length of the content.
fn trailer(whole: Hasher) -> Bytes {
    // The length is modulo 2^32.
    let length = whole.total_len() as u32;
    let checksum = whole.finalize();
    Bytes::from_iter(checksum.to_le_bytes().into_iter().chain(length.to_le_bytes()))
}

/// Appends compressed data without back-references to earlier data.
fn deflate(content: &[u8], flush: FlushCompress, compressed: &mut Vec<u8>) {
    let mut deflate = Compress::new(Compression::default(), false);
    loop {
        compressed.reserve(content.len() / 4 + 64);
        let rest = &content[deflate.total_in() as usize..];
        deflate
            .compress_vec(rest, compressed, flush)
            .expect("compression without a dictionary does not fail");
        let is_done = deflate.total_in() as usize == content.len();
        // If the buffer is not full, there is no more output.
        if is_done && compressed.len() < compressed.capacity() {
            break;
        }
    }
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
    fn check(before: &[u8], stamp: &[u8], after: &[u8]) {
        let stream = Gzip::around(before, after).stamped(stamp).into_bytes();
        assert!(decompressed(&stream) == [before, stamp, after].concat());
        let whole = [before, stamp, after].concat();
        assert!(decompressed(&compress(&whole)) == whole);
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
    fn streams_with_parts_of_any_length_decompress() {
        check(b"", b"", b"");
        check(b"{\"timestamp_utc\":\"", b"12:00:00.000000", b"\"}");
        check(&b"ab".repeat(100_000), b"stamp", &b"cd".repeat(300_000));
        check(&noise(300_000), &noise(STORED_MAX), &noise(1_000_000));
        check(&noise(10), &noise(STORED_MAX + 1), b"");
        check(b"", &noise(200_000), &noise(7));
    }

    proptest! {
        #[test]
        fn a_stamped_stream_decompresses_to_its_parts(
            before in vec(any::<u8>(), 0..3000),
            stamp in vec(any::<u8>(), 0..2000),
            after in vec(0_u8..4, 0..9000),
        ) {
            check(&before, &stamp, &after);
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
