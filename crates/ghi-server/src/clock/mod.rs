//! Clocks. Each request reads the clock once, and its whole response has that time.

mod moment;
mod monotonic_time;
mod speed;
mod system_time;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

pub use moment::{InvalidMoment, Moment};
pub(crate) use monotonic_time::MonotonicTime;
pub use speed::{InvalidSpeed, Speed};
pub use system_time::is_system_time_in_range;

/// The source of the time. It always returns a moment that can be published: a clock outside the years
/// 1970 to 9999 returns the nearest moment in that range.
#[derive(Clone)]
pub struct Clock(TimeSource);

#[derive(Clone)]
enum TimeSource {
    System,
    Fixed(Moment),
    Running { from: Moment, speed: Speed, since: Instant },
    Function(Arc<dyn Fn() -> SystemTime + Send + Sync>),
}

impl Clock {
    /// Returns the system clock.
    pub fn system() -> Self {
        Self(TimeSource::System)
    }

    /// Returns a clock that is stopped.
    pub fn at(moment: Moment) -> Self {
        Self(TimeSource::Fixed(moment))
    }

    /// Returns a clock that starts now, showing this moment, and runs at this speed.
    pub fn running(from: Moment, speed: Speed) -> Self {
        Self(TimeSource::Running { from, speed, since: Instant::now() })
    }

    /// Returns a clock that reads the time from a function, for tests that travel in time.
    pub fn from_fn(read: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(TimeSource::Function(Arc::new(read)))
    }

    /// Returns the current time.
    #[inline]
    pub fn now(&self) -> Moment {
        match &self.0 {
            TimeSource::System => Moment::from_time(SystemTime::now()),
            TimeSource::Fixed(moment) => *moment,
            TimeSource::Running { from, speed, since } => advanced(*from, *speed, since.elapsed()),
            TimeSource::Function(read) => Moment::from_time(read()),
        }
    }

    /// Returns the time of a message that is created when the clock shows `now`: the system's time,
    /// whatever this clock shows.
    #[inline]
    pub(crate) fn message_time(&self, now: Moment) -> Moment {
        match self.0 {
            TimeSource::System => now,
            _ => Self::system().now(),
        }
    }

    /// Returns how many of its seconds pass in a real second. A stopped clock counts as running at normal
    /// speed.
    pub(crate) fn speed(&self) -> Speed {
        match self.0 {
            TimeSource::Running { speed, .. } => speed,
            TimeSource::System | TimeSource::Fixed(_) | TimeSource::Function(_) => Speed::REAL,
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self.0, TimeSource::Fixed(_))
    }

    /// Returns a notice for pages if the clock doesn't show real time. A clock from a function has none.
    pub(crate) fn notice(&self) -> Option<String> {
        let state = match self.0 {
            TimeSource::System | TimeSource::Function(_) => return None,
            TimeSource::Fixed(moment) => format!("is stopped at {}", moment.for_people()),
            TimeSource::Running { from, speed: Speed::REAL, .. } => {
                format!("was set to {} at startup", from.for_people())
            }
            TimeSource::Running { from, speed, .. } => {
                let from = from.for_people();
                format!("was set to {from} at startup and runs {speed} times as fast as real time")
            }
        };
        Some(format!("This server's clock {state}."))
    }
}

/// Returns the time of a clock that started at a moment, after some real time.
fn advanced(from: Moment, speed: Speed, elapsed: Duration) -> Moment {
    let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
    Moment::from_micros(from.micros().saturating_add(micros.saturating_mul(speed.get())))
}

impl fmt::Display for Clock {
    /// Writes the description of the clock that the log shows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            TimeSource::System => f.write_str("the system's"),
            TimeSource::Fixed(moment) => write!(f, "stopped at {moment}"),
            TimeSource::Running { from, speed: Speed::REAL, .. } => write!(f, "runs from {from}"),
            TimeSource::Running { from, speed, .. } => {
                write!(f, "runs {speed} times as fast from {from}")
            }
            TimeSource::Function(_) => f.write_str("the program's"),
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use crate::clock::moment::END_MICROS;

    use super::*;

    #[test]
    fn a_time_out_of_range_becomes_the_nearest_in_range() {
        let one = Duration::from_nanos(1);
        let end = UNIX_EPOCH + Duration::from_micros(END_MICROS);
        let moment = |time| Clock::from_fn(move || time).now().to_string();
        let (first, last) = ("1970-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z");
        assert_eq!(moment(UNIX_EPOCH - one), first);
        assert_eq!(moment(UNIX_EPOCH), first);
        assert_eq!(moment(end - one), last);
        assert_eq!(moment(end), last);
        assert_eq!(moment(UNIX_EPOCH + Duration::from_secs(1 << 60)), last);
    }

    /// Returns the time of a clock after this many real microseconds.
    fn running(from: &str, speed: u32, micros: u64) -> String {
        let speed = Speed::new(speed).unwrap();
        advanced(from.parse().unwrap(), speed, Duration::from_micros(micros)).to_string()
    }

    #[test]
    fn a_running_clock_starts_at_its_moment_and_runs_at_its_speed() {
        for (speed, real_micros, expected) in [
            (1, 0, "2026-11-15T12:00:00.000000Z"),
            (1, 1, "2026-11-15T12:00:00.000001Z"),
            (60, 1_500_000, "2026-11-15T12:01:30.000000Z"),
            (86_400, 1, "2026-11-15T12:00:00.086400Z"),
            (86_400, 499_999, "2026-11-15T23:59:59.913600Z"),
            (86_400, 500_000, "2026-11-16T00:00:00.000000Z"),
            (86_400, 10_000_000, "2026-11-25T12:00:00.000000Z"),
        ] {
            assert_eq!(running("2026-11-15T12:00:00Z", speed, real_micros), expected, "{speed}");
        }
    }

    #[test]
    fn a_running_clock_stops_at_the_end_of_the_year_9999() {
        let (eve, end) = ("9999-12-31T00:00:00Z", "9999-12-31T23:59:59.999999Z");
        assert_eq!(running(eve, 86_400, 999_999), "9999-12-31T23:59:59.913600Z");
        assert_eq!(running(eve, 86_400, 1_000_000), end);
        assert_eq!(running("1970-01-01T00:00:00Z", 86_400, u64::MAX), end);
    }

    #[test]
    fn a_clock_that_does_not_show_real_time_has_a_notice() {
        let noon = "2026-11-15T12:00:00Z".parse().unwrap();
        let set = "was set to 15 November 2026, 12:00:00 UTC at startup";
        let notice = |state: &str| Some(format!("This server's clock {state}."));
        for (clock, description, notice) in [
            (Clock::system(), "the system's", None),
            (Clock::from_fn(SystemTime::now), "the program's", None),
            (
                Clock::at(noon),
                "stopped at 2026-11-15T12:00:00.000000Z",
                notice("is stopped at 15 November 2026, 12:00:00 UTC"),
            ),
            (
                Clock::running(noon, Speed::REAL),
                "runs from 2026-11-15T12:00:00.000000Z",
                notice(set),
            ),
            (
                Clock::running(noon, Speed::new(60).unwrap()),
                "runs 60 times as fast from 2026-11-15T12:00:00.000000Z",
                notice(&format!("{set} and runs 60 times as fast as real time")),
            ),
        ] {
            assert_eq!((&*clock.to_string(), clock.notice()), (description, notice));
        }
    }
}
