//! Changes and differences as people read them.

use std::cmp::Ordering;

use ghi_engine::Decimal;

use crate::numbers::{grouped, percent, rounded, signed_percent};

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

    /// Returns the distance in percent with a word for its direction: `2.4% lower`. If the first figure is zero, returns
    /// only the word.
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
    use super::*;

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
