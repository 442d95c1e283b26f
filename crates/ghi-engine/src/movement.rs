//! How the synthetic network moves: a day's hashrate, fee and prices as factors of their base levels.
//!
//! Difficulty and power prices have factors with a mean of 1 that are independent of each other, so the
//! long-run mean of a cost is the cost at the base levels. The medians of the fee's and the market price's
//! factors are near 1. The hashrate follows the market price, which is not part of any cost.

use crate::inputs::MovementInputs;
use crate::numbers::Interval;

/// The movement of the true hashrate that has nothing to do with the market price.
const HASHRATE: [Octave; 1] = [Octave::balanced(47, 1.0)];
/// The parts of the movement of the true hashrate: its own, and the trend of the market price some time
/// before, when miners ordered their machines. They sum to 1.
const OWN_HASHRATE_PART: f64 = 0.3;
const HASHRATE_TREND_PART: f64 = 0.7;
const HASHRATE_LAG_DAYS: i64 = 60;
/// The usual movement of the transaction fee: mostly over months.
const FEE: [Octave; 3] = [Octave::balanced(181, 0.65), Octave::new(37, 0.15), Octave::new(11, 0.2)];
/// The wave whose highest values are the peaks of the fee. Each lasts about a week.
const FEE_PEAKS: [Octave; 1] = [Octave::new(19, 1.0)];
/// The factor of the highest peak, minus 1, with a `fee_pct` of 100.
const FEE_PEAK: f64 = 90.0;
/// How many times the wave of the peaks is squared. More squares make peaks rarer.
const FEE_PEAK_SQUARES: usize = 5;
/// The part of `fee_pct` by which fees are lower without a peak, so that peaks do not raise the median.
const FEE_CALM: f64 = 0.2;
/// The part of `fee_pct` by which fees are lower on Sundays.
const FEE_WEEKDAY: f64 = 0.22;
/// The movement of power prices that all regions share: fuel, weather, exchange rates.
const COMMON_PRICE: [Octave; 2] = [Octave::new(17, 0.85), Octave::new(1, 0.15)];
/// The movement of power prices in one region.
const OWN_PRICE: [Octave; 2] = [Octave::new(19, 0.75), Octave::new(1, 0.25)];
/// The parts of the movement of a power price: the season, the other movement that all regions share, and
/// the region's own. They sum to 1.
const SEASON_PART: f64 = 0.3;
const COMMON_PART: f64 = 0.38;
const OWN_PART: f64 = 0.32;
/// The calendar repeats every 400 years, which have 146,097 days.
const CALENDAR_YEARS: i64 = 400;
const CALENDAR_DAYS: i64 = 146_097;
/// The distance of the lowest and the highest power price from the mean.
const SPREAD: [Octave; 1] = [Octave::new(41, 1.0)];
/// The movement of the market price within months. The parts grow with about the square root of the days, so
/// the daily changes are those of a random walk: they neither reverse nor continue.
const MARKET_PRICE: [Octave; 6] = [
    Octave::new(1, 0.058),
    Octave::new(2, 0.07),
    Octave::new(5, 0.11),
    Octave::new(11, 0.17),
    Octave::new(23, 0.24),
    Octave::new(47, 0.352),
];
/// The wave whose square is the volatility of the market price. A moving volatility gives daily changes a
/// distribution with long tails.
const VOLATILITY: [Octave; 1] = [Octave::new(37, 1.0)];
/// The lowest volatility relative to the highest.
const CALM_VOLATILITY: f64 = 0.1;
/// The movement of the market price over months.
const PRICE_TREND: [Octave; 2] = [Octave::balanced(71, 0.3), Octave::balanced(131, 0.7)];
/// The parts of the movement of the market price: within months, and over months. They sum to 1.
const MARKET_PRICE_PART: f64 = 0.7;
const PRICE_TREND_PART: f64 = 0.3;
/// Power and fees are more expensive on working days: the effects from Monday to Sunday, in elevenths of
/// the amount. They sum to 0.
const WEEKDAYS: [f64; 7] = [3.0, 5.0, 5.0, 5.0, 2.0, -9.0, -11.0];
const WEEKDAY_UNIT: f64 = 11.0;
/// 1970-01-01 was a Thursday.
const WEEKDAY_OF_DAY_0: i64 = 3;

/// The effect of the day of the week, from -1 on Sundays to 5/11.
fn weekday(day: i64) -> f64 {
    WEEKDAYS[(day + WEEKDAY_OF_DAY_0).rem_euclid(7) as usize] / WEEKDAY_UNIT
}

/// The season, from 1 at the turn of the year to -1 in the middle of it. Its mean is 0.
fn season(day: i64) -> f64 {
    let year = (day * CALENDAR_YEARS).rem_euclid(CALENDAR_DAYS) as f64 / CALENDAR_DAYS as f64;
    2.0 * ease((2.0 * year - 1.0).abs()) - 1.0
}

#[derive(Debug)]
pub(crate) struct NetworkMovement {
    amounts: MovementInputs,
    hashrate: Wave,
    scatter_key: u64,
    fee: Wave,
    fee_peaks: Wave,
    electricity: Wave,
    market_price: Wave,
    volatility: Wave,
    price_trend: Wave,
}

impl NetworkMovement {
    pub(crate) fn new(seed: u64, amounts: &MovementInputs) -> Self {
        Self {
            amounts: amounts.clone(),
            hashrate: Wave::new(seed, "hashrate", &HASHRATE),
            scatter_key: key(seed, "hashrate/scatter", 1),
            fee: Wave::new(seed, "fee", &FEE),
            fee_peaks: Wave::new(seed, "fee/peaks", &FEE_PEAKS),
            electricity: Wave::new(seed, "electricity", &COMMON_PRICE),
            market_price: Wave::new(seed, "price", &MARKET_PRICE),
            volatility: Wave::new(seed, "price/volatility", &VOLATILITY),
            price_trend: Wave::new(seed, "price/trend", &PRICE_TREND),
        }
    }

    pub(crate) fn hashrate(&self, day: i64) -> f64 {
        let trend = self.price_trend.at(day - HASHRATE_LAG_DAYS);
        let swing = OWN_HASHRATE_PART * self.hashrate.at(day) + HASHRATE_TREND_PART * trend;
        (1.0 + self.amounts.difficulty_pct / 100.0 * swing) * self.scatter(day)
    }

    /// The factor of the difficulty on a day: the mean factor of the estimated hashrate in the previous
    /// epoch. It includes the scatter, so a retarget partly reverses the previous one, as in the real
    /// network.
    pub(crate) fn difficulty(&self, day: i64, retarget_days: i64) -> f64 {
        let start = day.div_euclid(retarget_days) * retarget_days;
        let sum: f64 = (start - retarget_days..start).map(|day| self.hashrate(day)).sum();
        sum / retarget_days as f64
    }

    /// The hashrate estimated from a day's blocks, relative to the true one.
    pub(crate) fn scatter(&self, day: i64) -> f64 {
        1.0 + self.amounts.hashrate_pct / 100.0 * daily_scatter(self.scatter_key, day)
    }

    /// The factor of the fee on a day: about as often below 1 as above, and sometimes far above.
    pub(crate) fn fee(&self, day: i64) -> f64 {
        let amount = self.amounts.fee_pct / 100.0;
        let mut peak = (1.0 + self.fee_peaks.at(day)) / 2.0;
        for _ in 0..FEE_PEAK_SQUARES {
            peak *= peak;
        }
        let weekday = 1.0 + amount * FEE_WEEKDAY * weekday(day);
        let peak = 1.0 + amount * (FEE_PEAK * peak - FEE_CALM);
        wide_factor(amount * self.fee.at(day)) * peak * weekday
    }

    /// The factor of the market price on a day: about as often below 1 as above.
    pub(crate) fn market_price(&self, day: i64) -> f64 {
        let root = (1.0 + self.volatility.at(day)) / 2.0;
        let volatility = CALM_VOLATILITY + (1.0 - CALM_VOLATILITY) * (root * root);
        let within_months = MARKET_PRICE_PART * (volatility * self.market_price.at(day));
        let swing = within_months + PRICE_TREND_PART * self.price_trend.at(day);
        wide_factor(self.amounts.price_pct / 100.0 * swing)
    }
}

#[derive(Debug)]
pub(crate) struct RegionMovement {
    own: Wave,
    low: Wave,
    high: Wave,
}

impl RegionMovement {
    /// The movement of the region with this id, which does not depend on the other regions.
    pub(crate) fn new(seed: u64, id: &str) -> Self {
        Self {
            own: Wave::new(seed, &format!("electricity/{id}"), &OWN_PRICE),
            low: Wave::new(seed, &format!("electricity/low/{id}"), &SPREAD),
            high: Wave::new(seed, &format!("electricity/high/{id}"), &SPREAD),
        }
    }

    /// The low, mean and high price of a day, in ascending order.
    pub(crate) fn prices(&self, network: &NetworkMovement, day: i64, base: [f64; 3]) -> [f64; 3] {
        let [base_low, base_mean, base_high] = base;
        let amounts = &network.amounts;
        let weekday = amounts.weekday_pct / 100.0 * weekday(day);
        let common = SEASON_PART * season(day) + COMMON_PART * network.electricity.at(day);
        let own = OWN_PART * self.own.at(day);
        let swing = amounts.electricity_pct / 100.0 * (common + own);
        let mean = base_mean * (1.0 + swing + weekday);
        let spread = amounts.spread_pct / 100.0;
        // The gaps move, not the prices, so that neither price can cross the mean.
        let gap = |base: f64, wave: &Wave| base * (1.0 + spread * wave.at(day));
        let low = mean / (1.0 + gap(base_mean / base_low - 1.0, &self.low));
        let high = mean * (1.0 + gap(base_high / base_mean - 1.0, &self.high));
        [low, mean, high]
    }
}

impl MovementInputs {
    pub(crate) fn difficulty_factors(&self) -> Interval {
        let (swing, scatter) = (Interval::around(self.difficulty_pct), self.scatter_factors());
        Interval::new(swing.min * scatter.min, swing.max * scatter.max)
    }

    /// The factors of the estimated hashrate, relative to the true or implied one.
    pub(crate) fn scatter_factors(&self) -> Interval {
        Interval::around(self.hashrate_pct)
    }

    pub(crate) fn fee_factors(&self) -> Interval {
        let swing = self.fee_pct / 100.0;
        let lowest = (1.0 - swing * FEE_CALM) * (1.0 - swing * FEE_WEEKDAY);
        let highest = (1.0 + swing * (FEE_PEAK - FEE_CALM)) * (1.0 + swing * FEE_WEEKDAY);
        Interval::new(wide_factor(-swing) * lowest, wide_factor(swing) * highest)
    }

    pub(crate) fn market_price_factors(&self) -> Interval {
        let swing = self.price_pct / 100.0;
        Interval::new(wide_factor(-swing), wide_factor(swing))
    }

    /// The factors of a power price, whether low, mean or high.
    pub(crate) fn electricity_factors(&self) -> Interval {
        let swing = (self.electricity_pct + self.weekday_pct) / 100.0;
        let spread = 1.0 + self.spread_pct / 100.0;
        // The gap to the mean grows by a factor of `spread` at most, and so does the ratio to the mean.
        Interval::new((1.0 - swing) / spread, (1.0 + swing) * spread)
    }
}

#[derive(Clone, Copy, Debug)]
struct Octave {
    /// The interval between two random numbers in days. With 1, each day has its own random number.
    days: i64,
    /// Its weight in the wave.
    part: f64,
    /// Whether the random numbers come in groups of four, two above 0 and two below. Such a curve turns so
    /// often that no decade stays above or below its mean, and still has a mean of 0 on any day.
    balanced: bool,
}

impl Octave {
    const fn new(days: i64, part: f64) -> Self {
        Self { days, part, balanced: false }
    }

    const fn balanced(days: i64, part: f64) -> Self {
        Self { days, part, balanced: true }
    }
}

/// A function of the day with values from -1 to 1 and a long-run mean of 0: the sum of its octaves, each with
/// its key.
///
/// It is value noise: random numbers at fixed intervals, joined by a smooth curve. Its value on a day depends
/// only on the nearest random numbers, which are hashes of their index, so there is no starting point and no
/// drift. It uses only integer arithmetic and + - * /, so every machine computes the same bits.
#[derive(Clone, Debug)]
struct Wave(Vec<(Octave, u64)>);

impl Wave {
    fn new(seed: u64, name: &str, octaves: &[Octave]) -> Self {
        let keyed = |octave: &Octave| (*octave, key(seed, name, octave.days));
        Self(octaves.iter().map(keyed).collect())
    }

    /// The value on a day, counted from 1970-01-01.
    fn at(&self, day: i64) -> f64 {
        let value = |(Octave { days, part, balanced }, key): &(Octave, u64)| {
            let index = day.div_euclid(*days);
            let [from, to] = [index, index + 1].map(|index| random(*key, index, *balanced));
            let eased = ease(day.rem_euclid(*days) as f64 / *days as f64);
            part * (from + (to - from) * eased)
        };
        self.0.iter().map(value).sum()
    }
}

/// The key of random numbers at an interval. Those with other names or seeds are independent of it.
fn key(seed: u64, name: &str, days: i64) -> u64 {
    let bytes = name.bytes().map(u64::from).chain([days as u64]);
    bytes.fold(splitmix64(seed), |key, byte| splitmix64(key ^ byte))
}

/// The factor of a value that swings widely: 1 at 0, and its inverse for the opposite swing. It is near the
/// exponential function of 4 times the swing.
fn wide_factor(swing: f64) -> f64 {
    let ratio = (1.0 + swing) / (1.0 - swing);
    ratio * ratio
}

/// A smooth curve from 0 at 0 to 1 at 1, flat at both ends.
fn ease(way: f64) -> f64 {
    way * way * (3.0 - 2.0 * way)
}

/// A random number for each day, from -1 to 1 with a mean of 0. It is the mean of four random numbers, so
/// values near 0 are the most frequent, as in the number of blocks per day. Its standard deviation is
/// 0.2887.
fn daily_scatter(key: u64, day: i64) -> f64 {
    const HALF_OF_SUM_MAX: f64 = 131_070.0;
    let bits = splitmix64(key ^ day as u64);
    let sum = [0, 16, 32, 48].map(|shift| (bits >> shift) & 0xffff).iter().sum::<u64>();
    sum as f64 / HALF_OF_SUM_MAX - 1.0
}

/// The random number at an index. A balanced one is at least 0.5 from 0. In a group of four, the first and the
/// last have one sign, and the other two the opposite one.
fn random(key: u64, index: i64, balanced: bool) -> f64 {
    const GROUP: i64 = 4;
    let number = uniform(key, index);
    if !balanced {
        return number;
    }
    let position = index.rem_euclid(GROUP);
    let is_first_positive = uniform(key, index - position) >= 0.0;
    let distance = (1.0 + number.abs()) / 2.0;
    let has_sign_of_first = position == 0 || position == GROUP - 1;
    if is_first_positive == has_sign_of_first { distance } else { -distance }
}

fn uniform(key: u64, index: i64) -> f64 {
    const TWO_POW_52: f64 = 4_503_599_627_370_496.0;
    (splitmix64(key ^ index as u64) >> 11) as f64 / TWO_POW_52 - 1.0
}

/// The output function of SplitMix64: each bit of the result depends on each bit of the input.
pub fn splitmix64(input: u64) -> u64 {
    let mut x = input.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::calendar::day_number;
    use crate::inputs::Inputs;
    use crate::model::Model;

    /// Other implementations are tested with these vectors.
    #[test]
    fn the_test_vectors_of_the_methodology_are_current() {
        let inputs = Inputs::default();
        let (seed, amounts) = (inputs.file.seed, inputs.file.movement.clone());
        let network = NetworkMovement::new(seed, &amounts);
        let us = RegionMovement::new(seed, "us");
        let today = date(2026, 11, 15);
        let day = day_number(today);
        let prices = us.prices(&network, day, inputs.file.regions[0].electricity_usd_per_kwh);
        let day_data = Model::new(inputs).day(today).unwrap();
        let costs = day_data.regions[0];
        let hashrate_wave = |day| network.hashrate.at(day).to_string();
        let vectors = [
            ("day number", day.to_string()),
            ("hashrate wave", hashrate_wave(day)),
            ("hashrate wave of day -1", hashrate_wave(-1)),
            ("difficulty over its level", network.difficulty(day, 14).to_string()),
            ("difficulty", day_data.network.difficulty.to_string()),
            ("scatter", daily_scatter(network.scatter_key, day).to_string()),
            ("published hashrate, EH/s", day_data.network.hashrate_eh.to_string()),
            ("fee wave", network.fee.at(day).to_string()),
            ("wave of fee peaks", network.fee_peaks.at(day).to_string()),
            ("published fee, USD", day_data.network.avg_fee_usd.to_string()),
            ("market price wave", network.market_price.at(day).to_string()),
            ("volatility wave", network.volatility.at(day).to_string()),
            ("price trend", network.price_trend.at(day).to_string()),
            ("price trend 60 days before", network.price_trend.at(day - 60).to_string()),
            ("published market price, USD", day_data.network.price_usd.unwrap().to_string()),
            ("season", season(day).to_string()),
            ("common price wave", network.electricity.at(day).to_string()),
            ("own price wave of us", us.own.at(day).to_string()),
            ("low price wave of us", us.low.at(day).to_string()),
            ("high price wave of us", us.high.at(day).to_string()),
            ("low price of us, USD/kWh", prices[0].to_string()),
            ("mean price of us, USD/kWh", prices[1].to_string()),
            ("high price of us, USD/kWh", prices[2].to_string()),
            ("minimum of us, USD", costs.min_usd.to_string()),
            ("average of us, USD", costs.avg_usd.to_string()),
            ("maximum of us, USD", costs.max_usd.to_string()),
            ("worldwide minimum, USD", day_data.global.min_usd.to_string()),
            ("worldwide average, USD", day_data.global.avg_usd.to_string()),
            ("worldwide maximum, USD", day_data.global.max_usd.to_string()),
        ];
        let rows = vectors.map(|(what, value)| format!("| {what} | {value} |\n")).concat();
        let page = include_str!("../../../docs/methodology.md");
        assert!(page.contains(&rows), "docs/methodology.md must have these rows:\n{rows}");
    }

    const SMOOTH: [Octave; 3] =
        [Octave::new(61, 0.5), Octave::balanced(17, 0.3), Octave::new(5, 0.2)];
    const DAILY: [Octave; 1] = [Octave::new(1, 1.0)];
    const BALANCED: [Octave; 1] = [Octave::balanced(53, 1.0)];

    fn values(
        seed: u64,
        octaves: &'static [Octave],
        days: std::ops::Range<i64>,
    ) -> impl Iterator<Item = f64> {
        let wave = Wave::new(seed, "test", octaves);
        days.map(move |day| wave.at(day))
    }

    /// A change to these bits would change the published data of every past day.
    #[test]
    fn a_wave_is_the_same_on_every_machine() {
        let wave = Wave::new(1, "electricity/us", &SMOOTH);
        let at = |day| wave.at(day).to_bits();
        let bits = [-1_000_000, -1, 0, 1, 20_000].map(at);
        assert_eq!(
            bits,
            [
                0x3fd6_0450_63b6_0b9e,
                0xbfe2_3dc3_caf7_7ef6,
                0xbfe2_d510_a56f_fa31,
                0xbfe2_d805_c0c4_88a5,
                0x3fd5_b122_08a7_39ca
            ]
        );
    }

    #[test]
    fn a_wave_stays_within_its_bounds_and_has_mean_zero() {
        for octaves in [&SMOOTH[..], &DAILY, &BALANCED] {
            let days = -700_000..3_000_000;
            let count = (days.end - days.start) as f64;
            let sum: f64 =
                values(7, octaves, days).inspect(|value| assert!(value.abs() <= 1.0)).sum();
            assert!((sum / count).abs() < 0.005, "{octaves:?}: mean {}", sum / count);
        }
    }

    #[test]
    fn a_wave_moves_smoothly() {
        // The steepest slope of the easing curve is 1.5, over a range of 2.
        let steepest: f64 =
            SMOOTH.iter().map(|octave| 3.0 * octave.part / octave.days as f64).sum();
        let values: Vec<f64> = values(7, &SMOOTH, -50_000..50_000).collect();
        for pair in values.windows(2) {
            assert!(pair[0] != pair[1] && (pair[1] - pair[0]).abs() <= steepest);
        }
    }

    #[test]
    fn a_balanced_group_has_two_numbers_of_each_sign_away_from_zero() {
        let turns: Vec<f64> = values(7, &BALANCED, -53_000..53_000).step_by(53).collect();
        for group in turns.chunks(4) {
            assert!(group.iter().all(|number| (0.5..=1.0).contains(&number.abs())), "{group:?}");
            let signs = [0, 1, 2, 3].map(|position| group[position] > 0.0);
            assert!(signs[0] == signs[3] && signs[1] == signs[2] && signs[0] != signs[1]);
        }
    }

    #[test]
    fn days_of_a_daily_wave_are_independent() {
        let values: Vec<f64> = values(7, &DAILY, -50_000..50_000).collect();
        let product: f64 = values.windows(2).map(|pair| pair[0] * pair[1]).sum();
        assert!((product / values.len() as f64).abs() < 0.005);
    }

    #[test]
    fn daily_scatter_is_bell_shaped_with_mean_zero() {
        let key = key(7, "test", 1);
        let values: Vec<f64> = (-50_000..50_000).map(|day| daily_scatter(key, day)).collect();
        let part_within = |bound: f64| {
            let count = values.iter().filter(|value| value.abs() <= bound).count();
            count as f64 / values.len() as f64
        };
        assert_eq!(part_within(1.0), 1.0);
        // One and two standard deviations, as in a normal distribution.
        let deviation = 1.0 / 12_f64.sqrt();
        assert!((part_within(deviation) - 0.67).abs() < 0.01);
        assert!((part_within(2.0 * deviation) - 0.96).abs() < 0.01);
        assert!((values.iter().sum::<f64>() / values.len() as f64).abs() < 0.005);
    }

    #[test]
    fn the_random_numbers_of_the_methodology_are_current() {
        let scatter = daily_scatter(key(20_240_420, "hashrate/scatter", 1), 0);
        let key = key(20_240_420, "hashrate", 47);
        let rows = [
            ("mix(0)", format!("{:#018x}", splitmix64(0))),
            ("mix(20240420)", format!("{:#018x}", splitmix64(20_240_420))),
            ("key of seed 20240420, name `hashrate`, 47 days", format!("{key:#018x}")),
            ("uniform of that key at 0", uniform(key, 0).to_string()),
            ("uniform of that key at -1", uniform(key, -1).to_string()),
            ("random, balanced, of that key at 341", random(key, 341, true).to_string()),
            ("random, balanced, of that key at -1", random(key, -1, true).to_string()),
            ("scatter of seed 20240420, name `hashrate/scatter`, day 0", scatter.to_string()),
        ];
        let rows = rows.map(|(what, value)| format!("| {what} | {value} |\n")).concat();
        let page = include_str!("../../../docs/methodology.md");
        assert!(page.contains(&rows), "docs/methodology.md must have these rows:\n{rows}");
    }
}
