//! The average cost of a scope as the cost of one miner.

use crate::calendar::NoFigures;
use crate::cost::energy_kwh;
use crate::day::{CostKind, Day};
use crate::decimal::DisplayNumber;
use crate::derivation::{CostSteps, fewest_digits};
use crate::model::{Model, NetworkDay};
use crate::registry::{Scope, WHOLE_NETWORK_PCT};
use crate::what_if::WhatIf;

/// The miner whose cost is the average of a scope.
///
/// For a region, it has average machines on power at the average price. For worldwide costs, efficiency
/// is weighted by hashrate, electricity by energy use and overhead by energy cost, so the cost equals
/// the hashrate-weighted mean of the regions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanMiner {
    /// The network's difficulty.
    pub difficulty: u64,
    /// Hashes per unit of difficulty.
    pub hashes_per_difficulty: DisplayNumber,
    /// Coins per block.
    pub block_reward_coins: DisplayNumber,
    /// Hashes needed to mine one coin: difficulty x hashes per difficulty / reward.
    pub hashes_per_coin: DisplayNumber,
    /// The steps from there to the published average.
    pub steps: CostSteps,
}

impl MeanMiner {
    /// The miner's numbers, as a starting point for changes.
    pub fn what_if(&self) -> WhatIf {
        WhatIf {
            electricity_usd_per_kwh: self.steps.electricity_usd_per_kwh.value(),
            efficiency_j_per_th: self.steps.efficiency_j_per_th.value(),
            overhead: self.steps.overhead.value(),
            block_reward_coins: self.block_reward_coins.value(),
        }
    }
}

impl Model {
    /// The miner whose cost is the average of a scope on a day of this model, in the fewest digits that
    /// reproduce the average.
    pub fn mean_miner(&self, scope: Scope, day: &Day) -> Result<MeanMiner, NoFigures> {
        let network = self.network_day(day.date)?;
        let (steps, hashes_per_coin) = match scope {
            Scope::Global => self.derive_global(&network, day),
            Scope::Region(region) => {
                let average = (CostKind::Avg, region, scope.costs(day).avg_usd);
                let (cases, hashes) = self.derive(&network, &[average]);
                (cases[0].steps, hashes)
            }
        };
        let inputs = &self.inputs.file.network;
        Ok(MeanMiner {
            difficulty: network.difficulty,
            hashes_per_difficulty: DisplayNumber::exact(inputs.hashes_per_difficulty),
            block_reward_coins: DisplayNumber::exact(network.block_reward_coins),
            hashes_per_coin,
            steps,
        })
    }

    /// The steps to the worldwide average, and the hashes per coin.
    fn derive_global(&self, network: &NetworkDay, day: &Day) -> (CostSteps, DisplayNumber) {
        let cost_usd = day.global.avg_usd;
        let (efficiency, overhead) = self.global_means(network, day);
        let is_common = overhead == self.fleet(network, 0).overhead;
        let with_digits = |digits| {
            let hashes = DisplayNumber::new(network.hashes_per_coin, digits);
            let efficiency = DisplayNumber::new(efficiency, digits);
            let overhead = match is_common {
                true => DisplayNumber::exact(overhead),
                false => DisplayNumber::new(overhead, digits),
            };
            let energy = energy_kwh(network.hashes_per_coin, efficiency.value());
            let energy_usd = cost_usd.to_f64() / overhead.value();
            let steps = CostSteps {
                efficiency_j_per_th: efficiency,
                energy_kwh_per_coin: DisplayNumber::new(energy, digits),
                electricity_usd_per_kwh: DisplayNumber::new(energy_usd / energy, digits),
                energy_usd_per_coin: DisplayNumber::new(energy_usd, digits),
                overhead,
                cost_usd,
            };
            (steps, hashes)
        };
        fewest_digits(with_digits, |(steps, hashes)| {
            steps.reproduce_cost([network.hashes_per_coin, hashes.value()])
        })
    }

    /// The worldwide efficiency, weighted by hashrate, and overhead, weighted by energy cost.
    pub(crate) fn global_means(&self, network: &NetworkDay, day: &Day) -> (f64, f64) {
        let [mut efficiencies, mut energy_costs, mut costs] = [0.0; 3];
        let first = self.fleet(network, 0).overhead;
        let mut is_same = true;
        for (index, share) in day.hashrate_shares_pct.iter().enumerate() {
            let fleet = self.fleet(network, index);
            let (efficiency, price) = fleet.at(CostKind::Avg);
            let weighted = share.count() as f64 * efficiency;
            efficiencies += weighted;
            energy_costs += weighted * price;
            costs += weighted * price * fleet.overhead;
            is_same &= fleet.overhead == first;
        }
        let efficiency = efficiencies / WHOLE_NETWORK_PCT.count() as f64;
        (efficiency, if is_same { first } else { costs / energy_costs })
    }
}
