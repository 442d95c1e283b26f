//! The days that pages, charts and tables show.

use ghi_engine::{Costs, Model, NoFigures, Scope};
use jiff::ToSpan;
use jiff::civil::Date;

/// A range of days up to a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Range {
    /// 7 days.
    Week,
    /// 30 days.
    Month,
    /// 90 days.
    Quarter,
    /// 365 days.
    Year,
}

impl Range {
    /// All ranges, the shortest first.
    pub const ALL: [Self; 4] = [Self::Week, Self::Month, Self::Quarter, Self::Year];

    /// Returns its name in requests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Week => "7d",
            Self::Month => "30d",
            Self::Quarter => "90d",
            Self::Year => "1y",
        }
    }

    /// Returns how many days before the last day the range begins.
    pub fn days(self) -> u16 {
        match self {
            Self::Week => 7,
            Self::Month => 30,
            Self::Quarter => 90,
            Self::Year => 365,
        }
    }
}

/// The costs of a scope on each day of a range, both ends included, and on the day before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// The days of the range that have data, the oldest first: at least one.
    pub days: Vec<(Date, Costs)>,
    /// The day before the first of them, if it has data.
    pub before: Option<(Date, Costs)>,
}

impl Past {
    /// Computes the days of a range up to a date, except those that are already known.
    pub fn new(
        model: &Model,
        known: Option<&[(Date, Costs)]>,
        scope: Scope,
        range: Range,
        last: Date,
    ) -> Result<Self, NoFigures> {
        let first = last.saturating_sub(i64::from(range.days()).days());
        let (first, last) = model.overlap(first, last)?;
        let costs = |date: Date| {
            let known = known.and_then(|days| {
                let index = days.binary_search_by_key(&date, |day| day.0).ok()?;
                Some(days[index])
            });
            known.or_else(|| Some((date, model.costs(scope, date).ok()?)))
        };
        let days = first.series(1.day()).take_while(|date| *date <= last).filter_map(costs);
        Ok(Self { days: days.collect(), before: first.yesterday().ok().and_then(costs) })
    }

    /// Returns the first day.
    pub fn first(&self) -> (Date, Costs) {
        self.days[0]
    }

    /// Returns the last day.
    pub fn last(&self) -> (Date, Costs) {
        self.days[self.days.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;
    use jiff::civil::date;

    use super::*;

    const LAST: Date = date(2026, 11, 16);

    #[test]
    fn a_range_has_its_days_and_the_day_before() {
        let model = Model::new(Inputs::default());
        for range in Range::ALL {
            let past = Past::new(&model, None, Scope::Global, range, LAST).unwrap();
            assert_eq!(past.days.len(), usize::from(range.days()) + 1);
            assert_eq!(past.last(), (LAST, model.day(LAST).unwrap().global));
            let ago = LAST.saturating_sub(i64::from(range.days()).days());
            assert_eq!(past.first(), (ago, model.day(ago).unwrap().global));
            let before = ago.yesterday().unwrap();
            assert_eq!(past.before, Some((before, model.day(before).unwrap().global)));
        }
    }

    #[test]
    fn known_days_are_not_computed_again() {
        let model = Model::new(Inputs::default());
        let other = Past::new(&model, None, Scope::Global, Range::Year, date(2020, 1, 1)).unwrap();
        let known = [(LAST, other.days[0].1)];
        let past = Past::new(&model, Some(&known), Scope::Global, Range::Week, LAST).unwrap();
        assert_eq!(past.last(), known[0]);
    }

    #[test]
    fn a_range_begins_no_earlier_than_the_calendar() {
        let model = Model::new(Inputs::default());
        let day = date(1, 1, 3);
        let past = Past::new(&model, None, Scope::Global, Range::Month, day).unwrap();
        assert_eq!((past.days.len(), past.before), (3, None));
        assert_eq!(past.first().0, date(1, 1, 1));
    }
}
