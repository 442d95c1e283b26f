//! Formats numbers.

use ghi_display::grouped;

/// The number of decimals of USD, percent and EH/s, unless a number has more, and the maximum.
const DECIMALS: usize = 2;
const DECIMALS_MAX: usize = 20;

/// From this value on, numbers are written with an exponent.
const EXPONENT_FROM: f64 = 1e21;

/// Returns the largest number of decimals of these numbers, at least two.
pub(crate) fn decimals(numbers: impl IntoIterator<Item = f64>) -> usize {
    numbers.into_iter().map(own_decimals).max().unwrap_or_default().max(DECIMALS)
}

/// Returns the number of decimals of a number, which may be zero.
pub(crate) fn own_decimals(number: f64) -> usize {
    let decimals = number.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len());
    decimals.min(DECIMALS_MAX)
}

/// Formats a number for programs: `61275.00`.
pub(crate) fn plain(number: f64, decimals: usize) -> String {
    if number.abs() >= EXPONENT_FROM {
        return format!("{number:e}");
    }
    // The digits as received, not the digits of the binary number. Adding 0 turns -0 into 0.
    let digits = (number + 0.0).to_string();
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    match decimals {
        0 => whole.into(),
        _ => format!("{whole}.{fraction:0<decimals$.decimals$}"),
    }
}

/// Formats a number with thousands separators: `61,275.00`.
pub(crate) fn readable(number: f64, decimals: usize) -> String {
    grouped(plain(number, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_digits_as_received() {
        assert_eq!(decimals([58_218.8, 61_275.0]), 2);
        assert_eq!(decimals([0.000_000_004_512, 1.0]), 12);
        assert_eq!(plain(61_275.07, 12), "61275.070000000000");
        assert_eq!(plain(118_441_022_578_828.0, 0), "118441022578828");
    }

    #[test]
    fn thousands_are_separated() {
        for (number, decimals, text) in [
            (58_218.8, 2, "58,218.80"),
            (999.5, 2, "999.50"),
            (1_000_000.0, 0, "1,000,000"),
            (-1_234.5, 2, "-1,234.50"),
            (0.000_5, 4, "0.0005"),
            (1.5e300, 2, "1.5e300"),
            (2e300, 2, "2e300"),
            (-0.0, 2, "0.00"),
            (5e-324, decimals([5e-324]), "0.00000000000000000000"),
        ] {
            assert_eq!(readable(number, decimals), text);
        }
    }
}
