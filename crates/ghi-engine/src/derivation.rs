//! The derivation of a cost, with enough digits to reproduce it.

use crate::calendar::NoFigures;
use crate::cost::{cost_usd_per_coin, energy_kwh};
use crate::day::{CostKind, Day};
use crate::decimal::{Decimal, DisplayNumber, power_of_ten};
use crate::model::{Model, NetworkDay};
use crate::registry::{RegionIndex, Scope, WHOLE_NETWORK_PCT};
use crate::what_if::WhatIf;

const DIGITS_MIN: usize = 6;

/// The significant digits that show a float exactly.
const DIGITS_MAX: usize = 17;

/// The significant digits of numbers that are not part of the derivation.
pub(crate) const CONTEXT_DIGITS: usize = 4;

/// How far a product of displayed digits must be from the midpoint between two published costs, in units
/// of the last decimal, so that exact arithmetic does not round it the other way.
const ROUNDING_MARGIN: f64 = 1e-4;

/// The derivation of one cost. Difficulty, reward and hashes per coin are the same for all costs; the
/// [`Explanation`](crate::Explanation) has them.
#[derive(Clone, Debug, PartialEq)]
pub struct CostCase {
    /// The region that has these machines and this power price.
    pub region: RegionIndex,
    /// Which of the region's costs it is.
    pub kind: CostKind,
    /// The steps of the formula.
    pub steps: CostSteps,
    /// The cost of running 1 PH/s for a day: 24 x efficiency x price x overhead.
    pub usd_per_ph_and_day: DisplayNumber,
}

/// The steps of the formula that depend on machines and power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostSteps {
    /// The efficiency of the machines.
    pub efficiency_j_per_th: DisplayNumber,
    /// hashes per coin x efficiency / 10^12 / 3.6 x 10^6.
    pub energy_kwh_per_coin: DisplayNumber,
    /// The price of power.
    pub electricity_usd_per_kwh: DisplayNumber,
    /// energy x price.
    pub energy_usd_per_coin: DisplayNumber,
    /// Total cost divided by energy cost.
    pub overhead: DisplayNumber,
    /// energy cost x overhead, rounded: the published cost.
    pub cost_usd: Decimal,
}

impl Model {
    /// Derives published costs. Returns the derivations and the hashes per coin, in the fewest digits that
    /// reproduce the costs.
    pub(crate) fn derive(
        &self,
        network: &NetworkDay,
        costs: &[(CostKind, RegionIndex, Decimal)],
    ) -> (Vec<CostCase>, DisplayNumber) {
        let with_digits = |digits| {
            let hashes = DisplayNumber::new(network.hashes_per_coin, digits);
            let cases = costs.iter().map(|cost| self.cost_case(network, *cost, digits));
            (cases.collect::<Vec<_>>(), hashes)
        };
        fewest_digits(with_digits, |(cases, hashes)| {
            let hashes = [network.hashes_per_coin, hashes.value()];
            cases.iter().all(|case| case.steps.reproduce_cost(hashes))
        })
    }

    fn cost_case(
        &self,
        network: &NetworkDay,
        (kind, region, cost_usd): (CostKind, RegionIndex, Decimal),
        digits: usize,
    ) -> CostCase {
        let fleet = self.fleet(network, region.get());
        let (efficiency, price) = fleet.at(kind);
        let energy = energy_kwh(network.hashes_per_coin, efficiency);
        let per_day = fleet.usd_per_ph_and_day(kind);
        let steps = CostSteps {
            efficiency_j_per_th: DisplayNumber::new(efficiency, digits),
            energy_kwh_per_coin: DisplayNumber::new(energy, digits),
            electricity_usd_per_kwh: DisplayNumber::new(price, digits),
            energy_usd_per_coin: DisplayNumber::new(energy * price, digits),
            overhead: DisplayNumber::exact(fleet.overhead),
            cost_usd,
        };
        let usd_per_ph_and_day = DisplayNumber::new(per_day, CONTEXT_DIGITS);
        CostCase { region, kind, steps, usd_per_ph_and_day }
    }
}

/// Returns the result with the fewest digits that are enough, or with all digits if fewer never are.
fn fewest_digits<T>(with_digits: impl Fn(usize) -> T, are_enough: impl Fn(&T) -> bool) -> T {
    let mut results = (DIGITS_MIN..DIGITS_MAX).map(&with_digits);
    results.find(|result| are_enough(result)).unwrap_or_else(|| with_digits(DIGITS_MAX))
}

impl CostSteps {
    /// Whether the displayed digits reproduce the published cost, whichever step a reader starts from.
    /// `hashes` is the hashes per coin, first as computed from the difficulty, then as displayed.
    fn reproduce_cost(&self, hashes: [f64; 2]) -> bool {
        let [efficiency, price] =
            [self.efficiency_j_per_th, self.electricity_usd_per_kwh].map(DisplayNumber::value);
        let [energy, energy_usd, overhead] =
            [self.energy_kwh_per_coin, self.energy_usd_per_coin, self.overhead]
                .map(DisplayNumber::value);
        let [from_difficulty, from_hashes] =
            hashes.map(|hashes| cost_usd_per_coin(hashes, efficiency, price, overhead));
        let results =
            [from_difficulty, from_hashes, energy * price * overhead, energy_usd * overhead];
        let units = power_of_ten(self.cost_usd.decimals());
        let published = self.cost_usd.count() as f64;
        results.into_iter().all(|cost| (cost * units - published).abs() < 0.5 - ROUNDING_MARGIN)
    }
}

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
