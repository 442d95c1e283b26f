//! What was seen on a connection: shared by its stream, its requests and its shutdown.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::clock::{LastReading, UnixMicros};

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    /// How many requests have begun.
    requests: AtomicU64,
    /// The first request, counted from 0, that may hold a bare line feed.
    bare_line_feed_from: AtomicU64,
    /// Whether the client may wait for something: a request may have come in since a response last
    /// went out, or one is going out. A new connection is busy until somebody has looked.
    is_busy: AtomicBool,
    /// When the connection's task was last woken.
    woken: LastReading,
}

/// What is known of a request before it is parsed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// When the connection's task was woken for it, by the system's clock.
    pub(crate) woken: UnixMicros,
    /// Whether one of its lines may end without a carriage return.
    pub(crate) has_bare_line_feed: bool,
}

impl ConnectionState {
    const NEVER: u64 = u64::MAX;

    /// Counts the next request: what is known of it.
    pub(crate) fn begin_request(&self) -> Arrival {
        // Nobody else counts, so nothing can come between.
        let number = self.requests.load(Ordering::Relaxed);
        self.requests.store(number + 1, Ordering::Relaxed);
        let bare_line_feed_from = self.bare_line_feed_from.load(Ordering::Relaxed);
        Arrival { woken: self.woken.load(), has_bare_line_feed: number >= bare_line_feed_from }
    }

    /// Blames a request for a bare line feed: the next one, or one that many `ahead` of it.
    pub(crate) fn blame_request(&self, ahead: u64) {
        let number = self.requests.load(Ordering::Relaxed) + ahead;
        self.bare_line_feed_from.fetch_min(number, Ordering::Relaxed);
    }

    /// Notes that the connection's task is woken.
    pub(crate) fn wake(&self, now: UnixMicros) {
        self.woken.store(now);
    }

    pub(crate) fn set_busy(&self, is_busy: bool) {
        self.is_busy.store(is_busy, Ordering::Relaxed);
    }

    /// Whether the client waits for nothing.
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_busy.load(Ordering::Relaxed)
    }
}

impl Default for ConnectionState {
    fn default() -> Self {
        Self {
            requests: AtomicU64::new(0),
            bare_line_feed_from: AtomicU64::new(Self::NEVER),
            is_busy: AtomicBool::new(true),
            woken: LastReading::default(),
        }
    }
}
