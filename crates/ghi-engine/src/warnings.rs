//! Warnings about probable mistakes in valid inputs, mainly wrong units.

use std::fmt;
use std::ops::RangeInclusive;

use crate::calendar::{FIRST, date_of, dates_of_gap, day_number};
use crate::cost::capital_usd_per_coin;
use crate::day::CostKind;
use crate::explanation::CONTEXT_DIGITS;
use crate::fields::{NETWORK_COLUMNS, Variable};
use crate::inputs::{CapitalInputs, Inputs, RegionInputs};
use crate::numbers::DisplayNumber;
use crate::series::NetworkRow;
use crate::text::listed;

/// A value that differs from the expected one by this factor or more is suspicious.
const FAR: f64 = 5.0;
/// Outside these bounds, a price is probably in cents, or in USD per MWh or Wh: mining at half a dollar never
/// pays, and at half a cent power is all but free.
const USUAL_USD_PER_KWH: RangeInclusive<f64> = 0.005..=0.5;
/// By this factor, the hashrates of a series may differ from those that the difficulties imply, in the median.
const HASHRATE_FACTOR: f64 = 3.0;
/// By this factor, the cost of a coin may differ from its price, in the median.
const PRICE_FACTOR: f64 = 20.0;
/// From this factor on, the price itself is probably in another unit.
const PRICE_UNIT_FACTOR: f64 = 100.0;
/// A slip in a few rows of a series ends within this many rows.
const SLIP_ROWS: usize = 7;
/// By these factors, a block reward may rise and fall from one row to the next.
const REWARD_STEPS: [f64; 2] = [2.0, 2.2];
const EFFICIENCY_STEPS: [f64; 2] = [3.0, 3.0];
/// If all percentages of movement are below this, they are probably fractions.
const SMALL_PCT: f64 = 0.5;
/// The same for the fee, which moves the most: even 0.65 is probably a fraction.
const SMALL_FEE_PCT: f64 = 1.0;
/// Three years. A longer series probably includes a halving.
const REWARD_DAYS: i64 = 1_096;
/// An arbitrary number of hashes, to compare two costs.
const HASHES: f64 = 1e12;
/// For each of the first columns of the network series, the factor by which a value may slip from one row to the
/// next.
const SLIP_FACTORS: [f64; 5] = [10.0, 100.0, 1_000.0, 10.0, 10.0];
/// The most regions and gaps that are named.
const REGIONS_MAX: usize = 20;
const GAPS_MAX: usize = 5;

impl Inputs {
    /// Probable mistakes, one line each. The inputs are valid and may be intended, so they are accepted.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.region_warnings();
        let scale_warning = self.hashrate_warning().or_else(|| self.price_warning());
        // A price of power in cents explains a cost that is too high.
        warnings.extend(scale_warning.filter(|_| warnings.is_empty()));
        warnings.extend(self.gap_warning());
        warnings.extend(self.step_warnings());
        warnings.extend(self.partial_column_warnings());
        warnings.extend(self.reward_warning());
        warnings.extend(self.capital_warning());
        warnings.extend(self.movement_warning());
        warnings
    }

    /// At most one warning per region: the one that locates the mistake best.
    fn region_warnings(&self) -> Vec<String> {
        let far_averages = self.far_averages();
        let warning = |(index, far_average): (usize, Option<String>)| {
            let region = &self.file.regions[index];
            let rows = self.series.regions.get(index).into_iter().flatten();
            let in_series = rows.flat_map(|row| {
                let prices = row.electricity_usd_per_kwh.into_iter().flatten();
                prices.map(|price| (price, row.line))
            });
            let line = self.electricity_lines[index];
            let in_file = region.electricity_usd_per_kwh.into_iter().map(|price| (price, line));
            unusual_price(region, in_series, "region series")
                .or(far_average)
                .or_else(|| unusual_price(region, in_file, "inputs file"))
        };
        let mut warnings: Vec<String> = (0..).zip(far_averages).filter_map(warning).collect();
        if let Some(more) = cut_off(&mut warnings, REGIONS_MAX) {
            warnings.push(format!("{more} more regions have suspicious electricity or efficiency"));
        }
        warnings
    }

    /// For each region, the first day on which its average is far from the other regions' averages.
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
            let mut sorted = averages.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            let date = date_of(day);
            let on = if self.series.has_rows() { format!(" on {date}") } else { String::new() };
            for (index, average) in averages.into_iter().enumerate() {
                let factor = || Some(average / median_of_others(&sorted, average)?);
                let far = || far_average(&self.file.regions[index], factor()?, &on);
                found[index] = found[index].take().or_else(far);
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
        let is_far = !(1.0 / HASHRATE_FACTOR..=HASHRATE_FACTOR).contains(&ratio);
        let ratio = DisplayNumber::new(ratio, CONTEXT_DIGITS);
        let warning = format!(
            "network series, line {line}: hashrate_eh is {ratio} times what the difficulty implies, as in about half of the rows; is it in EH/s? If so, check seconds_per_block and hashes_per_difficulty in [network]"
        );
        is_far.then_some(warning)
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
        let meant = if ratio > PRICE_UNIT_FACTOR {
            "is price_usd in USD, not in BTC?"
        } else if ratio > PRICE_FACTOR {
            "is price_usd in USD, and efficiency_j_per_th in J/TH, not in W?"
        } else if ratio < 1.0 / PRICE_FACTOR {
            "is efficiency_j_per_th in J/TH? 1 J/GH is 1,000 J/TH, and 1 J/MH is 1,000,000 J/TH"
        } else {
            return None;
        };
        let location =
            if line > 0 { format!("network series, line {line}: ") } else { String::new() };
        let ratio = DisplayNumber::new(ratio, CONTEXT_DIGITS);
        Some(format!("{location}the cost of a coin is {ratio} times its price; {meant}"))
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
        let mut gaps: Vec<String> = self.series.gaps().map(dates_of_gap).collect();
        if let Some(more) = cut_off(&mut gaps, GAPS_MAX) {
            gaps.push(format!("in {more} more gaps"));
        }
        let warning = format!(
            "there is no data {}, because rows are too far apart; add rows, or raise valid_days or regions_valid_days in [series]",
            listed(&gaps)
        );
        (!gaps.is_empty()).then_some(warning)
    }

    /// For each column of the network series and each region, the first suspicious change.
    fn step_warnings(&self) -> Vec<String> {
        let columns = std::iter::zip(NETWORK_COLUMNS, SLIP_FACTORS).enumerate();
        let columns = columns.filter_map(|(index, (Variable { name, .. }, most))| {
            let rows = self.series.network.iter();
            let values = rows.filter_map(|row| Some((row.line, row.values()[index]?)));
            let values: Vec<_> = values.collect();
            let is_reward = name == "block_reward_coins";
            let reward_step = || large_step(&values, REWARD_STEPS).filter(|_| is_reward);
            let (line, step) = slip(&values, most).or_else(reward_step)?;
            Some(format!("network series, line {line}: {name} {step}"))
        });
        let regions = self.file.regions.iter().zip(&self.series.regions);
        let regions = regions.filter_map(|(region, rows)| {
            let (line, step) = (0..3).find_map(|kind| {
                let efficiency = rows.iter().map(|row| {
                    let given = row.efficiency_j_per_th[kind];
                    (row.line, given.unwrap_or(region.efficiency_j_per_th[kind]))
                });
                large_step(&efficiency.collect::<Vec<_>>(), EFFICIENCY_STEPS)
            })?;
            Some(format!("region series, line {line}: efficiency_j_per_th of {region} {step}"))
        });
        columns.chain(self.reward_step_warning()).chain(regions.take(REGIONS_MAX)).collect()
    }

    fn reward_step_warning(&self) -> Option<String> {
        let later = self.file.network.rewards.iter().map(|reward| reward.coins);
        let rewards = std::iter::once(self.file.network.block_reward_coins).chain(later);
        let (index, step) = large_step(&(0..).zip(rewards).collect::<Vec<_>>(), REWARD_STEPS)?;
        let reward = &self.file.network.rewards[index - 1];
        Some(format!("network.reward from {}: coins {step}", date_of(reward.from)))
    }

    /// Columns of the network series that are empty in some rows, and what their days have instead.
    fn partial_column_warnings(&self) -> Vec<String> {
        let price = match self.file.network.price_usd {
            Some(_) => "have a synthetic price, based on network.price_usd",
            None => "have no price",
        };
        let hashrate = "have a synthetic hashrate, based on the difficulty";
        let warning = |(name, instead)| {
            let column = NETWORK_COLUMNS.iter().position(|column| column.name == name)?;
            let rows = &self.series.network;
            let empty: Vec<_> = rows.iter().filter(|row| row.values()[column].is_none()).collect();
            let (line, empty, count) = (empty.first()?.line, empty.len(), rows.len());
            let warning = format!(
                "network series: {name} is empty in {empty} of {count} rows, first on line {line}; the days of these rows {instead}"
            );
            (empty < count).then_some(warning)
        };
        [("hashrate_eh", hashrate), ("price_usd", price)].into_iter().filter_map(warning).collect()
    }

    /// Years of difficulty with a single reward, which was probably halved in that time.
    fn reward_warning(&self) -> Option<String> {
        let (rows, network) = (&self.series.network, &self.file.network);
        let days = rows.last()?.day - rows.first()?.day;
        let has_rewards = rows.iter().any(|row| row.block_reward_coins.is_some());
        let warning = format!(
            "the network series spans {days} days without block_reward_coins, so the reward is always {}; was there a halving?",
            network.block_reward_coins
        );
        (days > REWARD_DAYS && !has_rewards && network.rewards.is_empty()).then_some(warning)
    }

    fn capital_warning(&self) -> Option<String> {
        let CapitalInputs { usd_per_th, years } = *self.file.capital.as_ref()?;
        let running = self.average_cost_usd(HASHES, day_number(self.coverage().last));
        let factor = capital_usd_per_coin(HASHES, usd_per_th, years) / running;
        let warning = format!(
            "machines cost {factor:.1} times the average cost of running them; check [capital]: usd_per_th is in USD per TH/s, and years is how long machines are used"
        );
        (factor > 1.0).then_some(warning)
    }

    fn movement_warning(&self) -> Option<String> {
        let movement = &self.file.movement;
        let fee = movement.fee_pct;
        let others = [
            movement.difficulty_pct,
            movement.hashrate_pct,
            movement.electricity_pct,
            movement.weekday_pct,
            movement.spread_pct,
        ];
        let largest = others.into_iter().fold(0.0, f64::max);
        let warning = format!(
            "every percentage in [movement] is below {SMALL_FEE_PCT}, so the data hardly moves; are they fractions? Write 5 for 5%, and 0 for no movement"
        );
        let is_small = fee < SMALL_FEE_PCT && largest < SMALL_PCT;
        (is_small && (fee > 0.0 || largest > 0.0)).then_some(warning)
    }
}

/// The line and a description of the first rise or fall by more than these factors.
fn large_step(values: &[(usize, f64)], [rise, fall]: [f64; 2]) -> Option<(usize, String)> {
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
    let pairs = values.windows(2).zip(2..);
    let mut slips = pairs.filter(|(pair, next)| {
        let (before, after) = (pair[0].1, &values[*next..]);
        let is_undone = after.iter().take(SLIP_ROWS).any(|(_, value)| is_near(*value, before));
        !is_near(pair[1].1, before) && (is_undone || after.len() < SLIP_ROWS)
    });
    let (pair, _) = slips.next()?;
    Some((pair[1].0, changes(pair, most)))
}

fn changes(pair: &[(usize, f64)], most: f64) -> String {
    let [before, value] = [pair[0].1, pair[1].1];
    format!("changes from {before} to {value}, by a factor of more than {most}; is it correct?")
}

/// The element in the middle, by its number.
fn median(values: impl Iterator<Item = (f64, usize)>) -> Option<(f64, usize)> {
    let mut values: Vec<_> = values.collect();
    let middle = values.len().checked_sub(1)? / 2;
    Some(*values.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0)).1)
}

/// Removes the texts after the first ones. Returns their number, if there are any.
fn cut_off(texts: &mut Vec<String>, max: usize) -> Option<usize> {
    let more = texts.len().checked_sub(max).filter(|more| *more > 0);
    texts.truncate(max);
    more
}

impl fmt::Display for RegionInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.id, self.name)
    }
}

/// A warning about the first of these prices on these lines that is unusual.
fn unusual_price(
    region: &RegionInputs,
    mut prices: impl Iterator<Item = (f64, usize)>,
    file: &str,
) -> Option<String> {
    let (price, line) = prices.find(|(price, _)| !USUAL_USD_PER_KWH.contains(price))?;
    let unit = if price > *USUAL_USD_PER_KWH.end() { "; is it in cents?" } else { "." };
    Some(format!(
        "the electricity of {region} costs {price} on line {line} of the {file}{unit} Expected USD per kWh, such as 0.055"
    ))
}

/// A warning about an average that is `factor` times the median of the others, if that is far off.
fn far_average(region: &RegionInputs, factor: f64, on: &str) -> Option<String> {
    let (times, advice) = if factor >= FAR {
        let advice = "is its electricity in cents? Expected USD per kWh, such as 0.055";
        (format!("{factor:.0} times"), advice)
    } else if factor <= 1.0 / FAR {
        let advice = "expected electricity in USD per kWh and efficiency in J/TH";
        (format!("1/{:.0} of", 1.0 / factor), advice)
    } else {
        return None;
    };
    Some(format!(
        "the average cost of {region} is {times} the median of the other regions{on}; {advice}"
    ))
}

/// The median of all values except one. `None` if there are no others. For an even number of others, any
/// value between the two in the middle is a median. The one nearest to the excluded value is chosen, so that
/// of three regions, one that is far off does not make the other two look far off.
fn median_of_others(sorted: &[f64], value: f64) -> Option<f64> {
    let index_of_value = sorted.partition_point(|other| other.total_cmp(&value).is_lt());
    let count = sorted.len().checked_sub(1).filter(|count| *count > 0)?;
    let other = |index: usize| sorted[if index < index_of_value { index } else { index + 1 }];
    Some(value.clamp(other((count - 1) / 2), other(count / 2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_the_others_excludes_one_value() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        for (value, median) in [(1.0, 4.0), (2.0, 4.0), (4.0, 2.0), (8.0, 2.0)] {
            assert_eq!(median_of_others(&sorted, value), Some(median));
        }
        for (value, median) in [(1.0, 2.0), (2.0, 2.0), (6.0, 2.0)] {
            assert_eq!(median_of_others(&[1.0, 2.0, 6.0], value), Some(median));
        }
        assert_eq!(median_of_others(&[3.0, 3.0, 3.0], 3.0), Some(3.0));
        assert_eq!(median_of_others(&[3.0], 3.0), None);
    }
}
