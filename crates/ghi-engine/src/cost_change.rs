//! Why the average changed between two days: the logarithmic mean Divisia index (LMDI).

use std::fmt;

use jiff::civil::Date;

use crate::calendar::NoFigures;
use crate::cost::{cost_usd_per_coin, hashes_per_coin};
use crate::day::CostKind;
use crate::decimal::{Decimal, power_of_ten};
use crate::model::Model;
use crate::provenance::DayInputs;
use crate::registry::{RegionIndex, Scope, WHOLE_NETWORK_PCT};

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

impl CostFactor {
    /// The factors of a region's average. Worldwide, the shares are one more.
    const OF_REGION: [Self; 5] =
        [Self::Difficulty, Self::BlockReward, Self::Efficiency, Self::Electricity, Self::Overhead];

    /// The name in documents: `difficulty`, `block_reward`, `efficiency`, `electricity`, `overhead` or
    /// `shares`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Difficulty => "difficulty",
            Self::BlockReward => "block_reward",
            Self::Efficiency => "efficiency",
            Self::Electricity => "electricity",
            Self::Overhead => "overhead",
            Self::Shares => "shares",
        }
    }
}

/// The change of an average between two days, split into its factors.
///
/// ```
/// use ghi_engine::{Inputs, Model, Scope};
/// use jiff::civil::date;
///
/// let model = Model::new(Inputs::default());
/// let change = model.change(Scope::Global, date(2026, 10, 15), date(2026, 11, 15))?;
/// let parts = change.factors.iter().map(|factor| factor.change_usd.count());
/// assert_eq!(parts.sum::<i64>(), change.total_usd.count());
/// # Ok::<(), ghi_engine::NoFigures>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CostChange {
    /// The day that the change starts from.
    pub since: Date,
    /// The day of the change.
    pub date: Date,
    /// The published average of the first day.
    pub from_usd: Decimal,
    /// The published average of the second day.
    pub to_usd: Decimal,
    /// The difference of the two.
    pub total_usd: UsdChange,
    /// The part of each factor. They sum to the total, to the last decimal.
    pub factors: Vec<FactorChange>,
}

/// The part of a factor in the change of an average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactorChange {
    /// The factor.
    pub factor: CostFactor,
    /// Its value on the first day; none worldwide where regions differ, and for shares.
    pub from: Option<f64>,
    /// Its value on the second day, likewise.
    pub to: Option<f64>,
    /// Its own effect on the cost, percent, two decimals: 100 for a halved reward.
    pub change_pct: f64,
    /// Its part of the total.
    pub change_usd: UsdChange,
}

/// A difference of published costs, which may be negative.
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
    /// Writes all decimals: `-1275.07`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.count < 0 { "-" } else { "" };
        write!(f, "{sign}{}", Decimal::new(self.count.unsigned_abs(), self.decimals))
    }
}

/// A region on one of the days.
struct RegionState {
    /// Share x average cost, before rounding, USD.
    cost: f64,
    share: f64,
    /// By [`CostFactor`].
    values: [f64; 5],
}

impl Model {
    /// Splits the change of the average of a scope between two UTC days, in either order, into its factors.
    pub fn change(&self, scope: Scope, since: Date, date: Date) -> Result<CostChange, NoFigures> {
        let from_usd = self.costs(scope, since)?.avg_usd;
        let to_usd = self.costs(scope, date)?.avg_usd;
        let (regions, factors): (Vec<RegionIndex>, _) = match scope {
            Scope::Global => (self.registry().indices().collect(), 6),
            Scope::Region(region) => (vec![region], 5),
        };
        let states = |date| -> Result<Vec<RegionState>, NoFigures> {
            regions.iter().map(|region| self.region_state(scope, *region, date)).collect()
        };
        let states = [states(since)?, states(date)?];
        let parts = split(&states);
        let decimals = to_usd.decimals();
        let total = to_usd.count() as i64 - from_usd.count() as i64;
        let units = parts[..factors].iter().map(|part| part * power_of_ten(decimals));
        let rounded = apportion(total, &units.collect::<Vec<f64>>());
        let mean = logarithmic_mean(to_usd.to_f64(), from_usd.to_f64());
        let of_region = CostFactor::OF_REGION.into_iter().chain([CostFactor::Shares]);
        let factor = |((index, factor), count): ((usize, CostFactor), i64)| {
            let [from, to] = common_values(&states, index);
            let ratio = match from.zip(to) {
                Some((from, to)) if factor == CostFactor::BlockReward => from / to,
                Some((from, to)) => to / from,
                None => libm::exp(parts[index] / mean),
            };
            let change_pct = ((ratio - 1.0) * 10_000.0).round() / 100.0;
            FactorChange { factor, from, to, change_pct, change_usd: UsdChange { count, decimals } }
        };
        Ok(CostChange {
            since,
            date,
            from_usd,
            to_usd,
            total_usd: UsdChange { count: total, decimals },
            factors: of_region.enumerate().zip(rounded).map(factor).collect(),
        })
    }

    fn region_state(
        &self,
        scope: Scope,
        region: RegionIndex,
        date: Date,
    ) -> Result<RegionState, NoFigures> {
        let DayInputs {
            difficulty,
            block_reward_coins,
            hashrate_share_pct,
            efficiency_j_per_th,
            electricity_usd_per_kwh,
            overhead,
        } = self.day_inputs(region, date)?;
        let avg = CostKind::Avg as usize;
        let (efficiency, price) = (efficiency_j_per_th[avg], electricity_usd_per_kwh[avg]);
        let hashes_per_difficulty = self.inputs.network.hashes_per_difficulty;
        let hashes = hashes_per_coin(difficulty as f64, hashes_per_difficulty, block_reward_coins);
        let share = match scope {
            Scope::Global => hashrate_share_pct.count() as f64 / WHOLE_NETWORK_PCT.count() as f64,
            Scope::Region(_) => 1.0,
        };
        Ok(RegionState {
            cost: share * cost_usd_per_coin(hashes, efficiency, price, overhead),
            share,
            values: [difficulty as f64, block_reward_coins, efficiency, price, overhead],
        })
    }
}

/// The part of each factor, the shares last, USD.
fn split([before, after]: &[Vec<RegionState>; 2]) -> [f64; 6] {
    let mut parts = [0.0; 6];
    for (from, to) in before.iter().zip(after) {
        if from.share == 0.0 || to.share == 0.0 {
            parts[5] += to.cost - from.cost;
            continue;
        }
        let mean = logarithmic_mean(to.cost, from.cost);
        for (index, part) in parts[..5].iter_mut().enumerate() {
            let (from, to) = (from.values[index], to.values[index]);
            let is_inverse = index == CostFactor::BlockReward as usize;
            *part += mean * libm::log(if is_inverse { from / to } else { to / from });
        }
        parts[5] += mean * libm::log(to.share / from.share);
    }
    parts
}

/// The values of a factor on both days, where they are the same in all regions.
fn common_values(states: &[Vec<RegionState>; 2], index: usize) -> [Option<f64>; 2] {
    let common = |states: &Vec<RegionState>| {
        let first = *states[0].values.get(index)?;
        states.iter().all(|state| state.values[index] == first).then_some(first)
    };
    let values = [common(&states[0]), common(&states[1])];
    if values.contains(&None) { [None; 2] } else { values }
}

/// The logarithmic mean of two positive numbers.
fn logarithmic_mean(a: f64, b: f64) -> f64 {
    let ratio = a / b;
    if ratio == 1.0 { a } else { (a - b) / libm::log(ratio) }
}

/// Rounds parts down and gives what is left of the total to the largest remainders, earlier parts first
/// where they are equal. Parts of 0 get nothing, unless all are 0.
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
    // Costs are rounded on their own, so that more or less may be left than there are parts.
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
            // One more or less than the parts sum to, as rounded costs may be.
            (11, [5.0, 5.0, 0.0], [6, 5, 0]),
            (9, [5.0, 5.0, 0.0], [5, 4, 0]),
            (0, [0.0, 0.0, 0.0], [0, 0, 0]),
            (1, [0.0, 0.0, 0.0], [1, 0, 0]),
        ] {
            assert_eq!(apportion(total, &parts), rounded, "{parts:?}");
        }
    }
}
