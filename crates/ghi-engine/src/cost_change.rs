//! Why the average changed between two days: the logarithmic mean Divisia index (LMDI).

use std::fmt;

use jiff::civil::Date;

use crate::calendar::NoFigures;
use crate::day::{CostKind, RegionIndex, Scope, WHOLE_NETWORK_PCT};
use crate::model::{Model, NetworkDay};
use crate::numbers::{Decimal, power_of_ten};

/// A factor of the average cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostFactor {
    /// The network's difficulty.
    Difficulty,
    /// Coins per block. The cost is inversely proportional to it.
    BlockReward,
    /// The mean efficiency.
    Efficiency,
    /// The mean price of power.
    Electricity,
    /// Total cost divided by energy cost.
    Overhead,
    /// The regions' shares of the hashrate; worldwide only.
    Shares,
}

/// The factors of the worldwide average, each with its name. A region's average has all but the last.
const FACTORS: [(CostFactor, &str); 6] = [
    (CostFactor::Difficulty, "difficulty"),
    (CostFactor::BlockReward, "block_reward"),
    (CostFactor::Efficiency, "efficiency"),
    (CostFactor::Electricity, "electricity"),
    (CostFactor::Overhead, "overhead"),
    (CostFactor::Shares, "shares"),
];

impl CostFactor {
    /// The name in JSON documents.
    pub fn name(self) -> &'static str {
        FACTORS[self as usize].1
    }

    /// The ratio of the costs before and after this factor changes.
    fn cost_ratio(self, [from, to]: [f64; 2]) -> f64 {
        if self == Self::BlockReward { from / to } else { to / from }
    }
}

/// The change in an average between two days, split into its factors.
#[derive(Clone, Debug, PartialEq)]
pub struct CostChange {
    /// The first day.
    pub since: Date,
    /// The second day.
    pub date: Date,
    /// The published average on the first day.
    pub from_usd: Decimal,
    /// The published average on the second day.
    pub to_usd: Decimal,
    /// The difference between them.
    pub total_usd: UsdChange,
    /// Each factor's effect. The effects sum exactly to the total.
    pub factors: Vec<FactorChange>,
}

/// A factor's effect on an average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactorChange {
    /// The factor.
    pub factor: CostFactor,
    /// Its value on the first day. `None` for the shares, or if it differs between regions.
    pub from: Option<f64>,
    /// Its value on the second day. `None` in the same cases.
    pub to: Option<f64>,
    /// Its effect on the cost in percent with two decimals: 100 for a halved reward.
    pub change_pct: f64,
    /// Its effect in USD.
    pub change_usd: UsdChange,
}

/// A difference between published costs, which may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsdChange {
    count: i64,
    decimals: u8,
}

impl UsdChange {
    /// The count of units of the last decimal.
    pub fn count(self) -> i64 {
        self.count
    }

    /// The float nearest to the decimal number.
    pub fn to_f64(self) -> f64 {
        self.count as f64 / power_of_ten(self.decimals)
    }
}

impl fmt::Display for UsdChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.count < 0 { "-" } else { "" };
        write!(f, "{sign}{}", Decimal::new(self.count.unsigned_abs(), self.decimals))
    }
}

/// A region on a day.
struct RegionState {
    /// Share x average cost in USD, before rounding.
    cost: f64,
    /// By [`CostFactor`].
    factors: [f64; 6],
}

impl Model {
    /// Splits the change in the average of a scope between two UTC days, in either order, into its factors.
    pub fn change(&self, scope: Scope, since: Date, date: Date) -> Result<CostChange, NoFigures> {
        let from_usd = self.costs(scope, since)?.avg_usd;
        let to_usd = self.costs(scope, date)?.avg_usd;
        let networks = [self.network_day(since)?, self.network_day(date)?];
        let on_both_days = |region: RegionIndex| {
            networks.each_ref().map(|network| self.region_state(scope, network, region))
        };
        let regions: Vec<_> = self.registry().in_scope(scope).map(on_both_days).collect();
        let count = if scope == Scope::Global { 6 } else { 5 };
        let factors = FACTORS[..count].iter().map(|(factor, _)| *factor);
        let part = |factor| regions.iter().map(|region| part_usd(factor, region)).sum();
        let parts: Vec<f64> = factors.clone().map(part).collect();
        let decimals = to_usd.decimals();
        let total = to_usd.count() as i64 - from_usd.count() as i64;
        let units: Vec<f64> = parts.iter().map(|part| part * power_of_ten(decimals)).collect();
        let mean = logarithmic_mean(to_usd.to_f64(), from_usd.to_f64());
        let change = |((factor, part), count): ((CostFactor, f64), i64)| {
            // The values on both days, if all regions have the same.
            let values = factor_values(factor, &regions[0]);
            let is_common = |region: &[RegionState; 2]| factor_values(factor, region) == values;
            let are_common = factor != CostFactor::Shares && regions.iter().all(is_common);
            let ratio = if are_common { factor.cost_ratio(values) } else { libm::exp(part / mean) };
            FactorChange {
                factor,
                from: are_common.then_some(values[0]),
                to: are_common.then_some(values[1]),
                // Adding 0 turns -0 into 0.
                change_pct: ((ratio - 1.0) * 10_000.0).round() / 100.0 + 0.0,
                change_usd: UsdChange { count, decimals },
            }
        };
        let rounded = apportion(total, &units);
        Ok(CostChange {
            since,
            date,
            from_usd,
            to_usd,
            total_usd: UsdChange { count: total, decimals },
            factors: factors.zip(parts).zip(rounded).map(change).collect(),
        })
    }

    fn region_state(&self, scope: Scope, network: &NetworkDay, region: RegionIndex) -> RegionState {
        let share = match scope {
            Scope::Global => self.share_pct(network.day, region.get()),
            Scope::Region(_) => WHOLE_NETWORK_PCT,
        };
        let share = share.count() as f64 / WHOLE_NETWORK_PCT.count() as f64;
        let fleet = self.fleet(network, region.get());
        let (efficiency, price) = fleet.at(CostKind::Avg);
        let (difficulty, reward) = (network.difficulty as f64, network.block_reward_coins);
        RegionState {
            cost: share * fleet.cost_usd(network.hashes_per_coin, CostKind::Avg),
            factors: [difficulty, reward, efficiency, price, fleet.overhead, share],
        }
    }
}

/// The effect of a factor of a region on the average in USD.
fn part_usd(factor: CostFactor, region: &[RegionState; 2]) -> f64 {
    let [from, to] = region.each_ref().map(|state| state.cost);
    if factor_values(CostFactor::Shares, region).contains(&0.0) {
        return if factor == CostFactor::Shares { to - from } else { 0.0 };
    }
    logarithmic_mean(to, from) * libm::log(factor.cost_ratio(factor_values(factor, region)))
}

fn factor_values(factor: CostFactor, region: &[RegionState; 2]) -> [f64; 2] {
    region.each_ref().map(|state| state.factors[factor as usize])
}

fn logarithmic_mean(a: f64, b: f64) -> f64 {
    let ratio = a / b;
    if ratio == 1.0 { a } else { (a - b) / libm::log(ratio) }
}

/// Rounds parts so that they sum to the total, by the largest remainder method; of equal remainders, the
/// earlier part comes first. Parts of 0 stay 0, unless all are 0.
fn apportion(total: i64, parts: &[f64]) -> Vec<i64> {
    let mut rounded: Vec<i64> = parts.iter().map(|part| part.floor() as i64).collect();
    let mut order: Vec<usize> = (0..parts.len()).filter(|index| parts[*index] != 0.0).collect();
    if order.is_empty() {
        order = (0..parts.len()).collect();
    }
    let remainder = |index: usize| parts[index] - parts[index].floor();
    order.sort_by(|a, b| remainder(*b).total_cmp(&remainder(*a)));
    let left = total - rounded.iter().sum::<i64>();
    let count = order.len() as i64;
    // The costs are rounded separately, so the number of units left may exceed the number of parts, or be
    // negative.
    let (each, more) = (left.div_euclid(count), left.rem_euclid(count));
    for (rank, index) in (0..).zip(order) {
        rounded[index] += each + i64::from(rank < more);
    }
    rounded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_of_lmdi_holds() {
        let mean = logarithmic_mean(60_000.0, 50_000.0);
        assert_eq!(format!("{mean:.1}"), "54848.1");
        assert_eq!(format!("{:.1}", mean * libm::log(1.1)), "5227.6");
        assert_eq!(format!("{:.1}", mean * libm::log(1.2 / 1.1)), "4772.4");
        assert_eq!(logarithmic_mean(7.0, 7.0), 7.0);
    }

    #[test]
    fn parts_sum_to_the_total_by_largest_remainder() {
        for (total, parts, rounded) in [
            (10, [3.3, 3.3, 3.4], [3, 3, 4]),
            (-10, [-3.3, -3.3, -3.4], [-3, -3, -4]),
            (1, [0.5, 0.5, 0.0], [1, 0, 0]),
            // Rounded costs may differ from the sum of the parts.
            (11, [5.0, 5.0, 0.0], [6, 5, 0]),
            (9, [5.0, 5.0, 0.0], [5, 4, 0]),
            (0, [0.0, 0.0, 0.0], [0, 0, 0]),
            (1, [0.0, 0.0, 0.0], [1, 0, 0]),
        ] {
            assert_eq!(apportion(total, &parts), rounded, "{parts:?}");
        }
    }
}
