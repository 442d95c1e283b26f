//! Checks of valid fields together: the regions must make up the whole network on every day that the series
//! cover, and throughout the synthetic movement, each published number must be positive after rounding, and
//! small enough to be exact.

use jiff::civil::Date;

use crate::calendar::{FIRST, date_of, day_number};
use crate::cost::{capital_usd_per_coin, cost_usd_per_coin};
use crate::day::WHOLE_NETWORK_PCT;
use crate::fields::DIFFICULTY;
use crate::inputs::toml_text::TomlText;
use crate::inputs::{CapitalInputs, Inputs, InputsFile, SeriesInputs};
use crate::numbers::{Decimal, DisplayNumber, Interval, compact, power_of_ten};
use crate::problems::InputFile;
use crate::series::{NetworkRow, RegionRow, Series};

impl Inputs {
    /// Finds the days that have data, and reports the first on which the shares of all regions don't sum to 100.
    pub(super) fn check_days(&mut self, source: &TomlText<'_>) {
        let Some(inputs) = &self.file.series else { return };
        self.series.covered = covered_runs(&self.series, inputs);
        let series = &self.series;
        if series.covered.is_empty() {
            let message = "no day has data: on every day, the last row of the network or of a region is missing, or older than valid_days or regions_valid_days";
            return source.report("series", message);
        }
        let regions = 0..self.region_count();
        for day in series.change_days(&series.regions) {
            let share = |region| self.share_pct(region, series.region_on(region, day)).count();
            let sum: u64 = regions.clone().map(share).sum();
            if sum == WHOLE_NETWORK_PCT.count() {
                continue;
            }
            let (date, sum) = (date_of(day), sum as f64 / 100.0);
            let message = format!(
                "on {date}, the hashrate_share_pct values add up to {sum}; expected exactly 100"
            );
            let latest = regions.filter_map(|region| series.region_on(region, day));
            let line = latest.max_by_key(|row| (row.day, row.line)).map_or(1, |row| row.line);
            let location = (InputFile::RegionSeries, Some(line));
            return source.problems.add(location, &message);
        }
    }

    /// Reports numbers that cannot be published.
    pub(super) fn check_numbers(&self, source: &TomlText<'_>) {
        self.check_network(source);
        // If the difficulty is wrong, so is every cost.
        if source.problems.count() == 0 {
            self.check_capital(source);
            (0..self.region_count()).for_each(|region| self.check_region(source, region));
        }
    }

    /// Reports problems with the network: those of the base levels, or of the first row that has any. Later
    /// rows probably have the same ones.
    fn check_network(&self, source: &TomlText<'_>) {
        let InputsFile { network, movement, .. } = &self.file;
        let base = self.base_difficulty();
        let Interval { min, max } = movement.difficulty_factors().times(base);
        let is_published = DIFFICULTY.contains(min) && DIFFICULTY.contains(max);
        if self.series.network.is_empty() && !is_published {
            let advice = if base < DIFFICULTY.min { "lower" } else { "raise" };
            let message = format!(
                "network.hashrate_eh, seconds_per_block and hashes_per_difficulty result in a difficulty of {}; including its movement, it must be {DIFFICULTY}: {advice} hashes_per_difficulty, which doesn't change the costs",
                brief(base)
            );
            return source.report("network.hashrate_eh", &message);
        }
        let rows = self.series.network_rows();
        for row in rows.take_while(|_| source.problems.count() == 0) {
            let given = |value: Option<f64>| value.map(|value| Interval::new(value, value));
            let hashrate = given(row.and_then(|row| row.hashrate_eh)).unwrap_or_else(|| {
                let implied = |row: &NetworkRow| self.implied_hashrate_eh(row.difficulty);
                let moving = || movement.difficulty_factors().times(network.hashrate_eh);
                row.map_or_else(moving, |row| movement.scatter_factors().times(implied(row)))
            });
            let fee = given(row.and_then(|row| row.fee_usd));
            let fee = fee.unwrap_or_else(|| movement.fee_factors().times(network.fee_usd));
            let moving = || Some(movement.market_price_factors().times(network.price_usd?));
            let price = given(row.and_then(|row| row.price_usd)).or_else(moving);
            for (field, interval, unit) in [
                ("hashrate_eh", Some(hashrate), "EH/s"),
                ("fee_usd", Some(fee), "USD"),
                ("price_usd", price, "USD"),
            ] {
                let problem = interval.and_then(|interval| self.number_problem(interval, unit));
                let Some(problem) = problem else { continue };
                let location = match row {
                    Some(row) => (InputFile::NetworkSeries, Some(row.line)),
                    None => source.location(&format!("network.{field}")),
                };
                source.problems.add(location, &format!("{field} {problem}"));
            }
        }
    }

    fn check_capital(&self, source: &TomlText<'_>) {
        let per_coin = |row| {
            let CapitalInputs { usd_per_th, years } = self.capital_on(row)?;
            let hashes = self.possible_hashes_per_coin(row).max;
            Some((capital_usd_per_coin(hashes, usd_per_th, years), row))
        };
        let costs = self.series.network_rows().filter_map(per_coin);
        let Some((max, row)) = costs.max_by(|a, b| a.0.total_cmp(&b.0)) else { return };
        // Unlike a cost, it may round to 0.
        if let Some(problem) = self.number_problem(Interval::new(f64::INFINITY, max), "USD") {
            let location = match row.filter(|row| row.capital_usd_per_th.is_some()) {
                Some(row) => (InputFile::NetworkSeries, Some(row.line)),
                None => source.location("capital"),
            };
            source.problems.add(location, &format!("capital: the cost of machines {problem}"));
        }
    }

    /// Reports the first day on which the costs of a region cannot be published.
    fn check_region(&self, source: &TomlText<'_>, region: usize) {
        let series = &self.series;
        let rows = series.regions.get(region..=region).unwrap_or_default();
        for day in series.change_days(rows) {
            let (network_row, row) = (series.network_on(day), series.region_on(region, day));
            let costs = self.possible_costs(region, network_row, row);
            let Some(problem) = self.number_problem(costs, "USD") else { continue };
            let location = match (network_row, row) {
                (_, Some(row)) => (InputFile::RegionSeries, Some(row.line)),
                (Some(row), None) => (InputFile::NetworkSeries, Some(row.line)),
                (None, None) => source.location(&format!("region.{region}.efficiency_j_per_th")),
            };
            let id = &self.file.regions[region].id;
            let on = series.on(day);
            let message = format!("region {id:?}: the cost of a coin{on} {problem}");
            return source.problems.add(location, &message);
        }
    }

    /// The interval from the lowest minimum to the highest maximum of a region while two rows are valid.
    fn possible_costs(
        &self,
        region: usize,
        network_row: Option<&NetworkRow>,
        row: Option<&RegionRow>,
    ) -> Interval {
        let hashes = self.possible_hashes_per_coin(network_row);
        let fleet = self.fleet(region, row);
        let factors = self.file.movement.electricity_factors();
        let [low, mean, high] = [0, 1, 2].map(|kind| {
            let price = fleet.electricity_usd_per_kwh[kind];
            let is_given = row.is_some_and(|row| row.electricity_usd_per_kwh[kind].is_some());
            if is_given { Interval::new(price, price) } else { factors.times(price) }
        });
        let [best, _, worst] = fleet.efficiency_j_per_th;
        let (lowest, highest) = (low.min.min(mean.min), high.max.max(mean.max));
        Interval {
            min: cost_usd_per_coin(hashes.min, best, lowest, fleet.overhead),
            max: cost_usd_per_coin(hashes.max, worst, highest, fleet.overhead),
        }
    }

    /// The hashes per coin while a row is valid. If it has no reward, any in the inputs file may apply.
    fn possible_hashes_per_coin(&self, row: Option<&NetworkRow>) -> Interval {
        let InputsFile { network, movement, .. } = &self.file;
        let base = || movement.difficulty_factors().times(self.base_difficulty());
        let difficulty = row.map_or_else(base, |row| Interval::new(row.difficulty, row.difficulty));
        let later = network.rewards.iter().map(|reward| reward.coins);
        let rewards: Vec<f64> = match row.and_then(|row| row.block_reward_coins) {
            Some(reward) => vec![reward],
            None => later.chain([network.block_reward_coins]).collect(),
        };
        let least = rewards.iter().copied().fold(f64::INFINITY, f64::min);
        let most = rewards.iter().copied().fold(0.0, f64::max);
        Interval {
            min: self.hashes_per_coin(difficulty.min, most),
            max: self.hashes_per_coin(difficulty.max, least),
        }
    }

    /// Explains why a number that moves this far cannot be published. The message follows the number's name.
    fn number_problem(&self, Interval { min, max }: Interval, unit: &str) -> Option<String> {
        let decimals = &self.file.decimals;
        let (decimals, field) = match unit {
            "USD" => (decimals.usd, "decimals.usd"),
            _ => (decimals.hashrate_eh, "decimals.hashrate_eh"),
        };
        let units = power_of_ten(decimals);
        let allowed = Interval::new(1.0 / units, Decimal::COUNT_MAX / units);
        let extreme = if min < allowed.min {
            format!("as low as {}", brief(min))
        } else if max > allowed.max {
            format!("as high as {}", brief(max))
        } else {
            return None;
        };
        Some(format!(
            "can be {extreme} {unit}; with {decimals} decimals ({field}), it must be {allowed}"
        ))
    }
}

/// The runs of days on which every series has a valid row.
fn covered_runs(series: &Series, inputs: &SeriesInputs) -> Vec<(i64, i64)> {
    let mut gaps = vec![(day_number(Date::MAX) + 1, i64::MAX - 1)];
    let mut add = |days: Vec<i64>, valid_days: i64| {
        let (Some(first), Some(last)) = (days.first(), days.last()) else { return };
        gaps.extend([(i64::MIN, first - 1), (last + valid_days + 1, i64::MAX - 1)]);
        let between = days.windows(2).map(|days| (days[0] + valid_days + 1, days[1] - 1));
        gaps.extend(between.filter(|(first, last)| first <= last));
    };
    add(series.network.iter().map(|row| row.day).collect(), inputs.valid_days);
    for rows in &series.regions {
        add(rows.iter().map(|row| row.day).collect(), inputs.regions_valid_days);
    }
    gaps.sort_unstable();
    let (mut runs, mut next) = (Vec::new(), day_number(FIRST));
    for (first, last) in gaps {
        if next < first {
            runs.push((next, first - 1));
        }
        next = next.max(last + 1);
    }
    runs
}

fn brief(value: f64) -> String {
    compact(DisplayNumber::new(value, 3).value())
}
