//! Days as numbers.

use jiff::ToSpan;
use jiff::civil::{Date, date};

/// The day from which days are counted.
const DAY_ZERO: Date = date(1970, 1, 1);

/// Days since 1970-01-01, negative before it.
pub(crate) fn day_number(day: Date) -> i64 {
    day.duration_since(DAY_ZERO).as_hours() / 24
}

/// The day of a number; the nearest that there is where the calendar ends.
pub(crate) fn date_of(number: i64) -> Date {
    DAY_ZERO.saturating_add(number.days())
}
