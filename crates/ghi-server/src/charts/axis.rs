//! An axis of costs: where its numbers stand, and how they are written.

use std::sync::Arc;

use ghi_engine::Decimal;
use kuva::render::layout::TickFormat;

use crate::charts::amounts::grouped;

/// The units of an axis, the largest first: the power of ten of USD, the suffix, and the power of ten
/// from which on it is used, on a brief axis and else.
const UNITS: [(u32, &str, Option<u32>, Option<u32>); 5] = [
    (12, "tn", Some(13), Some(13)),
    (9, "bn", Some(10), Some(10)),
    (6, "M", Some(7), Some(7)),
    (3, "k", Some(4), None),
    (0, "", Some(0), Some(0)),
];

/// An axis whose numbers are whole units of the costs' last decimal, in steps of 1, 2 or 5 times a
/// power of ten, and so differ from each other as they are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostAxis {
    first: u64,
    last: u64,
    step: u64,
    /// The decimals of the costs.
    cost_decimals: u8,
    /// Units of the last decimal to one of the axis' unit, as a power of ten.
    unit: u32,
    word: &'static str,
    decimals: u32,
}

impl CostAxis {
    /// The axis that covers some costs in about N steps.
    pub(crate) fn covering(low: Decimal, high: Decimal, steps: u64, brief: bool) -> Self {
        let cost_decimals = low.decimals();
        let (low, high) = (low.count(), high.count());
        let least = (high - low).div_ceil(steps).max(1);
        let power = least.ilog10();
        let fits = |digit: &u64| digit * 10_u64.pow(power) >= least;
        let digit = [1, 2, 5].into_iter().find(fits).unwrap_or(10);
        let step = digit * 10_u64.pow(power);
        let zeros = if digit == 10 { power + 1 } else { power };
        let first = low / step * step;
        let last = (high.div_ceil(step) * step).max(first + step);
        let shift = u32::from(cost_decimals);
        let is_apt = |unit: &&(u32, &str, Option<u32>, Option<u32>)| {
            let from = if brief { unit.2 } else { unit.3 };
            let from = from.and_then(|power| 10_u64.checked_pow(power + shift));
            from.is_some_and(|from| high >= from) && (unit.0 + shift).saturating_sub(zeros) <= 2
        };
        let &(unit, word, ..) = UNITS.iter().find(is_apt).unwrap_or(&UNITS[UNITS.len() - 1]);
        let unit = unit + shift;
        let decimals = unit.saturating_sub(zeros);
        Self { first, last, step, cost_decimals, unit, word, decimals }
    }

    /// The same in as many steps as have room beside each other.
    pub(crate) fn fitting(low: Decimal, high: Decimal, room: f64, brief: bool) -> Self {
        /// The space between numbers, in pixels.
        const GAP: f64 = 12.0;
        Self::settled(low, high, 7, brief, |axis| {
            let numbers = ((axis.last - axis.first) / axis.step + 1) as f64;
            numbers * (axis.label_width() + GAP) <= room
        })
    }

    /// The same where numbers stand above each other and must not be long.
    pub(crate) fn upright(low: Decimal, high: Decimal, steps: u64) -> Self {
        Self::settled(low, high, steps, false, |axis| axis.label(axis.last).len() <= 12)
    }

    /// The axis of the most steps that is fit for its place. If not even one step is, costs that
    /// differ little are shown on an axis that is wide enough for short numbers.
    fn settled(
        low: Decimal,
        high: Decimal,
        steps: u64,
        brief: bool,
        is_fit: impl Fn(&Self) -> bool,
    ) -> Self {
        let narrow = (1..=steps).rev().map(|steps| Self::covering(low, high, steps, brief));
        let wide = (0..17).map(|power| {
            let width = 10_u64.pow(power);
            let first = low.count() / width * width;
            let last = high.count().max(first + width);
            let [first, last] = [first, last].map(|count| Decimal::new(count, low.decimals()));
            Self::covering(first, last, 1, brief)
        });
        narrow.chain(wide).find(is_fit).unwrap_or_else(|| Self::covering(low, high, 1, brief))
    }

    /// The room that the longest number takes, in pixels.
    pub(crate) fn label_width(self) -> f64 {
        8.0 * self.label(self.last).len() as f64
    }

    pub(crate) fn first_usd(self) -> f64 {
        self.usd(self.first)
    }

    pub(crate) fn last_usd(self) -> f64 {
        self.usd(self.last)
    }

    pub(crate) fn step_usd(self) -> f64 {
        self.usd(self.step)
    }

    fn usd(self, count: u64) -> f64 {
        Decimal::new(count, self.cost_decimals).to_f64()
    }

    pub(crate) fn format(self) -> TickFormat {
        let one = 10_f64.powi(self.cost_decimals.into());
        TickFormat::Custom(Arc::new(move |usd| self.label((usd * one).round() as u64)))
    }

    fn label(self, count: u64) -> String {
        let scaled = count / 10_u64.pow(self.unit - self.decimals);
        let one = 10_u64.pow(self.decimals);
        let whole = grouped(scaled / one);
        match self.decimals {
            _ if count == 0 => "0".into(),
            0 => format!("{whole}{}", self.word),
            decimals => {
                format!("{whole}.{:0width$}{}", scaled % one, self.word, width = decimals as usize)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(low: u64, high: u64, brief: bool, expected: &[&str]) {
        let axis = CostAxis::covering(Decimal::new(low, 2), Decimal::new(high, 2), 4, brief);
        let labels: Vec<String> =
            (axis.first..=axis.last).step_by(axis.step as usize).map(|at| axis.label(at)).collect();
        assert_eq!(labels, expected);
    }

    #[test]
    fn numbers_are_round_and_differ() {
        check(4_943_299, 7_627_510, false, &["40,000", "50,000", "60,000", "70,000", "80,000"]);
        check(4_943_299, 7_627_510, true, &["40k", "50k", "60k", "70k", "80k"]);
        check(5_621_334, 5_621_337, false, &["56,213.34", "56,213.35", "56,213.36", "56,213.37"]);
        check(5_621_334, 5_621_334, true, &["56,213.34", "56,213.35"]);
        check(3, 5, false, &["0.03", "0.04", "0.05"]);
        check(250_000, 950_000, true, &["2,000", "4,000", "6,000", "8,000", "10,000"]);
        check(1_500_000, 3_400_000, true, &["15k", "20k", "25k", "30k", "35k"]);
        check(0, 3 * 10_u64.pow(9), true, &["0", "10M", "20M", "30M"]);
        check(1_000_000_000, 1_028_000_000, true, &["10.0M", "10.1M", "10.2M", "10.3M"]);
        let large = 10_u64.pow(15);
        check(large, 4 * large, false, &["10tn", "20tn", "30tn", "40tn"]);
    }

    #[test]
    fn small_costs_have_the_decimals_that_they_need() {
        let [low, high] = [48_210, 52_734].map(|count| Decimal::new(count, 6));
        let axis = CostAxis::covering(low, high, 4, false);
        let labels = [axis.first, axis.last].map(|at| axis.label(at));
        assert_eq!(labels, ["0.048", "0.054"]);
        assert_eq!([axis.first_usd(), axis.step_usd(), axis.last_usd()], [0.048, 0.002, 0.054]);
    }

    proptest! {
        /// Far beyond the largest cost that inputs can lead to.
        #[test]
        fn any_costs_are_covered_by_few_numbers_that_differ(
            costs in [0..10_u64.pow(17), 0..10_u64.pow(17)],
            scale in 0..17_u32,
            steps in 1..8_u64,
            decimals in 0..11_u8,
            brief: bool,
        ) {
            let [a, b] = costs.map(|cost| cost / 10_u64.pow(scale));
            let [low, high] = [a.min(b), a.max(b)];
            let [low_usd, high_usd] = [low, high].map(|count| Decimal::new(count, decimals));
            let axis = CostAxis::covering(low_usd, high_usd, steps, brief);
            prop_assert!(axis.first <= low && high <= axis.last);
            let numbers = (axis.last - axis.first) / axis.step + 1;
            prop_assert!((2..=steps + 2).contains(&numbers), "{numbers}");
            let label = |place| axis.label(axis.first + place * axis.step);
            for place in 1..numbers {
                prop_assert_ne!(label(place - 1), label(place));
            }
        }
    }

    #[test]
    fn there_are_as_many_numbers_as_have_room() {
        let [low, high] = [4_943_299, 7_627_510].map(|count| Decimal::new(count, 2));
        let steps = |room| {
            let axis = CostAxis::fitting(low, high, room, false);
            (axis.last - axis.first) / axis.step
        };
        assert_eq!([steps(480.0), steps(300.0)], [7, 4]);
    }

    #[test]
    fn costs_that_differ_little_still_have_short_numbers() {
        let flat = Decimal::new(1_666_666_666_666_667, 2);
        let axis = CostAxis::upright(flat, flat, 7);
        assert_eq!(
            [axis.first, axis.last].map(|at| axis.label(at)),
            ["16,666,666M", "16,666,667M"]
        );
        let round = Decimal::new(10_u64.pow(15), 2);
        let axis = CostAxis::upright(round, round, 7);
        assert_eq!(
            [axis.first, axis.last].map(|at| axis.label(at)),
            ["10,000,000M", "10,000,001M"]
        );
        let axis = CostAxis::fitting(flat, flat, 160.0, true);
        assert_eq!([axis.first, axis.last].map(|at| axis.label(at)), ["16,666bn", "16,667bn"]);
    }
}
