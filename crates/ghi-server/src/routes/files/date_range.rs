//! The range of dates of a table.

use ghi_contract::HISTORY_DAYS;
use ghi_display::grouped;
use ghi_engine::{Model, NoFigures};
use jiff::ToSpan;
use jiff::civil::Date;

/// The first date that has data.
const FIRST: Date = Date::constant(1, 1, 1);

const BACKWARDS: &str = r#""from" must not be after "to"."#;
const AFTER_TODAY: &str = r#""from" must not be after today (UTC) unless "to" is given, because the range then ends today."#;

/// A range of 1 to [`MAX_DAYS`](Self::MAX_DAYS) days, including its first and last day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DateRange {
    pub(crate) first: Date,
    pub(crate) last: Date,
}

impl DateRange {
    /// The maximum number of days: thirty years.
    pub(crate) const MAX_DAYS: i32 = 11_000;

    /// Creates a range from its first and last day. The last day defaults to today, the first to six days
    /// before the last. Returns `None` if neither is given.
    pub(crate) fn new(
        from: Option<Date>,
        to: Option<Date>,
        today: Date,
    ) -> Result<Option<Self>, String> {
        let range = match (from, to) {
            (None, None) => return Ok(None),
            (None, Some(to)) => Self::week_up_to(to),
            (Some(from), None) if from > today => return Err(AFTER_TODAY.into()),
            (Some(first), None) => Self { first, last: today },
            (Some(from), Some(to)) if from > to => return Err(BACKWARDS.into()),
            (Some(first), Some(last)) => Self { first, last },
        };
        if range.day_count() > Self::MAX_DAYS {
            let most = grouped(Self::MAX_DAYS);
            return Err(format!(
                r#""from" and "to" must span at most {most} days; without "to", the range ends today."#
            ));
        }
        Ok(Some(range))
    }

    /// As many days as the history has, up to a date.
    pub(crate) fn week_up_to(last: Date) -> Self {
        Self::up_to(last, HISTORY_DAYS as u16)
    }

    /// Returns the range of this many days up to a date; fewer if the calendar begins later.
    pub(crate) fn up_to(last: Date, days: u16) -> Self {
        let before = (i64::from(days) - 1).days();
        Self { first: last.saturating_sub(before).max(FIRST), last }
    }

    /// Limits the range to its first and last day with data.
    pub(crate) fn within(self, model: &Model) -> Result<Self, NoFigures> {
        let (first, last) = model.overlap(self.first, self.last)?;
        Ok(Self { first, last })
    }

    fn day_count(self) -> i32 {
        (self.last - self.first).get_days() + 1
    }

    /// Returns the day after a date in the range, or `None` after the last.
    pub(crate) fn day_after(self, date: Date) -> Option<Date> {
        date.tomorrow().ok().filter(|next| *next <= self.last)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    const TODAY: Date = date(2026, 11, 15);

    #[track_caller]
    fn check(from: &str, to: &str, expected: Result<Option<[&str; 2]>, &str>) {
        let [from, to] = [from, to].map(|text| (text != "-").then(|| text.parse().unwrap()));
        let range = DateRange::new(from, to, TODAY);
        let dates = range.map(|range| range.map(|r| [r.first, r.last].map(|d| d.to_string())));
        let expected = expected.map(|range| range.map(|dates| dates.map(String::from)));
        assert_eq!(dates, expected.map_err(String::from), "{from:?} to {to:?}");
    }

    #[test]
    fn a_range_defaults_to_the_week_up_to_today() {
        check("-", "-", Ok(None));
        check("2026-11-01", "-", Ok(Some(["2026-11-01", "2026-11-15"])));
        check("2026-11-15", "-", Ok(Some(["2026-11-15", "2026-11-15"])));
        check("-", "2026-11-03", Ok(Some(["2026-10-28", "2026-11-03"])));
        check("-", "2030-01-01", Ok(Some(["2029-12-26", "2030-01-01"])));
        check("-", "0001-01-03", Ok(Some(["0001-01-01", "0001-01-03"])));
        check("2030-01-01", "2030-01-01", Ok(Some(["2030-01-01", "2030-01-01"])));
    }

    #[test]
    fn an_invalid_range_is_rejected() {
        check("2026-11-16", "-", Err(AFTER_TODAY));
        check("2026-11-16", "2026-11-15", Err(BACKWARDS));
        check("1996-10-04", "-", Ok(Some(["1996-10-04", "2026-11-15"])));
        let too_long =
            r#""from" and "to" must span at most 11,000 days; without "to", the range ends today."#;
        check("1996-10-03", "-", Err(too_long));
        check("0001-01-01", "9999-12-31", Err(too_long));
    }

    proptest! {
        #[test]
        fn a_range_has_each_of_its_days_once(start in -700_000_i32..2_900_000, length in 1_i32..=11_000) {
            let first = date(1970, 1, 1).saturating_add(start.days()).max(FIRST);
            let last = first.saturating_add((length - 1).days());
            let range = DateRange::new(Some(first), Some(last), TODAY).unwrap().unwrap();
            let next = |date: &Date| range.day_after(*date);
            let days: Vec<Date> = std::iter::successors(Some(range.first), next).collect();
            prop_assert_eq!(days.len(), usize::try_from(range.day_count()).unwrap());
            prop_assert_eq!((days[0], days[days.len() - 1]), (first, last));
            prop_assert!(days.is_sorted() && days.len() <= 11_000);
        }
    }
}
