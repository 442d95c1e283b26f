//! An interval of numbers: the valid range of an input, or how far a value moves.

use std::fmt;

use crate::decimal::compact;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Interval {
    pub(crate) const fn new(min: f64, max: f64) -> Self {
        Self { min, max }
    }

    /// A value that does not move.
    pub(crate) const fn fixed(value: f64) -> Self {
        Self { min: value, max: value }
    }

    /// The factors of a value that moves by a percentage.
    pub(crate) fn around(pct: f64) -> Self {
        Self { min: 1.0 - pct / 100.0, max: 1.0 + pct / 100.0 }
    }

    /// The interval of a value with this base level, if these are its factors.
    pub(crate) fn times(self, base: f64) -> Self {
        Self { min: self.min * base, max: self.max * base }
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
