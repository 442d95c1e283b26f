//! The cost formula.

use crate::day::CostKind;

const HASHES_PER_TH: f64 = 1e12;
const JOULES_PER_KWH: f64 = 3.6e6;
const HOURS_PER_DAY: f64 = 24.0;
const SECONDS_PER_YEAR: f64 = 31_557_600.0;

/// Hashes needed to mine one coin.
///
/// `hashes_per_difficulty` is the number of hashes per unit of difficulty: 2^32 in Bitcoin.
pub fn hashes_per_coin(
    difficulty: f64,
    hashes_per_difficulty: f64,
    block_reward_coins: f64,
) -> f64 {
    difficulty * hashes_per_difficulty / block_reward_coins
}

/// The energy in kWh needed for a number of hashes.
pub fn energy_kwh(hashes: f64, efficiency_j_per_th: f64) -> f64 {
    hashes * efficiency_j_per_th / HASHES_PER_TH / JOULES_PER_KWH
}

/// The cost in USD of mining one coin.
///
/// `overhead` is total cost divided by energy cost.
pub fn cost_usd_per_coin(
    hashes_per_coin: f64,
    efficiency_j_per_th: f64,
    electricity_usd_per_kwh: f64,
    overhead: f64,
) -> f64 {
    energy_kwh(hashes_per_coin, efficiency_j_per_th) * electricity_usd_per_kwh * overhead
}

/// The cost in USD of the machines that mine one coin: 1 TH/s costs `usd_per_th` and runs for
/// `years`.
pub fn capital_usd_per_coin(hashes_per_coin: f64, usd_per_th: f64, years: f64) -> f64 {
    hashes_per_coin / (HASHES_PER_TH * years * SECONDS_PER_YEAR) * usd_per_th
}

/// Efficiency and power price of a region, by [`CostKind`], and its overhead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fleet {
    pub(crate) efficiency_j_per_th: [f64; 3],
    pub(crate) electricity_usd_per_kwh: [f64; 3],
    pub(crate) overhead: f64,
}

impl Fleet {
    pub(crate) fn at(&self, kind: CostKind) -> (f64, f64) {
        (self.efficiency_j_per_th[kind as usize], self.electricity_usd_per_kwh[kind as usize])
    }

    pub(crate) fn cost_usd(&self, hashes_per_coin: f64, kind: CostKind) -> f64 {
        let (efficiency, price) = self.at(kind);
        cost_usd_per_coin(hashes_per_coin, efficiency, price, self.overhead)
    }

    /// The cost in USD of running 1 PH/s for a day. J/TH is W per TH/s, and therefore kW per PH/s.
    pub(crate) fn usd_per_ph_and_day(&self, kind: CostKind) -> f64 {
        let (efficiency, price) = self.at(kind);
        HOURS_PER_DAY * efficiency * price * self.overhead
    }
}
