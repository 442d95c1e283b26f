//! Clocks. Each request reads the clock once, and its whole response has that time.

mod moment;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use ghi_display::grouped;

pub use crate::clock::moment::Moment;

/// When the year 10000 begins, in seconds since 1970 began.
const END_SECONDS: u64 = 253_402_300_800;

/// The source of the time. Outside the years 1970 to 9999, it returns the nearest moment that can be published.
#[derive(Clone)]
pub struct Clock(TimeSource);

#[derive(Clone)]
enum TimeSource {
    /// Real time.
    Function(Arc<dyn Fn() -> SystemTime + Send + Sync>),
    /// A time that was set, and how many times as fast as real time it passes: 0 if it is stopped.
    Set { from: Moment, speed: u32, since: Instant },
}

impl Clock {
    /// Returns the system clock.
    pub fn system() -> Self {
        Self::from_fn(SystemTime::now)
    }

    /// Returns a clock that is stopped.
    pub fn at(moment: Moment) -> Self {
        Self::running(moment, 0)
    }

    /// Returns a clock that starts now, showing this moment, and runs this many times as fast as real time.
    pub fn running(from: Moment, speed: u32) -> Self {
        Self(TimeSource::Set { from, speed, since: Instant::now() })
    }

    /// Returns a clock that takes the time of a function for real time, for tests that travel in time.
    pub fn from_fn(read: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(TimeSource::Function(Arc::new(read)))
    }

    /// Returns the current time.
    pub fn now(&self) -> Moment {
        match &self.0 {
            TimeSource::Function(read) => Moment::from_time(read()),
            TimeSource::Set { from, speed, since } => from.after(since.elapsed(), *speed),
        }
    }

    /// Returns how many of its seconds pass in a real second, or `None` if it shows real time.
    fn set_speed(&self) -> Option<u32> {
        if let TimeSource::Set { speed, .. } = self.0 { Some(speed) } else { None }
    }

    pub(crate) fn is_real(&self) -> bool {
        self.set_speed().is_none()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.set_speed() == Some(0)
    }

    /// Returns how many of its seconds pass in a real second, or 1 if it is stopped.
    pub(crate) fn speed(&self) -> u64 {
        self.set_speed().unwrap_or(1).max(1).into()
    }

    /// Returns a notice for pages if the clock doesn't show real time.
    pub(crate) fn notice(&self) -> Option<String> {
        let TimeSource::Set { from, speed, .. } = self.0 else { return None };
        let from = from.for_people();
        let state = match speed {
            0 => format!("is stopped at {from}"),
            1 => format!("was set to {from} at startup"),
            _ => format!(
                "was set to {from} at startup and runs {} times as fast as real time",
                grouped(speed)
            ),
        };
        Some(format!("This server's clock {state}."))
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            TimeSource::Function(_) => f.write_str("the system's"),
            TimeSource::Set { from, speed: 0, .. } => write!(f, "stopped at {from}"),
            TimeSource::Set { from, speed: 1, .. } => write!(f, "runs from {from}"),
            TimeSource::Set { from, speed, .. } => {
                write!(f, "runs {} times as fast from {from}", grouped(speed))
            }
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({self})")
    }
}

/// Returns whether the system's time is in the years 1970 to 9999, which HTTP dates can express. If it isn't, requests
/// cannot be answered: hyper formats the time for each of them, and panics. One error is logged when that begins, and
/// one when it ends.
pub fn is_system_time_in_range() -> bool {
    static LAST: AtomicBool = AtomicBool::new(true);
    let now = is_in_range(SystemTime::now());
    // Usually only read, because all workers share it.
    if LAST.load(Ordering::Relaxed) != now && LAST.swap(now, Ordering::Relaxed) != now {
        match now {
            true => tracing::error!("the system clock is back in the years 1970 to 9999"),
            false => tracing::error!(
                "the system clock is outside the years 1970 to 9999; connections are closed without a response until \
                 it is set"
            ),
        }
    }
    now
}

fn is_in_range(time: SystemTime) -> bool {
    let since_epoch = time.duration_since(UNIX_EPOCH);
    since_epoch.is_ok_and(|since_epoch| since_epoch.as_secs() < END_SECONDS)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_time_out_of_range_becomes_the_nearest_in_range() {
        let one = Duration::from_nanos(1);
        let end = UNIX_EPOCH + Duration::from_secs(END_SECONDS);
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
        let from: Moment = from.parse().unwrap();
        from.after(Duration::from_micros(micros), speed).to_string()
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
            (
                Clock::at(noon),
                "stopped at 2026-11-15T12:00:00.000000Z",
                notice("is stopped at 15 November 2026, 12:00:00 UTC"),
            ),
            (Clock::running(noon, 1), "runs from 2026-11-15T12:00:00.000000Z", notice(set)),
            (
                Clock::running(noon, 60),
                "runs 60 times as fast from 2026-11-15T12:00:00.000000Z",
                notice(&format!("{set} and runs 60 times as fast as real time")),
            ),
        ] {
            assert_eq!((&*clock.to_string(), clock.notice()), (description, notice));
        }
    }

    #[test]
    fn the_system_time_must_be_one_that_http_can_express() {
        let end = UNIX_EPOCH + Duration::from_secs(END_SECONDS);
        let one = Duration::from_nanos(1);
        for (time, expected) in
            [(UNIX_EPOCH - one, false), (UNIX_EPOCH, true), (end - one, true), (end, false)]
        {
            assert_eq!(is_in_range(time), expected, "{time:?}");
        }
    }
}
