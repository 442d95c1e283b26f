//! Time is a value: one reading of the clock serves a whole response.

mod moment;
mod speed;

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

pub use moment::{InvalidMoment, Moment};
pub(crate) use moment::{LastReading, UnixMicros};
pub use speed::{InvalidSpeed, Speed};

/// Where the time comes from.
#[derive(Clone)]
pub struct Clock(Source);

#[derive(Clone)]
enum Source {
    System,
    Fixed(Moment),
    Running {
        from: Moment,
        speed: Speed,
        /// What the system's clock said when this one began to run.
        began: Option<UnixMicros>,
    },
    Function(Arc<dyn Fn() -> SystemTime + Send + Sync>),
}

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands still.
    pub fn at(moment: Moment) -> Self {
        Self(Source::Fixed(moment))
    }

    /// A clock that stands at the moment now and runs on from there, faster than the system's clock
    /// that drives it. It has no time if that one had none at the start.
    ///
    /// ```
    /// use ghi_server::{Clock, Moment, Speed};
    ///
    /// let eve: Moment = "2026-12-31T12:00:00Z".parse()?;
    /// let clock = Clock::running(eve, Speed::MAX);
    /// assert_eq!(clock.to_string(), "runs 86,400 times as fast from 2026-12-31T12:00:00.000000Z");
    /// assert!(clock.now() >= Some(eve));
    /// # Ok::<(), ghi_server::InvalidMoment>(())
    /// ```
    pub fn running(from: Moment, speed: Speed) -> Self {
        Self(Source::Running { from, speed, began: UnixMicros::now() })
    }

    /// A clock that reads whatever the function says, for tests that travel in time.
    pub fn from_fn(read: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Source::Function(Arc::new(read)))
    }

    /// The time; none while the clock stands outside the range that can be published.
    pub fn now(&self) -> Option<Moment> {
        self.given(UnixMicros::now())
    }

    /// The time, given what the system's clock has just said.
    #[inline]
    pub(crate) fn given(&self, system: Option<UnixMicros>) -> Option<Moment> {
        match &self.0 {
            Source::System => system.map(Moment::from),
            Source::Fixed(moment) => Some(*moment),
            Source::Running { from, speed, began } => {
                // A system clock that was set back before the start leaves this one there.
                let real = system?.since((*began)?);
                let micros = u64::try_from(real.as_micros()).unwrap_or(u64::MAX);
                let micros = micros.saturating_mul(speed.get());
                UnixMicros::new(from.micros().saturating_add(micros)).map(Moment::from)
            }
            Source::Function(read) => UnixMicros::from_time(read()).map(Moment::from),
        }
    }
}

impl Clock {
    /// How many of its seconds pass in a real one. One that stands still may be replaced by one that
    /// runs as usual.
    pub(crate) fn speed(&self) -> Speed {
        match self.0 {
            Source::Running { speed, .. } => speed,
            Source::System | Source::Fixed(_) | Source::Function(_) => Speed::REAL,
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self.0, Source::Fixed(_))
    }

    /// A sentence for people who look at its time, unless it is the real one. Whoever provides a
    /// function knows what it says.
    pub(crate) fn notice(&self) -> Option<String> {
        let verb = match self.0 {
            Source::System | Source::Function(_) => return None,
            Source::Fixed(_) => "is ",
            Source::Running { .. } => "",
        };
        let what = self.describe(Moment::for_people);
        Some(format!("The clock of this server is not the real one: it {verb}{what}."))
    }

    /// What it is, with moments written as wanted.
    fn describe(&self, write: fn(Moment) -> String) -> String {
        match self.0 {
            Source::System => "the system's".into(),
            Source::Fixed(moment) => format!("stopped at {}", write(moment)),
            Source::Running { from, speed: Speed::REAL, .. } => {
                format!("runs from {}", write(from))
            }
            Source::Running { from, speed, .. } => {
                format!("runs {speed} times as fast from {}", write(from))
            }
            Source::Function(_) => "the program's".into(),
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
    use std::time::{Duration, UNIX_EPOCH};

    use crate::clock::moment::{END_MICROS, MICROS_PER_SECOND};

    use super::*;

    #[test]
    fn the_system_time_outside_the_range_is_refused() {
        let one = Duration::from_nanos(1);
        let end = UNIX_EPOCH + Duration::from_micros(END_MICROS);
        let moment = |time| Clock::from_fn(move || time).now();
        assert_eq!(moment(UNIX_EPOCH - one), None);
        assert_eq!(moment(end), None);
        assert_eq!(moment(UNIX_EPOCH + Duration::from_secs(1 << 60)), None);
        let [first, last] = [UNIX_EPOCH, end - one].map(|time| moment(time).unwrap());
        assert_eq!(first.to_string(), "1970-01-01T00:00:00.000000Z");
        assert_eq!(last.to_string(), "9999-12-31T23:59:59.999999Z");
    }

    /// What a clock says when the system's, which read 1,000,000 s at its start, reads this.
    fn running(from: &str, speed: u32, system_micros: u64) -> Option<String> {
        let from = from.parse().unwrap();
        let began = UnixMicros::new(1_000_000 * MICROS_PER_SECOND);
        let speed = Speed::new(speed).unwrap();
        let clock = Clock(Source::Running { from, speed, began });
        clock.given(UnixMicros::new(system_micros)).map(|moment| moment.to_string())
    }

    #[test]
    fn a_running_clock_starts_at_its_moment_and_goes_as_many_times_as_fast() {
        let start = 1_000_000 * MICROS_PER_SECOND;
        for (speed, real_micros, expected) in [
            (1, 0, "2026-11-15T12:00:00.000000Z"),
            (1, 1, "2026-11-15T12:00:00.000001Z"),
            (60, 1_500_000, "2026-11-15T12:01:30.000000Z"),
            (86_400, 1, "2026-11-15T12:00:00.086400Z"),
            (86_400, 499_999, "2026-11-15T23:59:59.913600Z"),
            (86_400, 500_000, "2026-11-16T00:00:00.000000Z"),
            (86_400, 10_000_000, "2026-11-25T12:00:00.000000Z"),
        ] {
            let said = running("2026-11-15T12:00:00Z", speed, start + real_micros);
            assert_eq!(said.as_deref(), Some(expected), "{speed}, {real_micros}");
        }
    }

    #[test]
    fn a_running_clock_survives_any_system_clock_and_ends_with_the_year_9999() {
        let (start, eve) = (1_000_000 * MICROS_PER_SECOND, "9999-12-31T00:00:00Z");
        let at_start = running(eve, 86_400, 0);
        assert_eq!(at_start.as_deref(), Some("9999-12-31T00:00:00.000000Z"), "it was set back");
        let last = running(eve, 86_400, start + 999_999);
        assert_eq!(last.as_deref(), Some("9999-12-31T23:59:59.913600Z"));
        assert_eq!(running(eve, 86_400, start + 1_000_000), None);
        assert_eq!(running(eve, 86_400, END_MICROS - 1), None);
        assert_eq!(running("1970-01-01T00:00:00Z", 86_400, END_MICROS - 1), None);
        assert_eq!(running(eve, 1, END_MICROS), None, "the system's clock has no time");
        let from = eve.parse().unwrap();
        let clock = Clock(Source::Running { from, speed: Speed::REAL, began: None });
        assert_eq!(clock.now(), None, "it had none at the start");
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
