//! Bare line feeds: hyper takes them for the end of a line, proxies in front of us may not, and
//! what two servers read differently is a way to smuggle requests.

use std::sync::Arc;

use crate::net::connection_state::ConnectionState;

/// Looks for line feeds without a carriage return before them.
pub(crate) struct LineEnds {
    state: Arc<ConnectionState>,
    /// The last byte before those to come.
    last: u8,
}

impl LineEnds {
    pub(crate) fn new(state: Arc<ConnectionState>) -> Self {
        Self { state, last: 0 }
    }

    /// Looks at the bytes that came next.
    pub(crate) fn scan(&mut self, bytes: &[u8]) {
        let Some(first) = bytes.first() else { return };
        let is_bare = |before: u8, byte: u8| byte == b'\n' && before != b'\r';
        // Without a way out before the end, so that it takes many bytes at a time.
        let pairs = std::iter::zip(bytes, &bytes[1..]);
        let inside = pairs.fold(false, |seen, (before, byte)| seen | is_bare(*before, *byte));
        if inside || is_bare(self.last, *first) {
            self.blame(bytes);
        }
        self.last = bytes[bytes.len() - 1];
    }

    /// Blames the next request; or the one after it, if the bytes have the whole of its head before
    /// the bare line feed, which is then in its body or in what follows. Of several good requests in
    /// front of the bad one, only the first is sure to be answered.
    fn blame(&self, bytes: &[u8]) {
        let bare = memchr::memchr_iter(b'\n', bytes)
            .find(|at| at.checked_sub(1).map_or(self.last, |before| bytes[before]) != b'\r');
        let before = bytes[..bare.unwrap_or_default()].trim_ascii_start();
        let is_after_head = memchr::memmem::find(before, b"\r\n\r\n").is_some();
        self.state.blame_request(u64::from(is_after_head));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the next two requests are refused, however the bytes are cut into two reads.
    #[track_caller]
    fn check(text: &str, refused: [bool; 2]) {
        for cut in 0..=text.len() {
            let mut lines = LineEnds::new(Arc::default());
            lines.scan(&text.as_bytes()[..cut]);
            lines.scan(&text.as_bytes()[cut..]);
            let seen = [(); 2].map(|()| lines.state.begin_request().has_bare_line_feed);
            assert_eq!(seen, refused, "{text:?} cut at {cut}");
        }
    }

    #[test]
    fn a_bare_line_feed_is_seen_in_a_head() {
        let none = [false, false];
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\n", none);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", none);
        let both = [true, true];
        check("GET / HTTP/1.1\nHost: x\n\n", both);
        check("GET / HTTP/1.1\r\nHost: x\n\r\n", both);
        check("GET / HTTP/1.1\r\nHost: x\r\n\n", both);
        check("\nGET / HTTP/1.1\r\n\r\n", both);
        check("\r\n\r\n\r\nGET / HTTP/1.1\n\r\n", both);
    }

    #[test]
    fn a_bare_line_feed_after_a_head_blames_the_next() {
        let mut lines = LineEnds::new(Arc::default());
        lines.scan(b"POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\na\nb\n");
        assert!(!lines.state.begin_request().has_bare_line_feed);
        assert!(lines.state.begin_request().has_bare_line_feed);
    }
}
