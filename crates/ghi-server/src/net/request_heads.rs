//! What hyper lets pass in a request's head, found in the bytes as they come in.
//!
//! hyper takes a bare line feed for the end of a line, and drops the fragment of a target. Proxies in
//! front of us may do otherwise, and what two servers read differently is a way to smuggle requests.

use std::sync::Arc;

use crate::net::connection_state::{ConnectionState, Defect};

/// Follows the heads of requests through the bytes of a connection.
pub(crate) struct RequestHeads {
    state: Arc<ConnectionState>,
    place: Place,
    /// The last byte before those to come.
    last: u8,
    /// How many whole heads have come in.
    whole: u64,
}

/// Where in a head the next byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before it.
    Start,
    RequestLine,
    /// At the start of a line behind the first.
    LineStart,
    Line,
}

impl RequestHeads {
    pub(crate) fn new(state: Arc<ConnectionState>) -> Self {
        Self { state, place: Place::Start, last: 0, whole: 0 }
    }

    /// Whether more has come in than the requests that have begun.
    pub(crate) fn has_more(&self) -> bool {
        self.place != Place::Start || self.whole > self.state.requests()
    }

    /// Looks at the bytes that came next.
    pub(crate) fn scan(&mut self, bytes: &[u8]) {
        let Some(first) = bytes.first() else { return };
        let is_bare = |before: u8, byte: u8| byte == b'\n' && before != b'\r';
        // Without a way out before the end, so that it takes many bytes at a time.
        let pairs = std::iter::zip(bytes, &bytes[1..]);
        let suspect = pairs.fold(matches!(first, b'#' | b'\r' | b'\n'), |seen, pair| {
            seen | is_bare(*pair.0, *pair.1) | (*pair.1 == b'#')
        });
        // Nearly all reads are one whole head in good order.
        if suspect || self.place != Place::Start || !bytes.ends_with(b"\r\n\r\n") {
            self.follow(bytes);
        } else {
            self.whole += empty_lines(bytes);
        }
        self.last = bytes[bytes.len() - 1];
    }

    /// Goes through the bytes one by one. What follows a body is not read, so that its bytes blame
    /// nobody; of several good requests in front of a bad one, only the first is sure to be answered.
    fn follow(&mut self, bytes: &[u8]) {
        let (mut heads, mut last) = (0, self.last);
        for byte in bytes.iter().copied() {
            if byte == b'\n' && last != b'\r' {
                self.state.blame_request(heads, Defect::BareLineFeed);
            }
            if byte == b'#' && matches!(self.place, Place::Start | Place::RequestLine) {
                self.state.blame_request(heads, Defect::Fragment);
            }
            self.place = match (self.place, byte) {
                // hyper skips empty lines before a request.
                (Place::Start, b'\r' | b'\n') => Place::Start,
                (Place::RequestLine, b'\n') => Place::LineStart,
                (Place::Start | Place::RequestLine, _) => Place::RequestLine,
                (Place::LineStart, b'\n') => {
                    heads += 1;
                    Place::Start
                }
                (Place::LineStart, b'\r') => Place::LineStart,
                (_, b'\n') => Place::LineStart,
                (_, _) => Place::Line,
            };
            last = byte;
        }
        self.whole += heads;
    }
}

/// How many empty lines there are, of which each ends a head. Counted in bytes and by blocks, so that
/// it takes many at a time.
fn empty_lines(bytes: &[u8]) -> u64 {
    let blocks = std::iter::zip(bytes.chunks(BLOCK), bytes[1..].chunks(BLOCK));
    let in_block = |(bytes, next): (&[u8], &[u8])| {
        let pairs = std::iter::zip(bytes, next);
        pairs.fold(0, |count: u8, (byte, next)| {
            count + u8::from((*byte == b'\n') & (*next == b'\r'))
        })
    };
    blocks.map(|block| u64::from(in_block(block))).sum()
}

/// So many bytes have fewer lines than a byte can count.
const BLOCK: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    fn heads() -> RequestHeads {
        RequestHeads::new(Arc::new(ConnectionState::new(Arc::default())))
    }

    /// What the next two requests are blamed for, and whether more has come in.
    fn seen(heads: &RequestHeads) -> ([Option<Defect>; 2], bool) {
        ([(); 2].map(|()| heads.state.begin_request()), heads.has_more())
    }

    #[test]
    fn a_request_that_is_pipelined_behind_others_is_more() {
        let request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
        for text in [request.repeat(300), [b"\r\n", &request.repeat(300)[..]].concat()] {
            let mut heads = heads();
            heads.scan(&text);
            for left in (0..300).rev() {
                heads.state.begin_request();
                assert_eq!(heads.has_more(), left > 0);
            }
        }
    }

    /// The same, however the bytes are cut into two reads.
    #[track_caller]
    fn check(text: &str, defects: [Option<Defect>; 2], has_more: bool) {
        for cut in 0..=text.len() {
            let mut heads = heads();
            heads.scan(&text.as_bytes()[..cut]);
            heads.scan(&text.as_bytes()[cut..]);
            assert_eq!(seen(&heads), (defects, has_more), "{text:?} cut at {cut}");
        }
    }

    const FINE: [Option<Defect>; 2] = [None, None];
    const BARE: [Option<Defect>; 2] = [Some(Defect::BareLineFeed); 2];
    const FRAGMENT: [Option<Defect>; 2] = [Some(Defect::Fragment); 2];

    #[test]
    fn a_head_in_good_order_is_fine() {
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\n", FINE, false);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", FINE, false);
        check("\r\nGET / HTTP/1.1\r\nUser-Agent: C#\r\n\r\n", FINE, false);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET", FINE, true);
        check("GET / HTTP/1.1\r\nHost: x\r\n", FINE, true);
        check("", FINE, false);
    }

    #[test]
    fn a_bare_line_feed_is_seen_in_a_head() {
        check("GET / HTTP/1.1\nHost: x\n\n", BARE, false);
        check("GET / HTTP/1.1\r\nHost: x\n\r\n", BARE, false);
        check("GET / HTTP/1.1\r\nHost: x\r\n\n", BARE, false);
        check("\nGET / HTTP/1.1\r\n\r\n", BARE, false);
        check("\r\n\r\n\r\nGET / HTTP/1.1\n\r\n", BARE, false);
    }

    #[test]
    fn a_fragment_is_seen_in_a_target() {
        check("GET /#x HTTP/1.1\r\nHost: x\r\n\r\n", FRAGMENT, false);
        check("GET # HTTP/1.1\r\nHost: x\r\n\r\n", FRAGMENT, false);
        check("\r\nGET http://x/?a#b HTTP/1.1\r\nHost: x\r\n\r\n", FRAGMENT, false);
    }

    #[test]
    fn a_defect_after_a_head_blames_the_next() {
        for (rest, defect) in [("a\nb\n", Defect::BareLineFeed), ("GET /#", Defect::Fragment)] {
            let mut heads = heads();
            heads.scan(format!("POST / HTTP/1.1\r\nHost: x\r\n\r\n{rest}").as_bytes());
            assert_eq!(seen(&heads).0, [None, Some(defect)]);
        }
    }
}
