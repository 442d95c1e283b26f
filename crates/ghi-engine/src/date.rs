//! Dates as people and programs write them.

use std::fmt;

use jiff::civil::{Date, date};

/// The first day of the calendar.
const FIRST: Date = date(1, 1, 1);

/// A date as `YYYY-MM-DD`, and in no other way that ISO 8601 has.
///
/// ```
/// use ghi_engine::parse_date;
/// use jiff::civil::date;
///
/// assert_eq!(parse_date("2026-11-15"), Ok(date(2026, 11, 15)));
/// assert!(parse_date("2026-W46-7").is_err());
/// ```
pub fn parse_date(text: &str) -> Result<Date, InvalidDate> {
    let [year @ .., b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return Err(InvalidDate) };
    let mut digits = year.iter().chain([m1, m2, d1, d2]);
    let is_plain = year.len() == 4 && digits.all(u8::is_ascii_digit);
    let parsed = is_plain.then(|| text.parse().ok()).flatten();
    parsed.filter(|date| *date >= FIRST).ok_or(InvalidDate)
}

/// Why a text is no date. Its message says what would be right, behind the name of what is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidDate;

impl fmt::Display for InvalidDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "must be a date of the calendar as YYYY-MM-DD, such as 2026-11-15, from 0001-01-01 to 9999-12-31",
        )
    }
}

impl std::error::Error for InvalidDate {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_written_in_one_way() {
        assert_eq!(parse_date("2024-02-29"), Ok(date(2024, 2, 29)));
        assert_eq!(parse_date("0001-01-01"), Ok(FIRST));
        assert_eq!(parse_date("9999-12-31"), Ok(Date::MAX));
        for text in [
            "",
            "2026-11",
            "2026-1-1",
            "20261115",
            "2026-W46-7",
            "2026-11-31",
            "2026-02-29",
            "2026-11-15T00:00:00",
            " 2026-11-15",
            "0000-12-31",
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
