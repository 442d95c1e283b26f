//! Numbers, changes, dates and durations as people read them.

use std::cmp::Ordering;
use std::fmt;

use ghi_engine::Decimal;
use jiff::civil::Date;

/// Returns a number with commas between groups of three digits: `-61,275.07`.
pub fn grouped(number: impl fmt::Display) -> String {
    let text = number.to_string();
    let whole = text.find('.').unwrap_or(text.len());
    let mut grouped = String::with_capacity(text.len() + whole / 3);
    for (index, char) in text.char_indices() {
        let follows_digit = grouped.ends_with(|char: char| char.is_ascii_digit());
        if follows_digit && index < whole && (whole - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(char);
    }
    grouped
}

/// Returns a cost in few digits: in whole dollars from 1,000, in cents from 1, and with four significant digits below.
pub fn rounded(cost: Decimal) -> String {
    let after_four = cost.count().checked_ilog10().unwrap_or(0).saturating_sub(3) as u8;
    let decimals = match cost.count() / 10_u64.pow(cost.decimals().into()) {
        1_000.. => 0,
        1.. => cost.decimals().min(2),
        0 => cost.decimals().saturating_sub(after_four),
    };
    if decimals == cost.decimals() {
        return grouped(cost);
    }
    let unit = 10_u64.pow(u32::from(cost.decimals() - decimals));
    // Repeated, because 999.996 rounds up to 1,000, which has no decimals.
    rounded(Decimal::new((cost.count() + unit / 2) / unit, decimals))
}

/// Returns a share of a whole with as many decimals as it needs: `60%`, `12.5%`.
pub fn share_percent(share_pct: Decimal) -> String {
    format!("{}%", share_pct.to_f64())
}

/// Returns a share of the hashrate as a word or in few digits: `All`, `57%`, `99.5%`.
pub fn share_in_words(share_pct: Decimal, all: &str, none: &str) -> String {
    match share_pct.to_f64() {
        0.0 => none.into(),
        100.0.. => all.into(),
        share @ (..1.0 | 99.0..) => format!("{share}%"),
        share => format!("{share:.0}%"),
    }
}

/// The prefixes of units, each a thousand times the one before.
const PREFIXES: [&str; 8] = ["", "k", "M", "G", "T", "P", "E", "Z"];

/// Returns a non-negative number with four significant digits and the prefix of its unit: `117.0 T`.
pub fn with_prefix(value: f64) -> String {
    let mut power = (value.max(1.0).log10() / 3.0).floor() as usize;
    let scaled = |power: usize| value / 1_000_f64.powi(power as i32);
    // 999.96 rounds up to a thousand.
    power += usize::from(scaled(power) >= 999.95);
    power = power.min(PREFIXES.len() - 1);
    format!("{} {}", four_digits(scaled(power)), PREFIXES[power])
}

/// Returns a non-negative number with four significant digits, or as a whole number from a thousand on.
fn four_digits(number: f64) -> String {
    match number {
        1_000.0.. => grouped(number.round()),
        100.0.. => format!("{number:.1}"),
        10.0.. => format!("{number:.2}"),
        _ => format!("{number:.3}"),
    }
}

fn significant(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

/// Rounds a number to four significant digits, or to a whole number if it has more.
pub fn rounded_to_four_digits(value: f64) -> f64 {
    if value < 1e3 { significant(value, 4) } else { value.round() }
}

/// Returns a bound of an estimate in three digits: `44,600`.
pub fn rough(cost: Decimal) -> String {
    grouped(significant(cost.to_f64(), 3))
}

/// Returns a hashprice in few digits, and its unit: `$33.66` and `/PH/s/day`, `$29.20` and `/MH/s/day`.
pub fn hashprice(usd_per_ph_day: Decimal) -> (String, String) {
    let text = with_prefix(usd_per_ph_day.to_f64());
    let (digits, prefix) = text.split_once(' ').unwrap_or_default();
    match PREFIXES.iter().position(|known| *known == prefix) {
        Some(thousands @ 1..=5) => {
            (format!("${digits}"), format!("/{}H/s/day", PREFIXES[5 - thousands]))
        }
        _ => (format!("${}", rounded(usd_per_ph_day)), "/PH/s/day".into()),
    }
}

/// At this efficiency or more, in J/TH, efficiencies are written and entered in J/MH.
pub const J_PER_MH_FROM: f64 = 1e5;

/// Returns an efficiency in few digits: `17.5 J/TH`, `8.33 kJ/MH`.
pub fn efficiency(j_per_th: f64) -> String {
    let (value, unit) =
        if j_per_th < J_PER_MH_FROM { (j_per_th, "J/TH") } else { (j_per_th / 1e6, "J/MH") };
    let text = with_prefix(value);
    match text.split_once(' ') {
        Some((digits, prefix)) if digits.contains('.') => {
            format!("{} {prefix}{unit}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text + unit,
    }
}

/// Splits a number such as `1.22321e23` into its digits, in groups, and its power of ten, if it has one.
pub fn digits_and_power(number: &str) -> (String, Option<String>) {
    let (digits, power) = number.split_once('e').unwrap_or((number, ""));
    (grouped(digits), (!power.is_empty()).then(|| power.replace('-', "−")))
}

/// Returns a percentage with its sign: `+2.1%`, `−2.1%`. A value that isn't zero is never shown as zero: `<0.1%`.
pub fn signed_percent(value: f64, decimals: u8) -> String {
    let size = percent(value.abs(), decimals);
    match value {
        _ if value == 0.0 || size.starts_with('<') => size,
        ..0.0 => format!("−{size}"),
        _ => format!("+{size}"),
    }
}

fn percent(size: f64, decimals: u8) -> String {
    // More than four digits don't need decimals.
    let decimals = if size < 1_000.0 { decimals } else { 0 };
    // Half a unit rounds up.
    let units = (size * 10_f64.powi(decimals.into()) + 0.5).floor() as u64;
    match units {
        0 if size > 0.0 => format!("<{}%", Decimal::new(1, decimals)),
        _ => format!("{}%", grouped(Decimal::new(units, decimals))),
    }
}

/// A power of ten of USD with its suffix: the same for all costs of a chart or table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    pub(crate) power: u32,
    pub(crate) suffix: &'static str,
}

impl Unit {
    pub(crate) const ONE: Self = Self { power: 0, suffix: "" };

    /// Percent of a first cost, written as the change from it: `+4.8%`.
    pub(crate) const CHANGE: Self = Self { power: 0, suffix: "%" };

    /// Returns the unit for these costs, which the largest of them determines.
    pub fn of(costs: impl IntoIterator<Item = Decimal>) -> Self {
        match costs.into_iter().map(Decimal::to_f64).fold(0.0, f64::max) {
            1e12.. => Self { power: 12, suffix: "tn" },
            1e9.. => Self { power: 9, suffix: "bn" },
            // Costs of up to seven digits are written in full.
            1e7.. => Self { power: 6, suffix: "M" },
            _ => Self::ONE,
        }
    }

    /// Returns a cost in few digits: rounded in dollars, or with four digits and the suffix. A cost that is too small for
    /// this unit has its own.
    pub fn written(self, cost: Decimal) -> String {
        match self {
            Self::CHANGE => signed_percent(cost.to_f64() - 100.0, 1),
            Self::ONE => rounded(cost),
            unit if unit.units(cost) < 0.01 => Self::of([cost]).written(cost),
            unit => four_digits(unit.units(cost)) + unit.suffix,
        }
    }

    fn units(self, cost: Decimal) -> f64 {
        cost.to_f64() / 10_f64.powi(self.power as i32)
    }
}

/// Returns a date in full: `16 November 2026`.
pub fn long_date(date: Date) -> String {
    date.strftime("%-d %B %Y").to_string()
}

/// Returns a date for titles and tables: `16 Nov 2026`.
pub fn short_date(date: Date) -> String {
    date.strftime("%-d %b %Y").to_string()
}

/// Returns the period from one day to another: `19 Aug to 16 Nov 2026`.
pub(crate) fn period(first: Date, last: Date) -> String {
    if first == last {
        return short_date(last);
    }
    let format = if first.year() == last.year() { "%-d %b" } else { "%-d %b %Y" };
    format!("{} to {}", first.strftime(format), short_date(last))
}

/// Returns a day before `today`, with its year if that differs: `18 October`, `18 Oct 2025`.
pub fn day_before(date: Date, today: Date) -> String {
    let format = if date.year() == today.year() { "%-d %B" } else { "%-d %b %Y" };
    date.strftime(format).to_string()
}

/// Returns a duration in hours and minutes: `12 h 5 min`.
pub fn duration(seconds: u64) -> String {
    match (seconds / 3_600, seconds / 60 % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// The change or difference from one figure to another of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The figure that the other is compared with.
    pub from: Decimal,
    /// The figure that is compared.
    pub to: Decimal,
}

impl Delta {
    /// Returns the change in percent of the first figure, negative if it fell.
    pub fn percent(self) -> f64 {
        let percent = 100.0 * self.size().count() as f64 / self.from.count() as f64;
        if self.to < self.from { -percent } else { percent }
    }

    /// Returns the difference between two places in percent: `+2.1%`.
    pub fn difference(self) -> String {
        signed_percent(self.percent(), 1)
    }

    /// Returns a change over time in percent, which is smaller than between places and needs more decimals: `+0.42%`.
    pub fn change(self) -> String {
        signed_percent(self.percent(), 2)
    }

    /// Returns a change over time with an arrow, so that the direction doesn't depend on colour: `▲ +0.42%`.
    pub fn change_with_arrow(self) -> String {
        format!("{}{}", self.pick("▼ ", "", "▲ "), self.change())
    }

    /// Returns a change over time in USD and percent: `▲ +$88 (+0.15%)`.
    pub fn usd_with_arrow(self) -> String {
        match self.to == self.from {
            true => "unchanged".into(),
            false => format!("{} {} ({})", self.pick("▼", "", "▲"), self.usd(), self.change()),
        }
    }

    /// Returns the difference in USD, rounded like the first figure: `+$1,234`.
    pub fn usd(self) -> String {
        format!("{}{}", self.pick("−", "", "+"), self.usd_size())
    }

    /// Returns the difference in USD without a sign: `$1,234`. Omits cents next to thousands of dollars, and fractions
    /// of a cent next to dollars, unless that would hide the difference.
    pub fn usd_size(self) -> String {
        let (size, from) = (self.size(), self.from.count());
        let one = 10_u64.pow(size.decimals().into());
        let cent = one / 100;
        let units = |unit| (size.count() + unit / 2) / unit;
        match size.count() {
            0 => "$0".into(),
            count if from >= 1_000 * one && count >= one.div_ceil(2) => {
                format!("${}", grouped(units(one)))
            }
            count if from >= one && cent > 1 && count >= cent => {
                format!("${}", grouped(Decimal::new(units(cent), 2)))
            }
            _ => format!("${}", rounded(size)),
        }
    }

    /// Returns the distance between the figures.
    pub fn size(self) -> Decimal {
        Decimal::new(self.to.count().abs_diff(self.from.count()), self.to.decimals())
    }

    /// Returns the distance in percent of the first figure, without a sign: `2.4%`.
    pub fn percent_size(self) -> String {
        percent(self.percent().abs(), 1)
    }

    /// Returns the distance in percent, unless the first figure is zero, with a word for its direction: `2.4% lower`.
    pub fn in_words(self, lower: &str, same: &str, higher: &str) -> String {
        let word = self.pick(lower, same, higher);
        match self.from == self.to || self.from.count() == 0 {
            true => word.into(),
            false => format!("{} {word}", self.percent_size()),
        }
    }

    /// Returns one of three values, by the direction.
    pub(crate) fn pick<'a>(self, lower: &'a str, same: &'a str, higher: &'a str) -> &'a str {
        match self.to.cmp(&self.from) {
            Ordering::Less => lower,
            Ordering::Equal => same,
            Ordering::Greater => higher,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn large_numbers_have_four_digits_and_a_prefix() {
        for (value, text) in [
            (117_023_000_000_000.0, "117.0 T"),
            (4_264_700_000.0, "4.265 G"),
            (975.3e18, "975.3 E"),
            (999.96e12, "1.000 P"),
            (0.5, "0.500 "),
            (0.0, "0.000 "),
            (1e25, "10,000 Z"),
        ] {
            assert_eq!(with_prefix(value), text);
        }
        assert_eq!(efficiency(17.5), "17.5 J/TH");
        assert_eq!(efficiency(20.0), "20 J/TH");
        assert_eq!(efficiency(8.33e9), "8.33 kJ/MH");
        assert_eq!(hashprice(Decimal::new(3_366, 2)), ("$33.66".into(), "/PH/s/day".into()));
        let monero = hashprice(Decimal::new(29_195_907_525, 0));
        assert_eq!(monero, ("$29.20".into(), "/MH/s/day".into()));
        assert_eq!(efficiency(360_000.0), "0.36 J/MH");
    }

    #[test]
    fn shares_of_the_hashrate_are_words_or_few_digits() {
        let share = |count| share_in_words(Decimal::new(count, 2), "All", "None");
        let shares = [10_000, 9_950, 5_674, 99, 0].map(share);
        assert_eq!(shares, ["All", "99.5%", "57%", "0.99%", "None"]);
    }

    #[test]
    fn digits_are_in_groups_of_three() {
        for (text, expected) in [
            ("0.07", "0.07"),
            ("999.99", "999.99"),
            ("1000.00", "1,000.00"),
            ("123456789.01", "123,456,789.01"),
            ("-123.5", "-123.5"),
            ("-1234.5", "-1,234.5"),
            ("4512", "4,512"),
            ("0.000000004512", "0.000000004512"),
        ] {
            assert_eq!(grouped(text), expected);
        }
        assert_eq!(grouped(Decimal::new(100_000, 2)), "1,000.00");
    }

    #[test]
    fn a_rounded_cost_has_few_digits() {
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
            assert_eq!(rounded(Decimal::new(count, decimals)), text);
        }
    }

    proptest! {
        #[test]
        fn any_cost_is_rounded_to_the_nearest(count in 0..10_u64.pow(15), scale in 0..15_u32, decimals in 0..11_u8) {
            let cost = Decimal::new(count / 10_u64.pow(scale), decimals);
            let text = rounded(cost);
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
            assert_eq!(digits_and_power(text), (digits.into(), power.map(str::to_owned)));
        }
    }

    #[test]
    fn a_share_has_as_many_decimals_as_it_needs() {
        let percent = |hundredths| share_percent(Decimal::new(hundredths, 2));
        assert_eq!([percent(6_000), percent(1_250), percent(1)], ["60%", "12.5%", "0.01%"]);
    }

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
        // A cost that would round to zero uses its own unit.
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

    #[test]
    fn a_period_names_a_year_once_if_it_can() {
        let last = date(2026, 11, 16);
        assert_eq!(period(date(2026, 8, 19), last), "19 Aug to 16 Nov 2026");
        assert_eq!(period(date(2025, 11, 17), last), "17 Nov 2025 to 16 Nov 2026");
        assert_eq!(period(last, last), "16 Nov 2026");
    }

    #[test]
    fn a_duration_is_in_whole_minutes() {
        assert_eq!([59, 3_599, 43_500].map(duration), ["0 min", "59 min", "12 h 5 min"]);
    }

    fn delta(from: u64, to: u64) -> Delta {
        let [from, to] = [from, to].map(|cents| Decimal::new(cents, 2));
        Delta { from, to }
    }

    #[test]
    fn a_change_in_dollars_shows_its_direction_without_colour() {
        let change = |from, to| delta(from, to).usd_with_arrow();
        assert_eq!(change(20_000, 20_500), "▲ +$5.00 (+2.50%)");
        assert_eq!(change(20_500, 20_000), "▼ −$5.00 (−2.44%)");
        assert_eq!(change(20_000, 20_000), "unchanged");
        assert_eq!(change(6_000_000, 6_008_832), "▲ +$88 (+0.15%)");
        assert_eq!(change(6_000_000, 6_000_005), "▲ +$0.05 (<0.01%)");
        assert_eq!(change(20_000, 20_001), "▲ +$0.01 (+0.01%)");
    }

    #[test]
    fn a_change_in_percent_shows_its_direction_without_colour() {
        let change = |from, to| delta(from, to).change_with_arrow();
        assert_eq!(change(20_000, 20_500), "▲ +2.50%");
        assert_eq!(change(20_500, 20_000), "▼ −2.44%");
        assert_eq!(change(20_000, 20_000), "0.00%");
        assert_eq!(change(6_000_000, 6_000_005), "▲ <0.01%");
        assert_eq!(delta(20_500, 20_000).change(), "−2.44%");
    }

    #[test]
    fn a_difference_has_a_sign_and_whole_dollars() {
        let text = |from, to| (delta(from, to).usd(), delta(from, to).difference());
        assert_eq!(text(6_000_000, 6_123_449), ("+$1,234".into(), "+2.1%".into()));
        assert_eq!(text(6_123_449, 6_000_000), ("−$1,234".into(), "−2.0%".into()));
        assert_eq!(text(6_000_000, 6_074_106), ("+$741".into(), "+1.2%".into()));
        assert_eq!(text(50_000, 50_741), ("+$7.41".into(), "+1.5%".into()));
        assert_eq!(text(6_000_000, 6_000_001), ("+$0.01".into(), "<0.1%".into()));
        assert_eq!(text(6_000_000, 6_000_000), ("$0".into(), "0.0%".into()));
        let usd = |from, to| Delta { from: Decimal::new(from, 4), to: Decimal::new(to, 4) }.usd();
        assert_eq!(usd(2_602_127, 2_597_164), "−$0.50");
        assert_eq!(usd(2_512_900, 2_597_164), "+$8.43");
        assert_eq!(usd(2_597_164, 2_597_165), "+$0.0001");
        assert_eq!(usd(62_597_164, 62_613_164), "+$2");
    }

    #[test]
    fn a_difference_in_words_names_its_direction() {
        let words = |from, to| delta(from, to).in_words("below", "the same", "above");
        assert_eq!(words(6_000_000, 5_748_000), "4.2% below");
        assert_eq!(words(6_000_000, 60_000_000), "900.0% above");
        assert_eq!(words(100, 10_000_000_000), "9,999,999,900% above");
        assert_eq!(words(6_000_000, 6_000_001), "<0.1% above");
        assert_eq!(words(6_000_000, 6_000_000), "the same");
        assert_eq!(words(0, 6_000_000), "above");
    }

    #[test]
    fn effects_of_factors_have_a_sign() {
        let effects = [1.042, 0.958, 1.0].map(|factor| signed_percent(100.0 * (factor - 1.0), 1));
        assert_eq!(effects, ["+4.2%", "−4.2%", "0.0%"]);
    }
}
