//! Where the figures of a day come from, step by step and with the numbers filled in.

use std::fmt;

use jiff::civil::Date;

use crate::calendar::NoFigures;
use crate::cost::{cost_usd_per_coin, energy_kwh};
use crate::decimal::Decimal;
use crate::figures::Costs;
use crate::fingerprint::Fingerprint;
use crate::model::{Fleet, Model, NetworkDay};
use crate::registry::{RegionIndex, SHARE_DECIMALS};
use crate::scope::Scope;

/// The fewest significant digits that numbers are shown with.
const DIGITS_MIN: usize = 6;

/// With so many significant digits, a float is shown exactly.
const DIGITS_MAX: usize = 17;

/// The significant digits of what is not part of a derivation.
const DIGITS_BESIDE: usize = 4;

/// Hours of a year, 365.25 days.
const HOURS_PER_YEAR: f64 = 8_766.0;

/// The decimals of a percent.
const PERCENT_DECIMALS: u8 = 2;

/// TH/s in a PH/s, and W in a kW.
const THOUSAND: f64 = 1_000.0;

/// A number as an explanation shows it: with as many digits as it takes.
///
/// Its value is that of the digits shown, so that whoever takes them from a page or a table computes
/// with the same number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown(f64);

impl Shown {
    fn new(value: f64, digits: usize) -> Self {
        let rounded = format!("{value:.*e}", digits - 1);
        Self(rounded.parse().expect("a float that was formatted can be parsed"))
    }

    /// The value of the digits shown.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Shown {
    /// Plain where that is readable, `1.22321e23` otherwise.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if (1e-6..1e15).contains(&self.0) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

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
/// let product = avg.energy_kwh_per_coin.value() * avg.electricity_usd_per_kwh.value() * explanation.overhead;
/// assert_eq!((product * 100.0).round() as u64, explanation.costs.avg_usd.count());
/// # Ok::<(), ghi_engine::NoFigures>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The day.
    pub date: Date,
    /// What was read to compute it.
    pub fingerprint: Fingerprint,
    /// What it explains.
    pub scope: Scope,
    /// The published costs of the scope.
    pub costs: Costs,
    /// The network's difficulty.
    pub difficulty: u64,
    /// Hashes that a unit of difficulty stands for.
    pub hashes_per_difficulty: f64,
    /// Coins per block.
    pub block_reward_coins: f64,
    /// Hashes that it takes to mine one coin: difficulty x hashes per difficulty / reward.
    pub hashes_per_coin: Shown,
    /// Whole cost over the cost of energy.
    pub overhead: f64,
    /// The derivation of minimum, average and maximum. Of the world, each in the region that sets it;
    /// for the average, there is [`Explanation::parts`].
    pub scenarios: Vec<Scenario>,
    /// What each region adds to the global average; of a region, itself alone.
    pub parts: Vec<Part>,
    /// What miners talk in.
    pub beside: Beside,
    /// What 1 % more of each input does to the average.
    pub sensitivities: [Sensitivity; 5],
}

/// The derivation of one cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The region whose fleet and power it is.
    pub region: RegionIndex,
    /// Which of the costs it is: `min`, `avg` or `max`.
    pub bound: &'static str,
    /// The fleet's efficiency.
    pub efficiency_j_per_th: Shown,
    /// hashes per coin x efficiency / 10^12 / 3.6 x 10^6.
    pub energy_kwh_per_coin: Shown,
    /// The price of power.
    pub electricity_usd_per_kwh: Shown,
    /// energy x price.
    pub energy_usd_per_coin: Shown,
    /// cost of energy x overhead, rounded: the published cost.
    pub cost_usd: Decimal,
    /// What it costs to run 1 PH/s for a day: 24 x efficiency x price x overhead.
    pub usd_per_ph_and_day: Shown,
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

/// What miners talk in, of the scope at its mean efficiency and the hashrate that the difficulty
/// implies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beside {
    /// The hashrate, EH/s.
    pub hashrate_eh: Shown,
    /// The power that it draws, GW.
    pub power_gw: Shown,
    /// The energy that it takes in a year at that rate, TWh.
    pub energy_twh_per_year: Shown,
    /// What it costs to run 1 PH/s for a day, on average.
    pub usd_per_ph_and_day: Shown,
}

/// What 1 % more of an input does to the average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensitivity {
    /// The input.
    pub input: &'static str,
    /// The change of the average, percent.
    pub change_pct: f64,
    /// The average with it, USD.
    pub avg_usd: Decimal,
}

/// The names of the costs, from minimum to maximum.
const BOUNDS: [&str; 3] = ["min", "avg", "max"];

impl Model {
    /// How the costs of a scope on a UTC day come about.
    pub fn explain(&self, scope: Scope, date: Date) -> Result<Explanation, NoFigures> {
        let network = self.network_day(date)?;
        let day = self.day(date)?;
        let part = |region: RegionIndex| {
            let costs = day.regions[region.get()];
            let share = day.hashrate_shares_pct[region.get()];
            let decimals = costs.avg_usd.decimals() + SHARE_DECIMALS + PERCENT_DECIMALS;
            let contribution_usd = Decimal::new(share.count() * costs.avg_usd.count(), decimals);
            Part { region, hashrate_share_pct: share, costs, contribution_usd }
        };
        let parts: Vec<Part> = match scope {
            Scope::Global => self.registry().indices().map(part).collect(),
            Scope::Region(region) => vec![part(region)],
        };
        let costs = scope.costs(&day);
        let chosen = chosen(scope, &parts, &costs);
        let (scenarios, hashes_per_coin) = self.scenarios(&network, &chosen);
        Ok(Explanation {
            date,
            fingerprint: self.fingerprint(),
            scope,
            costs,
            difficulty: network.difficulty,
            hashes_per_difficulty: self.inputs.network.hashes_per_difficulty,
            block_reward_coins: network.block_reward_coins,
            hashes_per_coin,
            overhead: self.inputs.network.overhead,
            scenarios,
            beside: self.beside(&network, &parts),
            parts,
            sensitivities: sensitivities(costs.avg_usd),
        })
    }

    /// The derivations of some costs, in as few digits as still give the published figures, and the
    /// hashes per coin in as many.
    fn scenarios(
        &self,
        network: &NetworkDay,
        chosen: &[(usize, RegionIndex, Decimal)],
    ) -> (Vec<Scenario>, Shown) {
        let with_digits = |digits| {
            let hashes = Shown::new(network.hashes_per_coin, digits);
            let scenario = |chosen: &_| self.scenario(network, *chosen, digits);
            (chosen.iter().map(scenario).collect::<Vec<_>>(), hashes)
        };
        (DIGITS_MIN..DIGITS_MAX)
            .map(with_digits)
            .find(|(scenarios, hashes)| {
                scenarios.iter().all(|scenario| self.is_followed(scenario, *hashes))
            })
            .unwrap_or_else(|| with_digits(DIGITS_MAX))
    }

    fn scenario(
        &self,
        network: &NetworkDay,
        (bound, region, cost_usd): (usize, RegionIndex, Decimal),
        digits: usize,
    ) -> Scenario {
        let Fleet { efficiency_j_per_th, electricity_usd_per_kwh } =
            self.fleet(network, region.get());
        let [efficiency, price] = [efficiency_j_per_th[bound], electricity_usd_per_kwh[bound]];
        let energy = energy_kwh(network.hashes_per_coin, efficiency);
        Scenario {
            region,
            bound: BOUNDS[bound],
            efficiency_j_per_th: Shown::new(efficiency, digits),
            energy_kwh_per_coin: Shown::new(energy, digits),
            electricity_usd_per_kwh: Shown::new(price, digits),
            energy_usd_per_coin: Shown::new(energy * price, digits),
            cost_usd,
            usd_per_ph_and_day: Shown::new(
                24.0 * efficiency * price * self.inputs.network.overhead,
                DIGITS_BESIDE,
            ),
        }
    }

    /// Whether the digits shown give the published cost, whichever step one starts from.
    fn is_followed(&self, scenario: &Scenario, hashes: Shown) -> bool {
        let overhead = self.inputs.network.overhead;
        let [efficiency, energy, price, energy_usd] = [
            scenario.efficiency_j_per_th,
            scenario.energy_kwh_per_coin,
            scenario.electricity_usd_per_kwh,
            scenario.energy_usd_per_coin,
        ]
        .map(Shown::value);
        let ways = [
            cost_usd_per_coin(hashes.value(), efficiency, price, overhead),
            energy * price * overhead,
            energy_usd * overhead,
        ];
        let decimals = scenario.cost_usd.decimals();
        ways.into_iter().all(|cost| Decimal::nearest(cost, decimals) == scenario.cost_usd)
    }

    fn beside(&self, network: &NetworkDay, parts: &[Part]) -> Beside {
        let network_eh = self.inputs.implied_eh(network.difficulty);
        let [mut hashrate_eh, mut power_gw, mut usd_per_ph_and_day] = [0.0; 3];
        for part in parts {
            let eh = network_eh * part.hashrate_share_pct.to_f64() / 100.0;
            let fleet = self.fleet(network, part.region.get());
            let [efficiency, price] =
                [fleet.efficiency_j_per_th[1], fleet.electricity_usd_per_kwh[1]];
            hashrate_eh += eh;
            // J/TH is W per TH/s: so EH/s x J/TH is MW.
            power_gw += eh * efficiency / THOUSAND;
            usd_per_ph_and_day += eh * 24.0 * efficiency * price * self.inputs.network.overhead;
        }
        let shown = |value| Shown::new(value, DIGITS_BESIDE);
        Beside {
            hashrate_eh: shown(hashrate_eh),
            power_gw: shown(power_gw),
            energy_twh_per_year: shown(power_gw * HOURS_PER_YEAR / THOUSAND),
            usd_per_ph_and_day: shown(usd_per_ph_and_day / hashrate_eh),
        }
    }
}

/// Which costs are derived: of a region all three, of the world those that set its bounds.
fn chosen(scope: Scope, parts: &[Part], costs: &Costs) -> Vec<(usize, RegionIndex, Decimal)> {
    let all = |part: &Part| [part.costs.min_usd, part.costs.avg_usd, part.costs.max_usd];
    match scope {
        Scope::Region(_) => parts
            .iter()
            .flat_map(|part| {
                all(part).into_iter().enumerate().map(|(bound, cost)| (bound, part.region, cost))
            })
            .collect(),
        Scope::Global => [(0, costs.min_usd), (2, costs.max_usd)]
            .into_iter()
            .filter_map(|(bound, cost)| {
                let part = parts.iter().find(|part| all(part)[bound] == cost)?;
                Some((bound, part.region, cost))
            })
            .collect(),
    }
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
