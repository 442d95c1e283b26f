//! The unit of costs that appear together.

use ghi_engine::Decimal;

use crate::numbers::{Amount, grouped};

/// A power of ten of USD with its suffix: the same for all costs of a chart or table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    pub(crate) power: u32,
    pub(crate) suffix: &'static str,
}

impl Unit {
    /// Dollars.
    pub(crate) const ONE: Self = Self { power: 0, suffix: "" };

    /// The larger units, the largest first, each with the power of ten of USD from which it is used.
    const LARGE: [(Self, i32); 3] = [
        (Self { power: 12, suffix: "tn" }, 12),
        (Self { power: 9, suffix: "bn" }, 9),
        // Seven digits are no longer than four and a suffix.
        (Self { power: 6, suffix: "M" }, 7),
    ];

    /// Returns the unit for some costs, which the largest determines.
    pub fn of(costs: impl IntoIterator<Item = Decimal>) -> Self {
        let largest = costs.into_iter().map(Decimal::to_f64).fold(0.0, f64::max);
        let unit = Self::LARGE.iter().find(|(_, from)| largest >= 10_f64.powi(*from));
        unit.map_or(Self::ONE, |(unit, _)| *unit)
    }

    /// Returns this unit, or a smaller one if the cost is too small for it.
    pub(crate) fn or_smaller(self, cost: Decimal) -> Self {
        if self.units(cost) < 0.01 { Self::of([cost]) } else { self }
    }

    /// Returns a cost in few digits: rounded in dollars, or with four digits and the suffix.
    pub fn written(self, cost: Decimal) -> String {
        let unit = self.or_smaller(cost);
        if unit == Self::ONE {
            return Amount(cost).rounded();
        }
        let suffix = unit.suffix;
        match unit.units(cost) {
            units @ 1000.0.. => format!("{}{suffix}", grouped(units.round())),
            units @ 100.0.. => format!("{units:.1}{suffix}"),
            units @ 10.0.. => format!("{units:.2}{suffix}"),
            units => format!("{units:.3}{suffix}"),
        }
    }

    fn units(self, cost: Decimal) -> f64 {
        cost.to_f64() / 10_f64.powi(self.power as i32)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn large_costs_are_written_in_the_unit_of_the_largest() {
        let written = |largest, cost| {
            let [largest, cost] = [largest, cost].map(|dollars| Decimal::new(dollars, 0));
            Unit::of([cost, largest]).written(cost)
        };
        for (dollars, text) in [
            (9_999_999, "9,999,999"),
            (12_345_678, "12.35M"),
            (123_456_789, "123.5M"),
            (9_591_234_567, "9.591bn"),
            (61_234_567_890, "61.23bn"),
            (3_604_400_000_000, "3.604tn"),
            (10_000_000_000_000, "10.00tn"),
        ] {
            assert_eq!(written(dollars, dollars), text);
        }
        assert_eq!(written(9_591_234_567, 239_812_345), "0.240bn");
        assert_eq!(written(9_591_234_567, 12_345_678), "0.012bn");
        // A cost that would round to zero has its own unit.
        assert_eq!(written(9_591_234_567, 61_275), "61,275");
        assert_eq!(written(10_000_000_000_000, 12_345_678), "12.35M");
    }

    proptest! {
        #[test]
        fn any_cost_has_few_characters_in_the_unit_of_any_other(
            counts in [0..10_u64.pow(15), 0..10_u64.pow(15)],
            shifts in [0..15_u32, 0..15_u32],
            decimals in 0..11_u8,
        ) {
            let cost = |index: usize| Decimal::new(counts[index] / 10_u64.pow(shifts[index]), decimals);
            let text = Unit::of([cost(0), cost(1)]).written(cost(0));
            prop_assert!(text.len() <= 14, "{text}");
            prop_assert!(cost(0).count() == 0 || text.contains(|char| ('1'..='9').contains(&char)));
        }
    }
}
