//! The state of a connection, shared by its stream, its requests, and the threads that may close it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::clock::MonotonicTime;
use crate::net::request_heads::Defect;

/// The phase of a connection, in the order in which connections are evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Nothing has been received yet.
    New,
    /// All requests have been answered, and nothing more has been received.
    Idle,
    /// A request is being processed, but the client has closed its sending side and may be gone.
    HalfClosed,
    /// Part of a request has been received, or may have been.
    Receiving,
    /// A response is being sent, but the client is not reading it at the moment.
    Stalled,
    /// A request is being processed.
    Sending,
}

#[derive(Debug)]
pub(crate) struct ConnectionState {
    pub(crate) phase: Phase,
    /// When the phase began.
    pub(crate) since: MonotonicTime,
    /// When the connection's task was last woken.
    pub(crate) woken: MonotonicTime,
    /// The number of requests received so far.
    pub(crate) requests: u64,
    /// The first defect, and the index of its request, counted from 0.
    pub(crate) defect: Option<(u64, Defect)>,
    /// Whether the response to a request is not complete yet.
    pub(crate) is_answering: bool,
    /// Whether the connection is to be reset instead of closed.
    pub(crate) is_reset: bool,
}

impl ConnectionState {
    /// Begins a phase, unless the connection is already in it.
    pub(crate) fn enter(&mut self, phase: Phase) {
        if self.phase != phase {
            self.phase = phase;
            self.since = self.woken;
        }
    }

    /// Counts the next request, and returns its defect, if any.
    pub(crate) fn begin_request(&mut self) -> Option<Defect> {
        self.is_answering = true;
        self.requests += 1;
        // Nothing that follows a defect can be trusted.
        self.defect.filter(|(index, _)| *index < self.requests).map(|(_, defect)| defect)
    }
}

/// A connection's state. Other threads only read it, and rarely, so nothing waits for the lock.
#[derive(Clone, Debug)]
pub(crate) struct SharedState(Arc<Mutex<ConnectionState>>);

impl SharedState {
    /// Returns the state of a new connection, which may already have received data.
    pub(crate) fn new() -> Self {
        let now = MonotonicTime::now();
        Self(Arc::new(Mutex::new(ConnectionState {
            phase: Phase::Receiving,
            since: now,
            woken: now,
            requests: 0,
            defect: None,
            is_answering: false,
            is_reset: false,
        })))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, ConnectionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A response that is not complete. Dropped when the last of it is handed to the stream.
pub(crate) struct Unfinished(pub(crate) SharedState);

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.lock().is_answering = false;
    }
}
