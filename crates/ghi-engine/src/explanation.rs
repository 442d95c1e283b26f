//! How the costs of a day are computed, step by step, with enough digits to reproduce them.

use jiff::civil::Date;

use crate::calendar::NoFigures;
use crate::cost::{WhatIf, cost_usd_per_coin, energy_kwh};
use crate::day::{CostKind, Costs, Day, RegionIndex, Scope, WHOLE_NETWORK_PCT};
use crate::economics::{CapitalCost, HOURS_PER_YEAR, THOUSAND};
use crate::model::{Model, NetworkDay};
use crate::numbers::{Decimal, DisplayNumber, power_of_ten};

const DIGITS_MIN: usize = 6;
/// The significant digits that show a float exactly.
const DIGITS_MAX: usize = 17;
/// The significant digits of numbers that are not part of the derivation.
pub(crate) const CONTEXT_DIGITS: usize = 4;
/// How far a product of displayed digits must be from the midpoint between two published costs, in units
/// of the last decimal, so that exact arithmetic does not round it the other way.
const ROUNDING_MARGIN: f64 = 1e-4;
const PERCENT_DECIMALS: u8 = 2;

/// How the costs of a scope on a day are computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The scope of the costs.
    pub scope: Scope,
    /// All data of the day.
    pub day: Day,
    /// The SHA-256 of the inputs.
    pub fingerprint: String,
    /// The published costs of the scope.
    pub costs: Costs,
    /// The miner whose cost is the average.
    pub mean_miner: MeanMiner,
    /// Hashes needed to mine one coin: difficulty x hashes per difficulty / reward.
    pub hashes_per_coin: DisplayNumber,
    /// The derivation of each cost, from minimum to maximum. For worldwide costs, only the minimum and
    /// the maximum, each for the region that sets it; the average is the sum of
    /// [`Explanation::contributions`].
    pub cases: Vec<CostCase>,
    /// Each region's contribution to the worldwide average; for a region, only its own.
    pub contributions: Vec<RegionContribution>,
    /// The cost of machines, which the average does not include. `None` if the inputs have no `[capital]`.
    pub capital: Option<CapitalCost>,
    /// The scope in the units that miners use.
    pub mining: MiningStats,
}

/// The derivation of one cost of a region.
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
    /// The steps from there to the published average.
    pub steps: CostSteps,
}

/// A region's contribution to the worldwide average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionContribution {
    /// The region.
    pub region: RegionIndex,
    /// Its share of the hashrate in percent.
    pub hashrate_share_pct: Decimal,
    /// Its published costs.
    pub costs: Costs,
    /// Share x average, exactly. All of them sum to the worldwide average before rounding.
    pub contribution_usd: Decimal,
}

/// A scope in the units that miners use, at its mean efficiency and price and at the hashrate implied by
/// the difficulty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MiningStats {
    /// The hashrate in EH/s.
    pub hashrate_eh: DisplayNumber,
    /// Its power draw in GW.
    pub power_gw: DisplayNumber,
    /// Its energy use per year in TWh.
    pub energy_twh_per_year: DisplayNumber,
    /// The cost of running 1 PH/s for a day.
    pub usd_per_ph_and_day: DisplayNumber,
}

impl Explanation {
    /// The sum of all contributions; for worldwide costs, this is the average before rounding.
    pub fn sum_usd(&self) -> Decimal {
        let counts = self.contributions.iter().map(|region| region.contribution_usd.count());
        Decimal::new(counts.sum(), self.contributions[0].contribution_usd.decimals())
    }
}

impl MeanMiner {
    /// The miner's numbers, as a starting point for changes.
    pub fn what_if(&self) -> WhatIf {
        let CostSteps { electricity_usd_per_kwh, efficiency_j_per_th, overhead, .. } = self.steps;
        let numbers =
            [electricity_usd_per_kwh, efficiency_j_per_th, overhead, self.block_reward_coins];
        WhatIf(numbers.map(DisplayNumber::value))
    }
}

impl CostSteps {
    /// Whether the displayed digits reproduce the published cost, whichever step a reader starts from.
    /// `hashes` is the hashes per coin, first as computed from the difficulty, then as displayed.
    fn reproduce_cost(&self, hashes: [f64; 2]) -> bool {
        let [efficiency, price, overhead] =
            [self.efficiency_j_per_th, self.electricity_usd_per_kwh, self.overhead]
                .map(DisplayNumber::value);
        let [from_difficulty, from_hashes] =
            hashes.map(|hashes| cost_usd_per_coin(hashes, efficiency, price, overhead));
        let from_energy = self.energy_kwh_per_coin.value() * price * overhead;
        let from_energy_usd = self.energy_usd_per_coin.value() * overhead;
        let results = [from_difficulty, from_hashes, from_energy, from_energy_usd];
        let units = power_of_ten(self.cost_usd.decimals());
        let published = self.cost_usd.count() as f64;
        results.into_iter().all(|cost| (cost * units - published).abs() < 0.5 - ROUNDING_MARGIN)
    }
}

/// Returns what has steps, and the hashes per coin, in the fewest digits that reproduce each cost, or with all digits if
/// fewer never do.
fn fewest_digits<T>(
    hashes_per_coin: f64,
    steps: fn(&T) -> &CostSteps,
    with_digits: impl Fn(usize) -> Vec<T>,
) -> (Vec<T>, DisplayNumber) {
    let with_digits = |digits| (with_digits(digits), DisplayNumber::new(hashes_per_coin, digits));
    let are_enough = |(cases, hashes): &(Vec<T>, DisplayNumber)| {
        cases.iter().all(|case| steps(case).reproduce_cost([hashes_per_coin, hashes.value()]))
    };
    let mut results = (DIGITS_MIN..DIGITS_MAX).map(with_digits);
    results.find(are_enough).unwrap_or_else(|| with_digits(DIGITS_MAX))
}

impl Model {
    /// Explains the costs of a scope on a UTC day.
    pub fn explain(&self, scope: Scope, date: Date) -> Result<Explanation, NoFigures> {
        let network = self.network_day(date)?;
        let day = self.day(date)?;
        let regions = self.registry().in_scope(scope);
        let contributions: Vec<_> = regions.map(|region| contribution(&day, region)).collect();
        let costs = scope.costs(&day);
        let kinds = CostKind::ALL.into_iter();
        let kinds = kinds.filter(|kind| scope != Scope::Global || *kind != CostKind::Avg);
        let derived = kinds.filter_map(|kind| {
            let is_set_by = |part: &&RegionContribution| part.costs.get(kind) == costs.get(kind);
            Some((kind, contributions.iter().find(is_set_by)?.region))
        });
        let (cases, hashes_per_coin) = self.derive(&network, &day, derived.collect());
        Ok(Explanation {
            scope,
            fingerprint: self.inputs.fingerprint(),
            costs,
            mean_miner: self.mean_miner(scope, &day)?,
            hashes_per_coin,
            cases,
            capital: self.capital(date)?,
            mining: self.mining(&network, &contributions),
            contributions,
            day,
        })
    }

    /// The miner whose cost is the average of a scope on a day of this model, in the fewest digits that
    /// reproduce the average.
    pub fn mean_miner(&self, scope: Scope, day: &Day) -> Result<MeanMiner, NoFigures> {
        let network = self.network_day(day.date)?;
        let steps = match scope {
            Scope::Global => self.derive_global(&network, day),
            Scope::Region(region) => {
                self.derive(&network, day, vec![(CostKind::Avg, region)]).0[0].steps
            }
        };
        Ok(MeanMiner {
            difficulty: network.difficulty,
            hashes_per_difficulty: DisplayNumber(self.inputs.file.network.hashes_per_difficulty),
            block_reward_coins: DisplayNumber(network.block_reward_coins),
            steps,
        })
    }

    /// Derives published costs of regions. Also returns the hashes per coin.
    fn derive(
        &self,
        network: &NetworkDay,
        day: &Day,
        costs: Vec<(CostKind, RegionIndex)>,
    ) -> (Vec<CostCase>, DisplayNumber) {
        let with_digits = |digits| {
            let case = |&(kind, region): &(CostKind, RegionIndex)| {
                let fleet = self.fleet(network, region.get());
                let (efficiency, price) = fleet.at(kind);
                let energy = energy_kwh(network.hashes_per_coin, efficiency);
                let steps = CostSteps {
                    efficiency_j_per_th: DisplayNumber::new(efficiency, digits),
                    energy_kwh_per_coin: DisplayNumber::new(energy, digits),
                    electricity_usd_per_kwh: DisplayNumber::new(price, digits),
                    energy_usd_per_coin: DisplayNumber::new(energy * price, digits),
                    overhead: DisplayNumber(fleet.overhead),
                    cost_usd: day.regions[region.get()].get(kind),
                };
                let per_day = fleet.usd_per_ph_and_day(kind);
                let usd_per_ph_and_day = DisplayNumber::new(per_day, CONTEXT_DIGITS);
                CostCase { region, kind, steps, usd_per_ph_and_day }
            };
            costs.iter().map(case).collect()
        };
        fewest_digits(network.hashes_per_coin, |case| &case.steps, with_digits)
    }

    /// Derives the worldwide average.
    fn derive_global(&self, network: &NetworkDay, day: &Day) -> CostSteps {
        let cost_usd = day.global.avg_usd;
        let (efficiency, overhead) = self.global_means(network, day);
        let is_common = overhead == self.fleet(network, 0).overhead;
        let with_digits = |digits| {
            let efficiency = DisplayNumber::new(efficiency, digits);
            let digits_of_overhead = if is_common { DIGITS_MAX } else { digits };
            let overhead = DisplayNumber::new(overhead, digits_of_overhead);
            let energy = energy_kwh(network.hashes_per_coin, efficiency.value());
            let energy_usd = cost_usd.to_f64() / overhead.value();
            vec![CostSteps {
                efficiency_j_per_th: efficiency,
                energy_kwh_per_coin: DisplayNumber::new(energy, digits),
                electricity_usd_per_kwh: DisplayNumber::new(energy_usd / energy, digits),
                energy_usd_per_coin: DisplayNumber::new(energy_usd, digits),
                overhead,
                cost_usd,
            }]
        };
        fewest_digits(network.hashes_per_coin, |steps| steps, with_digits).0[0]
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

    fn mining(&self, network: &NetworkDay, contributions: &[RegionContribution]) -> MiningStats {
        let network_eh = self.inputs.implied_hashrate_eh(network.difficulty as f64);
        let [mut hashrate_eh, mut power_gw, mut usd_per_day, mut per_ph] = [0.0; 4];
        for RegionContribution { region, hashrate_share_pct, .. } in contributions {
            let eh = network_eh * hashrate_share_pct.to_f64() / 100.0;
            let fleet = self.fleet(network, region.get());
            hashrate_eh += eh;
            // J/TH is W per TH/s, so EH/s x J/TH is MW.
            power_gw += eh * fleet.at(CostKind::Avg).0 / THOUSAND;
            per_ph = fleet.usd_per_ph_and_day(CostKind::Avg);
            usd_per_day += eh * per_ph;
        }
        // A region without hashrate still has a cost.
        let usd_per_ph_and_day = if hashrate_eh > 0.0 { usd_per_day / hashrate_eh } else { per_ph };
        let displayed = |value| DisplayNumber::new(value, CONTEXT_DIGITS);
        MiningStats {
            hashrate_eh: displayed(hashrate_eh),
            power_gw: displayed(power_gw),
            energy_twh_per_year: displayed(power_gw * HOURS_PER_YEAR / THOUSAND),
            usd_per_ph_and_day: displayed(usd_per_ph_and_day),
        }
    }
}

fn contribution(day: &Day, region: RegionIndex) -> RegionContribution {
    let (costs, share) = (day.regions[region.get()], day.hashrate_shares_pct[region.get()]);
    let decimals = costs.avg_usd.decimals() + share.decimals() + PERCENT_DECIMALS;
    let contribution_usd = Decimal::new(share.count() * costs.avg_usd.count(), decimals);
    RegionContribution { region, hashrate_share_pct: share, costs, contribution_usd }
}
