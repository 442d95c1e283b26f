//! The derivation of a cost, in as many digits as it takes to follow it.

use crate::cost::{cost_usd_per_coin, energy_kwh};
use crate::decimal::{Decimal, power_of_ten};
use crate::figures::Costs;
use crate::model::{Fleet, Model, NetworkDay};
use crate::registry::RegionIndex;
use crate::shown::Shown;

/// The fewest significant digits that a step is shown with.
pub(crate) const DIGITS_MIN: usize = 6;

/// With so many significant digits, a float is shown exactly.
pub(crate) const DIGITS_MAX: usize = 17;

/// The significant digits of what is not part of the derivation.
const DIGITS_BESIDE: usize = 4;

/// Hours of a day.
const HOURS_PER_DAY: f64 = 24.0;

/// Which of the costs of a region it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The best fleet on the cheapest power.
    Min,
    /// The mean fleet on power at the mean price.
    Avg,
    /// The worst fleet on the dearest power.
    Max,
}

/// From minimum to maximum.
pub(crate) const BOUNDS: [Bound; 3] = [Bound::Min, Bound::Avg, Bound::Max];

impl Bound {
    /// As it is called in the names of fields: `min`, `avg` or `max`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Avg => "avg",
            Self::Max => "max",
        }
    }

    /// Which of some costs it is.
    pub(crate) fn of(self, costs: &Costs) -> Decimal {
        match self {
            Self::Min => costs.min_usd,
            Self::Avg => costs.avg_usd,
            Self::Max => costs.max_usd,
        }
    }

    /// Its place among what a fleet has from best to worst.
    fn place(self) -> usize {
        match self {
            Self::Min => 0,
            Self::Avg => 1,
            Self::Max => 2,
        }
    }
}

/// How far from the middle between two figures a product of the digits shown must lie, units of the
/// last decimal.
const MARGIN: f64 = 1e-4;

/// The derivation of one cost: what is its own. Difficulty, reward, hashes per coin and overhead are
/// those of the [`Explanation`](crate::Explanation).
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The region whose fleet and power it is.
    pub region: RegionIndex,
    /// Which of the region's costs it is.
    pub bound: Bound,
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

impl Model {
    /// The derivations of some costs and the hashes per coin, in as few digits as still give the
    /// published figures.
    pub(crate) fn derive(
        &self,
        network: &NetworkDay,
        chosen: &[(Bound, RegionIndex, Decimal)],
    ) -> (Vec<Scenario>, Shown) {
        let with_digits = |digits| {
            let hashes = Shown::new(network.hashes_per_coin, digits);
            let scenario = |chosen: &_| self.scenario(network, *chosen, digits);
            (chosen.iter().map(scenario).collect::<Vec<_>>(), hashes)
        };
        let is_followed = |(scenarios, hashes): &(Vec<Scenario>, Shown)| {
            let starts = [network.hashes_per_coin, hashes.value()];
            scenarios.iter().all(|scenario| {
                let steps = [
                    scenario.efficiency_j_per_th,
                    scenario.energy_kwh_per_coin,
                    scenario.electricity_usd_per_kwh,
                    scenario.energy_usd_per_coin,
                ];
                let overhead = self.inputs.network.overhead;
                is_followed(starts, steps.map(Shown::value), overhead, scenario.cost_usd)
            })
        };
        let mut enough = (DIGITS_MIN..DIGITS_MAX).map(with_digits);
        enough.find(is_followed).unwrap_or_else(|| with_digits(DIGITS_MAX))
    }

    fn scenario(
        &self,
        network: &NetworkDay,
        (bound, region, cost_usd): (Bound, RegionIndex, Decimal),
        digits: usize,
    ) -> Scenario {
        let Fleet { efficiency_j_per_th, electricity_usd_per_kwh } =
            self.fleet(network, region.get());
        let [efficiency, price] =
            [efficiency_j_per_th, electricity_usd_per_kwh].map(|of| of[bound.place()]);
        let energy = energy_kwh(network.hashes_per_coin, efficiency);
        Scenario {
            region,
            bound,
            efficiency_j_per_th: Shown::new(efficiency, digits),
            energy_kwh_per_coin: Shown::new(energy, digits),
            electricity_usd_per_kwh: Shown::new(price, digits),
            energy_usd_per_coin: Shown::new(energy * price, digits),
            cost_usd,
            usd_per_ph_and_day: Shown::new(
                self.usd_per_ph_and_day(efficiency, price),
                DIGITS_BESIDE,
            ),
        }
    }

    /// What it costs to run 1 PH/s for a day, USD: J/TH is W per TH/s, and so kW per PH/s.
    pub(crate) fn usd_per_ph_and_day(&self, efficiency_j_per_th: f64, usd_per_kwh: f64) -> f64 {
        HOURS_PER_DAY * efficiency_j_per_th * usd_per_kwh * self.inputs.network.overhead
    }
}

/// Whether the digits shown give the published cost, whichever step one starts from. The first are the
/// hashes per coin, as they follow from the difficulty and as they are shown; then come efficiency,
/// energy, price and cost of energy.
pub(crate) fn is_followed(
    hashes: [f64; 2],
    [efficiency, energy, price, energy_usd]: [f64; 4],
    overhead: f64,
    cost_usd: Decimal,
) -> bool {
    let [from_difficulty, from_hashes] =
        hashes.map(|hashes| cost_usd_per_coin(hashes, efficiency, price, overhead));
    let ways = [from_difficulty, from_hashes, energy * price * overhead, energy_usd * overhead];
    let units = power_of_ten(cost_usd.decimals());
    let published = cost_usd.count() as f64;
    // Not so near to the middle between two figures that exact arithmetic would find the other.
    ways.into_iter().all(|cost| (cost * units - published).abs() < 0.5 - MARGIN)
}
