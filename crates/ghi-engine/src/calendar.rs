//! Days, and which of them have figures.

use std::fmt;

use jiff::civil::{Date, date};

/// The day that others are counted from.
const EPOCH: Date = date(1970, 1, 1);

/// Days since 1970-01-01, negative before it.
pub(crate) fn day_number(day: Date) -> i64 {
    day.duration_since(EPOCH).as_hours() / 24
}

/// The day of a number that [`day_number`] gave; the nearest one of years 1 to 9999 otherwise.
pub(crate) fn date_of(number: i64) -> Date {
    let number = number.clamp(day_number(date(1, 1, 1)), day_number(Date::MAX));
    EPOCH.saturating_add(jiff::Span::new().days(number))
}

/// The days that there are figures of: all of years 1 to 9999, or what dated series cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    first: Date,
    last: Date,
}

impl Coverage {
    /// From the first and the last covered day, if there are bounds at all.
    pub(crate) fn new(covered: Option<(i64, i64)>) -> Self {
        let (first, last) = match covered {
            Some((first, last)) => (date_of(first), date_of(last)),
            None => (date(1, 1, 1), Date::MAX),
        };
        Self { first, last }
    }

    /// The first day.
    pub fn first(self) -> Date {
        self.first
    }

    /// The last day.
    pub fn last(self) -> Date {
        self.last
    }

    /// The first and the last of some days in a row that there are figures of.
    pub fn overlap(self, first: Date, last: Date) -> Result<(Date, Date), NoFigures> {
        let overlap = (first.max(self.first), last.min(self.last));
        if overlap.0 <= overlap.1 {
            Ok(overlap)
        } else {
            Err(NoFigures { date: first, coverage: self })
        }
    }

    /// Whether there are figures of a day.
    pub fn check(self, date: Date) -> Result<(), NoFigures> {
        if (self.first..=self.last).contains(&date) {
            Ok(())
        } else {
            Err(NoFigures { date, coverage: self })
        }
    }
}

impl fmt::Display for Coverage {
    /// `2024-01-01 to 2024-12-31`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.first, self.last)
    }
}

/// A day that the inputs' series do not cover. Nothing is invented for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoFigures {
    date: Date,
    coverage: Coverage,
}

impl fmt::Display for NoFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { date, coverage } = self;
        write!(f, "There are no figures of {date}: the series of the inputs cover {coverage}.")
    }
}

impl std::error::Error for NoFigures {}
