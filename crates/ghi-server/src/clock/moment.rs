//! Moments: points in time within the years that HTTP dates can express.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil::{Date, DateTime, date};

/// The first moment. The last one is the last that jiff has, at the end of the year 9999.
const FIRST: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// The error for a string that is not a moment.
const EXPECTED: &str = "must be a UTC time such as 2026-11-15T12:00:00Z, from 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z";

/// A point in time from 1970-01-01 to 9999-12-31, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(DateTime);

impl Moment {
    /// Returns the moment of a system time, or the nearest one that can be published.
    pub(super) fn from_time(time: SystemTime) -> Self {
        Self(FIRST).after(time.duration_since(UNIX_EPOCH).unwrap_or_default(), 1)
    }

    /// Returns what a clock that runs `speed` times as fast as real time shows after some time, up to the last moment
    /// that can be published.
    pub(super) fn after(self, elapsed: Duration, speed: u32) -> Self {
        Self(self.0.saturating_add(elapsed.saturating_mul(speed)))
    }

    /// Returns the UTC date.
    pub fn date(self) -> Date {
        self.0.date()
    }

    /// Returns the time of day as `HH:MM:SS.ffffff`.
    pub(crate) fn time_of_day(self) -> String {
        self.0.strftime("%H:%M:%S.%6f").to_string()
    }

    /// Returns the number of whole seconds since 1970 began.
    pub(crate) fn unix_second(self) -> u64 {
        self.0.duration_since(FIRST).as_secs().unsigned_abs()
    }

    pub(crate) fn seconds_to_midnight(self) -> u64 {
        let passed = self.0.duration_since(self.midnight().0).unsigned_abs();
        (Duration::from_secs(86_400) - passed).as_secs()
    }

    pub(crate) fn midnight(self) -> Self {
        Self(self.date().at(0, 0, 0, 0))
    }

    /// Formats the moment for pages, to the second.
    pub(super) fn for_people(self) -> String {
        self.0.strftime("%-d %B %Y, %H:%M:%S UTC").to_string()
    }

    /// Returns the first moment of the next day, if there is one.
    pub(crate) fn next_midnight(self) -> Option<Self> {
        self.midnight().0.tomorrow().ok().map(Self)
    }
}

impl fmt::Display for Moment {
    /// Writes the contract's form, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{}Z", self.date(), self.time_of_day())
    }
}

impl FromStr for Moment {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // jiff accepts more forms than the contract, and some of them mean another time.
        let text = text.strip_suffix('Z').ok_or(EXPECTED)?;
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let civil: DateTime = text.parse().map_err(|_| EXPECTED)?;
        let is_same = civil.strftime("%Y-%m-%dT%H:%M:%S").to_string() == whole;
        let is_plain = is_same && fraction.bytes().all(|byte| byte.is_ascii_digit());
        if is_plain && civil >= FIRST { Ok(Self(civil)) } else { Err(EXPECTED) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_day_is_the_last_of_year_9999() {
        let last = Moment(DateTime::MAX);
        assert_eq!(last.to_string(), "9999-12-31T23:59:59.999999Z");
        assert_eq!(last.date(), Date::MAX);
    }

    #[test]
    fn only_complete_utc_times_within_the_range_are_moments() {
        for text in [
            "",
            "Z",
            "now",
            "2026-11-15",
            "2026-11-15T12:00:00",
            "2026-11-15T12:00:00+01:00",
            "2026-11-15Z",
            "2026-11-15 12:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-11-15T24:00:00Z",
            "1969-12-31T23:59:59Z",
            "10000-01-01T00:00:00Z",
            "-000001-01-01T00:00:00Z",
            "2026-11-15T12:00:00ZZ",
            "2026-11-15T12:00:00+05:00Z",
            "2026-11-15T12:00:00-00:00Z",
            "2026-11-15T12:00:00[America/New_York]Z",
            "2026-11-15T23:59:60Z",
            "20261115T120000Z",
            "2026-11-15T12Z",
            "2026-11-15T12:00:00,5Z",
            "2026-11-15T12:00:00.Z",
            "2026-11-15T12:00:00.0000000000Z",
            "+002026-11-15T12:00:00Z",
            "2026-11-15t12:00:00z",
        ] {
            assert_eq!(text.parse::<Moment>(), Err(EXPECTED), "{text:?}");
        }
    }

    #[test]
    fn a_moment_is_truncated_to_microseconds_and_never_rounded_into_the_next_day() {
        let moment: Moment = "2026-12-31T23:59:59.999999999Z".parse().unwrap();
        assert_eq!(moment.to_string(), "2026-12-31T23:59:59.999999Z");
    }
}
