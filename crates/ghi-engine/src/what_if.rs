//! The cost of one coin for a reader's own numbers.

use crate::cost::{cost_usd_per_coin, hashes_per_coin};
use crate::decimal::{Decimal, power_of_ten};
use crate::fields::{
    BLOCK_REWARD_COINS, EFFICIENCY_J_PER_TH, ELECTRICITY_USD_PER_KWH, OVERHEAD, Variable,
};
use crate::interval::Interval;

/// The numbers of the formula that differ from miner to miner, and the reward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WhatIf {
    /// The price of power.
    pub electricity_usd_per_kwh: f64,
    /// The efficiency of the machines.
    pub efficiency_j_per_th: f64,
    /// Total cost divided by energy cost.
    pub overhead: f64,
    /// Coins per block.
    pub block_reward_coins: f64,
}

impl WhatIf {
    /// The numbers, in the order of the fields, with the ranges that they have in the inputs.
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

    /// Builds it from the values of [`WhatIf::VARIABLES`].
    pub fn new(values: [f64; 4]) -> Self {
        let [electricity_usd_per_kwh, efficiency_j_per_th, overhead, block_reward_coins] = values;
        Self { electricity_usd_per_kwh, efficiency_j_per_th, overhead, block_reward_coins }
    }

    /// The values of [`WhatIf::VARIABLES`].
    pub fn values(&self) -> [f64; 4] {
        [
            self.electricity_usd_per_kwh,
            self.efficiency_j_per_th,
            self.overhead,
            self.block_reward_coins,
        ]
    }

    /// The cost of one coin in USD, rounded like published costs. `None` if it is too large to publish.
    pub fn cost_usd(
        &self,
        difficulty: u64,
        hashes_per_difficulty: f64,
        decimals: u8,
    ) -> Option<Decimal> {
        let hashes =
            hashes_per_coin(difficulty as f64, hashes_per_difficulty, self.block_reward_coins);
        let cost = cost_usd_per_coin(
            hashes,
            self.efficiency_j_per_th,
            self.electricity_usd_per_kwh,
            self.overhead,
        );
        let is_valid = (0.0..Decimal::COUNT_MAX).contains(&(cost * power_of_ten(decimals)));
        is_valid.then(|| Decimal::nearest(cost, decimals))
    }
}
