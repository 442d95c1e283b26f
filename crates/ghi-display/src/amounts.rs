//! Figures as people read them.

use std::fmt;

use ghi_engine::{Decimal, Shown};

/// A figure with its digits in groups: `61,275.07`.
#[derive(Clone, Copy)]
pub struct Amount(pub Decimal);

impl Amount {
    /// The figure as a program reads it: `61275.07`.
    pub fn plain(self) -> String {
        self.0.to_string()
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = 10_u64.pow(self.0.decimals().into());
        f.write_str(&grouped(self.0.count() / one))?;
        match self.plain().split_once('.') {
            Some((_, fraction)) => write!(f, ".{fraction}"),
            None => Ok(()),
        }
    }
}

/// A cost as people read it: in whole dollars from 1,000 up, with cents from 1, below with four digits
/// that count.
#[derive(Clone, Copy)]
pub struct Rounded(pub Decimal);

impl Rounded {
    /// How many decimals a cost is read with.
    fn decimals(cost: Decimal) -> u8 {
        let whole = cost.count() / 10_u64.pow(cost.decimals().into());
        match whole {
            1_000.. => 0,
            1.. => cost.decimals().min(2),
            0 => {
                let digits = cost.count().checked_ilog10().map_or(1, |power| power + 1);
                cost.decimals().saturating_sub(digits.saturating_sub(4) as u8)
            }
        }
    }
}

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cost = self.0;
        // A cost that is rounded up to 1,000 is read as one.
        while Self::decimals(cost) < cost.decimals() {
            let decimals = Self::decimals(cost);
            let unit = 10_u64.pow(u32::from(cost.decimals() - decimals));
            cost = Decimal::new((cost.count() + unit / 2) / unit, decimals);
        }
        Amount(cost).fmt(f)
    }
}

/// A step of a derivation, in all the digits that it is computed with.
#[derive(Clone)]
pub struct Quantity(String);

impl From<Shown> for Quantity {
    fn from(shown: Shown) -> Self {
        Self(shown.to_string())
    }
}

impl From<Decimal> for Quantity {
    fn from(figure: Decimal) -> Self {
        Self(figure.to_string())
    }
}

impl Quantity {
    /// As a program reads it: `1.22321e23`.
    pub fn plain(&self) -> &str {
        &self.0
    }

    /// The digits, in groups: those before the power of ten, if it has one.
    pub fn digits(&self) -> String {
        let digits = self.0.split('e').next().unwrap_or_default();
        match digits.split_once('.') {
            Some((whole, fraction)) => format!("{}.{fraction}", in_groups(whole)),
            None => in_groups(digits),
        }
    }

    /// The power of ten that the digits are multiplied with, if it has one.
    pub fn power_of_ten(&self) -> Option<String> {
        let (_, power) = self.0.split_once('e')?;
        Some(power.replace('-', "−"))
    }
}

/// A whole number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    in_groups(&number.to_string())
}

fn in_groups(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A part of a whole, with the decimals that it needs: `60 %`, `12.5 %`.
#[derive(Clone, Copy)]
pub struct Percent(pub Decimal);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0.to_f64())
    }
}

/// From one figure to another in words, without a capital: `down 0.4 %`.
pub struct Trend {
    /// The figure before.
    pub from: Decimal,
    /// The figure after.
    pub to: Decimal,
}

impl fmt::Display for Trend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.to.cmp(&self.from) {
            std::cmp::Ordering::Less => "down",
            std::cmp::Ordering::Equal => return f.write_str("unchanged"),
            std::cmp::Ordering::Greater => "up",
        };
        let percent = 100.0 * (self.to.to_f64() / self.from.to_f64() - 1.0).abs();
        if percent < 0.05 {
            return write!(f, "{word} less than 0.1 %");
        }
        write!(f, "{word} {percent:.1} %")
    }
}

/// A span of time in hours and minutes: `12 h 5 min`.
pub struct Span {
    /// How long it is.
    pub seconds: u64,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = self.seconds / 60;
        match (minutes / 60, minutes % 60) {
            (0, minutes) => write!(f, "{minutes} min"),
            (hours, minutes) => write!(f, "{hours} h {minutes} min"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_stand_in_groups_of_three() {
        for (count, decimals, plain, text) in [
            (7, 2, "0.07", "0.07"),
            (99_999, 2, "999.99", "999.99"),
            (100_000, 2, "1000.00", "1,000.00"),
            (12_345_678_901, 2, "123456789.01", "123,456,789.01"),
            (4_512, 0, "4512", "4,512"),
            (4_512, 12, "0.000000004512", "0.000000004512"),
        ] {
            let amount = Amount(Decimal::new(count, decimals));
            assert_eq!((&*amount.plain(), &*amount.to_string()), (plain, text));
        }
    }

    #[test]
    fn a_cost_is_read_in_few_digits() {
        for (count, decimals, text) in [
            (6_146_549, 2, "61,465"),
            (6_146_550, 2, "61,466"),
            (51_234, 2, "512.34"),
            (5_123_456, 4, "512.35"),
            (999_996, 3, "1,000"),
            (999_994, 3, "999.99"),
            (100, 2, "1.00"),
            (512, 0, "512"),
            (4_821, 5, "0.04821"),
            (482_149, 7, "0.04821"),
            (999_996, 6, "1.00"),
            (7, 2, "0.07"),
            (4_512, 12, "0.000000004512"),
            (0, 2, "0.00"),
        ] {
            assert_eq!(Rounded(Decimal::new(count, decimals)).to_string(), text);
        }
    }

    #[test]
    fn a_trend_is_a_word_and_a_decimal() {
        let trend =
            |from, to| Trend { from: Decimal::new(from, 2), to: Decimal::new(to, 2) }.to_string();
        assert_eq!(trend(20_000, 20_500), "up 2.5 %");
        assert_eq!(trend(20_500, 20_000), "down 2.4 %");
        assert_eq!(trend(20_000, 20_000), "unchanged");
        assert_eq!(trend(6_000_000, 6_000_005), "up less than 0.1 %");
    }

    proptest! {
        #[test]
        fn any_cost_is_rounded_to_the_nearest(count in 0..10_u64.pow(15), scale in 0..15_u32, decimals in 0..11_u8) {
            let cost = Decimal::new(count / 10_u64.pow(scale), decimals);
            let text = Rounded(cost).to_string();
            let read: f64 = text.replace(',', "").parse().unwrap();
            let by = (read - cost.to_f64()).abs();
            prop_assert!(by <= cost.to_f64() * 0.0051, "{cost} as {text}");
            prop_assert!(text.len() <= 26);
        }
    }

    #[test]
    fn a_step_shows_every_digit_and_its_power_of_ten() {
        for (text, digits, power) in [
            ("849449.25", "849,449.25", None),
            ("118712345678901", "118,712,345,678,901", None),
            ("0.0551234", "0.0551234", None),
            ("1.22321e23", "1.22321", Some("23")),
            ("2.5e-9", "2.5", Some("−9")),
        ] {
            let step = Quantity(text.into());
            assert_eq!((&*step.digits(), step.power_of_ten().as_deref()), (digits, power));
            assert_eq!(step.plain(), text);
        }
    }

    #[test]
    fn a_part_has_the_decimals_that_it_needs() {
        let percent = |hundredths| Percent(Decimal::new(hundredths, 2)).to_string();
        assert_eq!([percent(6_000), percent(1_250), percent(1)], ["60 %", "12.5 %", "0.01 %"]);
    }

    #[test]
    fn a_span_is_in_whole_minutes() {
        let span = |seconds| Span { seconds }.to_string();
        assert_eq!([span(59), span(3_599), span(43_500)], ["0 min", "59 min", "12 h 5 min"]);
    }
}
