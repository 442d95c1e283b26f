//! Numbers as explanations show them.

use std::fmt;

/// What is shown in plain digits; smaller and larger numbers have an exponent.
const PLAIN: std::ops::Range<f64> = 1e-6..1e15;

/// A number as an explanation shows it: with as many digits as it takes.
///
/// Its value is that of the digits shown, so that whoever takes them from a page or a table computes
/// with the same number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown(f64);

impl Shown {
    /// A finite value in so many significant digits, of which there is at least one.
    pub(crate) fn new(value: f64, digits: usize) -> Self {
        let rounded = format!("{value:.*e}", digits - 1);
        Self(rounded.parse().expect("a float that was formatted can be parsed"))
    }

    /// A finite value in all the digits that it has.
    pub(crate) fn exact(value: f64) -> Self {
        Self(value)
    }

    /// The value of the digits shown.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Shown {
    /// Plain where that is readable, `1.22321e23` otherwise.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if PLAIN.contains(&self.0) { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_shown_in_the_digits_that_it_is_computed_with() {
        for (value, digits, text) in [
            (849_449.123_456, 6, "849449"),
            (0.055_123_456, 4, "0.05512"),
            (1.223_207_6e23, 6, "1.22321e23"),
            (2.5e-9, 6, "2.5e-9"),
            (1_234_567.0, 3, "1230000"),
            (9.999_96, 5, "10"),
        ] {
            let shown = Shown::new(value, digits);
            assert_eq!(shown.to_string(), text);
            assert_eq!(text.parse::<f64>().unwrap(), shown.value());
        }
    }
}
