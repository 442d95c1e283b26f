//! Clocks. Each request reads the clock once, and its whole response has that time.

mod moment;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ghi_display::grouped;

use crate::clock::moment::END_MICROS;
pub use crate::clock::moment::Moment;

/// The source of the time. Outside the years 1970 to 9999, it returns the nearest moment that can be published.
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
    pub fn now(&self) -> Moment {
        match &self.0 {
            TimeSource::System => Moment::from_time(SystemTime::now()),
            TimeSource::Fixed(moment) => *moment,
            TimeSource::Running { from, speed, since } => from.after(since.elapsed(), speed.get()),
            TimeSource::Function(read) => Moment::from_time(read()),
        }
    }

    pub(crate) fn is_system(&self) -> bool {
        matches!(self.0, TimeSource::System)
    }

    /// Returns how many of its seconds pass in a real second, or 1 if it is stopped.
    pub(crate) fn speed(&self) -> Speed {
        if let TimeSource::Running { speed, .. } = self.0 { speed } else { Speed::REAL }
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

impl fmt::Display for Clock {
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
        write!(f, "Clock({self})")
    }
}

/// How many times as fast as real time a clock runs: 1 to 86,400, which is one day per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed(u32);

impl Speed {
    /// The speed of real time.
    pub const REAL: Self = Self(1);

    /// One day per second.
    pub const MAX: Self = Self(86_400);

    /// Returns a speed, or `None` if it is out of range.
    pub const fn new(times: u32) -> Option<Self> {
        if times >= Self::REAL.0 && times <= Self::MAX.0 { Some(Self(times)) } else { None }
    }

    pub(crate) fn get(self) -> u64 {
        self.0.into()
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&grouped(self.0))
    }
}

impl FromStr for Speed {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        let times = is_plain.then(|| text.parse().ok()).flatten();
        times.and_then(Self::new).ok_or("must be a whole number from 1 to 86400")
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
    since_epoch.is_ok_and(|since_epoch| since_epoch < Duration::from_micros(END_MICROS))
}

#[cfg(test)]
mod tests {
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
        from.parse::<Moment>()
            .unwrap()
            .after(Duration::from_micros(micros), speed.get())
            .to_string()
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

    #[test]
    fn a_speed_is_a_whole_number_up_to_one_day_per_second() {
        for text in ["", "0", "86401", "1.5", "-1", "+1", " 1", "1e3", "1,000", "99999999999", "٣"]
        {
            assert_eq!(
                text.parse::<Speed>(),
                Err("must be a whole number from 1 to 86400"),
                "{text:?}"
            );
        }
        for (text, shown) in [("1", "1"), ("999", "999"), ("1001", "1,001"), ("86400", "86,400")] {
            assert_eq!(text.parse::<Speed>().unwrap().to_string(), shown);
        }
    }

    #[test]
    fn the_system_time_must_be_one_that_http_can_express() {
        let end = UNIX_EPOCH + Duration::from_micros(END_MICROS);
        let one = Duration::from_nanos(1);
        for (time, expected) in
            [(UNIX_EPOCH - one, false), (UNIX_EPOCH, true), (end - one, true), (end, false)]
        {
            assert_eq!(is_in_range(time), expected, "{time:?}");
        }
    }
}
