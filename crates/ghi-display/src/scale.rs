//! The axes of costs and of days: positions, ticks and their labels.

use ghi_engine::Decimal;
use jiff::ToSpan;
use jiff::civil::Date;

use crate::numbers::{Unit, grouped, signed_percent};
use crate::svg::{short, small_width_of};

/// The units of an abbreviated scale in dollars, each with the smallest power of ten, in USD, for which it is used.
const BRIEF_UNITS: [(Unit, u32); 2] =
    [(Unit { power: 6, suffix: "M" }, 6), (Unit { power: 3, suffix: "k" }, 4)];

const TICKS_MIN: u64 = 3;

/// The longest label, in characters, unless costs differ so little that labels need more.
const LABEL_MAX: usize = 12;

/// A linear or logarithmic scale. The ticks of a linear scale are whole units of the costs' last decimal, in steps of 1, 2
/// or 5 times a power of ten, so their labels differ.
#[derive(Clone, Debug)]
pub struct Scale {
    /// The costs at its ends, and its ticks, in units of their last decimal.
    costs: [u64; 2],
    ticks: Vec<u64>,
    ends: [f64; 2],
    /// The unit of labels, also as a power of ten of units of the costs' last decimal, and their decimals.
    labels: (Unit, u32, u32),
    is_logarithmic: bool,
}

/// A tick of a scale.
#[derive(Clone, Debug)]
pub struct Tick {
    /// Its position.
    pub at: f64,
    /// Its label.
    pub label: String,
}

impl Scale {
    /// Creates a scale that covers costs, with the lowest and the highest near these positions and with up to `ticks_max`
    /// ticks, at least four. If all costs are equal, they are in the middle. A brief scale abbreviates thousands: `50k`.
    pub fn linear(
        unit: Unit,
        [low, high]: [Decimal; 2],
        ends: [f64; 2],
        ticks_max: u64,
        is_brief: bool,
    ) -> Self {
        // Leaves space, so that nothing that is drawn touches the ends.
        let space = ((high.count() - low.count()) / 16).max(1);
        let costs = [low.count().saturating_sub(space), high.count() + space];
        let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit| (digit, power)));
        let mut scales = steps.filter_map(|(digit, power)| {
            let step = digit * 10_u64.pow(power);
            let [first, last] = match [costs[0].div_ceil(step), costs[1] / step] {
                [first, last] if first + TICKS_MIN - 1 <= last => [first, last],
                _ => around(low.count() / step, high.count().div_ceil(step)),
            };
            (last - first < ticks_max).then(|| Self {
                costs: [costs[0].min(first * step), costs[1].max(last * step)],
                ticks: (first..=last).map(|tick| tick * step).collect(),
                ends,
                labels: labels(unit, high, power, is_brief),
                is_logarithmic: false,
            })
        });
        let last_label = |scale: &Self| scale.ticks().pop().map(|tick| tick.label);
        let fits = |scale: &Self| last_label(scale).is_some_and(|label| label.len() <= LABEL_MAX);
        scales.find(fits).expect("large steps have few ticks with short labels")
    }

    /// Creates a logarithmic scale for positive costs, with ticks at 1, 2 and 5 times a power of ten.
    pub(crate) fn logarithmic(
        unit: Unit,
        [low, high]: [Decimal; 2],
        ends: [f64; 2],
        is_brief: bool,
    ) -> Self {
        let costs = [low.count() - low.count() / 16, high.count() + high.count() / 16];
        let [first, last] = costs.map(u64::ilog10);
        // Over many powers of ten, only the powers have ticks.
        let digits: &[u64] = if costs[1] / costs[0] > 1_000 { &[1] } else { &[1, 2, 5] };
        let powers = (first..=last).map(|power| 10_u64.pow(power));
        let ticks = powers.flat_map(|power| digits.iter().map(move |digit| digit * power));
        Self {
            costs,
            ticks: ticks.filter(|tick| (costs[0]..=costs[1]).contains(tick)).collect(),
            ends,
            labels: labels(unit, high, first, is_brief),
            is_logarithmic: true,
        }
    }

    /// Returns the position of a cost.
    pub fn place(&self, cost: Decimal) -> f64 {
        self.place_count(cost.count())
    }

    fn place_count(&self, count: u64) -> f64 {
        let ([low, high], [start, end]) = (self.costs.map(|count| count as f64), self.ends);
        let part = match self.is_logarithmic {
            true => (count as f64 / low).ln() / (high / low).ln(),
            false => (count as f64 - low) / (high - low),
        };
        start + part * (end - start)
    }

    /// Returns the ticks, the lowest first.
    pub fn ticks(&self) -> Vec<Tick> {
        let tick = |&count| Tick { at: short(self.place_count(count)), label: self.label(count) };
        self.ticks.iter().map(tick).collect()
    }

    fn label(&self, count: u64) -> String {
        let (unit, power, decimals) = self.labels;
        if unit == Unit::CHANGE {
            let percent = count as f64 / 10_f64.powi(power as i32);
            return signed_percent(percent - 100.0, decimals as u8);
        }
        let scaled = count / 10_u64.pow(power - decimals);
        let one = 10_u64.pow(decimals);
        let fraction = match decimals as usize {
            0 => String::new(),
            _ if self.is_logarithmic && scaled.is_multiple_of(one) => String::new(),
            width => format!(".{:0width$}", scaled % one),
        };
        match count {
            0 => "0".into(),
            _ => format!("{}{fraction}{}", grouped(scaled / one), unit.suffix),
        }
    }
}

/// Chooses the labels of multiples of a power of ten up to `high`. A brief unit is the largest with at most two decimals.
fn labels(of_costs: Unit, high: Decimal, power: u32, is_brief: bool) -> (Unit, u32, u32) {
    let shift = u32::from(high.decimals());
    let is_apt = |(unit, from): &(Unit, u32)| {
        let from = 10_u64.checked_pow(from + shift);
        from.is_some_and(|from| high.count() >= from)
            && (unit.power + shift).saturating_sub(power) <= 2
    };
    let is_brief = is_brief && of_costs == Unit::ONE;
    let brief = BRIEF_UNITS.into_iter().filter(|_| is_brief).find(is_apt);
    let unit = brief.map_or(of_costs, |(unit, _)| unit);
    let label_power = unit.power + shift;
    (unit, label_power, label_power.saturating_sub(power))
}

/// Widens a range of fewer than three ticks, by as many below as above unless zero is in the way.
fn around(first: u64, last: u64) -> [u64; 2] {
    match (first, last) {
        (0, 0..=1) => [0, 2],
        (first, last) if last - first <= 1 => [first - 1, last + 1],
        (first, last) => [first, last],
    }
}

/// The longest axis with ticks at days, in days. Longer ones have ticks at months.
const DAY_TICKS_MAX: i64 = 45;

/// The space between two labels of an axis of days, in pixels.
const GAP: f64 = 6.0;

#[derive(Clone, Copy)]
pub(crate) struct DayAxis {
    pub(crate) first: Date,
    pub(crate) last: Date,
}

impl DayAxis {
    /// Returns the number of days from the first to the last, at least one.
    pub(crate) fn length(&self) -> i64 {
        self.day(self.last).max(1)
    }

    pub(crate) fn day(&self, date: Date) -> i64 {
        i64::from((date - self.first).get_days())
    }

    pub(crate) fn percent(&self, date: Date) -> f64 {
        short(100.0 * self.day(date) as f64 / self.length() as f64)
    }

    /// Returns the ticks that fit an axis of this width in pixels: at days, including the last, or at the starts of months.
    pub(crate) fn ticks(&self, width: f64) -> Vec<Tick> {
        let day_width = width / self.length() as f64;
        let tick = |date: Date, format| Tick {
            at: self.percent(date),
            label: date.strftime(format).to_string(),
        };
        if self.length() <= DAY_TICKS_MAX {
            let step = step([1, 2, 3, 7, 14, 30], day_width, "30 Nov");
            let last = self.day(self.last);
            let days = (last % step..=last).step_by(step as usize);
            return days.map(|day| tick(self.first.saturating_add(day.days()), "%-d %b")).collect();
        }
        let step = step([1, 2, 3, 4, 6, 12, 24, 60, 120], 30.0 * day_width, "2026");
        let month = |date: Date| 12 * i64::from(date.year()) + i64::from(date.month()) - 1;
        let months = self.first.first_of_month().series(1.month());
        months
            .take_while(|date| *date <= self.last)
            .filter(|date| *date >= self.first && month(*date) % step == 0)
            .map(|date| tick(date, if date.month() == 1 { "%Y" } else { "%b" }))
            .collect()
    }
}

/// Returns the first of these steps that leaves space for a label, or the last one.
fn step<const N: usize>(steps: [i64; N], width: f64, label: &str) -> i64 {
    let needed = small_width_of(label) + GAP;
    let fits = |step: &i64| *step as f64 * width >= needed;
    steps.into_iter().find(fits).unwrap_or(steps[N - 1])
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    fn scale(low: Decimal, high: Decimal, is_brief: bool) -> Scale {
        Scale::linear(Unit::of([high]), [low, high], [300.0, 20.0], 5, is_brief)
    }

    #[track_caller]
    fn check(low: u64, high: u64, is_brief: bool, expected: &[&str]) {
        let [low, high] = [low, high].map(|count| Decimal::new(count, 2));
        assert_eq!(labels(&scale(low, high, is_brief)), expected);
    }

    fn labels(scale: &Scale) -> Vec<String> {
        scale.ticks().into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_and_their_labels_differ() {
        check(4_943_299, 7_627_510, false, &["50,000", "60,000", "70,000"]);
        check(4_943_299, 7_627_510, true, &["50k", "60k", "70k"]);
        check(
            5_621_334,
            5_621_336,
            false,
            &["56,213.33", "56,213.34", "56,213.35", "56,213.36", "56,213.37"],
        );
        check(3, 5, false, &["0.02", "0.03", "0.04", "0.05", "0.06"]);
        check(250_000, 950_000, true, &["4,000", "6,000", "8,000"]);
        check(1_500_000, 3_400_000, true, &["15k", "20k", "25k", "30k", "35k"]);
        check(0, 3 * 10_u64.pow(9), true, &["0", "10M", "20M", "30M"]);
        check(1_000_000_000, 1_028_000_000, true, &["10.0M", "10.1M", "10.2M"]);
        check(2_000_000_000, 959_100_000_000, false, &["0", "5bn", "10bn"]);
        let large = 10_u64.pow(15);
        check(large, 4 * large, false, &["10tn", "20tn", "30tn", "40tn"]);
    }

    #[test]
    fn equal_costs_are_in_the_middle() {
        check(5_621_334, 5_621_334, true, &["56,213.33", "56,213.34", "56,213.35"]);
        let flat = Decimal::new(5_621_334, 2);
        assert_eq!(scale(flat, flat, false).place(flat), 160.0);
        check(0, 0, false, &["0", "0.01", "0.02"]);
    }

    #[test]
    fn a_logarithmic_scale_has_equal_distances_for_equal_factors() {
        let ends = [15_000, 9_000_000].map(|count| Decimal::new(count, 2));
        let scale = Scale::logarithmic(Unit::ONE, ends, [300.0, 20.0], false);
        assert_eq!(
            labels(&scale),
            ["200", "500", "1,000", "2,000", "5,000", "10,000", "20,000", "50,000"]
        );
        let at = |usd: u64| scale.place(Decimal::new(100 * usd, 2));
        assert!(((at(1_000) - at(10_000)) - (at(200) - at(2_000))).abs() < 1e-9);
        assert!(at(150) < 300.0 && at(90_000) > 20.0);
    }

    #[test]
    fn costs_that_differ_little_still_have_short_labels() {
        let flat = 1_666_666_666_666_667;
        let around = ["16.6666665tn", "16.6666666tn", "16.6666667tn", "16.6666668tn"];
        check(flat, flat, false, &around);
        let round = 10_u64.pow(15);
        check(round, round, true, &["9.9999999tn", "10.0000000tn", "10.0000001tn"]);
    }

    #[test]
    fn labels_of_small_costs_have_as_many_decimals_as_they_need() {
        let [low, high] = [48_210, 52_734].map(|count| Decimal::new(count, 6));
        assert_eq!(labels(&scale(low, high, false)), ["0.048", "0.050", "0.052"]);
        let flat = Decimal::new(4_512, 12);
        let around = ["0.0000000044", "0.0000000045", "0.0000000046", "0.0000000047"];
        assert_eq!(labels(&scale(flat, flat, false)), around);
    }

    proptest! {
        /// The costs go far beyond the largest that inputs can produce.
        #[test]
        fn any_costs_are_covered_by_few_ticks_with_different_labels(
            costs in [0..10_u64.pow(17), 0..10_u64.pow(17)],
            shift in 0..17_u32,
            decimals in 0..11_u8,
            ticks_max in 4..8_u64,
            is_brief: bool,
        ) {
            let [a, b] = costs.map(|cost| Decimal::new(cost / 10_u64.pow(shift), decimals));
            let [low, high] = [a.min(b), a.max(b)];
            let scale = Scale::linear(Unit::of([high]), [low, high], [300.0, 20.0], ticks_max, is_brief);
            for cost in [low, high] {
                prop_assert!((20.0..=300.0).contains(&scale.place(cost)));
            }
            prop_assert!(scale.place(low) > scale.place(high) || low == high);
            let ticks = scale.ticks();
            prop_assert!((3..=ticks_max as usize).contains(&ticks.len()), "{}", ticks.len());
            for tick in &ticks {
                prop_assert!((20.0..=300.0).contains(&tick.at) && tick.label.len() <= LABEL_MAX);
            }
            for pair in ticks.windows(2) {
                prop_assert_ne!(&pair[0].label, &pair[1].label);
                prop_assert!(pair[0].at > pair[1].at);
            }
        }
    }

    const LAST: Date = date(2026, 11, 16);

    #[track_caller]
    fn check_days(days: i64, width: f64, expected: &[&str]) {
        let first = LAST.saturating_sub((days - 1).days());
        let ticks = DayAxis { first, last: LAST }.ticks(width);
        let labels: Vec<&str> = ticks.iter().map(|tick| &*tick.label).collect();
        assert_eq!(labels, expected);
    }

    #[test]
    fn ticks_are_at_days_including_the_last_or_at_the_first_days_of_months() {
        check_days(
            7,
            400.0,
            &["10 Nov", "11 Nov", "12 Nov", "13 Nov", "14 Nov", "15 Nov", "16 Nov"],
        );
        check_days(7, 170.0, &["10 Nov", "12 Nov", "14 Nov", "16 Nov"]);
        check_days(30, 170.0, &["19 Oct", "2 Nov", "16 Nov"]);
        check_days(90, 170.0, &["Sep", "Oct", "Nov"]);
        check_days(
            365,
            600.0,
            &["Dec", "2026", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov"],
        );
        check_days(365, 170.0, &["2026", "Apr", "Jul", "Oct"]);
        check_days(1, 170.0, &["16 Nov"]);
    }

    proptest! {
        #[test]
        fn no_two_labels_overlap(days in 1..11_000_i64, width in 120.0..1200.0) {
            let first = LAST.saturating_sub(days.days());
            let ticks = DayAxis { first, last: LAST }.ticks(width);
            for pair in ticks.windows(2) {
                let apart = (pair[1].at - pair[0].at) * width / 100.0;
                let width_of_both = (small_width_of(&pair[0].label) + small_width_of(&pair[1].label)) / 2.0;
                prop_assert!(apart > width_of_both, "{} {}", pair[0].label, pair[1].label);
            }
            for tick in ticks {
                prop_assert!((0.0..=100.0).contains(&tick.at));
            }
        }
    }
}
