//! A slider for a number of any size.

/// How many times today's value a slider goes up to.
const TIMES_TODAY: f64 = 3.0;

/// The significant digits of its largest value.
const DIGITS: i32 = 4;

/// The ends and the steps of a slider, as HTML has them: its values have four digits at most.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Slider {
    pub(crate) min: String,
    pub(crate) max: String,
    pub(crate) step: String,
}

impl Slider {
    /// From next to nothing to three times a value, within bounds.
    pub(crate) fn around(value: f64, [least, most]: [f64; 2]) -> Self {
        let max = (TIMES_TODAY * value).min(most);
        let power = max.log10().floor() as i32 + 1 - DIGITS;
        let unit = 10_f64.powi(power);
        let decimals = usize::try_from(-power).unwrap_or(0);
        let written = |units: f64| format!("{:.decimals$}", units * unit);
        Self {
            min: written((least / unit).ceil().max(1.0)),
            max: written((max / unit).round()),
            step: written(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: f64, bounds: [f64; 2], [min, max, step]: [&str; 3]) {
        let slider = Slider { min: min.into(), max: max.into(), step: step.into() };
        assert_eq!(Slider::around(value, bounds), slider);
    }

    #[test]
    fn a_slider_has_four_digits_and_stays_within_bounds() {
        check(0.0551, [1e-4, 10.0], ["0.0001", "0.1653", "0.0001"]);
        check(20.1, [1e-3, 1e13], ["0.01", "60.30", "0.01"]);
        check(1.24, [1.0, 10.0], ["1.000", "3.720", "0.001"]);
        check(9.0, [1.0, 10.0], ["1.00", "10.00", "0.01"]);
        check(10_000.0, [1e-6, 1e9], ["10", "30000", "10"]);
        check(1e13, [1e-3, 1e13], ["10000000000", "10000000000000", "10000000000"]);
    }
}
