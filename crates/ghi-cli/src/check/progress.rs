//! A line that says how far the judge is.

use std::io::{IsTerminal, Write};

/// Begins the line anew, and erases what it held.
const ERASE: &str = "\r\x1b[K";

/// A line on stderr while rules are judged, where somebody sees it.
pub(crate) struct Progress {
    rules: usize,
    judged: usize,
    is_seen: bool,
}

impl Progress {
    pub(crate) fn new(rules: usize) -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { rules, judged: 0, is_seen: std::io::stderr().is_terminal() && !is_dumb }
    }

    /// Another rule is being judged, after so many requests.
    pub(crate) fn show(&mut self, requests: usize) {
        self.judged += 1;
        let Self { rules, judged, .. } = self;
        if self.is_seen {
            _ = write!(
                std::io::stderr(),
                "{ERASE}rule {judged} of {rules}, {requests} requests sent"
            );
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_seen {
            _ = write!(std::io::stderr(), "{ERASE}");
        }
    }
}
