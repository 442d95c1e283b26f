//! Warnings about probable mistakes in valid inputs, mainly wrong units.

use std::ops::RangeInclusive;

use crate::calendar::{FIRST, date_of, dates_of_gap, day_number};
use crate::day::CostKind;
use crate::explanation::CONTEXT_DIGITS;
use crate::inputs::Inputs;
use crate::numbers::DisplayNumber;
use crate::series::NetworkRow;

/// The most warnings. Any others are only counted.
const WARNINGS_MAX: usize = 20;
/// A region whose average differs by more than this factor from the median is suspicious.
const AVERAGE_FACTOR: f64 = 5.0;
/// Outside these bounds, a price is probably in cents, or in USD per MWh or Wh: mining at half a dollar never
/// pays, and at half a cent power is all but free.
const USUAL_USD_PER_KWH: RangeInclusive<f64> = 0.005..=0.5;
/// By this factor, the hashrates of a series may differ from those that the difficulties imply, in the median.
const HASHRATE_FACTOR: f64 = 3.0;
/// By this factor, the cost of a coin may differ from its price, in the median.
const PRICE_FACTOR: f64 = 20.0;
/// A slip in a few rows of a series ends within this many rows.
const SLIP_ROWS: usize = 7;
/// By these factors, a block reward may rise and fall from one row to the next.
const REWARD_STEPS: [f64; 2] = [2.0, 2.2];
const EFFICIENCY_STEPS: [f64; 2] = [3.0, 3.0];

/// A column of the network series, its value in a row, and the factor by which it may slip from one row to the next.
type SlipRule = (&'static str, fn(&NetworkRow) -> Option<f64>, f64);

const SLIPS: [SlipRule; 4] = [
    ("difficulty", |row| Some(row.difficulty), 10.0),
    ("hashrate_eh", |row| row.hashrate_eh, 100.0),
    ("fee_usd", |row| row.fee_usd, 1_000.0),
    ("price_usd", |row| row.price_usd, 10.0),
];

impl Inputs {
    /// Probable mistakes, one line each. The inputs are valid and may be intended, so they are accepted.
    pub fn warnings(&self) -> Vec<String> {
        let far_averages = self.far_averages();
        let region_warnings = (0..)
            .zip(far_averages)
            .filter_map(|(index, far_average)| self.unusual_price(index).or(far_average));
        let mut warnings: Vec<String> = region_warnings.collect();
        // A price of power in cents explains a cost that is too high.
        if warnings.is_empty() {
            warnings.extend(self.hashrate_warning().or_else(|| self.price_warning()));
        }
        warnings.extend(self.gap_warning());
        warnings.extend(self.slip_warnings());
        warnings.extend(self.reward_warnings());
        warnings.extend(self.efficiency_warnings());
        let more = warnings.len().saturating_sub(WARNINGS_MAX);
        warnings.truncate(WARNINGS_MAX);
        warnings.extend((more > 0).then(|| format!("and {more} more")));
        warnings
    }

    /// The first price of power of a region that is unusual.
    fn unusual_price(&self, index: usize) -> Option<String> {
        let region = &self.file.regions[index];
        let line = self.electricity_lines[index];
        let in_file = region.electricity_usd_per_kwh.map(|price| (price, line, "inputs file"));
        let rows = self.series.regions.get(index).into_iter().flatten();
        let in_rows = rows.flat_map(|row| {
            let prices = row.electricity_usd_per_kwh.into_iter().flatten();
            prices.map(|price| (price, row.line, "region series"))
        });
        let mut prices = in_file.into_iter().chain(in_rows);
        let (price, line, file) = prices.find(|(price, ..)| !USUAL_USD_PER_KWH.contains(price))?;
        Some(format!(
            "region {:?}: electricity costs {price} on line {line} of the {file}; expected USD per kWh, not cents or MWh, such as 0.055",
            region.id
        ))
    }

    /// For each region, the first day on which its average is far from the median of all regions.
    /// Difficulty and reward are the same for all regions, so efficiency x price x overhead is compared.
    fn far_averages(&self) -> Vec<Option<String>> {
        let mut found = vec![None; self.region_count()];
        for day in self.series.change_days(&self.series.regions) {
            let average = |index| {
                let fleet = self.fleet(index, self.series.region_on(index, day));
                let (efficiency, price) = fleet.at(CostKind::Avg);
                efficiency * price * fleet.overhead
            };
            let averages: Vec<f64> = (0..self.region_count()).map(average).collect();
            let Some((middle, _)) = median(averages.iter().copied().zip(0..)) else { continue };
            for (index, average) in averages.into_iter().enumerate() {
                let ratio = average / middle;
                if found[index].is_none() && is_far(ratio, AVERAGE_FACTOR) {
                    found[index] = Some(format!(
                        "region {:?}: the average cost{} is {} times the median of all regions; expected electricity in USD per kWh and efficiency in J/TH",
                        self.file.regions[index].id,
                        self.series.on(day),
                        displayed(ratio)
                    ));
                }
            }
        }
        found
    }

    fn hashrate_warning(&self) -> Option<String> {
        let rows = self.series.network.iter();
        let ratio = |row: &NetworkRow| {
            Some((row.hashrate_eh? / self.implied_hashrate_eh(row.difficulty), row.line))
        };
        let (ratio, line) = median(rows.filter_map(ratio))?;
        let warning = format!(
            "network series, line {line}: hashrate_eh is {} times what the difficulty implies, as in about half of the rows; is it in EH/s? If so, check seconds_per_block and hashes_per_difficulty in [network]",
            displayed(ratio)
        );
        is_far(ratio, HASHRATE_FACTOR).then_some(warning)
    }

    fn price_warning(&self) -> Option<String> {
        let ratio = |row: Option<&NetworkRow>| {
            let price = row.and_then(|row| row.price_usd).or(self.file.network.price_usd)?;
            let difficulty = row.map_or(self.base_difficulty(), |row| row.difficulty);
            let day = row.map_or(day_number(FIRST), |row| row.day);
            let reward = self.reward_on(day, row);
            let cost = self.average_cost_usd(self.hashes_per_coin(difficulty, reward), day);
            // With merged mining, the price of one of the coins may be far below its cost.
            let revenue = self.block_revenue_usd(row, reward, price) / reward;
            Some((cost / revenue, row.map_or(0, |row| row.line)))
        };
        let (ratio, line) = median(self.series.network_rows().filter_map(ratio))?;
        let location =
            if line > 0 { format!("network series, line {line}: ") } else { String::new() };
        let warning = format!(
            "{location}the cost of a coin is {} times its price; is price_usd in USD, not in BTC, and efficiency_j_per_th in J/TH? 1 J/GH is 1,000 J/TH, and 1 J/MH is 1,000,000 J/TH",
            displayed(ratio)
        );
        is_far(ratio, PRICE_FACTOR).then_some(warning)
    }

    fn average_cost_usd(&self, hashes: f64, day: i64) -> f64 {
        let regions = (0..self.region_count()).map(|index| {
            let row = self.series.region_on(index, day);
            let cost = self.fleet(index, row).cost_usd(hashes, CostKind::Avg);
            self.share_pct(index, row).to_f64() / 100.0 * cost
        });
        regions.sum()
    }

    fn gap_warning(&self) -> Option<String> {
        let first = dates_of_gap(self.series.gaps().next()?);
        let count = self.series.gaps().count();
        Some(format!(
            "there is no data {first}, because rows are too far apart (gaps in total: {count}); add rows, or raise valid_days or regions_valid_days in [series]"
        ))
    }

    /// For each of [`SLIPS`], the first one.
    fn slip_warnings(&self) -> impl Iterator<Item = String> {
        SLIPS.into_iter().filter_map(|(name, value, most)| {
            let rows = self.series.network.iter();
            let values: Vec<_> = rows.filter_map(|row| Some((row.line, value(row)?))).collect();
            let (line, change) = slip(&values, most)?;
            Some(format!("network series, line {line}: {name} {change}"))
        })
    }

    /// The first step of the reward in the network series, and in the inputs file.
    fn reward_warnings(&self) -> impl Iterator<Item = String> {
        let rows = self.series.network.iter();
        let in_rows = rows.filter_map(|row| Some((row.line, row.block_reward_coins?)));
        let in_rows = large_step(&in_rows.collect::<Vec<_>>(), REWARD_STEPS)
            .map(|(line, step)| format!("network series, line {line}: block_reward_coins {step}"));
        let network = &self.file.network;
        let later = network.rewards.iter().map(|reward| (reward.from, reward.coins));
        let in_file: Vec<_> =
            std::iter::once((i64::MIN, network.block_reward_coins)).chain(later).collect();
        let in_file = large_step(&in_file, REWARD_STEPS)
            .map(|(day, step)| format!("network.reward from {}: coins {step}", date_of(day)));
        in_rows.into_iter().chain(in_file)
    }

    /// For each region, the first large step of an efficiency.
    fn efficiency_warnings(&self) -> impl Iterator<Item = String> {
        let regions = self.file.regions.iter().zip(&self.series.regions);
        regions.filter_map(|(region, rows)| {
            let (line, step) = (0..3).find_map(|kind| {
                let efficiency = rows.iter().map(|row| {
                    let given = row.efficiency_j_per_th[kind];
                    (row.line, given.unwrap_or(region.efficiency_j_per_th[kind]))
                });
                large_step(&efficiency.collect::<Vec<_>>(), EFFICIENCY_STEPS)
            })?;
            let id = &region.id;
            Some(format!("region series, line {line}: efficiency_j_per_th of {id:?} {step}"))
        })
    }
}

fn is_far(ratio: f64, factor: f64) -> bool {
    !(1.0 / factor..=factor).contains(&ratio)
}

fn displayed(ratio: f64) -> DisplayNumber {
    DisplayNumber::new(ratio, CONTEXT_DIGITS)
}

/// The place and a description of the first rise or fall by more than these factors.
fn large_step<T: Copy>(values: &[(T, f64)], [rise, fall]: [f64; 2]) -> Option<(T, String)> {
    values.windows(2).find_map(|pair| {
        let ratio = pair[1].1 / pair[0].1;
        let most = if ratio > 1.0 { rise } else { fall };
        (ratio > rise || ratio < 1.0 / fall).then(|| (pair[1].0, changes(pair, most)))
    })
}

/// The line and a description of the first change by a factor of more than `most` that is soon undone. At the
/// end of the rows, that is unknown, and the change is suspicious too.
fn slip(values: &[(usize, f64)], most: f64) -> Option<(usize, String)> {
    let is_near = |a: f64, b: f64| a <= b * most && b <= a * most;
    let mut pairs = values.windows(2).zip(2..);
    let (pair, _) = pairs.find(|(pair, next)| {
        let (before, after) = (pair[0].1, &values[*next..]);
        let is_undone = after.iter().take(SLIP_ROWS).any(|(_, value)| is_near(*value, before));
        !is_near(pair[1].1, before) && (is_undone || after.len() < SLIP_ROWS)
    })?;
    Some((pair[1].0, changes(pair, most)))
}

fn changes<T>(pair: &[(T, f64)], most: f64) -> String {
    let [before, value] = [pair[0].1, pair[1].1];
    format!("changes from {before} to {value}, by a factor of more than {most}; is it correct?")
}

/// The element in the middle, by its number.
fn median(values: impl Iterator<Item = (f64, usize)>) -> Option<(f64, usize)> {
    let mut values: Vec<_> = values.collect();
    let middle = values.len().checked_sub(1)? / 2;
    Some(*values.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0)).1)
}
