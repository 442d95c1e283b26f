//! A clock that costs nothing to read, for time-outs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Milliseconds since its start, as of the last [`CoarseClock::tick`]. Other than the system's
/// clock it is never set.
#[derive(Debug)]
pub(crate) struct CoarseClock {
    started: Instant,
    millis: AtomicU64,
}

impl Default for CoarseClock {
    fn default() -> Self {
        Self { started: Instant::now(), millis: AtomicU64::new(0) }
    }
}

impl CoarseClock {
    /// Reads the real time.
    pub(crate) fn tick(&self) {
        let millis = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.millis.store(millis, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn set(&self, millis: u64) {
        self.millis.store(millis, Ordering::Relaxed);
    }

    pub(crate) fn millis(&self) -> u64 {
        self.millis.load(Ordering::Relaxed)
    }
}
