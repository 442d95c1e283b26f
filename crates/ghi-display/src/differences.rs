//! How far one figure lies from another, as people read it.

use std::cmp::Ordering;
use std::fmt;

use ghi_engine::Decimal;

use crate::amounts::{Rounded, grouped};

/// From one figure to another, with an arrow that does not need a colour: `▲ +$88 (+0.15 %)`.
pub struct Change {
    /// The figure that it is measured by.
    pub from: Decimal,
    /// The other figure.
    pub to: Decimal,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from, self.to);
        let (arrow, sign) = match to.cmp(&from) {
            Ordering::Less => ("▼", "−"),
            Ordering::Equal => return f.write_str("■ unchanged"),
            Ordering::Greater => ("▲", "+"),
        };
        let usd = Difference { from, to }.usd();
        match percent_apart(from, to) {
            ..0.005 => write!(f, "{arrow} {usd} (< 0.01 %)"),
            percent => write!(f, "{arrow} {usd} ({sign}{percent:.2} %)"),
        }
    }
}

/// From one figure to another, in percent, with an arrow that does not need a colour: `▲ +0.42 %`.
#[derive(Clone, Copy)]
pub struct PercentChange {
    /// The figure that it is measured by.
    pub from: Decimal,
    /// The other figure.
    pub to: Decimal,
}

impl PercentChange {
    /// The change in percent, for sorting.
    pub fn percent(self) -> f64 {
        100.0 * (self.to.to_f64() / self.from.to_f64() - 1.0)
    }
}

impl PercentChange {
    /// The change without an arrow, for a column of many: `+0.42 %`.
    pub fn signed(self) -> String {
        let percent = percent_apart(self.from, self.to);
        let sign = match self.to.cmp(&self.from) {
            _ if percent < 0.005 => "",
            Ordering::Less => "−",
            Ordering::Equal | Ordering::Greater => "+",
        };
        format!("{sign}{percent:.2} %")
    }
}

impl fmt::Display for PercentChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (arrow, sign) = match self.to.cmp(&self.from) {
            Ordering::Less => ("▼", "−"),
            Ordering::Equal => return f.write_str("■ 0 %"),
            Ordering::Greater => ("▲", "+"),
        };
        let percent = percent_apart(self.from, self.to);
        match percent {
            _ if percent < 0.005 => write!(f, "{arrow} < 0.01 %"),
            _ => write!(f, "{arrow} {sign}{percent:.2} %"),
        }
    }
}

/// How far a figure lies from another that it is measured by: `+$1,234` and `+2.1 %`.
#[derive(Clone, Copy)]
pub struct Difference {
    /// The figure that it is measured by.
    pub from: Decimal,
    /// The other figure.
    pub to: Decimal,
}

impl Difference {
    /// In USD, as precise as people read what it is measured by: `+$1,234`.
    pub fn usd(self) -> String {
        format!("{}{}", self.sign(), self.size_usd())
    }

    /// The same without a sign: `$1,234`.
    pub fn size_usd(self) -> String {
        let by = Decimal::new(self.to.count().abs_diff(self.from.count()), self.to.decimals());
        let one = 10_u64.pow(by.decimals().into());
        // Of thousands of dollars, cents tell nothing, unless there is nothing else.
        match by.count() {
            0 => "$0".into(),
            count if self.from.count() >= 1_000 * one && count >= one.div_ceil(2) => {
                format!("${}", grouped((count + one / 2) / one))
            }
            _ => format!("${}", Rounded(by)),
        }
    }

    /// In percent of what it is measured by.
    pub fn percent(self) -> String {
        let percent = Tenths(percent_apart(self.from, self.to)).to_string();
        if percent.starts_with('<') { percent } else { format!("{}{percent}", self.sign()) }
    }

    fn sign(self) -> &'static str {
        match self.to.cmp(&self.from) {
            Ordering::Less => "−",
            Ordering::Equal => "±",
            Ordering::Greater => "+",
        }
    }
}

/// What a figure is beside a reader's own: `4.2 % below`.
#[derive(Clone, Copy)]
pub struct BesideYours {
    /// The reader's own.
    pub yours: Decimal,
    /// The figure beside it.
    pub other: Decimal,
}

impl fmt::Display for BesideYours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.other.cmp(&self.yours) {
            Ordering::Less => "below",
            Ordering::Equal => return f.write_str("the same"),
            Ordering::Greater => "above",
        };
        match self.yours.count() {
            0 => f.write_str(side),
            _ => write!(f, "{} {side}", Tenths(percent_apart(self.yours, self.other))),
        }
    }
}

/// How far two figures lie apart, in percent of the first.
fn percent_apart(of: Decimal, other: Decimal) -> f64 {
    100.0 * of.count().abs_diff(other.count()) as f64 / of.count() as f64
}

/// A percent that is not negative, with one decimal. What is not zero never looks like it.
pub struct Tenths(pub f64);

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As the script of the calculator rounds.
        let tenths = (self.0 * 10.0 + 0.5).floor() as u64;
        match tenths {
            0 if self.0 > 0.0 => f.write_str("< 0.1 %"),
            _ => write!(f, "{}.{} %", grouped(tenths / 10), tenths % 10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(cents: u64) -> Decimal {
        Decimal::new(cents, 2)
    }

    #[test]
    fn a_change_tells_its_direction_without_colour_and_its_unit() {
        let change = |from, to| Change { from: usd(from), to: usd(to) }.to_string();
        assert_eq!(change(20_000, 20_500), "▲ +$5.00 (+2.50 %)");
        assert_eq!(change(20_500, 20_000), "▼ −$5.00 (−2.44 %)");
        assert_eq!(change(20_000, 20_000), "■ unchanged");
        assert_eq!(change(6_000_000, 6_008_832), "▲ +$88 (+0.15 %)");
        assert_eq!(change(6_000_000, 6_000_005), "▲ +$0.05 (< 0.01 %)");
        assert_eq!(change(20_000, 20_001), "▲ +$0.01 (+0.01 %)");
    }

    #[test]
    fn a_change_in_percent_tells_its_direction_without_colour() {
        let change = |from, to| PercentChange { from: usd(from), to: usd(to) }.to_string();
        assert_eq!(change(20_000, 20_500), "▲ +2.50 %");
        assert_eq!(change(20_500, 20_000), "▼ −2.44 %");
        assert_eq!(change(20_000, 20_000), "■ 0 %");
        assert_eq!(change(6_000_000, 6_000_005), "▲ < 0.01 %");
        let signed = |from, to| PercentChange { from: usd(from), to: usd(to) }.signed();
        assert_eq!(signed(20_500, 20_000), "−2.44 %");
        assert_eq!([signed(20_000, 20_500), signed(6_000_000, 5_999_995)], ["+2.50 %", "0.00 %"]);
    }

    #[test]
    fn a_difference_has_a_sign_and_whole_dollars() {
        let of = |from, to| Difference { from: usd(from), to: usd(to) };
        let text = |from, to| (of(from, to).usd(), of(from, to).percent());
        assert_eq!(text(6_000_000, 6_123_449), ("+$1,234".into(), "+2.1 %".into()));
        assert_eq!(text(6_123_449, 6_000_000), ("−$1,234".into(), "−2.0 %".into()));
        assert_eq!(text(6_000_000, 6_074_106), ("+$741".into(), "+1.2 %".into()));
        assert_eq!(text(50_000, 50_741), ("+$7.41".into(), "+1.5 %".into()));
        assert_eq!(text(6_000_000, 6_000_001), ("+$0.01".into(), "< 0.1 %".into()));
        assert_eq!(text(6_000_000, 6_000_000), ("±$0".into(), "±0.0 %".into()));
    }

    #[test]
    fn a_figure_is_told_beside_the_readers_own() {
        let beside =
            |yours, other| BesideYours { yours: usd(yours), other: usd(other) }.to_string();
        assert_eq!(beside(6_000_000, 5_748_000), "4.2 % below");
        assert_eq!(beside(6_000_000, 60_000_000), "900.0 % above");
        assert_eq!(beside(100, 10_000_000_000), "9,999,999,900.0 % above");
        assert_eq!(beside(6_000_000, 6_000_001), "< 0.1 % above");
        assert_eq!(beside(6_000_000, 6_000_000), "the same");
        assert_eq!(beside(0, 6_000_000), "above");
    }
}
