//! What valid inputs hold.

use crate::calendar::Coverage;
use crate::decimal::Decimal;
use crate::fingerprint::Fingerprint;
use crate::series::{KnownRegion, Series};

/// Hashes per second of 1 EH/s.
const HASHES_PER_EH: f64 = 1e18;

/// A network that the model can compute.
///
/// Only [`Inputs::parse`] and [`Inputs::parse_with_series`] make one, so every one is valid: each
/// number lies within bounds that keep every figure positive and exact to its last digit, and the
/// shares of every day sum to 100.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    pub(crate) seed: u64,
    pub(crate) network: NetworkInputs,
    pub(crate) decimals: DecimalsInputs,
    pub(crate) movement: Movement,
    pub(crate) regions: Vec<RegionInputs>,
    /// Empty where the inputs name none.
    pub(crate) series: Series,
    pub(crate) fingerprint: Fingerprint,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NetworkInputs {
    pub(crate) hashrate_eh: f64,
    pub(crate) block_reward_coins: f64,
    pub(crate) fee_usd: f64,
    pub(crate) overhead: f64,
    pub(crate) seconds_per_block: f64,
    pub(crate) hashes_per_difficulty: f64,
    /// At least 1: a difficulty that is set with each block has a step a day.
    pub(crate) retarget_days: i64,
}

/// With how many decimals figures are published.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DecimalsInputs {
    pub(crate) usd: u8,
    pub(crate) hashrate_eh: u8,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Movement {
    pub(crate) difficulty_pct: f64,
    pub(crate) hashrate_pct: f64,
    pub(crate) fee_pct: f64,
    pub(crate) electricity_pct: f64,
    pub(crate) weekday_pct: f64,
    pub(crate) spread_pct: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegionInputs {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) hashrate_share_pct: Decimal,
    pub(crate) efficiency_j_per_th: Efficiency,
    pub(crate) electricity_usd_per_kwh: Electricity,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Efficiency {
    pub(crate) best: f64,
    pub(crate) mean: f64,
    pub(crate) worst: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Electricity {
    pub(crate) low: f64,
    pub(crate) mean: f64,
    pub(crate) high: f64,
}

impl RegionInputs {
    /// What a series must know of the region.
    pub(super) fn known(&self) -> KnownRegion<'_> {
        let Efficiency { best, mean, worst } = self.efficiency_j_per_th;
        let Electricity { low, mean: mean_price, high } = self.electricity_usd_per_kwh;
        KnownRegion {
            id: &self.id,
            hashrate_share_pct: self.hashrate_share_pct,
            efficiency_j_per_th: [best, mean, worst],
            electricity_usd_per_kwh: [low, mean_price, high],
        }
    }
}

impl Inputs {
    /// The days that there are figures of.
    pub fn coverage(&self) -> Coverage {
        Coverage::new(self.series.covered())
    }

    /// The difficulty that the level of the hashrate demands.
    pub(crate) fn level_of_difficulty(&self) -> f64 {
        let network = &self.network;
        network.hashrate_eh * HASHES_PER_EH * network.seconds_per_block
            / network.hashes_per_difficulty
    }

    /// The hashrate at which blocks of this difficulty take as long as they should, EH/s.
    pub(crate) fn implied_eh(&self, difficulty: u64) -> f64 {
        let network = &self.network;
        difficulty as f64 * network.hashes_per_difficulty
            / network.seconds_per_block
            / HASHES_PER_EH
    }
}
