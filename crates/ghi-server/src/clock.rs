//! Time is a value: one reading of the clock serves a whole response.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::ToSpan;
use jiff::civil::{Date, DateTime, date};

/// The first day that HTTP dates and Unix time agree on how to write.
const FIRST_DATE: Date = date(1970, 1, 1);

/// The number of 9999-12-31, the last day whose year has four digits.
const LAST_DAY: u32 = 2_932_896;

const MICROS_PER_SECOND: u64 = 1_000_000;
const MICROS_PER_DAY: u64 = 86_400 * MICROS_PER_SECOND;

/// The first microsecond after the last day.
const END_MICROS: u64 = (LAST_DAY as u64 + 1) * MICROS_PER_DAY;

/// A reading of the system's clock in microseconds since 1970. There is none while that clock stands
/// outside the years that HTTP can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UnixMicros(u64);

impl UnixMicros {
    /// What the system's clock says now.
    pub(crate) fn now() -> Option<Self> {
        Self::from_time(SystemTime::now())
    }

    fn from_time(time: SystemTime) -> Option<Self> {
        let since_epoch = time.duration_since(UNIX_EPOCH).ok()?;
        let of_seconds = since_epoch.as_secs().checked_mul(MICROS_PER_SECOND)?;
        Self::new(of_seconds + u64::from(since_epoch.subsec_micros()))
    }

    fn new(micros: u64) -> Option<Self> {
        (micros < END_MICROS).then_some(Self(micros))
    }

    /// The time since an earlier reading; none if the clock was set back meanwhile.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

/// A reading that tasks share: the last that was stored, 1970-01-01 before the first.
#[derive(Debug, Default)]
pub(crate) struct LastReading(AtomicU64);

impl LastReading {
    pub(crate) fn store(&self, reading: UnixMicros) {
        self.0.store(reading.0, Ordering::Relaxed);
    }

    pub(crate) fn load(&self) -> UnixMicros {
        UnixMicros(self.0.load(Ordering::Relaxed))
    }
}

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
    pub(crate) fn given(&self, system: Option<UnixMicros>) -> Option<Moment> {
        match &self.0 {
            Source::System => system.map(Moment::from),
            Source::Fixed(moment) => Some(*moment),
            Source::Running { from, speed, began } => {
                // A system clock that was set back before the start leaves this one there.
                let real_micros = system?.0.saturating_sub((*began)?.0);
                let micros = real_micros.saturating_mul(speed.get());
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

/// How many times as fast as the real time a clock runs: 1 to 86,400, with which a day takes a second.
///
/// ```
/// use ghi_server::Speed;
///
/// let speed: Speed = "3600".parse()?;
/// assert_eq!(speed.to_string(), "3,600");
/// assert_eq!(Speed::new(86_401), None);
/// # Ok::<(), ghi_server::InvalidSpeed>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed(u32);

impl Speed {
    /// That of the real time.
    pub const REAL: Self = Self(1);

    /// A day a second.
    pub const MAX: Self = Self(86_400);

    /// A speed; none if it is out of range.
    pub const fn new(times: u32) -> Option<Self> {
        if times >= Self::REAL.0 && times <= Self::MAX.0 { Some(Self(times)) } else { None }
    }

    pub(crate) fn get(self) -> u64 {
        self.0.into()
    }
}

impl fmt::Display for Speed {
    /// With its digits in groups of three.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 1000, self.0 % 1000) {
            (0, times) => write!(f, "{times}"),
            (thousands, rest) => write!(f, "{thousands},{rest:03}"),
        }
    }
}

impl FromStr for Speed {
    type Err = InvalidSpeed;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        let times = is_plain.then(|| text.parse().ok()).flatten();
        times.and_then(Self::new).ok_or(InvalidSpeed)
    }
}

/// The text is not a speed; its message says what would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidSpeed;

impl fmt::Display for InvalidSpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be a whole number from {} to {}", Speed::REAL.0, Speed::MAX.0)
    }
}

impl std::error::Error for InvalidSpeed {}

/// A point in time from 1970-01-01 to 9999-12-31, UTC, to the microsecond.
///
/// ```
/// use ghi_server::Moment;
///
/// let moment: Moment = "2028-02-29T12:00:00Z".parse()?;
/// assert_eq!(moment.to_string(), "2028-02-29T12:00:00.000000Z");
/// assert!("2028-02-30T12:00:00Z".parse::<Moment>().is_err());
/// # Ok::<(), ghi_server::InvalidMoment>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Days since 1970-01-01.
    day: u32,
    micros_of_day: u64,
}

impl Moment {
    /// The contract's form, without a fraction where that is zero.
    pub(crate) fn in_short(self) -> String {
        self.to_string().replace(".000000Z", "Z")
    }

    /// The UTC day, counted from 1970-01-01.
    pub(crate) fn day(self) -> u32 {
        self.day
    }

    /// The UTC day.
    pub fn date(self) -> Date {
        FIRST_DATE.checked_add(i64::from(self.day).days()).expect("LAST_DAY is a date")
    }

    /// The time of the day as `HH:MM:SS.ffffff`.
    pub(crate) fn time_of_day(self) -> [u8; 15] {
        let mut text = *b"00:00:00.000000";
        let seconds = self.second_of_day();
        write_digits(&mut text[0..2], seconds / 3600);
        write_digits(&mut text[3..5], seconds / 60 % 60);
        write_digits(&mut text[6..8], seconds % 60);
        write_digits(&mut text[9..15], self.micros_of_day % MICROS_PER_SECOND);
        text
    }

    /// Whole seconds since the day began.
    pub(crate) fn second_of_day(self) -> u64 {
        self.micros_of_day / MICROS_PER_SECOND
    }

    /// Whole seconds that are left of the day.
    pub(crate) fn seconds_to_midnight(self) -> u64 {
        (MICROS_PER_DAY - self.micros_of_day) / MICROS_PER_SECOND
    }

    /// The first moment of the next day, if there is one.
    pub(crate) fn next_midnight(self) -> Option<Self> {
        (self.day < LAST_DAY).then_some(Self { day: self.day + 1, micros_of_day: 0 })
    }

    /// Microseconds since 1970 began.
    fn micros(self) -> u64 {
        u64::from(self.day) * MICROS_PER_DAY + self.micros_of_day
    }

    /// The time since 1970 began.
    #[cfg(test)]
    pub(crate) fn since_epoch(self) -> Duration {
        Duration::from_micros(self.micros())
    }

    /// To the second, for pages.
    fn for_people(self) -> String {
        let time_of_day = self.time_of_day();
        let time = String::from_utf8_lossy(&time_of_day[.."HH:MM:SS".len()]);
        format!("{}, {time} UTC", self.date().strftime("%-d %B %Y"))
    }

    /// The first moment of the same day.
    pub(crate) fn midnight(self) -> Self {
        Self { micros_of_day: 0, ..self }
    }
}

impl From<UnixMicros> for Moment {
    fn from(UnixMicros(micros): UnixMicros) -> Self {
        Self { day: (micros / MICROS_PER_DAY) as u32, micros_of_day: micros % MICROS_PER_DAY }
    }
}

/// Writes a number over the whole of a slice of zeros.
fn write_digits(slots: &mut [u8], mut number: u64) {
    for slot in slots.iter_mut().rev() {
        *slot = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

impl fmt::Display for Moment {
    /// The contract's form, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{}Z", self.date(), String::from_utf8_lossy(&self.time_of_day()))
    }
}

impl FromStr for Moment {
    type Err = InvalidMoment;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // As a civil time, since jiff's instants end a day before the year 9999 does. jiff takes
        // more forms of it than the contract knows, and some of them mean another time.
        let civil = text.strip_suffix('Z').filter(|civil| has_contract_form(civil));
        let civil: DateTime = civil.and_then(|civil| civil.parse().ok()).ok_or(InvalidMoment)?;
        let since_epoch = civil.duration_since(FIRST_DATE.to_datetime(Default::default()));
        let micros = u64::try_from(since_epoch.as_micros()).map_err(|_| InvalidMoment)?;
        UnixMicros::new(micros).map(Self::from).ok_or(InvalidMoment)
    }
}

/// Whether a text is `YYYY-MM-DDTHH:MM:SS`, with or without a fraction, and no leap second.
fn has_contract_form(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let form = b"0000-00-00T00:00:00";
    let alike = |(byte, form): (u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == *form,
    };
    whole.len() == form.len()
        && std::iter::zip(whole.bytes(), form).all(alike)
        && !whole.ends_with("60")
        && (1..=9).contains(&fraction.len())
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

/// The text is not a moment; its message says what would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidMoment;

impl fmt::Display for InvalidMoment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "must be a UTC time such as 2026-11-15T12:00:00Z, from 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z",
        )
    }
}

impl std::error::Error for InvalidMoment {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_day_is_the_last_of_year_9999() {
        let last = Moment { day: LAST_DAY, micros_of_day: MICROS_PER_DAY - 1 };
        assert_eq!(last.to_string(), "9999-12-31T23:59:59.999999Z");
        assert_eq!(last.to_string().parse(), Ok(last));
        assert_eq!(last.date(), Date::MAX);
    }

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

    #[test]
    fn a_moment_is_utc_complete_and_within_the_range() {
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
            assert_eq!(text.parse::<Moment>(), Err(InvalidMoment), "{text:?}");
        }
    }

    #[test]
    fn a_moment_is_cut_to_the_microsecond_and_never_rounded_into_tomorrow() {
        let moment: Moment = "2026-12-31T23:59:59.999999999Z".parse().unwrap();
        assert_eq!(moment.to_string(), "2026-12-31T23:59:59.999999Z");
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
    fn a_speed_is_a_whole_number_up_to_a_day_a_second() {
        for text in ["", "0", "86401", "1.5", "-1", "+1", " 1", "1e3", "1,000", "99999999999", "٣"]
        {
            assert_eq!(text.parse::<Speed>(), Err(InvalidSpeed), "{text:?}");
        }
        for (text, shown) in [("1", "1"), ("999", "999"), ("1001", "1,001"), ("86400", "86,400")] {
            assert_eq!(text.parse::<Speed>().unwrap().to_string(), shown);
        }
        assert_eq!(InvalidSpeed.to_string(), "must be a whole number from 1 to 86400");
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
                Clock::running(noon, Speed(60)),
                "runs 60 times as fast from 2026-11-15T12:00:00.000000Z",
                sentence("runs 60 times as fast from 15 November 2026, 12:00:00 UTC"),
            ),
        ] {
            assert_eq!((&*clock.to_string(), clock.notice()), (said, notice));
        }
    }
}
