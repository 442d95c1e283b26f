//! Time is a value: one reading of the clock serves a whole response.

mod moment;
mod speed;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

pub use moment::{InvalidMoment, Moment};
pub use speed::{InvalidSpeed, Speed};

/// Where the time comes from. It is always a moment that can be published: a clock that stands outside
/// 1970 to 9999 counts as standing at the nearest moment within.
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
    /// The system's clock.
    pub fn system() -> Self {
        Self(TimeSource::System)
    }

    /// A clock that is stopped.
    pub fn at(moment: Moment) -> Self {
        Self(TimeSource::Fixed(moment))
    }

    /// A clock that reads this moment now, and runs on from there at a speed.
    ///
    /// ```
    /// use ghi_server::{Clock, Moment, Speed};
    ///
    /// let eve: Moment = "2026-12-31T12:00:00Z".parse()?;
    /// let clock = Clock::running(eve, Speed::MAX);
    /// assert_eq!(clock.to_string(), "runs 86,400 times as fast from 2026-12-31T12:00:00.000000Z");
    /// assert!(clock.now() >= eve);
    /// # Ok::<(), ghi_server::InvalidMoment>(())
    /// ```
    pub fn running(from: Moment, speed: Speed) -> Self {
        Self(TimeSource::Running { from, speed, since: Instant::now() })
    }

    /// A clock that reads whatever the function returns, for tests that travel in time.
    pub fn from_fn(read: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(TimeSource::Function(Arc::new(read)))
    }

    /// The time.
    #[inline]
    pub fn now(&self) -> Moment {
        match &self.0 {
            TimeSource::System => Moment::from_time(SystemTime::now()),
            TimeSource::Fixed(moment) => *moment,
            TimeSource::Running { from, speed, since } => advanced(*from, *speed, since.elapsed()),
            TimeSource::Function(read) => Moment::from_time(read()),
        }
    }
}

/// What a clock reads after running for some real time.
fn advanced(from: Moment, speed: Speed, elapsed: Duration) -> Moment {
    let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
    Moment::from_micros(from.micros().saturating_add(micros.saturating_mul(speed.get())))
}

impl Clock {
    /// How many of its seconds pass in a real one. One that stands still may be replaced by one that
    /// runs as usual.
    pub(crate) fn speed(&self) -> Speed {
        match self.0 {
            TimeSource::Running { speed, .. } => speed,
            TimeSource::System | TimeSource::Fixed(_) | TimeSource::Function(_) => Speed::REAL,
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self.0, TimeSource::Fixed(_))
    }

    /// A sentence for people who look at its time, unless it is the real one. Whoever provides a
    /// function knows what it says.
    pub(crate) fn notice(&self) -> Option<String> {
        let verb = match self.0 {
            TimeSource::System | TimeSource::Function(_) => return None,
            TimeSource::Fixed(_) => "is ",
            TimeSource::Running { .. } => "",
        };
        let what = self.describe(Moment::for_people);
        Some(format!("The clock of this server is not the real one: it {verb}{what}."))
    }

    /// What it is, with moments written as wanted.
    fn describe(&self, write: fn(Moment) -> String) -> String {
        match self.0 {
            TimeSource::System => "the system's".into(),
            TimeSource::Fixed(moment) => format!("stopped at {}", write(moment)),
            TimeSource::Running { from, speed: Speed::REAL, .. } => {
                format!("runs from {}", write(from))
            }
            TimeSource::Running { from, speed, .. } => {
                format!("runs {speed} times as fast from {}", write(from))
            }
            TimeSource::Function(_) => "the program's".into(),
        }
    }
}

impl fmt::Display for Clock {
    /// What it is, as the log says it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(|moment| moment.to_string()))
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
    fn a_time_outside_the_range_is_the_nearest_within() {
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

    /// What a clock reads after so many real microseconds.
    fn running(from: &str, speed: u32, micros: u64) -> String {
        let speed = Speed::new(speed).unwrap();
        advanced(from.parse().unwrap(), speed, Duration::from_micros(micros)).to_string()
    }

    #[test]
    fn a_running_clock_starts_at_its_moment_and_goes_as_many_times_as_fast() {
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
    fn a_clock_says_what_it_is_and_people_are_told_where_it_is_not_the_real_one() {
        let noon = "2026-11-15T12:00:00Z".parse().unwrap();
        let sentence =
            |what| Some(format!("The clock of this server is not the real one: it {what}."));
        for (clock, said, notice) in [
            (Clock::system(), "the system's", None),
            (Clock::from_fn(SystemTime::now), "the program's", None),
            (
                Clock::at(noon),
                "stopped at 2026-11-15T12:00:00.000000Z",
                sentence("is stopped at 15 November 2026, 12:00:00 UTC"),
            ),
            (
                Clock::running(noon, Speed::REAL),
                "runs from 2026-11-15T12:00:00.000000Z",
                sentence("runs from 15 November 2026, 12:00:00 UTC"),
            ),
            (
                Clock::running(noon, Speed::new(60).unwrap()),
                "runs 60 times as fast from 2026-11-15T12:00:00.000000Z",
                sentence("runs 60 times as fast from 15 November 2026, 12:00:00 UTC"),
            ),
        ] {
            assert_eq!((&*clock.to_string(), clock.notice()), (said, notice));
        }
    }
}
