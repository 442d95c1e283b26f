//! The state of a connection, shared by its stream, its requests, and the threads that may close it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::clock::MonotonicTime;

/// The phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Phase {
    /// Nothing has been received yet.
    New,
    /// All requests have been answered, and nothing more has been received.
    Idle,
    /// Part of a request has been received, or may have been.
    Receiving,
    /// A request is being processed.
    Sending,
    /// A response is being sent, but the client is not reading it at the moment.
    Stalled,
    /// A request is being processed, but the client has closed its sending side and may be gone.
    HalfClosed,
}

impl Phase {
    const ALL: [Self; 6] =
        [Self::New, Self::Idle, Self::Receiving, Self::Sending, Self::Stalled, Self::HalfClosed];
}

/// How many bits a phase takes.
const PHASE_BITS: u32 = 3;

/// Returns a phase and its start in one number, which lasts for 73 years of uptime.
fn packed(phase: Phase, since_nanos: u64) -> u64 {
    since_nanos << PHASE_BITS | phase as u64
}

/// A defect in a request that hyper accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    /// A line may end without a carriage return.
    BareLineFeed,
    /// The target has a fragment.
    Fragment,
}

/// The state of a connection. Its worker writes it; other threads may read it at any time.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    /// The phase, in the lowest bits, and when it began, in nanoseconds: in one number, so that another thread never
    /// reads the time of one phase with another.
    phase_since: AtomicU64,
    /// When the connection's task was last woken, in nanoseconds. Every phase that begins during one
    /// wake-up has this start time.
    woken_nanos: AtomicU64,
    /// The number of requests received so far.
    requests: AtomicU64,
    /// The index of the first request with each [`Defect`], counted from 0.
    defective_from: [AtomicU64; 2],
    /// Whether the response being sent is still being generated, so that a flush doesn't complete it.
    pub(crate) is_streaming: AtomicBool,
    /// Whether the connection is to be reset instead of closed.
    pub(crate) is_reset: AtomicBool,
}

impl ConnectionState {
    /// Returns the state of a new connection, which may already have received data.
    pub(crate) fn new() -> Self {
        let now = MonotonicTime::now().nanos();
        Self {
            phase_since: AtomicU64::new(packed(Phase::Receiving, now)),
            woken_nanos: AtomicU64::new(now),
            requests: AtomicU64::new(0),
            defective_from: [u64::MAX; 2].map(AtomicU64::new),
            is_streaming: AtomicBool::new(false),
            is_reset: AtomicBool::new(false),
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        self.phase_since().0
    }

    /// Returns the phase, and when it began.
    pub(crate) fn phase_since(&self) -> (Phase, MonotonicTime) {
        let packed = self.phase_since.load(Ordering::Relaxed);
        let phase = (packed & ((1 << PHASE_BITS) - 1)) as usize % Phase::ALL.len();
        (Phase::ALL[phase], MonotonicTime::from_nanos(packed >> PHASE_BITS))
    }

    /// Begins a phase. Has no effect if the connection is already in it.
    pub(crate) fn enter(&self, phase: Phase) {
        if self.phase() != phase {
            let now = self.woken_nanos.load(Ordering::Relaxed);
            self.phase_since.store(packed(phase, now), Ordering::Relaxed);
        }
    }

    /// Records that data has been received.
    pub(crate) fn receive(&self) {
        if self.phase() < Phase::Sending {
            self.enter(Phase::Receiving);
        }
    }

    /// Returns the number of requests received so far.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Counts the next request, and returns its defect, if any.
    pub(crate) fn begin_request(&self) -> Option<Defect> {
        self.enter(Phase::Sending);
        // Only this thread counts, so no update can be lost.
        let number = self.requests();
        self.requests.store(number + 1, Ordering::Relaxed);
        let has = |defect: &Defect| {
            number >= self.defective_from[*defect as usize].load(Ordering::Relaxed)
        };
        [Defect::BareLineFeed, Defect::Fragment].into_iter().find(has)
    }

    /// Marks a request as malformed: the next one, or the one `ahead` places after it.
    pub(crate) fn mark_malformed(&self, ahead: u64, defect: Defect) {
        self.defective_from[defect as usize].fetch_min(self.requests() + ahead, Ordering::Relaxed);
    }

    /// Records that the connection's task has been woken.
    pub(crate) fn wake(&self, now: MonotonicTime) {
        self.woken_nanos.store(now.nanos(), Ordering::Relaxed);
    }

    /// Returns when the connection's task was last woken.
    pub(crate) fn woken(&self) -> MonotonicTime {
        MonotonicTime::from_nanos(self.woken_nanos.load(Ordering::Relaxed))
    }
}

/// Marks a connection's response as unfinished for as long as it lives.
pub(crate) struct Unfinished(Arc<ConnectionState>);

impl Unfinished {
    pub(crate) fn new(connection: &Arc<ConnectionState>) -> Self {
        connection.is_streaming.store(true, Ordering::Relaxed);
        Self(Arc::clone(connection))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.is_streaming.store(false, Ordering::Relaxed);
    }
}
