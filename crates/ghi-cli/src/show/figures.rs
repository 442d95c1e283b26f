//! Figures as they are written.

use ghi_display::grouped;

/// The decimals of USD, percent and EH/s, unless figures have more.
pub(crate) const DECIMALS: usize = 2;

/// The most decimals that are shown.
const DECIMALS_MAX: usize = 20;

/// From here on, a figure is written with its exponent.
const EXPONENT_FROM: f64 = 1e21;

/// Below this, a cost is not read in whole dollars.
const WHOLE_FROM: f64 = 1_000.0;

/// As many decimals as the longest of some figures has, and two at least.
pub(crate) fn decimals(figures: impl IntoIterator<Item = f64>) -> usize {
    figures.into_iter().map(own_decimals).max().unwrap_or_default().max(DECIMALS)
}

/// As many decimals as a figure has, which may be none.
pub(crate) fn own_decimals(figure: f64) -> usize {
    let decimals = figure.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len());
    decimals.min(DECIMALS_MAX)
}

/// A figure with so many decimals as a program reads it: `61275.00`.
pub(crate) fn plain(figure: f64, decimals: usize) -> String {
    if figure.abs() >= EXPONENT_FROM {
        return format!("{figure:e}");
    }
    // The digits that were received, not those of the binary number.
    let digits = figure.to_string();
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    match decimals {
        0 => whole.into(),
        _ => format!("{whole}.{fraction:0<decimals$.decimals$}"),
    }
}

/// A figure with some decimals as people read it: `61,275.00`.
pub(crate) fn readable(figure: f64, decimals: usize) -> String {
    grouped(plain(figure, decimals))
}

/// A cost beside a chart: in whole dollars from 1,000 up.
pub(crate) fn rounded(cost: f64, decimals: usize) -> String {
    if cost >= WHOLE_FROM { readable(cost.round(), 0) } else { readable(cost, decimals) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_digits_that_were_received() {
        assert_eq!(decimals([58_218.8, 61_275.0]), 2);
        assert_eq!(decimals([0.000_000_004_512, 1.0]), 12);
        assert_eq!(plain(61_275.07, 12), "61275.070000000000");
        assert_eq!(plain(118_441_022_578_828.0, 0), "118441022578828");
    }

    #[test]
    fn thousands_are_set_apart() {
        for (figure, decimals, text) in [
            (58_218.8, 2, "58,218.80"),
            (999.5, 2, "999.50"),
            (1_000_000.0, 0, "1,000,000"),
            (-1_234.5, 2, "-1,234.50"),
            (0.000_5, 4, "0.0005"),
            (1.5e300, 2, "1.5e300"),
            (2e300, 2, "2e300"),
            (5e-324, decimals([5e-324]), "0.00000000000000000000"),
        ] {
            assert_eq!(readable(figure, decimals), text);
        }
        assert_eq!(rounded(59_535.92, 2), "59,536");
        assert_eq!(rounded(5.5, 2), "5.50");
    }
}
