//! Detects malformed heads that hyper accepts, in the bytes as they arrive.
//!
//! hyper accepts a bare line feed as the end of a line, and drops the fragment of a target. Proxies in
//! front of the server may do otherwise, and a request that two servers read differently can be smuggled
//! past one of them.

/// A defect in a request that hyper accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    /// A line may end without a carriage return.
    BareLineFeed,
    /// The target has a fragment.
    Fragment,
}

/// The position in the heads of a connection's requests.
#[derive(Debug, Default)]
pub(crate) struct RequestHeads {
    /// The number of complete heads.
    complete: u64,
    /// How many lines of the current head are complete.
    lines: usize,
    /// The length of the current line so far.
    line_bytes: usize,
    /// The last byte received.
    last: u8,
}

impl RequestHeads {
    /// Returns whether more than this number of heads have been received, be it in part.
    pub(crate) fn are_more_than(&self, count: u64) -> bool {
        self.complete > count || self.lines > 0 || self.line_bytes > 0
    }

    /// Scans the bytes that arrived next. Returns the first defect, with the index of its request.
    ///
    /// The bytes of a body may look like a malformed head, but requests after a body are never read.
    pub(crate) fn scan(&mut self, bytes: &[u8]) -> Option<(u64, Defect)> {
        let mut first = None;
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.lines == 0 && part.contains(&b'#') {
                first = first.or(Some((self.complete, Defect::Fragment)));
            }
            self.line_bytes += part.len();
            if let Some(line) = part.strip_suffix(b"\n") {
                if *line.last().unwrap_or(&self.last) != b'\r' {
                    first = first.or(Some((self.complete, Defect::BareLineFeed)));
                }
                if self.line_bytes > b"\r\n".len() {
                    self.lines += 1;
                } else if self.lines > 0 {
                    // hyper skips empty lines before a request, so those end no head.
                    self.complete += 1;
                    self.lines = 0;
                }
                self.line_bytes = 0;
            }
            self.last = part[part.len() - 1];
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a string, whichever way its bytes are split into two reads.
    #[track_caller]
    fn check(text: &str, defect: Option<(u64, Defect)>, is_within_head: bool) {
        for cut in 0..=text.len() {
            let mut heads = RequestHeads::default();
            let [first, second] =
                [&text[..cut], &text[cut..]].map(|bytes| heads.scan(bytes.as_bytes()));
            let found = (first.or(second), heads.are_more_than(heads.complete));
            assert_eq!(found, (defect, is_within_head), "{text:?} cut at {cut}");
        }
    }

    const BARE: Option<(u64, Defect)> = Some((0, Defect::BareLineFeed));
    const FRAGMENT: Option<(u64, Defect)> = Some((0, Defect::Fragment));

    #[test]
    fn a_well_formed_head_has_no_defect() {
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\n", None, false);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", None, false);
        check("\r\nGET / HTTP/1.1\r\nUser-Agent: C#\r\n\r\n", None, false);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET", None, true);
        check("GET / HTTP/1.1\r\nHost: x\r\n", None, true);
        check("", None, false);
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
        let head = "POST / HTTP/1.1\r\nHost: x\r\n\r\n";
        check(&format!("{head}a\nbc"), Some((1, Defect::BareLineFeed)), true);
        check(&format!("{head}{head}GET /#"), Some((2, Defect::Fragment)), true);
    }
}
