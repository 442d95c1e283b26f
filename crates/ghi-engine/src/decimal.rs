//! Published figures.

use std::fmt;

/// The most decimals that a figure may have: up to there, powers of ten are exact as floats.
pub(crate) const DECIMALS_MAX: u8 = 15;

const POWERS_OF_TEN: [f64; DECIMALS_MAX as usize + 1] =
    [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// A published figure: a whole number of units of its last decimal.
///
/// Figures are rounded as they leave the model and are integers from then on, so that sums and
/// comparisons of published figures are exact and the same on every machine. All figures of a kind
/// have the same number of decimals within a network.
///
/// ```
/// use ghi_engine::Decimal;
///
/// let cost = Decimal::new(6_127_507, 2);
/// assert_eq!(cost.to_string(), "61275.07");
/// assert_eq!(cost.to_f64(), 61275.07);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal {
    count: u64,
    decimals: u8,
}

impl Decimal {
    /// The largest count. Neighbouring floats of this size are less than a unit apart, so every figure
    /// is another float, and is written with its very digits; and it can be weighed by a share.
    pub(crate) const COUNT_MAX: f64 = 1e15;

    /// So many units of the last of so many decimals, of which there are 15 at most.
    pub const fn new(count: u64, decimals: u8) -> Self {
        assert!(decimals <= DECIMALS_MAX);
        Self { count, decimals }
    }

    /// The nearest to a value that is not negative.
    pub(crate) fn nearest(value: f64, decimals: u8) -> Self {
        Self::new((value * power_of_ten(decimals) + 0.5) as u64, decimals)
    }

    /// The count of units of the last decimal.
    pub const fn count(self) -> u64 {
        self.count
    }

    /// The number of decimals.
    pub const fn decimals(self) -> u8 {
        self.decimals
    }

    /// The figure in its unit: the float nearest to its decimals.
    pub fn to_f64(self) -> f64 {
        self.count as f64 / power_of_ten(self.decimals)
    }
}

/// 10 to a power that is no more than [`DECIMALS_MAX`].
pub(crate) fn power_of_ten(decimals: u8) -> f64 {
    POWERS_OF_TEN[usize::from(decimals)]
}

impl fmt::Display for Decimal {
    /// With all its decimals: `61275.07`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = usize::from(self.decimals);
        let digits = format!("{:0width$}", self.count, width = decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        match fraction {
            "" => f.write_str(whole),
            _ => write!(f, "{whole}.{fraction}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_written_with_all_its_decimals() {
        for (count, decimals, text) in [
            (6_127_507, 2, "61275.07"),
            (7, 2, "0.07"),
            (0, 2, "0.00"),
            (45, 0, "45"),
            (4_512, 12, "0.000000004512"),
        ] {
            assert_eq!(Decimal::new(count, decimals).to_string(), text);
        }
    }

    #[test]
    fn a_value_is_rounded_to_the_nearest() {
        for (value, decimals, count) in [
            (0.125, 2, 13),
            (0.124, 2, 12),
            (61_275.074_9, 2, 6_127_507),
            (0.5, 0, 1),
            (2e-9, 12, 2_000),
        ] {
            assert_eq!(Decimal::nearest(value, decimals).count(), count, "{value}");
        }
    }
}
