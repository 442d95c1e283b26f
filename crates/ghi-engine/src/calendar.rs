//! Dates: how they are written, and which of them have data.

use jiff::civil::{Date, date};

pub(crate) const FIRST: Date = date(1, 1, 1);

/// Days since 1970-01-01, negative before it.
pub(crate) fn day_number(day: Date) -> i64 {
    day.duration_since(date(1970, 1, 1)).as_hours() / 24
}

/// The date of a day number, or the nearest date from year 1 to 9999.
pub(crate) fn date_of(number: i64) -> Date {
    let number = number.clamp(day_number(FIRST), day_number(Date::MAX));
    date(1970, 1, 1).saturating_add(jiff::Span::new().days(number))
}

/// Parses a date in the form `YYYY-MM-DD`. Other ISO 8601 forms are refused.
pub fn parse_date(text: &str) -> Result<Date, InvalidDate> {
    let date: Option<Date> = text.parse().ok();
    date.filter(|date| *date >= FIRST && date.to_string() == text).ok_or(InvalidDate)
}

/// The error for a string that is not a valid date. Its message follows the name of a field or flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be a valid date in the form YYYY-MM-DD, such as 2026-11-15, from 0001-01-01 to 9999-12-31"
)]
pub struct InvalidDate;

/// The first and the last day with data: the years 1 to 9999, or the dates that the dated series cover.
/// There may be gaps in between; [`Model::overlap`](crate::Model::overlap) takes them into account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The first day.
    pub first: Date,
    /// The last day.
    pub last: Date,
}

/// The error for a day that the dated series do not cover. Missing data is never made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "No data for {date}. Data runs from {} to {}{}.", coverage.first, coverage.last,
    gap.map(|gap| format!(", with a gap {}", dates_of_gap(gap))).unwrap_or_default()
)]
pub struct NoFigures {
    pub(crate) date: Date,
    pub(crate) coverage: Coverage,
    /// The first and the last day of the gap that the day is in, if it is within the coverage.
    pub(crate) gap: Option<(Date, Date)>,
}

/// Writes `from 2024-02-10 to 2024-02-29`, or `on 2024-02-10`.
pub(crate) fn dates_of_gap((first, last): (Date, Date)) -> String {
    if first == last { format!("on {first}") } else { format!("from {first} to {last}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_date_format_is_accepted() {
        assert_eq!(parse_date("2024-02-29"), Ok(date(2024, 2, 29)));
        assert_eq!(parse_date("0001-01-01"), Ok(FIRST));
        assert_eq!(parse_date("9999-12-31"), Ok(Date::MAX));
        for text in ["2028-04-31", "2026-02-29", "2026-13-01", "2026-11-00", "0000-12-31"] {
            assert_eq!(parse_date(text), Err(InvalidDate), "{text:?}");
        }
        for text in [
            "",
            "2026-11",
            "2026-1-1",
            "20261115",
            "2026-W46-7",
            "2026-11-15T00:00:00",
            " 2026-11-15",
            "-0001-01-01",
            "+002026-11-15",
            "10000-01-01",
            "2026/11/15",
            "today",
            "２０２６-11-15",
        ] {
            assert_eq!(parse_date(text), Err(InvalidDate), "{text:?}");
        }
    }
}
