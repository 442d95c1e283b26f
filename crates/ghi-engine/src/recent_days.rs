//! The days that a history and its changes are made of.

use ghi_contract::HISTORY_DAYS;
use jiff::ToSpan;
use jiff::civil::Date;

use crate::figures::{Costs, Day};
use crate::model::Model;
use crate::scope::Scope;

/// A day and the seven before it: the history, and the day that today is a week after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentDays([Day; HISTORY_DAYS + 1]);

impl RecentDays {
    /// The days up to a date. Before the first day of the calendar comes that day again.
    ///
    /// ```
    /// use ghi_engine::{Inputs, Model, RecentDays, Scope};
    /// use jiff::civil::date;
    ///
    /// let days = RecentDays::up_to(date(2026, 11, 15), &Model::new(Inputs::default()));
    /// assert_eq!(days.yesterday().date, date(2026, 11, 14));
    /// assert_eq!(days.week_ago().date, date(2026, 11, 8));
    /// let history: Vec<_> = days.history(Scope::Global).collect();
    /// assert_eq!(history.len(), 7);
    /// assert_eq!(history[6], (date(2026, 11, 15), days.today().global));
    /// ```
    pub fn up_to(date: Date, model: &Model) -> Self {
        let back = |index: usize| ((HISTORY_DAYS - index) as i64).days();
        Self(std::array::from_fn(|index| model.day(date.saturating_sub(back(index)))))
    }

    /// The last day.
    pub fn today(&self) -> &Day {
        &self.0[HISTORY_DAYS]
    }

    /// The day before it.
    pub fn yesterday(&self) -> &Day {
        &self.0[HISTORY_DAYS - 1]
    }

    /// The day seven days before it.
    pub fn week_ago(&self) -> &Day {
        &self.0[0]
    }

    /// The seven days of the history, the oldest first, and the costs of a scope on each.
    pub fn history(&self, scope: Scope) -> impl Iterator<Item = (Date, Costs)> {
        self.0[1..].iter().map(move |day| (day.date, scope.costs(day)))
    }
}
