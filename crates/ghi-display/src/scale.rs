//! The scale of a chart: where costs stand, which numbers it has, and how they are written.

use ghi_engine::Decimal;

use crate::amounts::grouped;
use crate::path::short;
use crate::unit::Unit;

/// The units of a brief scale of dollars, the largest first, and the power of ten of USD from which on
/// each is used.
const BRIEF_UNITS: [(Unit, u32); 2] =
    [(Unit { power: 6, suffix: "M" }, 6), (Unit { power: 3, suffix: "k" }, 4)];

/// How many numbers a scale has at least.
const TICKS_MIN: u64 = 3;

/// How many letters a number of a scale has at most, if costs can be told apart by so few.
const LETTERS_MAX: usize = 12;

/// A scale whose numbers are whole units of the costs' last decimal, in steps of 1, 2 or 5 times a
/// power of ten, and so differ from each other as they are written.
///
/// ```
/// use ghi_engine::Decimal;
/// use ghi_display::{Scale, ScaleStyle};
///
/// let style = ScaleStyle { ticks_max: 5, is_brief: false };
/// let [low, high] = [4_943_299, 7_627_510].map(|cents| Decimal::new(cents, 2));
/// let scale = Scale::covering(low, high, [0.0, 100.0], style);
/// let labels: Vec<String> = scale.ticks().into_iter().map(|tick| tick.label).collect();
/// assert_eq!(labels, ["50,000", "60,000", "70,000"]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The costs at its ends, in units of their last decimal.
    low: u64,
    high: u64,
    /// Its first and its last number.
    first: u64,
    last: u64,
    step: u64,
    /// Units of the last decimal to one of the scale's unit, as a power of ten.
    unit: u32,
    word: &'static str,
    decimals: u32,
    /// Where its ends stand.
    ends: [f64; 2],
}

/// How a scale is written.
#[derive(Clone, Copy, Debug)]
pub struct ScaleStyle {
    /// How many numbers it has at most: four or more.
    pub ticks_max: u64,
    /// Whether thousands are written as `k`.
    pub is_brief: bool,
}

/// A number of a scale.
#[derive(Clone, Debug)]
pub struct Tick {
    /// Where it stands.
    pub at: f64,
    /// How it is written.
    pub label: String,
}

impl Scale {
    /// The scale that covers some costs between two places: that of the lowest, and that of the
    /// highest. Costs that do not differ stand in its middle.
    pub fn covering(low: Decimal, high: Decimal, ends: [f64; 2], style: ScaleStyle) -> Self {
        Self::in_unit(Unit::of([high]), low, high, ends, style)
    }

    /// The same in the unit of what stands beside it.
    pub(crate) fn in_unit(
        costs_unit: Unit,
        low: Decimal,
        high: Decimal,
        ends: [f64; 2],
        style: ScaleStyle,
    ) -> Self {
        let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit| (digit, power)));
        let mut scales = steps.map(|(digit, power)| {
            let step = digit * 10_u64.pow(power);
            let (unit, word) = unit(costs_unit, high, power, style.is_brief);
            let decimals = unit.saturating_sub(power);
            // Nothing that is drawn touches the ends.
            let [low, high] = [low.count(), high.count()];
            let space = ((high - low) / 16).max(1);
            let ends_of_costs = [low.saturating_sub(space), high + space];
            let numbers = [ends_of_costs[0].div_ceil(step), ends_of_costs[1] / step];
            let [first, last] = if numbers[0] + TICKS_MIN - 1 <= numbers[1] {
                numbers
            } else {
                around(low / step, high.div_ceil(step))
            }
            .map(|number| number * step);
            let [low, high] = [ends_of_costs[0].min(first), ends_of_costs[1].max(last)];
            Self { low, high, first, last, step, unit, word, decimals, ends }
        });
        let is_fit = |scale: &Self| {
            (scale.last - scale.first) / scale.step < style.ticks_max
                && scale.label(scale.last).len() <= LETTERS_MAX
        };
        scales.find(is_fit).expect("numbers of large steps are few and short")
    }

    /// Where a cost stands.
    pub fn place(&self, cost: Decimal) -> f64 {
        self.place_of(cost.count())
    }

    fn place_of(&self, count: u64) -> f64 {
        let [start, end] = self.ends;
        let part = (count as f64 - self.low as f64) / (self.high - self.low) as f64;
        start + part * (end - start)
    }

    /// Its numbers, the lowest first.
    pub fn ticks(&self) -> Vec<Tick> {
        let counts = (0..=(self.last - self.first) / self.step).map(|n| self.first + n * self.step);
        let tick = |count| Tick { at: short(self.place_of(count)), label: self.label(count) };
        counts.map(tick).collect()
    }

    fn label(&self, count: u64) -> String {
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

/// Numbers around two that are the same or neighbours, as far below as above, unless zero is in the way.
fn around(first: u64, last: u64) -> [u64; 2] {
    match (first, last) {
        (0, 0..=1) => [0, 2],
        (first, last) if last - first <= 1 => [first - 1, last + 1],
        (first, last) => [first, last],
    }
}

/// The unit of a scale up to a cost in steps of a power of ten, in units of the last decimal as a power
/// of ten, and its suffix: of a brief one of dollars, the largest that needs no more than two decimals.
fn unit(of_costs: Unit, high: Decimal, power: u32, is_brief: bool) -> (u32, &'static str) {
    let shift = u32::from(high.decimals());
    let is_apt = |(unit, from): &&(Unit, u32)| {
        let from = 10_u64.checked_pow(from + shift);
        from.is_some_and(|from| high.count() >= from)
            && (unit.power + shift).saturating_sub(power) <= 2
    };
    let brief = BRIEF_UNITS.iter().filter(|_| is_brief && of_costs == Unit::ONE).find(is_apt);
    let unit = brief.map_or(of_costs, |(unit, _)| *unit);
    (unit.power + shift, unit.suffix)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scale(low: Decimal, high: Decimal, is_brief: bool) -> Scale {
        Scale::covering(low, high, [300.0, 20.0], ScaleStyle { ticks_max: 5, is_brief })
    }

    #[track_caller]
    fn check(low: u64, high: u64, is_brief: bool, expected: &[&str]) {
        let [low, high] = [low, high].map(|count| Decimal::new(count, 2));
        assert_eq!(labels(&scale(low, high, is_brief)), expected);
    }

    fn labels(scale: &Scale) -> Vec<String> {
        scale.ticks().into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn numbers_are_round_and_differ() {
        check(4_943_299, 7_627_510, false, &["50,000", "60,000", "70,000"]);
        check(4_943_299, 7_627_510, true, &["50k", "60k", "70k"]);
        check(
            5_621_334,
            5_621_336,
            false,
            &["56,213.33", "56,213.34", "56,213.35", "56,213.36", "56,213.37"],
        );
        check(3, 5, false, &["0.02", "0.03", "0.04", "0.05", "0.06"]);
        check(250_000, 950_000, true, &["4,000", "6,000", "8,000"]);
        check(1_500_000, 3_400_000, true, &["15k", "20k", "25k", "30k", "35k"]);
        check(0, 3 * 10_u64.pow(9), true, &["0", "10M", "20M", "30M"]);
        check(1_000_000_000, 1_028_000_000, true, &["10.0M", "10.1M", "10.2M"]);
        check(2_000_000_000, 959_100_000_000, false, &["0", "5bn", "10bn"]);
        let large = 10_u64.pow(15);
        check(large, 4 * large, false, &["10tn", "20tn", "30tn", "40tn"]);
    }

    #[test]
    fn costs_that_do_not_differ_stand_in_the_middle() {
        check(5_621_334, 5_621_334, true, &["56,213.33", "56,213.34", "56,213.35"]);
        let flat = Decimal::new(5_621_334, 2);
        assert_eq!(scale(flat, flat, false).place(flat), 160.0);
        check(0, 0, false, &["0", "0.01", "0.02"]);
    }

    #[test]
    fn costs_that_differ_little_still_have_short_numbers() {
        let flat = 1_666_666_666_666_667;
        let around = ["16.6666665tn", "16.6666666tn", "16.6666667tn", "16.6666668tn"];
        check(flat, flat, false, &around);
        let round = 10_u64.pow(15);
        check(round, round, true, &["9.9999999tn", "10.0000000tn", "10.0000001tn"]);
    }

    #[test]
    fn small_costs_have_the_decimals_that_they_need() {
        let [low, high] = [48_210, 52_734].map(|count| Decimal::new(count, 6));
        assert_eq!(labels(&scale(low, high, false)), ["0.048", "0.050", "0.052"]);
        let flat = Decimal::new(4_512, 12);
        let around = ["0.0000000044", "0.0000000045", "0.0000000046", "0.0000000047"];
        assert_eq!(labels(&scale(flat, flat, false)), around);
    }

    proptest! {
        /// Far beyond the largest cost that inputs can lead to.
        #[test]
        fn any_costs_are_covered_by_few_numbers_that_differ(
            costs in [0..10_u64.pow(17), 0..10_u64.pow(17)],
            shift in 0..17_u32,
            decimals in 0..11_u8,
            ticks_max in 4..8_u64,
            is_brief: bool,
        ) {
            let [a, b] = costs.map(|cost| Decimal::new(cost / 10_u64.pow(shift), decimals));
            let [low, high] = [a.min(b), a.max(b)];
            let scale = Scale::covering(low, high, [300.0, 20.0], ScaleStyle { ticks_max, is_brief });
            for cost in [low, high] {
                prop_assert!((20.0..=300.0).contains(&scale.place(cost)));
            }
            prop_assert!(scale.place(low) > scale.place(high) || low == high);
            let ticks = scale.ticks();
            prop_assert!((3..=ticks_max as usize).contains(&ticks.len()), "{}", ticks.len());
            for tick in &ticks {
                prop_assert!((20.0..=300.0).contains(&tick.at) && tick.label.len() <= LETTERS_MAX);
            }
            for pair in ticks.windows(2) {
                prop_assert_ne!(&pair[0].label, &pair[1].label);
                prop_assert!(pair[0].at > pair[1].at);
            }
        }
    }
}
