//! The average of a scope as the cost of one miner: the mean fleet, at the mean price.

use crate::calendar::NoFigures;
use crate::cost::energy_kwh;
use crate::decimal::Decimal;
use crate::derivation::{Bound, DIGITS_MAX, DIGITS_MIN, is_followed};
use crate::figures::Day;
use crate::model::{Model, NetworkDay};
use crate::registry::WHOLE_NETWORK_PCT;
use crate::scope::Scope;
use crate::shown::Shown;
use crate::what_if::WhatIf;

/// The miner whose cost is the average of a scope.
///
/// Of a region that is the mean fleet on power at the mean price. Worldwide, the efficiency is the mean
/// over the hashrate and the price the mean over the energy, so that their product is the mean over
/// the hashrate of what regions pay.
///
/// ```
/// use ghi_engine::{Inputs, Model, Scope};
/// use jiff::civil::date;
///
/// let model = Model::new(Inputs::default());
/// let day = model.day(date(2026, 11, 15))?;
/// let miner = model.mean_miner(Scope::Global, &day)?;
/// let decimals = day.global.avg_usd.decimals();
/// let cost_usd =
///     miner.what_if().cost_usd(miner.difficulty, miner.hashes_per_difficulty.value(), decimals);
/// assert_eq!(cost_usd, Some(day.global.avg_usd));
/// # Ok::<(), ghi_engine::NoFigures>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanMiner {
    /// The network's difficulty.
    pub difficulty: u64,
    /// Hashes that a unit of difficulty stands for.
    pub hashes_per_difficulty: Shown,
    /// Coins per block.
    pub block_reward_coins: Shown,
    /// Hashes that it takes to mine one coin: difficulty x hashes per difficulty / reward.
    pub hashes_per_coin: Shown,
    /// The mean efficiency.
    pub efficiency_j_per_th: Shown,
    /// hashes per coin x efficiency / 10^12 / 3.6 x 10^6.
    pub energy_kwh_per_coin: Shown,
    /// The mean price of power.
    pub electricity_usd_per_kwh: Shown,
    /// Whole cost over the cost of energy.
    pub overhead: Shown,
    /// energy x price x overhead, rounded: the published average.
    pub cost_usd: Decimal,
}

impl MeanMiner {
    /// Its numbers, as a start for others.
    pub fn what_if(&self) -> WhatIf {
        WhatIf {
            electricity_usd_per_kwh: self.electricity_usd_per_kwh.value(),
            efficiency_j_per_th: self.efficiency_j_per_th.value(),
            overhead: self.overhead.value(),
            block_reward_coins: self.block_reward_coins.value(),
        }
    }
}

impl Model {
    /// The miner whose cost is the average of a scope on a day that the model published, in as few
    /// digits as still give it.
    pub fn mean_miner(&self, scope: Scope, day: &Day) -> Result<MeanMiner, NoFigures> {
        let network = self.network_day(day.date)?;
        let cost_usd = scope.costs(day).avg_usd;
        if let Scope::Region(region) = scope {
            let (scenarios, hashes) = self.derive(&network, &[(Bound::Avg, region, cost_usd)]);
            let scenario = &scenarios[0];
            let steps = [
                scenario.efficiency_j_per_th,
                scenario.energy_kwh_per_coin,
                scenario.electricity_usd_per_kwh,
            ];
            return Ok(self.miner(&network, hashes, steps, cost_usd));
        }
        let efficiency = self.efficiency_of_all(&network, day);
        let overhead = self.inputs.network.overhead;
        let with_digits = |digits| {
            let hashes = Shown::new(network.hashes_per_coin, digits);
            let efficiency = Shown::new(efficiency, digits);
            let energy = energy_kwh(network.hashes_per_coin, efficiency.value());
            let price = Shown::new(cost_usd.to_f64() / overhead / energy, digits);
            (hashes, [efficiency, Shown::new(energy, digits), price])
        };
        let gives_it = |(hashes, steps): &(Shown, [Shown; 3])| {
            let [efficiency, energy, price] = steps.map(Shown::value);
            let steps = [efficiency, energy, price, energy * price];
            is_followed([network.hashes_per_coin, hashes.value()], steps, overhead, cost_usd)
        };
        let mut enough = (DIGITS_MIN..DIGITS_MAX).map(with_digits);
        let (hashes, steps) = enough.find(gives_it).unwrap_or_else(|| with_digits(DIGITS_MAX));
        Ok(self.miner(&network, hashes, steps, cost_usd))
    }

    /// The mean over the hashrate.
    fn efficiency_of_all(&self, network: &NetworkDay, day: &Day) -> f64 {
        let shares = day.hashrate_shares_pct.iter().enumerate();
        let weighted = shares.map(|(index, share)| {
            share.count() as f64 * self.mean_efficiency_j_per_th(network, index)
        });
        weighted.sum::<f64>() / WHOLE_NETWORK_PCT.count() as f64
    }

    fn miner(
        &self,
        network: &NetworkDay,
        hashes_per_coin: Shown,
        [efficiency_j_per_th, energy_kwh_per_coin, electricity_usd_per_kwh]: [Shown; 3],
        cost_usd: Decimal,
    ) -> MeanMiner {
        MeanMiner {
            difficulty: network.difficulty,
            hashes_per_difficulty: Shown::exact(self.inputs.network.hashes_per_difficulty),
            block_reward_coins: Shown::exact(network.block_reward_coins),
            hashes_per_coin,
            efficiency_j_per_th,
            energy_kwh_per_coin,
            electricity_usd_per_kwh,
            overhead: Shown::exact(self.inputs.network.overhead),
            cost_usd,
        }
    }
}
