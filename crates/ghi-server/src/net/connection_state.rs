//! The state of a connection, shared by its stream, its requests, and the threads that may close it.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Phase {
    /// Nothing has come in yet.
    New,
    /// All requests are answered, and no more has come in.
    Idle,
    /// Something of a request has come in, or may have.
    Receiving,
    /// A request is being answered.
    Sending,
    /// A response is being sent, but its client takes nothing at the moment.
    Stalled,
    /// A request is being answered, but its client sends nothing more, and so may have gone.
    HalfClosed,
}

impl Phase {
    const ALL: [Self; 6] =
        [Self::New, Self::Idle, Self::Receiving, Self::Sending, Self::Stalled, Self::HalfClosed];

    /// Whether the client waits for nothing.
    pub(crate) fn is_idle(self) -> bool {
        matches!(self, Self::New | Self::Idle)
    }
}

/// What is wrong with a request that hyper would take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Defect {
    /// One of its lines may end without a carriage return.
    BareLineFeed,
    /// Its target has a fragment.
    Fragment,
}

/// The state of a connection. Its worker writes it; others may read it at any time.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    /// When the connection was accepted. The two times below count from then.
    accepted: Instant,
    phase: AtomicU8,
    /// When the phase began, nanoseconds.
    since_nanos: AtomicU64,
    /// When the connection's task was last woken, nanoseconds: one reading for everything that begins
    /// then.
    woken_nanos: AtomicU64,
    /// How many requests have begun.
    requests: AtomicU64,
    /// The first request, counted from 0, that has a defect, and which.
    defective_from: AtomicU64,
    defect: AtomicU8,
    /// Whether the response that is being sent is still being made.
    is_streaming: AtomicBool,
}

impl ConnectionState {
    const NEVER: u64 = u64::MAX;

    /// A new connection, on which something may have come in.
    pub(crate) fn new() -> Self {
        Self {
            accepted: Instant::now(),
            phase: AtomicU8::new(Phase::Receiving as u8),
            since_nanos: AtomicU64::new(0),
            woken_nanos: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            defective_from: AtomicU64::new(Self::NEVER),
            defect: AtomicU8::new(Defect::BareLineFeed as u8),
            is_streaming: AtomicBool::new(false),
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.phase.load(Ordering::Relaxed)) % Phase::ALL.len()]
    }

    /// Its phase, and when it began.
    pub(crate) fn phase_since(&self) -> (Phase, Instant) {
        let since = Duration::from_nanos(self.since_nanos.load(Ordering::Relaxed));
        (self.phase(), self.accepted + since)
    }

    /// Begins a phase; to begin the same again changes nothing.
    pub(crate) fn enter(&self, phase: Phase) {
        if self.phase() != phase {
            self.phase.store(phase as u8, Ordering::Relaxed);
            self.since_nanos.store(self.woken_nanos.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// Notes that something has come in.
    pub(crate) fn receive(&self) {
        if self.phase() < Phase::Sending {
            self.enter(Phase::Receiving);
        }
    }

    /// How many requests have begun.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Counts the next request: what is wrong with it that hyper does not mind.
    pub(crate) fn begin_request(&self) -> Option<Defect> {
        self.enter(Phase::Sending);
        // Nobody else counts, so nothing can come between.
        let number = self.requests();
        self.requests.store(number + 1, Ordering::Relaxed);
        let is_defective = number >= self.defective_from.load(Ordering::Relaxed);
        is_defective.then(|| self.defect())
    }

    /// Marks a request as malformed: the next one, or one that many `ahead` of it.
    pub(crate) fn mark_malformed(&self, ahead: u64, defect: Defect) {
        let number = self.requests() + ahead;
        if number < self.defective_from.load(Ordering::Relaxed) {
            self.defective_from.store(number, Ordering::Relaxed);
            self.defect.store(defect as u8, Ordering::Relaxed);
        }
    }

    fn defect(&self) -> Defect {
        if self.defect.load(Ordering::Relaxed) == Defect::Fragment as u8 {
            Defect::Fragment
        } else {
            Defect::BareLineFeed
        }
    }

    /// Whether the response that is being sent is still being made: what is flushed is not all.
    pub(crate) fn is_streaming(&self) -> bool {
        self.is_streaming.load(Ordering::Relaxed)
    }

    /// Notes that a response is being made, or that it is made.
    pub(crate) fn set_streaming(&self, is_streaming: bool) {
        self.is_streaming.store(is_streaming, Ordering::Relaxed);
    }

    /// Notes that the connection's task is woken.
    pub(crate) fn wake(&self, now: Instant) {
        let since = now.saturating_duration_since(self.accepted);
        let nanos = since.as_secs() * 1_000_000_000 + u64::from(since.subsec_nanos());
        self.woken_nanos.store(nanos, Ordering::Relaxed);
    }

    /// When the connection's task was last woken.
    pub(crate) fn woken(&self) -> Instant {
        self.accepted + Duration::from_nanos(self.woken_nanos.load(Ordering::Relaxed))
    }
}
