//! The figures of a day, of the week that ends with it, and of the day a week before.

use ghi_contract::HISTORY_DAYS;
use ghi_engine::{Costs, Day, Model};
use jiff::ToSpan;
use jiff::civil::Date;

use crate::parameters::Scope;

/// A day and the seven before it, the oldest first.
#[derive(Debug)]
pub(crate) struct Days([Day; HISTORY_DAYS + 1]);

impl Days {
    /// The days up to a date. Before the first day that a calendar knows, there is that day again.
    pub(crate) fn up_to(date: Date, model: &Model) -> Self {
        let back = |index: usize| ((HISTORY_DAYS - index) as i64).days();
        Self(std::array::from_fn(|index| model.day(date.saturating_sub(back(index)))))
    }

    pub(crate) fn today(&self) -> &Day {
        &self.0[HISTORY_DAYS]
    }

    pub(crate) fn yesterday(&self) -> &Day {
        &self.0[HISTORY_DAYS - 1]
    }

    pub(crate) fn week_ago(&self) -> &Day {
        &self.0[0]
    }

    /// The dates of the history and what a scope cost on each of them.
    pub(crate) fn week(&self, scope: Scope) -> impl Iterator<Item = (Date, Costs)> {
        self.0[1..].iter().map(move |day| (day.date, scope.costs(day)))
    }
}
