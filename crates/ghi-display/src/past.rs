//! The days that pages, charts and tables show.

use std::collections::VecDeque;

use ghi_engine::{Costs, Decimal, Model, NoFigures, Scope};
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

/// How many region-days (days × regions) a long range computes. With more regions, it has no seven-day
/// averages; with even more, its points are farther apart.
const REGION_DAYS_MAX: usize = 400_000;

/// The number of days in an average.
const MEAN_DAYS: i64 = 7;

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
    /// For each of these days, the mean of the averages of the week that ends on it. Empty for short ranges, and
    /// if costs change on few days.
    pub means: Vec<(Date, Decimal)>,
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
        let regions = if scope == Scope::Global { model.registry().regions().len() } else { 1 };
        let region_days = usize::from(range.days()) * regions;
        let step = match range.is_weekly() {
            true => 7 * (1 + region_days / 7 / REGION_DAYS_MAX) as i64,
            false => 1,
        };
        let back = last.series((-step).days()).take_while(|date| *date >= first);
        let mut dates: Vec<Date> = back.collect();
        dates.reverse();
        let before = dates[0].checked_sub(step.days()).ok().and_then(costs);
        let days: Vec<(Date, Costs)> = dates.into_iter().filter_map(costs).collect();
        let is_affordable = !range.is_weekly() || region_days <= REGION_DAYS_MAX;
        // In a series of steps, a mean would only blur them.
        let changes = days.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
        let is_smoothed = is_affordable && 3 * changes >= days.len();
        let means = match range.days() >= Range::Quarter.days() && is_smoothed {
            true => means(before.iter().chain(&days), costs),
            false => Vec::new(),
        };
        Ok(Self { days, before, means })
    }

    /// Returns the first day.
    pub fn first(&self) -> (Date, Costs) {
        self.days[0]
    }

    /// Returns the day that the last one is compared with: the day before the first, if it has data.
    pub fn base(&self) -> (Date, Costs) {
        self.before.unwrap_or(self.first())
    }

    /// Returns the last day.
    pub fn last(&self) -> (Date, Costs) {
        self.days[self.days.len() - 1]
    }
}

/// Returns the mean of the averages of the week that ends on each of these days, as far as it has data.
fn means<'a>(
    days: impl Iterator<Item = &'a (Date, Costs)>,
    costs: impl Fn(Date) -> Option<(Date, Costs)>,
) -> Vec<(Date, Decimal)> {
    // For consecutive days, most of the week is reused.
    let mut week: VecDeque<(Date, Decimal)> = VecDeque::new();
    let mean = |(last, _): &(Date, Costs)| {
        let first = last.saturating_sub((MEAN_DAYS - 1).days());
        week.retain(|day| day.0 >= first);
        let next = week.back().map_or(first, |day| day.0.saturating_add(1.day()));
        let new = next.series(1.day()).take_while(|date| date <= last).filter_map(&costs);
        week.extend(new.map(|(date, costs)| (date, costs.avg_usd)));
        let sum: u128 = week.iter().map(|day| u128::from(day.1.count())).sum();
        let (known, decimals) = (week.len() as u128, week.back()?.1.decimals());
        let count = u64::try_from((sum + known / 2) / known).ok()?;
        Some((*last, Decimal::new(count, decimals)))
    };
    days.filter_map(mean).collect()
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
    fn a_mean_covers_the_week_that_ends_on_its_day() {
        let model = Model::new(Inputs::default());
        for (range, has_means) in [
            (Range::Month, false),
            (Range::Quarter, true),
            (Range::Year, true),
            (Range::FiveYears, true),
            (Range::All, true),
        ] {
            let past = Past::new(&model, None, Scope::Global, range, LAST).unwrap();
            assert_eq!(past.means.len(), if has_means { 1 + past.days.len() } else { 0 });
            let days = past.before.iter().chain(&past.days);
            for ((day, _), (date, mean)) in days.zip(&past.means).step_by(25) {
                assert_eq!(date, day);
                let week = (0..7).map(|ago| model.day(*date - ago.days()).unwrap().global.avg_usd);
                let sum: f64 = week.map(Decimal::to_f64).sum();
                assert!((mean.to_f64() - sum / 7.0).abs() < 0.006, "{range:?} {date}");
            }
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
        let past = Past::new(&model, None, Scope::Global, Range::Year, day).unwrap();
        // The first day is its own mean.
        assert_eq!(past.means[0], (past.first().0, past.first().1.avg_usd));
    }
}
