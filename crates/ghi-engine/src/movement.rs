//! How the synthetic network moves: a day's hashrate, fee and prices as factors of their base levels.
//!
//! Difficulty and power prices have factors with a mean of 1 that are independent of each other, so the
//! long-run mean of a cost is the cost at the base levels. The median of the fee's factor is near 1.

use crate::inputs::MovementInputs;
use crate::interval::Interval;
use crate::wave::{DailyScatter, Octave, Wave, ease};

/// The network's true hashrate. The octaves are paired, so that each year has highs and lows, and their
/// intervals have no common factor, so that there is no visible cycle.
const HASHRATE: [Octave; 2] = [Octave::paired(83, 0.5), Octave::paired(61, 0.5)];

/// The usual movement of the transaction fee.
const FEE: [Octave; 3] = [Octave::new(67, 0.4), Octave::new(29, 0.4), Octave::new(11, 0.2)];

/// The wave whose highest values are the peaks of the fee. Each lasts about a week.
const FEE_PEAKS: [Octave; 1] = [Octave::new(19, 1.0)];

/// The factor of the highest peak, minus 1, with a `fee_pct` of 100.
const FEE_PEAK: f64 = 90.0;

/// How many times the wave of the peaks is squared. More squares make peaks rarer.
const FEE_PEAK_SQUARES: usize = 5;

/// The part of `fee_pct` by which fees are lower on Sundays.
const FEE_WEEKDAY: f64 = 0.2;

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

/// The market price: seasons, weeks, and a little every day.
const MARKET_PRICE: [Octave; 3] = [Octave::new(89, 0.6), Octave::new(13, 0.3), Octave::new(1, 0.1)];

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
    scatter: DailyScatter,
    fee: Wave,
    fee_peaks: Wave,
    electricity: Wave,
    market_price: Wave,
}

impl NetworkMovement {
    pub(crate) fn new(seed: u64, amounts: &MovementInputs) -> Self {
        Self {
            amounts: amounts.clone(),
            hashrate: Wave::new(seed, "hashrate", &HASHRATE),
            scatter: DailyScatter::new(seed, "hashrate/scatter"),
            fee: Wave::new(seed, "fee", &FEE),
            fee_peaks: Wave::new(seed, "fee/peaks", &FEE_PEAKS),
            electricity: Wave::new(seed, "electricity", &COMMON_PRICE),
            market_price: Wave::new(seed, "price", &MARKET_PRICE),
        }
    }

    pub(crate) fn hashrate(&self, day: i64) -> f64 {
        let wave = self.hashrate.at(day);
        (1.0 + self.amounts.difficulty_pct / 100.0 * wave) * self.scatter(day)
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
        1.0 + self.amounts.hashrate_pct / 100.0 * self.scatter.at(day)
    }

    /// The factor of the fee on a day: about as often below 1 as above, and sometimes far above.
    pub(crate) fn fee(&self, day: i64) -> f64 {
        let amount = self.amounts.fee_pct / 100.0;
        let swing = amount * self.fee.at(day);
        let ratio = (1.0 + swing) / (1.0 - swing);
        let mut peak = (1.0 + self.fee_peaks.at(day)) / 2.0;
        for _ in 0..FEE_PEAK_SQUARES {
            peak *= peak;
        }
        let weekday = 1.0 + amount * FEE_WEEKDAY * weekday(day);
        ratio * ratio * (1.0 + amount * FEE_PEAK * peak) * weekday
    }

    pub(crate) fn market_price(&self, day: i64) -> f64 {
        let wave = self.market_price.at(day);
        1.0 + self.amounts.price_pct / 100.0 * wave
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
        Interval { min: swing.min * scatter.min, max: swing.max * scatter.max }
    }

    /// The factors of the estimated hashrate, relative to the true or implied one.
    pub(crate) fn scatter_factors(&self) -> Interval {
        Interval::around(self.hashrate_pct)
    }

    pub(crate) fn fee_factors(&self) -> Interval {
        let swing = self.fee_pct / 100.0;
        let ratio = (1.0 + swing) / (1.0 - swing);
        let highest = (1.0 + swing * FEE_PEAK) * (1.0 + swing * FEE_WEEKDAY);
        Interval {
            min: (1.0 - swing * FEE_WEEKDAY) / (ratio * ratio),
            max: ratio * ratio * highest,
        }
    }

    pub(crate) fn market_price_factors(&self) -> Interval {
        Interval::around(self.price_pct)
    }

    /// The factors of a power price, whether low, mean or high.
    pub(crate) fn electricity_factors(&self) -> Interval {
        let swing = (self.electricity_pct + self.weekday_pct) / 100.0;
        let spread = 1.0 + self.spread_pct / 100.0;
        // The gap to the mean grows by a factor of `spread` at most, and so does the ratio to the mean.
        Interval { min: (1.0 - swing) / spread, max: (1.0 + swing) * spread }
    }
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
            ("scatter", network.scatter.at(day).to_string()),
            ("published hashrate, EH/s", day_data.network.hashrate_eh.to_string()),
            ("fee wave", network.fee.at(day).to_string()),
            ("wave of fee peaks", network.fee_peaks.at(day).to_string()),
            ("published fee, USD", day_data.network.avg_fee_usd.to_string()),
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
}
