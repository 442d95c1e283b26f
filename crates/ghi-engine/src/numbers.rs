//! Numbers as they are published and displayed, and the intervals that they are in.

use std::fmt;

/// The most decimals that a number may have. Powers of ten up to this one are exact as floats.
const DECIMALS_MAX: u8 = 15;

/// A published number: a whole number of units of its last decimal.
///
/// Numbers are rounded as they leave the model and are integers from then on, so that sums and comparisons are
/// exact. All numbers of a kind have the same number of decimals within a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal {
    count: u64,
    decimals: u8,
}

impl Decimal {
    /// The largest count. Up to this size, floats are less than a unit apart, so every count has its own
    /// float, which is written with the same digits. Multiplying it by a share does not overflow.
    pub(crate) const COUNT_MAX: f64 = 1e15;

    /// The significant digits of numbers in tables that don't have fixed decimals.
    pub(crate) const SIGNIFICANT_DIGITS: u8 = 6;

    /// `count` units of the last decimal, with at most 15 decimals.
    pub const fn new(count: u64, decimals: u8) -> Self {
        assert!(decimals <= DECIMALS_MAX);
        Self { count, decimals }
    }

    /// Rounds a value that is not negative.
    pub(crate) fn nearest(value: f64, decimals: u8) -> Self {
        Self::new((value * power_of_ten(decimals) + 0.5) as u64, decimals)
    }

    /// Rounds a value that is not negative. Below 0.1, it has as many decimals as it takes to keep
    /// [`Decimal::SIGNIFICANT_DIGITS`], at most 15.
    pub(crate) fn nearest_significant(value: f64, decimals: u8) -> Self {
        let first_digit = (1..DECIMALS_MAX).find(|place| value * power_of_ten(*place) >= 1.0);
        let place = first_digit.unwrap_or(DECIMALS_MAX);
        let needed = if place > 1 { place - 1 + Self::SIGNIFICANT_DIGITS } else { decimals };
        Self::nearest(value, needed.clamp(decimals, DECIMALS_MAX))
    }

    /// The count of units of the last decimal.
    pub const fn count(self) -> u64 {
        self.count
    }

    /// The number of decimals.
    pub const fn decimals(self) -> u8 {
        self.decimals
    }

    /// The float nearest to the decimal number.
    pub fn to_f64(self) -> f64 {
        self.count as f64 / power_of_ten(self.decimals)
    }
}

pub(crate) fn power_of_ten(decimals: u8) -> f64 {
    10_u64.pow(decimals.into()) as f64
}

impl fmt::Display for Decimal {
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

/// A number rounded for display. Its value is exactly the number displayed, so that readers who copy it
/// compute with the same number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DisplayNumber(pub(crate) f64);

impl DisplayNumber {
    /// Rounds a finite value to at least one significant digit.
    pub(crate) fn new(value: f64, digits: usize) -> Self {
        let rounded = format!("{value:.*e}", digits - 1);
        Self(rounded.parse().expect("a formatted float can be parsed"))
    }

    /// The value of the digits displayed.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for DisplayNumber {
    /// Writes plain digits for 0 and from 1e-6 to 1e15, otherwise an exponent: `1.22321e23`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = self.0 == 0.0 || (1e-6..1e15).contains(&self.0);
        if is_plain { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

/// The valid range of an input, or how far a value moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Interval {
    pub(crate) const fn new(min: f64, max: f64) -> Self {
        Self { min, max }
    }

    /// The factors of a value that moves by a percentage.
    pub(crate) fn around(pct: f64) -> Self {
        Self::new(1.0 - pct / 100.0, 1.0 + pct / 100.0)
    }

    /// The interval of a value with this base level, if these are its factors.
    pub(crate) fn times(self, base: f64) -> Self {
        Self::new(self.min * base, self.max * base)
    }

    /// Whether a value is in the interval, including both ends. NaN is not.
    pub(crate) fn contains(self, value: f64) -> bool {
        (self.min..=self.max).contains(&value)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from {} to {}", compact(self.min), compact(self.max))
    }
}

/// Formats a number for a message: plain digits from 1e-4 to 1e7, otherwise with an exponent.
pub(crate) fn compact(value: f64) -> String {
    let is_plain = value == 0.0 || (1e-4..1e7).contains(&value);
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_number_is_written_with_all_its_decimals() {
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

    #[test]
    fn a_small_value_keeps_six_significant_digits() {
        for (value, decimals, text) in [
            (1.543_4, 4, "1.5434"),
            (0.154_321_9, 4, "0.1543"),
            (0.1, 4, "0.1000"),
            (0.099_912_345, 4, "0.0999123"),
            (0.000_001_765_432_19, 4, "0.00000176543"),
            (0.017_654_321_9, 10, "0.0176543219"),
            (3e-15, 2, "0.000000000000003"),
            (0.0, 4, "0.000000000000000"),
        ] {
            assert_eq!(Decimal::nearest_significant(value, decimals).to_string(), text);
        }
    }

    #[test]
    fn a_displayed_number_has_the_value_of_its_digits() {
        for (value, digits, text) in [
            (849_449.123_456, 6, "849449"),
            (0.055_123_456, 4, "0.05512"),
            (1.223_207_6e23, 6, "1.22321e23"),
            (2.5e-9, 6, "2.5e-9"),
            (1_234_567.0, 3, "1230000"),
            (9.999_96, 5, "10"),
        ] {
            let displayed = DisplayNumber::new(value, digits);
            assert_eq!(displayed.to_string(), text);
            assert_eq!(text.parse::<f64>().unwrap(), displayed.value());
        }
    }
}
