//! The axis of days: where each stands, and which are named.

use jiff::ToSpan;
use jiff::civil::Date;

use crate::path::short;
use crate::scale::Tick;
use crate::text::{SIZE, SMALL, width_of};

/// The longest axis on which days are named, in days; on a longer one, months are.
const DAYS_NAMED_MAX: i64 = 45;

/// The space between two labels, in pixels.
const GAP: f64 = 6.0;

/// The days from one to another.
#[derive(Clone, Copy)]
pub(crate) struct DayAxis {
    first: Date,
    /// How many days after the first the axis ends, one at least.
    pub(crate) days: i64,
}

impl DayAxis {
    pub(crate) fn new(first: Date, end: Date) -> Self {
        Self { first, days: days_between(first, end).max(1) }
    }

    /// How many days after the first one is.
    pub(crate) fn day(&self, date: Date) -> i64 {
        days_between(self.first, date)
    }

    /// Where a day stands, in percent of the axis.
    pub(crate) fn percent(&self, date: Date) -> f64 {
        self.percent_of(self.day(date))
    }

    fn percent_of(&self, day: i64) -> f64 {
        short(100.0 * day as f64 / self.days as f64)
    }

    /// The days that are named on so many pixels, up to the last with figures.
    pub(crate) fn ticks(&self, last: Date, width: f64) -> Vec<Tick> {
        if self.days <= DAYS_NAMED_MAX { self.days_named(last, width) } else { self.months(width) }
    }

    /// Days at equal distances, so that the last is among them.
    fn days_named(&self, last: Date, width: f64) -> Vec<Tick> {
        let day_width = width / self.days as f64;
        let room = label_width("30 Nov") + GAP;
        let steps = [1, 2, 3, 7, 14];
        let step = steps.into_iter().find(|step| *step as f64 * day_width >= room).unwrap_or(30);
        let last = self.day(last);
        let days = (last % step..=last).step_by(step as usize);
        days.map(|day| {
            let date = self.first.saturating_add(day.days());
            Tick { at: self.percent_of(day), label: date.strftime("%-d %b").to_string() }
        })
        .collect()
    }

    /// The first days of months; January says which year begins.
    fn months(&self, width: f64) -> Vec<Tick> {
        let month_width = width * 30.0 / self.days as f64;
        let room = label_width("2026") + GAP;
        let step = [1, 2, 3, 4, 6].into_iter().find(|step| f64::from(*step) * month_width >= room);
        let step = step.unwrap_or(12);
        let is_named = |date: &Date| (date.month() - 1) % step == 0;
        let months =
            self.first.first_of_month().series(1.month()).skip(usize::from(self.first.day() > 1));
        let months = months.take_while(|date| self.day(*date) <= self.days).filter(is_named);
        months
            .map(|date| {
                let format = if date.month() == 1 { "%Y" } else { "%b" };
                Tick { at: self.percent(date), label: date.strftime(format).to_string() }
            })
            .collect()
    }
}

fn label_width(label: &str) -> f64 {
    width_of(label) * SMALL / SIZE
}

fn days_between(from: Date, to: Date) -> i64 {
    i64::from((to - from).get_days())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    const LAST: Date = date(2026, 11, 16);

    #[track_caller]
    fn check(days: i64, width: f64, expected: &[&str]) {
        let first = LAST.saturating_sub((days - 1).days());
        let ticks = DayAxis::new(first, LAST).ticks(LAST, width);
        let labels: Vec<&str> = ticks.iter().map(|tick| &*tick.label).collect();
        assert_eq!(labels, expected);
    }

    #[test]
    fn days_are_named_up_to_the_last_and_months_where_they_begin() {
        check(7, 400.0, &["10 Nov", "11 Nov", "12 Nov", "13 Nov", "14 Nov", "15 Nov", "16 Nov"]);
        check(7, 170.0, &["10 Nov", "12 Nov", "14 Nov", "16 Nov"]);
        check(30, 170.0, &["19 Oct", "2 Nov", "16 Nov"]);
        check(90, 170.0, &["Sep", "Oct", "Nov"]);
        check(
            365,
            600.0,
            &["Dec", "2026", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov"],
        );
        check(365, 170.0, &["2026", "Apr", "Jul", "Oct"]);
        check(1, 170.0, &["16 Nov"]);
    }

    proptest! {
        #[test]
        fn no_two_labels_overlap(days in 1..400_i64, width in 120.0..1200.0) {
            let first = LAST.saturating_sub(days.days());
            let ticks = DayAxis::new(first, LAST).ticks(LAST, width);
            for pair in ticks.windows(2) {
                let apart = (pair[1].at - pair[0].at) * width / 100.0;
                let room = (label_width(&pair[0].label) + label_width(&pair[1].label)) / 2.0;
                prop_assert!(apart > room, "{} {}", pair[0].label, pair[1].label);
            }
            for tick in ticks {
                prop_assert!((0.0..=100.0).contains(&tick.at));
            }
        }
    }
}
