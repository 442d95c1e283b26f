//! The days that pages, charts and tables show.

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

/// The most region-days (days × regions) for which a range with a point per week has seven-day averages, which need the
/// days in between.
const MEANS_REGION_DAYS_MAX: usize = 400_000;

const MEAN_DAYS: usize = 7;

/// The number of days that tell whether costs change often.
const RECENT_DAYS: usize = 90;

impl Range {
    /// All ranges, the shortest first.
    pub const ALL: [Self; 6] =
        [Self::Week, Self::Month, Self::Quarter, Self::Year, Self::FiveYears, Self::All];

    /// Returns its name in requests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Week => "7d",
            Self::Month => "30d",
            Self::Quarter => "90d",
            Self::Year => "1y",
            Self::FiveYears => "5y",
            Self::All => "all",
        }
    }

    /// Returns its name on a page.
    pub fn label(self) -> &'static str {
        ["7 days", "30 days", "90 days", "1 year", "5 years", "All"][self as usize]
    }

    /// Returns how many days it has.
    pub fn days(self) -> u16 {
        [7, 30, 90, 365, 1_826, 11_000][self as usize]
    }

    /// Returns whether charts and pages show one day per week.
    pub fn is_weekly(self) -> bool {
        self.days() > Self::Year.days()
    }

    /// Returns whether charts of a network with this many regions have seven-day averages.
    pub fn has_means(self, regions: usize) -> bool {
        let is_affordable = usize::from(self.days()) * regions <= MEANS_REGION_DAYS_MAX;
        self.days() >= Self::Quarter.days() && (is_affordable || !self.is_weekly())
    }
}

/// The costs of a scope on each day of a range, or on one day per week of a long range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// The days of the range that have data, the oldest first: at least one.
    pub days: Vec<(Date, Costs)>,
    /// The point before the first of them, if it has data.
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
        let known = known.unwrap_or_default();
        let costs = |date: Date| Some((date, costs_on(date, known, model, scope)?));
        let step = if range.is_weekly() { 7 } else { 1 };
        let back = last.series((-step).days()).take_while(|date| *date >= first);
        let mut dates: Vec<Date> = back.collect();
        dates.reverse();
        let before = dates[0].checked_sub(step.days()).ok().and_then(costs);
        Ok(Self { days: dates.into_iter().filter_map(costs).collect(), before })
    }

    /// Returns whether costs change on at least a third of the last days. In a series of steps, a mean would only blur
    /// them.
    pub(crate) fn changes_often(&self, model: &Model, scope: Scope) -> bool {
        let recent = self.last().0.series((-1).day()).take(RECENT_DAYS);
        let recent = recent.take_while(|date| *date >= self.days[0].0);
        let costs = recent.filter_map(|date| costs_on(date, &self.days, model, scope));
        let costs: Vec<Costs> = costs.collect();
        let changes = costs.windows(2).filter(|pair| pair[0] != pair[1]).count();
        3 * changes >= costs.len()
    }

    /// Returns the means of the averages of seven days, as far as they have data: one for the point before the first
    /// and one for each day.
    pub(crate) fn means(&self, model: &Model, scope: Scope) -> Vec<(Date, Decimal)> {
        let average = |date| Some(costs_on(date, &self.days, model, scope)?.avg_usd);
        let mean = |(last, _): &(Date, Costs)| {
            let week: Vec<Decimal> =
                last.series((-1).day()).take(MEAN_DAYS).filter_map(average).collect();
            let sum: u128 = week.iter().map(|cost| u128::from(cost.count())).sum();
            let (known, decimals) = (week.len() as u128, week.first()?.decimals());
            let count = u64::try_from((sum + known / 2) / known).ok()?;
            Some((*last, Decimal::new(count, decimals)))
        };
        self.before.iter().chain(&self.days).filter_map(mean).collect()
    }

    /// Returns the point that the last one is compared with: the one before the first or, if that has no data, the first.
    pub fn base(&self) -> (Date, Costs) {
        self.before.unwrap_or(self.days[0])
    }

    /// Returns the last day.
    pub fn last(&self) -> (Date, Costs) {
        self.days[self.days.len() - 1]
    }
}

/// Returns the costs of a date, from those that are known if it is one of them.
fn costs_on(date: Date, known: &[(Date, Costs)], model: &Model, scope: Scope) -> Option<Costs> {
    match known.binary_search_by_key(&date, |day| day.0) {
        Ok(index) => Some(known[index].1),
        Err(_) => model.costs(scope, date).ok(),
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
            assert_eq!(past.days[0], (ago, model.day(ago).unwrap().global));
            let before = ago.saturating_sub(step.days());
            assert_eq!(past.before, Some((before, model.day(before).unwrap().global)));
        }
    }

    #[test]
    fn a_mean_covers_the_week_that_ends_on_its_day() {
        let model = Model::new(Inputs::default());
        for (regions, weekly) in [(3, true), (256, false)] {
            let has_means = Range::ALL.map(|range| range.has_means(regions));
            assert_eq!(has_means, [false, false, true, true, weekly, weekly]);
        }
        for range in [Range::Quarter, Range::Year, Range::FiveYears, Range::All] {
            let past = Past::new(&model, None, Scope::Global, range, LAST).unwrap();
            let means = past.means(&model, Scope::Global);
            assert_eq!(means.len(), 1 + past.days.len());
            let days = past.before.iter().chain(&past.days);
            for ((day, _), (date, mean)) in days.zip(&means).step_by(25) {
                assert_eq!(date, day);
                let week = (0..7).map(|ago| model.day(*date - ago.days()).unwrap().global.avg_usd);
                let sum: f64 = week.map(Decimal::to_f64).sum();
                assert!((mean.to_f64() - sum / 7.0).abs() < 0.006, "{range:?} {date}");
            }
        }
    }

    #[test]
    fn every_scope_has_the_same_points() {
        let regions = (0..256).map(|index| {
            let share = if index == 0 { "74.5" } else { "0.1" };
            format!("[[region]]\nid = \"r{index}\"\nname = \"R{index}\"\nhashrate_share_pct = {share}\nefficiency_j_per_th = {{ best = 16, mean = 18, worst = 20 }}\nelectricity_usd_per_kwh = {{ low = 0.04, mean = 0.05, high = 0.06 }}\n")
        });
        let head = ghi_engine::DEFAULT_INPUTS.split("[[region]]").next().unwrap();
        let inputs = head.to_owned() + &regions.collect::<String>();
        let model = Model::new(Inputs::parse(&inputs).unwrap());
        let region = Scope::Region(model.registry().indices().next().unwrap());
        let dates = [Scope::Global, region].map(|scope| {
            let past = Past::new(&model, None, scope, Range::All, LAST).unwrap();
            past.days.iter().map(|day| day.0).collect::<Vec<_>>()
        });
        assert_eq!(dates[0], dates[1]);
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
        assert_eq!(past.days[0].0, date(1, 1, 1));
        let past = Past::new(&model, None, Scope::Global, Range::Year, day).unwrap();
        // The first day is its own mean.
        let first = past.days[0];
        assert_eq!(past.means(&model, Scope::Global)[0], (first.0, first.1.avg_usd));
    }
}
