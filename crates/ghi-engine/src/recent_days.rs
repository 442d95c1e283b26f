//! The days of a history, and the days that changes are measured from.

use ghi_contract::HISTORY_DAYS;
use jiff::ToSpan;
use jiff::civil::Date;

use crate::calendar::NoFigures;
use crate::day::{Costs, Day};
use crate::decimal::Decimal;
use crate::model::{Model, global};
use crate::registry::Scope;

/// A day and the seven before it: the history, and the day a week ago. Some may have no data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentDays([Result<Day, NoFigures>; HISTORY_DAYS + 1]);

impl RecentDays {
    /// The days up to a date. Days before the first day of the calendar are replaced with that day.
    pub fn up_to(date: Date, model: &Model) -> Self {
        let back = |index: usize| ((HISTORY_DAYS - index) as i64).days();
        Self(std::array::from_fn(|index| model.day(date.saturating_sub(back(index)))))
    }

    fn day(&self, index: usize) -> Result<&Day, NoFigures> {
        self.0[index].as_ref().map_err(|no_figures| *no_figures)
    }

    /// The last day.
    pub fn today(&self) -> Result<&Day, NoFigures> {
        self.day(HISTORY_DAYS)
    }

    /// The day before it.
    pub fn yesterday(&self) -> Result<&Day, NoFigures> {
        self.day(HISTORY_DAYS - 1)
    }

    /// The day a week before it.
    pub fn week_ago(&self) -> Result<&Day, NoFigures> {
        self.day(0)
    }

    /// The same days, with the last day's costs multiplied by this percentage.
    pub fn with_costs_today_at(&self, percent: u64) -> Self {
        let scaled =
            |cost: Decimal| Decimal::new((cost.count() * percent + 50) / 100, cost.decimals());
        let mut days = self.clone();
        if let Ok(today) = &mut days.0[HISTORY_DAYS] {
            for costs in &mut today.regions {
                *costs = Costs::each(|kind| scaled(costs.get(kind)));
            }
            today.global = global(&today.regions, &today.hashrate_shares_pct);
        }
        days
    }

    /// The same days, all with the costs of the last one. Days without data stay without data.
    pub fn with_equal_costs(&self) -> Self {
        let mut days = self.clone();
        if let Ok(today) = self.today() {
            for day in days.0.iter_mut().flatten() {
                (day.global, day.regions) = (today.global, today.regions.clone());
            }
        }
        days
    }

    /// The seven days of the history, oldest first, with the costs of a scope. Fails if a day has no data.
    pub fn history(&self, scope: Scope) -> Result<Vec<(Date, Costs)>, NoFigures> {
        (1..=HISTORY_DAYS)
            .map(|index| self.day(index).map(|day| (day.date, scope.costs(day))))
            .collect()
    }
}
