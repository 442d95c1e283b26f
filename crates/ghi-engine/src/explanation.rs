//! How the costs of a day are computed, step by step and with the numbers filled in.

use jiff::civil::Date;

use crate::calendar::NoFigures;
use crate::day::{CostKind, Costs, Day};
use crate::decimal::{Decimal, DisplayNumber};
use crate::derivation::{CONTEXT_DIGITS, CostCase};
use crate::economics::CapitalCost;
use crate::inputs::Fingerprint;
use crate::model::{Model, NetworkDay};
use crate::registry::{RegionIndex, SHARE_DECIMALS, Scope};

const HOURS_PER_YEAR: f64 = 8_766.0;
const PERCENT_DECIMALS: u8 = 2;

/// MW per GW, and GWh per TWh.
const THOUSAND: f64 = 1_000.0;

/// How the costs of a scope on a day are computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The scope of the costs.
    pub scope: Scope,
    /// All data of the day.
    pub day: Day,
    /// The SHA-256 of the inputs.
    pub fingerprint: Fingerprint,
    /// The published costs of the scope.
    pub costs: Costs,
    /// The network's difficulty.
    pub difficulty: u64,
    /// Hashes per unit of difficulty.
    pub hashes_per_difficulty: DisplayNumber,
    /// Coins per block.
    pub block_reward_coins: DisplayNumber,
    /// Hashes needed to mine one coin: difficulty x hashes per difficulty / reward.
    pub hashes_per_coin: DisplayNumber,
    /// Total cost divided by energy cost; for worldwide costs, the average miner's overhead.
    pub overhead: DisplayNumber,
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
        Decimal::new(counts.sum(), contribution_decimals(self.costs.avg_usd))
    }
}

impl Model {
    /// Explains the costs of a scope on a UTC day.
    pub fn explain(&self, scope: Scope, date: Date) -> Result<Explanation, NoFigures> {
        let network = self.network_day(date)?;
        let day = self.day(date)?;
        let regions = self.registry().in_scope(scope);
        let contributions: Vec<_> = regions.map(|region| contribution(&day, region)).collect();
        let costs = scope.costs(&day);
        let derived = derived_costs(scope, &contributions, &costs);
        let (cases, hashes_per_coin) = self.derive(&network, &derived);
        let overhead = match scope {
            Scope::Global => self.mean_miner(scope, &day)?.steps.overhead,
            Scope::Region(_) => cases[0].steps.overhead,
        };
        let inputs = &self.inputs.file.network;
        Ok(Explanation {
            scope,
            day,
            fingerprint: self.fingerprint(),
            costs,
            difficulty: network.difficulty,
            hashes_per_difficulty: DisplayNumber::exact(inputs.hashes_per_difficulty),
            block_reward_coins: DisplayNumber::exact(network.block_reward_coins),
            hashes_per_coin,
            overhead,
            cases,
            capital: self.capital(date)?,
            mining: self.mining(&network, &contributions),
            contributions,
        })
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
    let costs = day.regions[region.get()];
    let share = day.hashrate_shares_pct[region.get()];
    let count = share.count() * costs.avg_usd.count();
    let contribution_usd = Decimal::new(count, contribution_decimals(costs.avg_usd));
    RegionContribution { region, hashrate_share_pct: share, costs, contribution_usd }
}

fn contribution_decimals(average: Decimal) -> u8 {
    average.decimals() + SHARE_DECIMALS + PERCENT_DECIMALS
}

/// The costs to derive: all three for a region; for worldwide costs, the minimum and the maximum, each
/// for the region that sets it.
fn derived_costs(
    scope: Scope,
    contributions: &[RegionContribution],
    costs: &Costs,
) -> Vec<(CostKind, RegionIndex, Decimal)> {
    let kinds = CostKind::ALL.into_iter();
    let derived = |kind| {
        let cost = costs.get(kind);
        let set_by = contributions.iter().find(|region| region.costs.get(kind) == cost)?;
        Some((kind, set_by.region, cost))
    };
    kinds
        .filter(|kind| scope != Scope::Global || *kind != CostKind::Avg)
        .filter_map(derived)
        .collect()
}
