//! What was seen on a connection: shared by its stream, its requests, and whoever closes it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::{LastReading, UnixMicros};
use crate::net::coarse_clock::CoarseClock;

/// What a connection is about.
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
}

impl Phase {
    const ALL: [Self; 4] = [Self::New, Self::Idle, Self::Receiving, Self::Sending];

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
    clock: Arc<CoarseClock>,
    phase: AtomicU8,
    /// When the phase began, by the coarse clock.
    since: AtomicU64,
    /// How many requests have begun.
    requests: AtomicU64,
    /// The first request, counted from 0, that has a defect, and which.
    defective_from: AtomicU64,
    defect: AtomicU8,
    /// Whether the response that is being sent is still being made.
    is_streaming: AtomicBool,
    /// When the connection's task was last woken.
    woken: LastReading,
}

impl ConnectionState {
    const NEVER: u64 = u64::MAX;

    /// A new connection. Until somebody has looked, something may have come in.
    pub(crate) fn new(clock: Arc<CoarseClock>) -> Self {
        Self {
            phase: AtomicU8::new(Phase::Receiving as u8),
            since: AtomicU64::new(clock.millis()),
            clock,
            requests: AtomicU64::new(0),
            defective_from: AtomicU64::new(Self::NEVER),
            defect: AtomicU8::new(Defect::BareLineFeed as u8),
            is_streaming: AtomicBool::new(false),
            woken: LastReading::default(),
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.phase.load(Ordering::Relaxed)) % Phase::ALL.len()]
    }

    /// When its phase began, by the coarse clock.
    pub(crate) fn since(&self) -> u64 {
        self.since.load(Ordering::Relaxed)
    }

    /// How long its phase has lasted.
    pub(crate) fn age(&self) -> Duration {
        Duration::from_millis(self.clock.millis().saturating_sub(self.since()))
    }

    /// Begins a phase; to begin the same again changes nothing.
    pub(crate) fn enter(&self, phase: Phase) {
        if self.phase() != phase {
            self.phase.store(phase as u8, Ordering::Relaxed);
            self.since.store(self.clock.millis(), Ordering::Relaxed);
        }
    }

    /// Notes that something has come in.
    pub(crate) fn receive(&self) {
        if self.phase() != Phase::Sending {
            self.enter(Phase::Receiving);
        }
    }

    /// How many requests have begun.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// When its task was last woken.
    pub(crate) fn woken(&self) -> UnixMicros {
        self.woken.load()
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

    /// Blames a request for a defect: the next one, or one that many `ahead` of it.
    pub(crate) fn blame_request(&self, ahead: u64, defect: Defect) {
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
    pub(crate) fn wake(&self, now: UnixMicros) {
        self.woken.store(now);
    }
}
