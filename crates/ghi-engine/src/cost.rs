//! The cost formula.

use crate::day::CostKind;
use crate::fields::{
    BLOCK_REWARD_COINS, EFFICIENCY_J_PER_TH, ELECTRICITY_USD_PER_KWH, OVERHEAD, Variable,
};
use crate::numbers::{Decimal, Interval, power_of_ten};

const HASHES_PER_TH: f64 = 1e12;
const JOULES_PER_KWH: f64 = 3.6e6;
const HOURS_PER_DAY: f64 = 24.0;
const SECONDS_PER_YEAR: f64 = 31_557_600.0;

/// Hashes needed to mine one coin. A unit of difficulty is 2^32 hashes in Bitcoin.
pub fn hashes_per_coin(
    difficulty: f64,
    hashes_per_difficulty: f64,
    block_reward_coins: f64,
) -> f64 {
    difficulty * hashes_per_difficulty / block_reward_coins
}

/// The energy in kWh needed for a number of hashes.
pub(crate) fn energy_kwh(hashes: f64, efficiency_j_per_th: f64) -> f64 {
    hashes * efficiency_j_per_th / HASHES_PER_TH / JOULES_PER_KWH
}

/// The cost in USD of mining one coin. `overhead` is total cost divided by energy cost.
pub fn cost_usd_per_coin(
    hashes_per_coin: f64,
    efficiency_j_per_th: f64,
    electricity_usd_per_kwh: f64,
    overhead: f64,
) -> f64 {
    energy_kwh(hashes_per_coin, efficiency_j_per_th) * electricity_usd_per_kwh * overhead
}

/// The cost in USD of the machines that mine one coin: 1 TH/s costs `usd_per_th` and runs for `years`.
pub(crate) fn capital_usd_per_coin(hashes_per_coin: f64, usd_per_th: f64, years: f64) -> f64 {
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

/// The numbers of the formula that differ from miner to miner, and the reward, in the order of
/// [`WhatIf::VARIABLES`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WhatIf(pub [f64; 4]);

impl WhatIf {
    /// The numbers, with the ranges that they have in the inputs. Overhead is total cost divided by energy cost.
    pub const VARIABLES: [Variable; 4] = [
        Variable { name: "electricity_usd_per_kwh", range: ELECTRICITY_USD_PER_KWH },
        Variable { name: "efficiency_j_per_th", range: EFFICIENCY_J_PER_TH },
        Variable { name: "overhead", range: OVERHEAD },
        Variable { name: "block_reward_coins", range: BLOCK_REWARD_COINS },
    ];

    /// The efficiency in a unit for slow machines: 1 J/MH is a million J/TH.
    pub const J_PER_MH: Variable = Variable {
        name: "efficiency_j_per_mh",
        range: Interval::new(1e-6 * EFFICIENCY_J_PER_TH.min, 1e-6 * EFFICIENCY_J_PER_TH.max),
    };

    /// The cost of one coin in USD, rounded like published costs. `None` if it is too large to publish.
    pub fn cost_usd(
        &self,
        difficulty: u64,
        hashes_per_difficulty: f64,
        decimals: u8,
    ) -> Option<Decimal> {
        let [price, efficiency, overhead, reward] = self.0;
        let hashes = hashes_per_coin(difficulty as f64, hashes_per_difficulty, reward);
        let cost = cost_usd_per_coin(hashes, efficiency, price, overhead);
        let is_valid = (0.0..Decimal::COUNT_MAX).contains(&(cost * power_of_ten(decimals)));
        is_valid.then(|| Decimal::nearest(cost, decimals))
    }
}
