//! The days that pages, charts and tables show.

use ghi_engine::{Costs, Model, NoFigures, Scope};
use jiff::ToSpan;
use jiff::civil::Date;

/// A range of days that ends on a given day.
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
    /// 1,826 days.
    FiveYears,
    /// All days with data, at most 11,000.
    All,
}

/// How many region-days (days × regions) a long range computes. With more regions, its points are
/// farther apart.
const REGION_DAYS_MAX: usize = 400_000;

impl Range {
    /// All ranges, the shortest first.
    pub const ALL: [Self; 6] =
        [Self::Week, Self::Month, Self::Quarter, Self::Year, Self::FiveYears, Self::All];

    /// Returns its name in requests, its name on a page, and how many days it has.
    const fn describe(self) -> (&'static str, &'static str, u16) {
        match self {
            Self::Week => ("7d", "7 days", 7),
            Self::Month => ("30d", "30 days", 30),
            Self::Quarter => ("90d", "90 days", 90),
            Self::Year => ("1y", "1 year", 365),
            Self::FiveYears => ("5y", "5 years", 1_826),
            Self::All => ("all", "All", 11_000),
        }
    }

    /// Returns its name in requests.
    pub const fn name(self) -> &'static str {
        self.describe().0
    }

    /// Returns its name on a page.
    pub fn label(self) -> &'static str {
        self.describe().1
    }

    /// Returns how many days it has.
    pub fn days(self) -> u16 {
        self.describe().2
    }

    /// Returns whether charts and pages show one day per week.
    pub fn is_weekly(self) -> bool {
        self.days() > Self::Year.days()
    }
}

/// The costs of a scope on each day of a range, or on one day per week of a long range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// The days of the range that have data, the oldest first: at least one.
    pub days: Vec<(Date, Costs)>,
    /// The day, or the week, before the first of them, if it has data.
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
        let before = i64::from(range.days()) - 1;
        let (first, last) = model.overlap(last.saturating_sub(before.days()), last)?;
        let costs = |date: Date| {
            let known = known.and_then(|days| {
                let index = days.binary_search_by_key(&date, |day| day.0).ok()?;
                Some(days[index])
            });
            known.or_else(|| Some((date, model.costs(scope, date).ok()?)))
        };
        let step = step_days(model, scope, range);
        let back = last.series((-step).days()).take_while(|date| *date >= first);
        let mut dates: Vec<Date> = back.collect();
        dates.reverse();
        let before = dates[0].checked_sub(step.days()).ok().and_then(costs);
        Ok(Self { days: dates.into_iter().filter_map(costs).collect(), before })
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

/// Returns how many days lie between two points.
fn step_days(model: &Model, scope: Scope, range: Range) -> i64 {
    if !range.is_weekly() {
        return 1;
    }
    let regions = if scope == Scope::Global { model.registry().regions().len() } else { 1 };
    let weeks = 1 + usize::from(range.days()) / 7 * regions / REGION_DAYS_MAX;
    7 * weeks as i64
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
        for (range, points, step) in [
            (Range::Week, 7, 1),
            (Range::Month, 30, 1),
            (Range::Quarter, 90, 1),
            (Range::Year, 365, 1),
            (Range::FiveYears, 261, 7),
            (Range::All, 1_572, 7),
        ] {
            let past = Past::new(&model, None, Scope::Global, range, LAST).unwrap();
            assert_eq!(past.days.len(), points);
            assert_eq!(past.last(), (LAST, model.day(LAST).unwrap().global));
            let ago = LAST.saturating_sub(((points as i64 - 1) * step).days());
            assert_eq!(past.first(), (ago, model.day(ago).unwrap().global));
            let before = ago.saturating_sub(step.days());
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
