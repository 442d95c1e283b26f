//! A line that says how far the judge is.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

/// Begins the line anew, and erases what it held.
const ERASE: &str = "\r\x1b[K";

/// A line on stderr, where somebody sees it. It is erased at the end.
pub(crate) struct Progress {
    is_seen: bool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { is_seen: std::io::stderr().is_terminal() && !is_dumb }
    }

    /// Shows a text in place of the one before.
    pub(crate) fn show(&self, text: impl Display) {
        if self.is_seen {
            _ = write!(std::io::stderr(), "{ERASE}{text}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.show("");
    }
}
