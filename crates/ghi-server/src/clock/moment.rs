//! Moments: points in time with microsecond precision, within the years that HTTP dates can express.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::ToSpan;
use jiff::civil::{Date, DateTime, date};

const FIRST_DATE: Date = date(1970, 1, 1);

/// The number of the day 9999-12-31, the last whose year has four digits.
const LAST_DAY: u32 = 2_932_896;

const MICROS_PER_SECOND: u64 = 1_000_000;
const MICROS_PER_DAY: u64 = 86_400 * MICROS_PER_SECOND;

/// The first microsecond after the last day.
pub(super) const END_MICROS: u64 = (LAST_DAY as u64 + 1) * MICROS_PER_DAY;

/// The error for a string that is not a moment.
const EXPECTED: &str = "must be a UTC time such as 2026-11-15T12:00:00Z, from 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z";

/// A point in time from 1970-01-01 to 9999-12-31, UTC, in microseconds since 1970 began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(u64);

impl Moment {
    /// Returns the moment of a system time, or the nearest one that can be published.
    pub(super) fn from_time(time: SystemTime) -> Self {
        Self(0).after(time.duration_since(UNIX_EPOCH).unwrap_or_default(), 1)
    }

    /// Returns what a clock that runs `speed` times as fast as real time shows after some time, up to the last moment
    /// that can be published.
    pub(super) fn after(self, elapsed: Duration, speed: u64) -> Self {
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let micros = self.0.saturating_add(micros.saturating_mul(speed));
        Self(micros.min(END_MICROS - 1))
    }

    /// Returns the UTC day as a number, counted from 1970-01-01.
    pub(crate) fn day(self) -> u32 {
        (self.0 / MICROS_PER_DAY) as u32
    }

    /// Returns the UTC date.
    pub fn date(self) -> Date {
        FIRST_DATE.checked_add(i64::from(self.day()).days()).expect("the last moment has a date")
    }

    /// Returns the time of day as `HH:MM:SS.ffffff`.
    pub(crate) fn time_of_day(self) -> [u8; 15] {
        let (seconds, micros) = (self.0 / MICROS_PER_SECOND, self.0 % MICROS_PER_SECOND);
        let time = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60];
        let fraction = [micros / 10_000, micros / 100 % 100, micros % 100];
        let mut text = *b"HH:MM:SS.ffffff";
        let numbers = time.into_iter().chain(fraction);
        for (at, number) in [0, 3, 6, 9, 11, 13].into_iter().zip(numbers) {
            text[at] = b'0' + (number / 10) as u8;
            text[at + 1] = b'0' + (number % 10) as u8;
        }
        text
    }

    pub(crate) fn unix_second(self) -> u64 {
        self.0 / MICROS_PER_SECOND
    }

    pub(crate) fn seconds_to_midnight(self) -> u64 {
        (MICROS_PER_DAY - self.0 % MICROS_PER_DAY) / MICROS_PER_SECOND
    }

    pub(crate) fn midnight(self) -> Self {
        Self(self.0 - self.0 % MICROS_PER_DAY)
    }

    /// Returns the first moment of the next day, if there is one.
    pub(crate) fn next_midnight(self) -> Option<Self> {
        let next = self.midnight().0 + MICROS_PER_DAY;
        (next < END_MICROS).then_some(Self(next))
    }

    /// Formats the moment for pages, to the second.
    pub(super) fn for_people(self) -> String {
        let time_of_day = self.time_of_day();
        let time = String::from_utf8_lossy(&time_of_day[.."HH:MM:SS".len()]);
        format!("{}, {time} UTC", self.date().strftime("%-d %B %Y"))
    }
}

impl fmt::Display for Moment {
    /// Writes the contract's form, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{}Z", self.date(), String::from_utf8_lossy(&self.time_of_day()))
    }
}

impl FromStr for Moment {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Parsed as a civil time, because jiff's timestamps end a day before the year 9999 does. jiff
        // accepts more forms than the contract, and some of them mean another time.
        let text = text.strip_suffix('Z').ok_or(EXPECTED)?;
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let civil: DateTime = text.parse().map_err(|_| EXPECTED)?;
        let is_same = civil.strftime("%Y-%m-%dT%H:%M:%S").to_string() == whole;
        if !is_same || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(EXPECTED);
        }
        let since_epoch = civil.duration_since(FIRST_DATE.to_datetime(Default::default()));
        let micros = u64::try_from(since_epoch.as_micros()).map_err(|_| EXPECTED)?;
        if micros < END_MICROS { Ok(Self(micros)) } else { Err(EXPECTED) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Moment {
        /// Returns the time since 1970 began.
        pub(crate) fn since_epoch(self) -> Duration {
            Duration::from_micros(self.0)
        }
    }

    #[test]
    fn the_last_day_is_the_last_of_year_9999() {
        let last = Moment(END_MICROS - 1);
        assert_eq!(last.to_string(), "9999-12-31T23:59:59.999999Z");
        assert_eq!(last.to_string().parse(), Ok(last));
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
