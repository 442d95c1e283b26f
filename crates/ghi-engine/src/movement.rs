//! How the synthetic network moves: what a day's hashrate, fee and power prices are over their
//! levels.
//!
//! Each factor has a mean of exactly 1 and is independent of the others, but for the fee, whose
//! median is 1. So the long-run mean of a cost is the cost at the levels.

use crate::bounds::Bounds;
use crate::inputs::{Electricity, Movement};
use crate::wave::{Octave, Position, Wave};

/// The network's true hashrate. In pairs, so that each year has its highs and lows.
const HASHRATE: [Octave; 2] = [Octave::paired(61, 0.7), Octave::paired(23, 0.3)];

/// What a day's blocks say of the hashrate, over what it is: each day for itself.
const SCATTER: [Octave; 1] = [Octave::new(1, 1.0)];

/// The fee of a transaction, with days that stand out.
const FEE: [Octave; 3] = [Octave::new(61, 0.3), Octave::new(13, 0.35), Octave::new(2, 0.35)];

/// Power prices as far as all regions share them: fuel, weather, exchange rates.
const COMMON_PRICE: [Octave; 3] = [Octave::new(43, 0.6), Octave::new(5, 0.2), Octave::new(1, 0.2)];

/// Power prices of a region alone.
const OWN_PRICE: [Octave; 2] = [Octave::new(29, 0.6), Octave::new(1, 0.4)];

/// The part of all regions in the movement of a power price; the rest is the region's own.
const COMMON_PART: f64 = 0.5;

/// How far the cheapest and the dearest power lie from the mean.
const SPREAD: [Octave; 1] = [Octave::new(41, 1.0)];

/// Power is dearer on working days: from Monday to Sunday, elevenths of `weekday_pct`. They sum to
/// nothing over a week.
const WEEKDAYS: [f64; 7] = [3.0, 5.0, 5.0, 5.0, 2.0, -9.0, -11.0];
const WEEKDAY_UNIT: f64 = 11.0;

/// 1970-01-01 was a Thursday.
const WEEKDAY_OF_DAY_0: i64 = 3;

/// The movement of the network as a whole.
#[derive(Debug)]
pub(crate) struct NetworkMovement {
    amounts: Movement,
    hashrate: Wave<2>,
    scatter: Wave<1>,
    fee: Wave<3>,
    electricity: Wave<3>,
}

impl NetworkMovement {
    pub(crate) fn new(seed: u64, amounts: &Movement) -> Self {
        Self {
            amounts: amounts.clone(),
            hashrate: Wave::new(seed, "hashrate", &HASHRATE),
            scatter: Wave::new(seed, "hashrate/scatter", &SCATTER),
            fee: Wave::new(seed, "fee", &FEE),
            electricity: Wave::new(seed, "electricity", &COMMON_PRICE),
        }
    }

    fn hashrate_wave(&self, day: i64) -> f64 {
        self.hashrate.at(&Position::new(day, &HASHRATE))
    }

    /// The true hashrate of a day, over its level.
    pub(crate) fn hashrate(&self, day: i64) -> f64 {
        1.0 + self.amounts.difficulty_pct / 100.0 * self.hashrate_wave(day)
    }

    /// The difficulty of a day, over its level: what the mean hashrate of the epoch before demands.
    pub(crate) fn difficulty(&self, day: i64, retarget_days: i64) -> f64 {
        let start = day.div_euclid(retarget_days) * retarget_days;
        let sum: f64 = (start - retarget_days..start).map(|day| self.hashrate_wave(day)).sum();
        1.0 + self.amounts.difficulty_pct / 100.0 * (sum / retarget_days as f64)
    }

    /// The hashrate that a day's blocks imply, over the true one.
    pub(crate) fn scatter(&self, day: i64) -> f64 {
        1.0 + self.amounts.hashrate_pct / 100.0 * self.scatter.at(&Position::new(day, &SCATTER))
    }

    /// The fee of a day, over its level: as often below as above it, and at times far above.
    pub(crate) fn fee(&self, day: i64) -> f64 {
        let swing = self.amounts.fee_pct / 100.0 * self.fee.at(&Position::new(day, &FEE));
        let ratio = (1.0 + swing) / (1.0 - swing);
        ratio * ratio
    }

    /// What the power prices of a day have in common.
    pub(crate) fn prices(&self, day: i64) -> DayOfPrices {
        let weekday = (day + WEEKDAY_OF_DAY_0).rem_euclid(7) as usize;
        DayOfPrices {
            weekday: self.amounts.weekday_pct / 100.0 * (WEEKDAYS[weekday] / WEEKDAY_UNIT),
            swing: self.amounts.electricity_pct / 100.0,
            common: COMMON_PART * self.electricity.at(&Position::new(day, &COMMON_PRICE)),
            spread: self.amounts.spread_pct / 100.0,
            own_position: Position::new(day, &OWN_PRICE),
            spread_position: Position::new(day, &SPREAD),
        }
    }
}

/// What the power prices of a day have in common.
#[derive(Debug)]
pub(crate) struct DayOfPrices {
    weekday: f64,
    swing: f64,
    common: f64,
    spread: f64,
    own_position: Position<2>,
    spread_position: Position<1>,
}

/// The movement of a region's power prices.
#[derive(Debug)]
pub(crate) struct RegionMovement {
    own: Wave<2>,
    low: Wave<1>,
    high: Wave<1>,
}

impl RegionMovement {
    /// Named by the region's id, so that its movement does not depend on its neighbours.
    pub(crate) fn new(seed: u64, id: &str) -> Self {
        Self {
            own: Wave::new(seed, &format!("electricity/{id}"), &OWN_PRICE),
            low: Wave::new(seed, &format!("electricity/low/{id}"), &SPREAD),
            high: Wave::new(seed, &format!("electricity/high/{id}"), &SPREAD),
        }
    }

    /// The low, mean and high price of a day; never out of that order.
    pub(crate) fn prices(&self, day: &DayOfPrices, level: &Electricity) -> [f64; 3] {
        let own = (1.0 - COMMON_PART) * self.own.at(&day.own_position);
        let mean = level.mean * (1.0 + day.swing * (day.common + own) + day.weekday);
        // The gaps move, not the prices: so none of them can pass the mean.
        let gap = |level_gap: f64, wave: &Wave<1>| {
            level_gap * (1.0 + day.spread * wave.at(&day.spread_position))
        };
        let low = mean / (1.0 + gap(level.mean / level.low - 1.0, &self.low));
        let high = mean * (1.0 + gap(level.high / level.mean - 1.0, &self.high));
        [low, mean, high]
    }
}

/// The least and the most that movement makes of a level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extremes {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Extremes {
    /// Of what does not move.
    pub(crate) fn still(value: f64) -> Self {
        Self { least: value, most: value }
    }

    /// Of a level, where these are of 1.
    pub(crate) fn of(self, level: f64) -> Self {
        Self { least: self.least * level, most: self.most * level }
    }

    pub(crate) fn lie_within(self, bounds: Bounds) -> bool {
        bounds.contains(self.least) && bounds.contains(self.most)
    }
}

impl Movement {
    /// Of the true hashrate and the difficulty.
    pub(crate) fn difficulty_extremes(&self) -> Extremes {
        let swing = self.difficulty_pct / 100.0;
        Extremes { least: 1.0 - swing, most: 1.0 + swing }
    }

    /// Of a day's hashrate over the one that the difficulty implies or the network has.
    pub(crate) fn scatter_extremes(&self) -> Extremes {
        let swing = self.hashrate_pct / 100.0;
        Extremes { least: 1.0 - swing, most: 1.0 + swing }
    }

    /// Of the fee.
    pub(crate) fn fee_extremes(&self) -> Extremes {
        let swing = self.fee_pct / 100.0;
        let ratio = (1.0 + swing) / (1.0 - swing);
        Extremes { least: 1.0 / (ratio * ratio), most: ratio * ratio }
    }

    /// Of a power price: low, mean or high.
    pub(crate) fn price_extremes(&self) -> Extremes {
        let swing = (self.electricity_pct + self.weekday_pct) / 100.0;
        let spread = 1.0 + self.spread_pct / 100.0;
        // The gap to either side can grow by `spread` at most, so a price can lie that much further
        // off than it does at its level.
        Extremes { least: (1.0 - swing) / spread, most: (1.0 + swing) * spread }
    }
}
