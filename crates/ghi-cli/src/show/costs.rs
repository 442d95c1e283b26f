//! Formats costs and other numbers.

use ghi_display::grouped;
use ghi_engine::Decimal;

/// The number of decimals of USD, percent and EH/s, unless a number has more.
const DECIMALS: usize = 2;

/// The maximum number of decimals.
const DECIMALS_MAX: usize = 20;

/// From this value on, numbers are written with an exponent.
const EXPONENT_FROM: f64 = 1e21;

/// From this value on, costs next to a chart are in whole dollars.
const WHOLE_FROM: f64 = 1_000.0;

/// The largest cost in a chart, in units of its last decimal: beyond it, floats are more than a unit apart.
const UNITS_MAX: u64 = 1_000_000_000_000_000;

/// The maximum number of decimals of a cost in a chart.
const CHART_DECIMALS_MAX: u8 = 15;

/// Returns the largest number of decimals of these numbers, at least two.
pub(crate) fn decimals(figures: impl IntoIterator<Item = f64>) -> usize {
    figures.into_iter().map(own_decimals).max().unwrap_or_default().max(DECIMALS)
}

/// Returns the number of decimals of a number, which may be zero.
pub(crate) fn own_decimals(figure: f64) -> usize {
    let decimals = figure.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len());
    decimals.min(DECIMALS_MAX)
}

/// Formats a number for programs: `61275.00`.
pub(crate) fn plain(figure: f64, decimals: usize) -> String {
    if figure.abs() >= EXPONENT_FROM {
        return format!("{figure:e}");
    }
    // The digits as received, not the digits of the binary number. Adding 0 turns -0 into 0.
    let digits = (figure + 0.0).to_string();
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    match decimals {
        0 => whole.into(),
        _ => format!("{whole}.{fraction:0<decimals$.decimals$}"),
    }
}

/// Formats a number with thousands separators: `61,275.00`.
pub(crate) fn readable(figure: f64, decimals: usize) -> String {
    grouped(plain(figure, decimals))
}

/// Formats a cost next to a chart.
pub(crate) fn rounded(cost: f64, decimals: usize) -> String {
    if cost >= WHOLE_FROM { readable(cost.round(), 0) } else { readable(cost, decimals) }
}

/// Returns the lowest and the highest of these costs, for the scale of a chart.
pub(crate) fn bounds(costs: impl Iterator<Item = f64> + Clone) -> Result<[Decimal; 2], String> {
    let low = costs.clone().fold(f64::INFINITY, f64::min);
    let high = costs.fold(f64::NEG_INFINITY, f64::max);
    if low < 0.0 {
        return Err(format!("cannot draw a cost of {low} USD; costs must be positive"));
    }
    // The decimals of large costs are insignificant.
    let bounds = [decimals([low, high]), 0].into_iter().find_map(|decimals| {
        let units = |cost: f64| plain(cost, decimals).replace('.', "").parse().ok();
        let [low, high]: [u64; 2] = [units(low)?, units(high)?];
        let decimals = u8::try_from(decimals).ok().filter(|count| *count <= CHART_DECIMALS_MAX)?;
        (high <= UNITS_MAX).then(|| [low, high].map(|units| Decimal::new(units, decimals)))
    });
    bounds.ok_or_else(|| format!("cannot draw a cost of {high:e} USD; it is too large"))
}

/// Rounds a cost to the decimals of a bound.
pub(crate) fn at_scale(cost: f64, bound: Decimal) -> Decimal {
    let units = cost * 10_f64.powi(bound.decimals().into());
    Decimal::new(units.round() as u64, bound.decimals())
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
        for (figure, decimals, text) in [
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
            assert_eq!(readable(figure, decimals), text);
        }
        assert_eq!(rounded(59_535.92, 2), "59,536");
        assert_eq!(rounded(5.5, 2), "5.50");
    }
}
