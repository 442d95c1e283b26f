//! The derivation of a cost, with enough digits to reproduce it.

use crate::cost::{cost_usd_per_coin, energy_kwh};
use crate::day::CostKind;
use crate::decimal::{Decimal, DisplayNumber, power_of_ten};
use crate::model::{Model, NetworkDay};
use crate::registry::RegionIndex;

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
pub(crate) fn fewest_digits<T>(
    with_digits: impl Fn(usize) -> T,
    are_enough: impl Fn(&T) -> bool,
) -> T {
    let mut results = (DIGITS_MIN..DIGITS_MAX).map(&with_digits);
    results.find(|result| are_enough(result)).unwrap_or_else(|| with_digits(DIGITS_MAX))
}

impl CostSteps {
    /// Whether the displayed digits reproduce the published cost, whichever step a reader starts from.
    /// `hashes` is the hashes per coin, first as computed from the difficulty, then as displayed.
    pub(crate) fn reproduce_cost(&self, hashes: [f64; 2]) -> bool {
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
