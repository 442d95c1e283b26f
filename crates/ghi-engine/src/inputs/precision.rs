//! Checks that fields that are valid individually also produce numbers that can be published: throughout
//! the synthetic movement, each number must be positive after rounding, and small enough to be exact.

use crate::calendar::date_of;
use crate::cost::{capital_usd_per_coin, cost_usd_per_coin, hashes_per_coin};
use crate::decimal::{Decimal, DisplayNumber, compact, power_of_ten};
use crate::fields::{DECIMALS_HASHRATE_EH, DECIMALS_USD, DIFFICULTY};
use crate::inputs::toml_text::TomlText;
use crate::inputs::{CapitalInputs, Inputs, InputsFile};
use crate::interval::Interval;
use crate::problems::{InputFile, Location};
use crate::series::{NetworkRow, RegionRow};

/// Reports numbers that cannot be published.
pub(super) fn check(inputs: &Inputs, source: &TomlText<'_>) {
    let check = PrecisionCheck { inputs, source };
    check.network();
    // If the difficulty is wrong, so is every cost.
    if source.problems.count() == 0 {
        check.capital();
        (0..inputs.region_count()).for_each(|region| check.region(region));
    }
}

struct PrecisionCheck<'a> {
    inputs: &'a Inputs,
    source: &'a TomlText<'a>,
}

impl PrecisionCheck<'_> {
    fn usd_problem(&self, interval: Interval) -> Option<String> {
        let decimals = self.inputs.file.decimals.usd;
        rounding_problem(interval, "USD", decimals, ("decimals.usd", DECIMALS_USD))
    }

    fn report(&self, location: Location<'_>, what: &str, problem: Option<String>) {
        if let Some(problem) = problem {
            self.source.problems.add(location, &format!("{what} {problem}"));
        }
    }

    /// Reports problems with the network: those of the base levels, or of the first row that has any. Later
    /// rows probably have the same ones.
    fn network(&self) {
        let InputsFile { network, movement, .. } = &self.inputs.file;
        let base = self.inputs.base_difficulty();
        let Interval { min, max } = movement.difficulty_factors().times(base);
        let is_published = DIFFICULTY.contains(min) && DIFFICULTY.contains(max);
        if self.inputs.series.network.is_empty() && !is_published {
            let advice = if base < DIFFICULTY.min { "lower" } else { "raise" };
            let message = format!(
                "network.hashrate_eh, seconds_per_block and hashes_per_difficulty result in a difficulty of {}; including its movement, it must be {DIFFICULTY}: {advice} hashes_per_difficulty, which doesn't change the costs",
                brief(base)
            );
            self.source.problems.add(self.source.location("network.hashrate_eh"), &message);
            return;
        }
        for row in
            self.inputs.series.network_rows().take_while(|_| self.source.problems.count() == 0)
        {
            let table = if row.is_some() { "" } else { "network." };
            let location = |field: &str| match row {
                Some(row) => Location::line(InputFile::NetworkSeries, row.line),
                None => self.source.location(&format!("network.{field}")),
            };
            let hashrate = match row {
                Some(NetworkRow { hashrate_eh: Some(hashrate), .. }) => Interval::fixed(*hashrate),
                Some(row) => {
                    let implied = self.inputs.implied_hashrate_eh(row.difficulty);
                    movement.scatter_factors().times(implied)
                }
                None => movement.difficulty_factors().times(network.hashrate_eh),
            };
            let decimals = self.inputs.file.decimals.hashrate_eh;
            let field = ("decimals.hashrate_eh", DECIMALS_HASHRATE_EH);
            let problem = rounding_problem(hashrate, "EH/s", decimals, field);
            self.report(location("hashrate_eh"), "the hashrate", problem);
            let fee = row.and_then(|row| row.fee_usd).map(Interval::fixed);
            let fee = fee.unwrap_or_else(|| movement.fee_factors().times(network.fee_usd));
            self.report(location("fee_usd"), &format!("{table}fee_usd"), self.usd_problem(fee));
            let price = row.and_then(|row| row.price_usd).map(Interval::fixed);
            let moving = || Some(movement.market_price_factors().times(network.price_usd?));
            let problem = price.or_else(moving).and_then(|price| self.usd_problem(price));
            self.report(location("price_usd"), &format!("{table}price_usd"), problem);
        }
    }

    fn region(&self, region: usize) {
        let series = &self.inputs.series;
        let rows = series.regions.get(region..=region).unwrap_or_default();
        for day in series.change_days(rows) {
            let (network_row, row) = (series.network_on(day), series.region_on(region, day));
            let problem = self.usd_problem(self.costs(region, network_row, row));
            if problem.is_none() {
                continue;
            }
            let location = match (network_row, row) {
                (_, Some(row)) => Location::line(InputFile::RegionSeries, row.line),
                (Some(row), None) => Location::line(InputFile::NetworkSeries, row.line),
                (None, None) => {
                    self.source.location(&format!("region.{region}.efficiency_j_per_th"))
                }
            };
            let on =
                if series.has_rows() { format!(" on {}", date_of(day)) } else { String::new() };
            let id = &self.inputs.file.regions[region].id;
            return self.report(
                location,
                &format!("region {id:?}: the cost of a coin{on}"),
                problem,
            );
        }
    }

    /// The interval from the lowest minimum to the highest maximum of a region while two rows are valid.
    fn costs(
        &self,
        region: usize,
        network_row: Option<&NetworkRow>,
        row: Option<&RegionRow>,
    ) -> Interval {
        let hashes = self.hashes_per_coin(network_row);
        let fleet = self.inputs.fleet(region, row);
        let factors = self.inputs.file.movement.electricity_factors();
        let price = |kind: usize| {
            let given = row.and_then(|row| row.electricity_usd_per_kwh[kind]);
            let moving = || factors.times(fleet.electricity_usd_per_kwh[kind]);
            given.map_or_else(moving, Interval::fixed)
        };
        let [low, mean, high] = [0, 1, 2].map(price);
        let [best, _, worst] = fleet.efficiency_j_per_th;
        let cost = |hashes, efficiency, price| {
            cost_usd_per_coin(hashes, efficiency, price, fleet.overhead)
        };
        Interval {
            min: cost(hashes.min, best, low.min.min(mean.min)),
            max: cost(hashes.max, worst, high.max.max(mean.max)),
        }
    }

    /// The hashes per coin while a row is valid. If it has no reward, any in the inputs file may apply.
    fn hashes_per_coin(&self, row: Option<&NetworkRow>) -> Interval {
        let InputsFile { network, movement, .. } = &self.inputs.file;
        let difficulty = match row {
            Some(row) => Interval::fixed(row.difficulty),
            None => movement.difficulty_factors().times(self.inputs.base_difficulty()),
        };
        let rewards = network.rewards.iter().map(|reward| reward.coins);
        let rewards = rewards.chain([network.block_reward_coins]);
        let reward = match row.and_then(|row| row.block_reward_coins) {
            Some(reward) => Interval::fixed(reward),
            None => Interval {
                min: rewards.clone().fold(f64::INFINITY, f64::min),
                max: rewards.fold(0.0, f64::max),
            },
        };
        let hashes =
            |difficulty, reward| hashes_per_coin(difficulty, network.hashes_per_difficulty, reward);
        Interval {
            min: hashes(difficulty.min, reward.max),
            max: hashes(difficulty.max, reward.min),
        }
    }

    fn capital(&self) {
        let Some(CapitalInputs { usd_per_th, years }) = self.inputs.file.capital else { return };
        let rows = self.inputs.series.network_rows();
        let highest = rows.map(|row| self.hashes_per_coin(row).max).fold(0.0, f64::max);
        let max = capital_usd_per_coin(highest, usd_per_th, years);
        // Unlike a cost, it may round to 0.
        let problem = self.usd_problem(Interval { min: max.max(1.0), max });
        self.report(self.source.location("capital"), "capital: the cost of machines", problem);
    }
}

/// Explains why a number that moves this far cannot be published with these decimals, which a field of the
/// inputs file sets. The message follows the number's name.
fn rounding_problem(
    Interval { min, max }: Interval,
    unit: &str,
    decimals: u8,
    (field, range): (&str, Interval),
) -> Option<String> {
    let one = power_of_ten(decimals);
    if min * one < 1.0 {
        let is_enough = |decimals: &u8| min * power_of_ten(*decimals) >= 1.0;
        let advice = match (decimals..=range.max as u8).find(is_enough) {
            Some(decimals) => format!("{field} must be at least {decimals}"),
            None => format!("even {} decimals are not enough", range.max),
        };
        let min = brief(min);
        Some(format!(
            "can be as low as {min} {unit}, which rounds to 0 with {decimals} decimals; {advice}"
        ))
    } else if max * one > Decimal::COUNT_MAX {
        let [max, limit] = [max, Decimal::COUNT_MAX / one].map(brief);
        Some(format!(
            "can be as high as {max} {unit}; with {decimals} decimals ({field}), it must be at most {limit}"
        ))
    } else {
        None
    }
}

fn brief(value: f64) -> String {
    compact(DisplayNumber::new(value, 3).value())
}
