//! Where the figures of a day come from, step by step and with the numbers filled in.

use jiff::civil::Date;

use crate::calendar::NoFigures;
use crate::decimal::Decimal;
use crate::derivation::{BOUNDS, Bound, Scenario};
use crate::figures::{Costs, Day};
use crate::fingerprint::Fingerprint;
use crate::model::{Model, NetworkDay};
use crate::registry::{RegionIndex, SHARE_DECIMALS};
use crate::scope::Scope;
use crate::shown::Shown;

/// The significant digits of what is not part of a derivation.
const DIGITS_BESIDE: usize = 4;

/// Hours of a year, 365.25 days.
const HOURS_PER_YEAR: f64 = 8_766.0;

/// The decimals of a percent.
const PERCENT_DECIMALS: u8 = 2;

/// MW in a GW, and GWh in a TWh.
const THOUSAND: f64 = 1_000.0;

/// How the costs of a scope on a day come about.
///
/// ```
/// use ghi_engine::{Inputs, Model, Scope};
/// use jiff::civil::date;
///
/// let model = Model::new(Inputs::default());
/// let europe = Scope::find("eu", model.registry()).unwrap();
/// let explanation = model.explain(europe, date(2026, 11, 15))?;
/// let avg = &explanation.scenarios[1];
/// let energy_usd = avg.energy_kwh_per_coin.value() * avg.electricity_usd_per_kwh.value();
/// let cost_usd = energy_usd * explanation.overhead.value();
/// assert_eq!((cost_usd * 100.0).round() as u64, explanation.costs.avg_usd.count());
/// # Ok::<(), ghi_engine::NoFigures>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// What it explains.
    pub scope: Scope,
    /// Every figure of the day that it is of.
    pub day: Day,
    /// Which inputs they were computed from.
    pub fingerprint: Fingerprint,
    /// The published costs of the scope.
    pub costs: Costs,
    /// The network's difficulty.
    pub difficulty: u64,
    /// Hashes that a unit of difficulty stands for.
    pub hashes_per_difficulty: Shown,
    /// Coins per block.
    pub block_reward_coins: Shown,
    /// Hashes that it takes to mine one coin: difficulty x hashes per difficulty / reward.
    pub hashes_per_coin: Shown,
    /// Whole cost over the cost of energy.
    pub overhead: Shown,
    /// The derivation of each cost, from minimum to maximum. Worldwide, minimum and maximum in the
    /// regions that set them; the average is the sum of [`Explanation::parts`].
    pub scenarios: Vec<Scenario>,
    /// What each region adds to the global average; of a region, itself alone.
    pub parts: Vec<Part>,
    /// The scope in the units that miners compare.
    pub mining: Mining,
    /// What 1 % more of each input does to the average.
    pub sensitivities: [Sensitivity; 5],
}

/// What a region adds to the global average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The region.
    pub region: RegionIndex,
    /// Its share of the hashrate, percent.
    pub hashrate_share_pct: Decimal,
    /// Its published costs.
    pub costs: Costs,
    /// Share x average, exactly. All of them sum to the global average, before it is rounded.
    pub contribution_usd: Decimal,
}

/// A scope in the units that miners compare, at its mean efficiency and price and at the hashrate that
/// the difficulty implies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mining {
    /// The hashrate, EH/s.
    pub hashrate_eh: Shown,
    /// The power that it draws, GW.
    pub power_gw: Shown,
    /// The energy that it takes in a year at that rate, TWh.
    pub energy_twh_per_year: Shown,
    /// What it costs to run 1 PH/s for a day.
    pub usd_per_ph_and_day: Shown,
}

/// What 1 % more of an input does to the average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensitivity {
    /// The input, by the name of its field.
    pub input: &'static str,
    /// The change of the average, percent.
    pub change_pct: f64,
    /// The average with it, USD.
    pub avg_usd: Decimal,
}

impl Explanation {
    /// What the contributions of all parts sum to: worldwide, the average before it is rounded.
    pub fn sum_usd(&self) -> Decimal {
        let count = self.parts.iter().map(|part| part.contribution_usd.count()).sum();
        Decimal::new(count, contribution_decimals(self.costs.avg_usd))
    }
}

impl Model {
    /// How the costs of a scope on a UTC day come about.
    pub fn explain(&self, scope: Scope, date: Date) -> Result<Explanation, NoFigures> {
        let network = self.network_day(date)?;
        let day = self.day(date)?;
        let parts: Vec<Part> = match scope {
            Scope::Global => self.registry().indices().map(|region| part(&day, region)).collect(),
            Scope::Region(region) => vec![part(&day, region)],
        };
        let costs = scope.costs(&day);
        let (scenarios, hashes_per_coin) = self.derive(&network, &chosen(scope, &parts, &costs));
        Ok(Explanation {
            scope,
            day,
            fingerprint: self.fingerprint(),
            costs,
            difficulty: network.difficulty,
            hashes_per_difficulty: Shown::exact(self.inputs.network.hashes_per_difficulty),
            block_reward_coins: Shown::exact(network.block_reward_coins),
            hashes_per_coin,
            overhead: Shown::exact(self.inputs.network.overhead),
            scenarios,
            mining: self.mining(&network, &parts),
            parts,
            sensitivities: sensitivities(costs.avg_usd),
        })
    }

    fn mining(&self, network: &NetworkDay, parts: &[Part]) -> Mining {
        let network_eh = self.inputs.implied_eh(network.difficulty);
        let [mut hashrate_eh, mut power_gw, mut usd_per_day] = [0.0; 3];
        for part in parts {
            let eh = network_eh * part.hashrate_share_pct.to_f64() / 100.0;
            let fleet = self.fleet(network, part.region.get());
            let [efficiency, price] =
                [fleet.efficiency_j_per_th[1], fleet.electricity_usd_per_kwh[1]];
            hashrate_eh += eh;
            // J/TH is W per TH/s: so EH/s x J/TH is MW.
            power_gw += eh * efficiency / THOUSAND;
            usd_per_day += eh * self.usd_per_ph_and_day(efficiency, price);
        }
        let shown = |value| Shown::new(value, DIGITS_BESIDE);
        Mining {
            hashrate_eh: shown(hashrate_eh),
            power_gw: shown(power_gw),
            energy_twh_per_year: shown(power_gw * HOURS_PER_YEAR / THOUSAND),
            usd_per_ph_and_day: shown(usd_per_day / hashrate_eh),
        }
    }
}

fn part(day: &Day, region: RegionIndex) -> Part {
    let costs = day.regions[region.get()];
    let share = day.hashrate_shares_pct[region.get()];
    let count = share.count() * costs.avg_usd.count();
    let contribution_usd = Decimal::new(count, contribution_decimals(costs.avg_usd));
    Part { region, hashrate_share_pct: share, costs, contribution_usd }
}

/// The decimals of a share of an average, exactly.
fn contribution_decimals(average: Decimal) -> u8 {
    average.decimals() + SHARE_DECIMALS + PERCENT_DECIMALS
}

/// Which costs are derived: of a region all three, worldwide those that set the bounds.
fn chosen(scope: Scope, parts: &[Part], costs: &Costs) -> Vec<(Bound, RegionIndex, Decimal)> {
    let derived = match scope {
        Scope::Region(_) => &BOUNDS[..],
        Scope::Global => &[Bound::Min, Bound::Max],
    };
    let setting = |bound: &Bound| {
        let cost = bound.of(costs);
        let part = parts.iter().find(|part| bound.of(&part.costs) == cost)?;
        Some((*bound, part.region, cost))
    };
    derived.iter().filter_map(setting).collect()
}

fn sensitivities(avg_usd: Decimal) -> [Sensitivity; 5] {
    let of = |input, factor: f64| Sensitivity {
        input,
        change_pct: ((factor - 1.0) * 10_000.0).round() / 100.0,
        avg_usd: Decimal::nearest(avg_usd.to_f64() * factor, avg_usd.decimals()),
    };
    [
        of("difficulty", 1.01),
        of("efficiency_j_per_th", 1.01),
        of("electricity_usd_per_kwh", 1.01),
        of("overhead", 1.01),
        of("block_reward_coins", 1.0 / 1.01),
    ]
}
