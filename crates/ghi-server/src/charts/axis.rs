//! An axis of costs: where its numbers stand, and how they are written.

use std::sync::Arc;

use ghi_engine::Hundredths;
use kuva::render::layout::TickFormat;

use crate::charts::amounts::grouped;

/// The units of an axis, the largest first: the power of ten in hundredths, the suffix, and the cost
/// from which on it is used, on a brief axis and else.
const UNITS: [(u32, &str, u64, u64); 5] = [
    (14, "tn", 10_u64.pow(15), 10_u64.pow(15)),
    (11, "bn", 10_u64.pow(12), 10_u64.pow(12)),
    (8, "M", 10_u64.pow(9), 10_u64.pow(9)),
    (5, "k", 10_u64.pow(6), u64::MAX),
    (2, "", 0, 0),
];

/// An axis whose numbers are whole hundredths in steps of 1, 2 or 5 times a power of ten, and so
/// differ from each other as they are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostAxis {
    first: u64,
    last: u64,
    step: u64,
    /// Hundredths to one of the unit, as a power of ten.
    unit: u32,
    word: &'static str,
    decimals: u32,
}

impl CostAxis {
    /// The axis that covers some costs in about N steps.
    pub(crate) fn covering(low: Hundredths, high: Hundredths, steps: u64, brief: bool) -> Self {
        let (low, high) = (low.count(), high.count());
        let least = (high - low).div_ceil(steps).max(1);
        let power = least.ilog10();
        let fits = |digit: &u64| digit * 10_u64.pow(power) >= least;
        let digit = [1, 2, 5].into_iter().find(fits).unwrap_or(10);
        let step = digit * 10_u64.pow(power);
        let zeros = if digit == 10 { power + 1 } else { power };
        let first = low / step * step;
        let last = (high.div_ceil(step) * step).max(first + step);
        let is_apt = |unit: &&(u32, &str, u64, u64)| {
            high >= if brief { unit.2 } else { unit.3 } && unit.0.saturating_sub(zeros) <= 2
        };
        let &(unit, word, ..) = UNITS.iter().find(is_apt).unwrap_or(&UNITS[UNITS.len() - 1]);
        Self { first, last, step, unit, word, decimals: unit.saturating_sub(zeros) }
    }

    /// The same in as many steps as have room beside each other.
    pub(crate) fn fitting(low: Hundredths, high: Hundredths, room: f64, brief: bool) -> Self {
        /// The space between numbers, in pixels.
        const GAP: f64 = 12.0;
        Self::settled(low, high, 7, brief, |axis| {
            let numbers = ((axis.last - axis.first) / axis.step + 1) as f64;
            numbers * (axis.label_width() + GAP) <= room
        })
    }

    /// The same where numbers stand above each other and must not be long.
    pub(crate) fn upright(low: Hundredths, high: Hundredths, steps: u64) -> Self {
        Self::settled(low, high, steps, false, |axis| axis.label(axis.last).len() <= 12)
    }

    /// The axis of the most steps that is fit for its place. If not even one step is, costs that
    /// differ little are shown on an axis that is wide enough for short numbers.
    fn settled(
        low: Hundredths,
        high: Hundredths,
        steps: u64,
        brief: bool,
        is_fit: impl Fn(&Self) -> bool,
    ) -> Self {
        let narrow = (1..=steps).rev().map(|steps| Self::covering(low, high, steps, brief));
        let wide = (0..17).map(|power| {
            let width = 10_u64.pow(power);
            let first = low.count() / width * width;
            let last = high.count().max(first + width);
            Self::covering(Hundredths::new(first), Hundredths::new(last), 1, brief)
        });
        narrow.chain(wide).find(is_fit).unwrap_or_else(|| Self::covering(low, high, 1, brief))
    }

    /// The room that the longest number takes, in pixels.
    pub(crate) fn label_width(self) -> f64 {
        8.0 * self.label(self.last).len() as f64
    }

    pub(crate) fn first_usd(self) -> f64 {
        Hundredths::new(self.first).to_f64()
    }

    pub(crate) fn last_usd(self) -> f64 {
        Hundredths::new(self.last).to_f64()
    }

    pub(crate) fn step_usd(self) -> f64 {
        Hundredths::new(self.step).to_f64()
    }

    pub(crate) fn format(self) -> TickFormat {
        TickFormat::Custom(Arc::new(move |usd| self.label((usd * 100.0).round() as u64)))
    }

    fn label(self, hundredths: u64) -> String {
        let scaled = hundredths / 10_u64.pow(self.unit - self.decimals);
        let one = 10_u64.pow(self.decimals);
        let whole = grouped(scaled / one);
        match self.decimals {
            _ if hundredths == 0 => "0".into(),
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
        let axis = CostAxis::covering(Hundredths::new(low), Hundredths::new(high), 4, brief);
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

    proptest! {
        /// Far beyond the largest cost that inputs can lead to.
        #[test]
        fn any_costs_are_covered_by_few_numbers_that_differ(
            costs in [0..10_u64.pow(17), 0..10_u64.pow(17)],
            scale in 0..17_u32,
            steps in 1..8_u64,
            brief: bool,
        ) {
            let [a, b] = costs.map(|cost| cost / 10_u64.pow(scale));
            let [low, high] = [a.min(b), a.max(b)];
            let [low_usd, high_usd] = [low, high].map(Hundredths::new);
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
        let [low, high] = [4_943_299, 7_627_510].map(Hundredths::new);
        let steps = |room| {
            let axis = CostAxis::fitting(low, high, room, false);
            (axis.last - axis.first) / axis.step
        };
        assert_eq!([steps(480.0), steps(300.0)], [7, 4]);
    }

    #[test]
    fn costs_that_differ_little_still_have_short_numbers() {
        let flat = Hundredths::new(1_666_666_666_666_667);
        let axis = CostAxis::upright(flat, flat, 7);
        assert_eq!(
            [axis.first, axis.last].map(|at| axis.label(at)),
            ["16,666,666M", "16,666,667M"]
        );
        let round = Hundredths::new(10_u64.pow(15));
        let axis = CostAxis::upright(round, round, 7);
        assert_eq!(
            [axis.first, axis.last].map(|at| axis.label(at)),
            ["10,000,000M", "10,000,001M"]
        );
        let axis = CostAxis::fitting(flat, flat, 160.0, true);
        assert_eq!([axis.first, axis.last].map(|at| axis.label(at)), ["16,666bn", "16,667bn"]);
    }
}
