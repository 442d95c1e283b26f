//! The axis of days.

use jiff::ToSpan;
use jiff::civil::Date;

use crate::scale::Tick;
use crate::svg::{short, small_width_of};

/// The longest axis with ticks at days, in days. Longer ones have ticks at months.
const DAY_TICKS_MAX: i64 = 45;

/// The space between two labels, in pixels.
const GAP: f64 = 6.0;

#[derive(Clone, Copy)]
pub(crate) struct DayAxis {
    pub(crate) first: Date,
    pub(crate) last: Date,
}

impl DayAxis {
    /// Returns the number of days from the first to the last, at least one.
    pub(crate) fn length(&self) -> i64 {
        self.day(self.last).max(1)
    }

    pub(crate) fn day(&self, date: Date) -> i64 {
        i64::from((date - self.first).get_days())
    }

    pub(crate) fn percent(&self, date: Date) -> f64 {
        short(100.0 * self.day(date) as f64 / self.length() as f64)
    }

    /// Returns the ticks that fit an axis of this width in pixels: at days, including the last one, or at the
    /// first days of months. January is labelled with its year.
    pub(crate) fn ticks(&self, width: f64) -> Vec<Tick> {
        let day_width = width / self.length() as f64;
        if self.length() <= DAY_TICKS_MAX {
            let step = step([1, 2, 3, 7, 14, 30], day_width, "30 Nov");
            let last = self.day(self.last);
            let days = (last % step..=last).step_by(step as usize);
            return days
                .map(|day| self.tick(self.first.saturating_add(day.days()), "%-d %b"))
                .collect();
        }
        let step = step([1, 2, 3, 4, 6, 12, 24, 60, 120], 30.0 * day_width, "2026");
        let month = |date: Date| 12 * i64::from(date.year()) + i64::from(date.month()) - 1;
        let months = self.first.first_of_month().series(1.month());
        months
            .take_while(|date| *date <= self.last)
            .filter(|date| *date >= self.first && month(*date) % step == 0)
            .map(|date| self.tick(date, if date.month() == 1 { "%Y" } else { "%b" }))
            .collect()
    }

    fn tick(&self, date: Date, format: &str) -> Tick {
        Tick { at: self.percent(date), label: date.strftime(format).to_string() }
    }
}

/// Returns the first of these steps that leaves space for a label, or the last one.
fn step<const N: usize>(steps: [i64; N], width: f64, label: &str) -> i64 {
    let needed = small_width_of(label) + GAP;
    let fits = |step: &i64| *step as f64 * width >= needed;
    steps.into_iter().find(fits).unwrap_or(steps[N - 1])
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
        let ticks = DayAxis { first, last: LAST }.ticks(width);
        let labels: Vec<&str> = ticks.iter().map(|tick| &*tick.label).collect();
        assert_eq!(labels, expected);
    }

    #[test]
    fn ticks_are_at_days_including_the_last_or_at_the_first_days_of_months() {
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
        fn no_two_labels_overlap(days in 1..11_000_i64, width in 120.0..1200.0) {
            let first = LAST.saturating_sub(days.days());
            let ticks = DayAxis { first, last: LAST }.ticks(width);
            for pair in ticks.windows(2) {
                let apart = (pair[1].at - pair[0].at) * width / 100.0;
                let width_of_both = (small_width_of(&pair[0].label) + small_width_of(&pair[1].label)) / 2.0;
                prop_assert!(apart > width_of_both, "{} {}", pair[0].label, pair[1].label);
            }
            for tick in ticks {
                prop_assert!((0.0..=100.0).contains(&tick.at));
            }
        }
    }
}
