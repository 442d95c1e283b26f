//! Elapsed time. Every request measures it, and an [`Instant`](std::time::Instant) costs four times as much to store and
//! subtract.

use std::ops::Add;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A point on the system's monotonic clock, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MonotonicTime(u64);

impl MonotonicTime {
    #[inline]
    pub(crate) fn now() -> Self {
        let time = clock_gettime(ClockId::Monotonic);
        Self(time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned())
    }

    /// Returns the time since an earlier point, or zero if that point is later.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for MonotonicTime {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0 + u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}
