//! Detects malformed heads that hyper accepts, in the bytes as they arrive.
//!
//! hyper accepts a bare line feed as the end of a line, and drops the fragment of a target. Proxies in
//! front of the server may do otherwise, and a request that two servers read differently can be smuggled
//! past one of them.

use std::sync::Arc;

use crate::net::connection_state::{ConnectionState, Defect};

/// Tracks the heads of requests through the bytes of a connection.
pub(crate) struct RequestHeads {
    state: Arc<ConnectionState>,
    /// The part of a head that the next byte belongs to.
    part: HeadPart,
    /// The last byte received.
    last: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeadPart {
    /// The start of a head, before its first byte.
    Start,
    RequestLine,
    /// The start of a line after the first line.
    LineStart,
    Line,
}

impl RequestHeads {
    pub(crate) fn new(state: Arc<ConnectionState>) -> Self {
        Self { state, part: HeadPart::Start, last: 0 }
    }

    /// Returns whether the start of a head has been received, but not its end.
    pub(crate) fn is_within_head(&self) -> bool {
        self.part != HeadPart::Start
    }

    /// Scans the bytes that arrived next.
    pub(crate) fn scan(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        // Nearly every read is one complete well-formed head.
        let is_complete = self.part == HeadPart::Start && bytes.ends_with(b"\r\n\r\n");
        if !is_complete || may_be_malformed(bytes) {
            self.follow(bytes);
        }
        self.last = *last;
    }

    /// Scans byte by byte. The bytes of a body may look like a malformed head, but requests after a body
    /// are never read. If valid requests precede a malformed one, only the first of them is guaranteed a
    /// response.
    fn follow(&mut self, bytes: &[u8]) {
        let (mut heads, mut last) = (0, self.last);
        for byte in bytes.iter().copied() {
            if byte == b'\n' && last != b'\r' {
                self.state.mark_malformed(heads, Defect::BareLineFeed);
            }
            if byte == b'#' && matches!(self.part, HeadPart::Start | HeadPart::RequestLine) {
                self.state.mark_malformed(heads, Defect::Fragment);
            }
            self.part = match (self.part, byte) {
                // hyper skips empty lines before a request.
                (HeadPart::Start, b'\r' | b'\n') => HeadPart::Start,
                (HeadPart::RequestLine, b'\n') => HeadPart::LineStart,
                (HeadPart::Start | HeadPart::RequestLine, _) => HeadPart::RequestLine,
                (HeadPart::LineStart, b'\n') => {
                    heads += 1;
                    HeadPart::Start
                }
                (HeadPart::LineStart, b'\r') => HeadPart::LineStart,
                (_, b'\n') => HeadPart::LineStart,
                (_, _) => HeadPart::Line,
            };
            last = byte;
        }
    }
}

/// How many bytes are compared with their neighbours at a time.
const BLOCK: usize = 16;

/// Returns whether a head begins with a line end, or has a bare line feed or a `#` anywhere.
fn may_be_malformed(head: &[u8]) -> bool {
    let Some(last_block) = head.len().checked_sub(BLOCK + 1) else { return true };
    // The last block overlaps with the one before it. A block has a fixed size and no early exit, so that the
    // compiler vectorizes it.
    let starts = (0..last_block).step_by(BLOCK).chain([last_block]);
    let is_suspect = |start: usize| {
        let block: &[u8; BLOCK + 1] = head[start..].first_chunk().expect("it ends within the head");
        std::iter::zip(block, &block[1..]).fold(false, |seen, (before, byte)| {
            seen | ((*byte == b'\n') & (*before != b'\r')) | (*byte == b'#')
        })
    };
    matches!(head[0], b'#' | b'\r' | b'\n') || starts.into_iter().any(is_suspect)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads() -> RequestHeads {
        RequestHeads::new(Arc::new(ConnectionState::new()))
    }

    /// Returns the defects of the next two requests, and whether part of another has been received.
    fn seen(heads: &RequestHeads) -> ([Option<Defect>; 2], bool) {
        ([(); 2].map(|()| heads.state.begin_request()), heads.is_within_head())
    }

    /// Checks a string, whichever way its bytes are split into two reads.
    #[track_caller]
    fn check(text: &str, defects: [Option<Defect>; 2], is_within_head: bool) {
        for cut in 0..=text.len() {
            let mut heads = heads();
            heads.scan(&text.as_bytes()[..cut]);
            heads.scan(&text.as_bytes()[cut..]);
            assert_eq!(seen(&heads), (defects, is_within_head), "{text:?} cut at {cut}");
        }
    }

    const FINE: [Option<Defect>; 2] = [None, None];
    const BARE: [Option<Defect>; 2] = [Some(Defect::BareLineFeed); 2];
    const FRAGMENT: [Option<Defect>; 2] = [Some(Defect::Fragment); 2];

    #[test]
    fn a_well_formed_head_has_no_defect() {
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\n", FINE, false);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", FINE, false);
        check("\r\nGET / HTTP/1.1\r\nUser-Agent: C#\r\n\r\n", FINE, false);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET", FINE, true);
        check("GET / HTTP/1.1\r\nHost: x\r\n", FINE, true);
        check("", FINE, false);
    }

    #[test]
    fn a_bare_line_feed_in_a_head_is_detected() {
        check("GET / HTTP/1.1\nHost: x\n\n", BARE, false);
        check("GET / HTTP/1.1\r\nHost: x\n\r\n", BARE, false);
        check("GET / HTTP/1.1\r\nHost: x\r\n\n", BARE, false);
        check("\nGET / HTTP/1.1\r\n\r\n", BARE, false);
        check("\r\n\r\n\r\nGET / HTTP/1.1\n\r\n", BARE, false);
    }

    #[test]
    fn a_fragment_in_a_target_is_detected() {
        check("GET /#x HTTP/1.1\r\nHost: x\r\n\r\n", FRAGMENT, false);
        check("GET # HTTP/1.1\r\nHost: x\r\n\r\n", FRAGMENT, false);
        check("\r\nGET http://x/?a#b HTTP/1.1\r\nHost: x\r\n\r\n", FRAGMENT, false);
    }

    #[test]
    fn a_defect_after_a_head_belongs_to_the_next_request() {
        for (rest, defect) in [("a\nb\n", Defect::BareLineFeed), ("GET /#", Defect::Fragment)] {
            let mut heads = heads();
            heads.scan(format!("POST / HTTP/1.1\r\nHost: x\r\n\r\n{rest}").as_bytes());
            assert_eq!(seen(&heads).0, [None, Some(defect)]);
        }
    }
}
