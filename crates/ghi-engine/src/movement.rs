//! How the synthetic network moves: a day's hashrate, fee and power prices as factors of their base levels.
//!
//! Each factor has a mean of exactly 1 and is independent of the others, except for the fee, whose
//! median is 1. So the long-run mean of a cost is the cost at the base levels.

use crate::inputs::MovementInputs;
use crate::ranges::ValidRange;
use crate::wave::{Octave, Wave, WavePosition};

/// The network's true hashrate. In pairs, so that each year has its highs and lows.
const HASHRATE: [Octave; 2] = [Octave::paired(61, 0.7), Octave::paired(23, 0.3)];

/// The hashrate as estimated from a day's blocks, relative to the true one: each day is independent.
const SCATTER: [Octave; 1] = [Octave::new(1, 1.0)];

/// The fee of a transaction, with occasional peaks.
const FEE: [Octave; 3] = [Octave::new(61, 0.3), Octave::new(13, 0.35), Octave::new(2, 0.35)];

/// The movement of power prices that all regions share: fuel, weather, exchange rates.
const COMMON_PRICE: [Octave; 3] = [Octave::new(43, 0.6), Octave::new(5, 0.2), Octave::new(1, 0.2)];

/// The movement of power prices in one region.
const OWN_PRICE: [Octave; 2] = [Octave::new(29, 0.6), Octave::new(1, 0.4)];

/// The shared part of the movement of a power price; the rest is the region's own.
const COMMON_PART: f64 = 0.5;

/// The distance of the lowest and the highest power price from the mean.
const SPREAD: [Octave; 1] = [Octave::new(41, 1.0)];

/// Power is more expensive on working days: from Monday to Sunday, elevenths of `weekday_pct`. They sum
/// to 0.
const WEEKDAYS: [f64; 7] = [3.0, 5.0, 5.0, 5.0, 2.0, -9.0, -11.0];
const WEEKDAY_UNIT: f64 = 11.0;

/// 1970-01-01 was a Thursday.
const WEEKDAY_OF_DAY_0: i64 = 3;

/// The movement of the network as a whole.
#[derive(Debug)]
pub(crate) struct NetworkMovement {
    amounts: MovementInputs,
    hashrate: Wave<2>,
    scatter: Wave<1>,
    fee: Wave<3>,
    electricity: Wave<3>,
}

impl NetworkMovement {
    pub(crate) fn new(seed: u64, amounts: &MovementInputs) -> Self {
        Self {
            amounts: amounts.clone(),
            hashrate: Wave::new(seed, "hashrate", &HASHRATE),
            scatter: Wave::new(seed, "hashrate/scatter", &SCATTER),
            fee: Wave::new(seed, "fee", &FEE),
            electricity: Wave::new(seed, "electricity", &COMMON_PRICE),
        }
    }

    fn hashrate_wave(&self, day: i64) -> f64 {
        self.hashrate.at(&WavePosition::new(day, &HASHRATE))
    }

    /// The factor of the true hashrate on a day.
    pub(crate) fn hashrate(&self, day: i64) -> f64 {
        1.0 + self.amounts.difficulty_pct / 100.0 * self.hashrate_wave(day)
    }

    /// The factor of the difficulty on a day: the mean factor of the hashrate in the epoch before.
    pub(crate) fn difficulty(&self, day: i64, retarget_days: i64) -> f64 {
        let start = day.div_euclid(retarget_days) * retarget_days;
        let sum: f64 = (start - retarget_days..start).map(|day| self.hashrate_wave(day)).sum();
        1.0 + self.amounts.difficulty_pct / 100.0 * (sum / retarget_days as f64)
    }

    /// The hashrate as estimated from a day's blocks, relative to the true one.
    pub(crate) fn scatter(&self, day: i64) -> f64 {
        1.0 + self.amounts.hashrate_pct / 100.0 * self.scatter.at(&WavePosition::new(day, &SCATTER))
    }

    /// The factor of the fee on a day: as often below 1 as above, and sometimes far above.
    pub(crate) fn fee(&self, day: i64) -> f64 {
        let swing = self.amounts.fee_pct / 100.0 * self.fee.at(&WavePosition::new(day, &FEE));
        let ratio = (1.0 + swing) / (1.0 - swing);
        ratio * ratio
    }

    /// What the power prices of all regions have in common on a day.
    pub(crate) fn prices(&self, day: i64) -> CommonPriceMovement {
        let weekday = (day + WEEKDAY_OF_DAY_0).rem_euclid(7) as usize;
        CommonPriceMovement {
            weekday: self.amounts.weekday_pct / 100.0 * (WEEKDAYS[weekday] / WEEKDAY_UNIT),
            swing: self.amounts.electricity_pct / 100.0,
            common: COMMON_PART * self.electricity.at(&WavePosition::new(day, &COMMON_PRICE)),
            spread: self.amounts.spread_pct / 100.0,
            own_position: WavePosition::new(day, &OWN_PRICE),
            spread_position: WavePosition::new(day, &SPREAD),
        }
    }
}

/// What the power prices of all regions have in common on a day.
#[derive(Debug)]
pub(crate) struct CommonPriceMovement {
    weekday: f64,
    swing: f64,
    common: f64,
    spread: f64,
    own_position: WavePosition<2>,
    spread_position: WavePosition<1>,
}

/// The movement of a region's power prices.
#[derive(Debug)]
pub(crate) struct RegionMovement {
    own: Wave<2>,
    low: Wave<1>,
    high: Wave<1>,
}

impl RegionMovement {
    /// Named by the region's id, so that its movement does not depend on the other regions.
    pub(crate) fn new(seed: u64, id: &str) -> Self {
        Self {
            own: Wave::new(seed, &format!("electricity/{id}"), &OWN_PRICE),
            low: Wave::new(seed, &format!("electricity/low/{id}"), &SPREAD),
            high: Wave::new(seed, &format!("electricity/high/{id}"), &SPREAD),
        }
    }

    /// The low, mean and high price of a day, in ascending order.
    pub(crate) fn prices(&self, day: &CommonPriceMovement, base: [f64; 3]) -> [f64; 3] {
        let [base_low, base_mean, base_high] = base;
        let own = (1.0 - COMMON_PART) * self.own.at(&day.own_position);
        let mean = base_mean * (1.0 + day.swing * (day.common + own) + day.weekday);
        // The gaps move, not the prices, so that neither can pass the mean.
        let gap =
            |base: f64, wave: &Wave<1>| base * (1.0 + day.spread * wave.at(&day.spread_position));
        let low = mean / (1.0 + gap(base_mean / base_low - 1.0, &self.low));
        let high = mean * (1.0 + gap(base_high / base_mean - 1.0, &self.high));
        [low, mean, high]
    }
}

/// The least and the most that a value can be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extremes {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Extremes {
    /// A value that does not move.
    pub(crate) fn fixed(value: f64) -> Self {
        Self { least: value, most: value }
    }

    /// The extremes of a base level, where these are its factors.
    pub(crate) fn times(self, base: f64) -> Self {
        Self { least: self.least * base, most: self.most * base }
    }

    /// Whether both are in a range.
    pub(crate) fn are_within(self, range: ValidRange) -> bool {
        range.contains(self.least) && range.contains(self.most)
    }
}

impl MovementInputs {
    /// The factors of the true hashrate and of the difficulty.
    pub(crate) fn difficulty_extremes(&self) -> Extremes {
        let swing = self.difficulty_pct / 100.0;
        Extremes { least: 1.0 - swing, most: 1.0 + swing }
    }

    /// The factors of the estimated hashrate, relative to the true or implied one.
    pub(crate) fn scatter_extremes(&self) -> Extremes {
        let swing = self.hashrate_pct / 100.0;
        Extremes { least: 1.0 - swing, most: 1.0 + swing }
    }

    /// The factors of the fee.
    pub(crate) fn fee_extremes(&self) -> Extremes {
        let swing = self.fee_pct / 100.0;
        let ratio = (1.0 + swing) / (1.0 - swing);
        Extremes { least: 1.0 / (ratio * ratio), most: ratio * ratio }
    }

    /// The factors of a power price, be it low, mean or high.
    pub(crate) fn price_extremes(&self) -> Extremes {
        let swing = (self.electricity_pct + self.weekday_pct) / 100.0;
        let spread = 1.0 + self.spread_pct / 100.0;
        // The gap to the mean can grow by `spread` at most, so a price can be that much further off than
        // at its base level.
        Extremes { least: (1.0 - swing) / spread, most: (1.0 + swing) * spread }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::calendar::day_number;
    use crate::inputs::Inputs;
    use crate::model::Model;

    /// Others test their own implementations with these vectors.
    #[test]
    fn the_test_vectors_of_the_methodology_are_current() {
        let inputs = Inputs::default();
        let (seed, amounts) = (inputs.seed, inputs.movement.clone());
        let network = NetworkMovement::new(seed, &amounts);
        let us = RegionMovement::new(seed, "us");
        let today = date(2026, 11, 15);
        let day = day_number(today);
        let prices = us.prices(&network.prices(day), inputs.regions[0].electricity_usd_per_kwh);
        let spread = WavePosition::new(day, &SPREAD);
        let day_data = Model::new(inputs).day(today).unwrap();
        let costs = day_data.regions[0];
        let vectors = [
            ("day number", day.to_string()),
            ("hashrate wave", network.hashrate_wave(day).to_string()),
            ("hashrate wave of day -1", network.hashrate_wave(-1).to_string()),
            ("difficulty over its level", network.difficulty(day, 14).to_string()),
            ("difficulty", day_data.network.difficulty.to_string()),
            ("scatter wave", network.scatter.at(&WavePosition::new(day, &SCATTER)).to_string()),
            ("published hashrate, EH/s", day_data.network.hashrate_eh.to_string()),
            ("fee wave", network.fee.at(&WavePosition::new(day, &FEE)).to_string()),
            ("published fee, USD", day_data.network.avg_fee_usd.to_string()),
            (
                "common price wave",
                network.electricity.at(&WavePosition::new(day, &COMMON_PRICE)).to_string(),
            ),
            ("own price wave of us", us.own.at(&WavePosition::new(day, &OWN_PRICE)).to_string()),
            ("low price wave of us", us.low.at(&spread).to_string()),
            ("high price wave of us", us.high.at(&spread).to_string()),
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
