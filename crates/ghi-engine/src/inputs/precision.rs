//! Checks that fields that are valid individually also produce numbers that can be published: throughout
//! the synthetic movement, each number must be positive after rounding, and small enough to be exact.

use crate::calendar::date_of;
use crate::cost::{capital_usd_per_coin, cost_usd_per_coin, hashes_per_coin};
use crate::decimal::{Decimal, DisplayNumber, compact, power_of_ten};
use crate::inputs::fields::Locations;
use crate::inputs::{CapitalInputs, Inputs, RegionInputs};

use crate::movement::Extremes;
use crate::problems::{InputFile, Location, ProblemReport};
use crate::ranges::{self, ValidRange};
use crate::series::{NetworkRow, RegionRow};

/// Reports numbers that cannot be published.
pub(super) fn check(inputs: &Inputs, locations: &Locations, problems: &ProblemReport) {
    let usd = Precision {
        unit: "USD",
        field: "decimals.usd",
        decimals: inputs.decimals.usd,
        range: ranges::DECIMALS_USD,
    };
    let hashrate_eh = Precision {
        unit: "EH/s",
        field: "decimals.hashrate_eh",
        decimals: inputs.decimals.hashrate_eh,
        range: ranges::DECIMALS_HASHRATE_EH,
    };
    let coins = inputs.network.rewards.iter().map(|(_, coins)| *coins);
    let base = Extremes::fixed(inputs.network.block_reward_coins);
    let rewards = coins.fold(base, |rewards, coins| Extremes {
        least: rewards.least.min(coins),
        most: rewards.most.max(coins),
    });
    let check = PrecisionCheck { inputs, problems, usd, hashrate_eh, rewards };
    match inputs.series.network.is_empty() {
        true => check.base_levels(locations),
        false => check.network_rows(),
    }
    // If the difficulty is wrong, so is every cost.
    if problems.count() == 0 {
        check.capital(locations.capital);
        for (index, region) in inputs.regions.iter().enumerate() {
            check.region(index, region, locations.regions[index]);
        }
    }
}

struct PrecisionCheck<'a> {
    inputs: &'a Inputs,
    problems: &'a ProblemReport,
    usd: Precision,
    hashrate_eh: Precision,
    /// The lowest and the highest block reward in the inputs file.
    rewards: Extremes,
}

impl PrecisionCheck<'_> {
    fn report(&self, location: Location<'_>, what: &str, problem: Option<String>) {
        if let Some(problem) = problem {
            self.problems.add(location, &format!("{what} {problem}"));
        }
    }

    fn base_levels(&self, locations: &Locations) {
        let Inputs { network, movement, .. } = self.inputs;
        let base = self.inputs.base_difficulty();
        let difficulty = movement.difficulty_extremes();
        if !difficulty.times(base).are_within(ranges::DIFFICULTY) {
            let advice = if base < ranges::DIFFICULTY.min { "lower" } else { "raise" };
            let message = format!(
                "network.hashrate_eh, seconds_per_block and hashes_per_difficulty result in a difficulty of {}; including its movement, it must be {}: {advice} hashes_per_difficulty, which doesn't change the costs",
                brief(base),
                ranges::DIFFICULTY
            );
            self.problems.add(locations.hashrate_eh, &message);
            return;
        }
        let hashrate = difficulty.times(network.hashrate_eh);
        let fee = movement.fee_extremes().times(network.fee_usd);
        self.report(locations.hashrate_eh, "the hashrate", self.hashrate_eh.problem(hashrate));
        self.report(locations.fee_usd, "network.fee_usd", self.usd.problem(fee));
        if let Some(price) = self.price() {
            self.report(locations.price_usd, "network.price_usd", self.usd.problem(price));
        }
    }

    /// The extremes of the synthetic market price.
    fn price(&self) -> Option<Extremes> {
        let Inputs { network, movement, .. } = self.inputs;
        Some(movement.market_price_extremes().times(network.price_usd?))
    }

    /// Reports the first row with problems. Later rows probably have the same ones.
    fn network_rows(&self) {
        let Inputs { network, movement, series, .. } = self.inputs;
        let fee = movement.fee_extremes().times(network.fee_usd);
        for row in &series.network {
            let location = Location::row(InputFile::NetworkSeries, row.line as usize);
            let implied = self.inputs.implied_hashrate_eh(row.difficulty);
            let implied = movement.scatter_extremes().times(implied);
            let hashrate = row.hashrate_eh.map_or(implied, Extremes::fixed);
            let fee = row.fee_usd.map_or(fee, Extremes::fixed);
            self.report(location, "the hashrate", self.hashrate_eh.problem(hashrate));
            self.report(location, "fee_usd", self.usd.problem(fee));
            if let Some(price) = row.price_usd.map(Extremes::fixed).or_else(|| self.price()) {
                self.report(location, "price_usd", self.usd.problem(price));
            }
            if self.problems.count() > 0 {
                return;
            }
        }
    }

    /// Reports the first day on which a region's costs cannot be published.
    fn region(&self, index: usize, region: &RegionInputs, location: Location<'_>) {
        let series = &self.inputs.series;
        let rows = series.regions.get(index..=index).unwrap_or_default();
        for day in series.change_days(rows) {
            let (network_row, row) = (series.network_on(day), series.region_on(index, day));
            let problem = self.usd.problem(self.costs(region, network_row, row));
            if problem.is_none() {
                continue;
            }
            let location = match (network_row, row) {
                (_, Some(row)) => Location::row(InputFile::RegionSeries, row.line as usize),
                (Some(row), None) => Location::row(InputFile::NetworkSeries, row.line as usize),
                (None, None) => location,
            };
            let on = series.covered().map_or(String::new(), |_| format!(" on {}", date_of(day)));
            let what = format!("region {:?}: the cost of a coin{on}", region.id);
            return self.report(location, &what, problem);
        }
    }

    /// The lowest minimum and the highest maximum of a region while two rows are valid.
    fn costs(
        &self,
        region: &RegionInputs,
        network_row: Option<&NetworkRow>,
        row: Option<&RegionRow>,
    ) -> Extremes {
        let movement = &self.inputs.movement;
        let hashes = self.hashes_per_coin(network_row);
        let overhead = RegionRow::overhead(row, region.overhead);
        let [best, _, worst] = RegionRow::efficiency_j_per_th(row, region.efficiency_j_per_th);
        let given = row.map_or([None; 3], |row| row.electricity_usd_per_kwh);
        let [low, mean, high] = [0, 1, 2].map(|kind: usize| match given[kind] {
            Some(price) => Extremes::fixed(price),
            None => movement.price_extremes().times(region.electricity_usd_per_kwh[kind]),
        });
        let cost =
            |hashes, efficiency, price| cost_usd_per_coin(hashes, efficiency, price, overhead);
        Extremes {
            least: cost(hashes.least, best, low.least.min(mean.least)),
            most: cost(hashes.most, worst, high.most.max(mean.most)),
        }
    }

    /// The hashes per coin while a row is valid. If it has no reward, any in the inputs file may apply.
    fn hashes_per_coin(&self, row: Option<&NetworkRow>) -> Extremes {
        let Inputs { network, movement, .. } = self.inputs;
        let difficulty = match row {
            Some(row) => Extremes::fixed(row.difficulty as f64),
            None => movement.difficulty_extremes().times(self.inputs.base_difficulty()),
        };
        let reward = row.and_then(|row| row.block_reward_coins);
        let rewards = reward.map_or(self.rewards, Extremes::fixed);
        let hashes =
            |difficulty, reward| hashes_per_coin(difficulty, network.hashes_per_difficulty, reward);
        Extremes {
            least: hashes(difficulty.least, rewards.most),
            most: hashes(difficulty.most, rewards.least),
        }
    }

    /// Reports a cost of machines that is too large to be published.
    fn capital(&self, location: Location<'_>) {
        let Some(CapitalInputs { usd_per_th, years }) = self.inputs.capital else { return };
        let rows = &self.inputs.series.network;
        let rows = rows.iter().map(Some).chain(rows.is_empty().then_some(None));
        let highest = rows.map(|row| self.hashes_per_coin(row).most).fold(0.0, f64::max);
        let most = capital_usd_per_coin(highest, usd_per_th, years);
        // Unlike a cost, it may round to 0.
        let extremes = Extremes { least: most.max(1.0), most };
        self.report(location, "capital: the cost of machines", self.usd.problem(extremes));
    }
}

/// The precision with which numbers of a unit are published.
struct Precision {
    unit: &'static str,
    /// The field that sets the decimals.
    field: &'static str,
    decimals: u8,
    /// The decimals that the field may set.
    range: ValidRange,
}

impl Precision {
    /// Explains why a number with these extremes cannot be published. The message follows its name.
    fn problem(&self, extremes: Extremes) -> Option<String> {
        let Self { unit, field, decimals, range } = self;
        let one = power_of_ten(*decimals);
        if extremes.least * one < 1.0 {
            let least = brief(extremes.least);
            let is_enough = |decimals: &u8| extremes.least * power_of_ten(*decimals) >= 1.0;
            let advice = match (*decimals..=range.max as u8).find(is_enough) {
                Some(decimals) => format!("{field} must be at least {decimals}"),
                None => format!("even {} decimals are not enough", range.max),
            };
            Some(format!(
                "can be as low as {least} {unit}, which rounds to 0 with {decimals} decimals; {advice}"
            ))
        } else if extremes.most * one > Decimal::COUNT_MAX {
            let [most, limit] = [extremes.most, Decimal::COUNT_MAX / one].map(brief);
            Some(format!(
                "can be as high as {most} {unit}; with {decimals} decimals ({field}), it must be at most {limit}"
            ))
        } else {
            None
        }
    }
}

/// Formats a number with three significant digits.
fn brief(value: f64) -> String {
    compact(DisplayNumber::new(value, 3).value())
}
