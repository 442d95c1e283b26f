//! Warnings about probable mistakes in valid inputs, mainly wrong units.

use crate::calendar::date_of;
use crate::cost::capital_usd_per_coin;
use crate::day::CostKind;
use crate::decimal::DisplayNumber;
use crate::derivation::CONTEXT_DIGITS;
use crate::inputs::{Inputs, RegionInputs};
use crate::series::{NetworkRow, PositiveF64, RegionRow};
use crate::text::listed;

/// A value that differs from the expected one by this factor or more is suspicious.
const FAR: f64 = 5.0;

/// A price of this many USD/kWh or more is probably in cents: mining at a dollar never pays.
const EXPENSIVE_USD_PER_KWH: f64 = 1.0;

/// If all percentages of movement are below this, they are probably fractions.
const SMALL_PCT: f64 = 0.5;

/// The same for the fee, which moves the most: even 0.65 is probably a fraction.
const SMALL_FEE_PCT: f64 = 1.0;

/// A larger change in efficiency between two rows is suspicious.
const EFFICIENCY_STEP: f64 = 3.0;

/// Three years. A longer series probably includes a halving.
const REWARD_DAYS: i32 = 1_096;

/// An arbitrary number of hashes, to compare two costs.
const HASHES: f64 = 1e12;

/// The value of a column in a row of the network series.
type NetworkColumn = fn(&NetworkRow) -> Option<f64>;

/// The most regions and gaps that are named.
const REGIONS_MAX: usize = 20;
const GAPS_MAX: usize = 5;

impl Inputs {
    /// Probable mistakes, one line each. The inputs are valid and may be intended, so they are accepted.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.region_warnings();
        warnings.extend(self.hashrate_warning());
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
        let warnings = self.regions.iter().zip(far_averages).enumerate();
        let mut warnings: Vec<String> = warnings
            .filter_map(|(index, (region, far_average))| {
                let in_series = self.expensive_row(index);
                in_series.or(far_average).or_else(|| {
                    expensive(region, region.electricity_usd_per_kwh, "in the inputs file")
                })
            })
            .collect();
        let more = warnings.len().saturating_sub(REGIONS_MAX);
        if more > 0 {
            warnings.truncate(REGIONS_MAX);
            warnings.push(format!("{more} more regions have suspicious electricity or efficiency"));
        }
        warnings
    }

    /// The first row of a region with a price that is probably in cents.
    fn expensive_row(&self, region: usize) -> Option<String> {
        self.series.regions.get(region)?.iter().find_map(|row| {
            let prices = row.electricity_usd_per_kwh.into_iter().flatten().map(PositiveF64::get);
            let location = format!("on line {} of the region series", row.line);
            expensive(&self.regions[region], prices, &location)
        })
    }

    /// For each region, the first day on which its average is far from the other regions' averages.
    /// Difficulty and reward are the same for all regions, so efficiency x price x overhead is compared.
    fn far_averages(&self) -> Vec<Option<String>> {
        let mut found = vec![None; self.regions.len()];
        for day in self.series.change_days(&self.series.regions) {
            let averages = self.regions.iter().enumerate().map(|(index, region)| {
                let fleet = region.fleet(self.series.region_on(index, day));
                let (efficiency, price) = fleet.at(CostKind::Avg);
                efficiency * price * fleet.overhead
            });
            let averages: Vec<f64> = averages.collect();
            let mut sorted = averages.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            // There may be thousands of days, and almost none has a region that is far off.
            if sorted[sorted.len() - 1] < sorted[0] * FAR {
                continue;
            }
            let on = match self.series.covered() {
                Some(_) => format!(" on {}", date_of(day)),
                None => String::new(),
            };
            for ((region, average), found) in self.regions.iter().zip(averages).zip(&mut found) {
                let factor = median_of_others(&sorted, average).map(|median| average / median);
                if let Some(factor) = factor.filter(|_| found.is_none()) {
                    *found = far_average(region, factor, &on);
                }
            }
        }
        found
    }

    /// The first hashrate of the series that does not match its difficulty.
    fn hashrate_warning(&self) -> Option<String> {
        self.series.network.iter().find_map(|row| {
            let (given, implied) = (row.hashrate_eh?, self.implied_hashrate_eh(row.difficulty));
            let is_far = given >= implied * FAR || given * FAR <= implied;
            is_far.then(|| {
                format!(
                    "network series, line {}: hashrate_eh is {given}, but the difficulty implies {}; expected EH/s",
                    row.line,
                    DisplayNumber::new(implied, CONTEXT_DIGITS)
                )
            })
        })
    }

    /// The days between rows that are too far apart.
    fn gap_warning(&self) -> Option<String> {
        let count = self.series.gaps().count();
        let mut gaps: Vec<String> =
            self.series.gaps().take(GAPS_MAX).map(|gap| gap.to_string()).collect();
        if count > GAPS_MAX {
            gaps.push(format!("in {} more gaps", count - GAPS_MAX));
        }
        (count > 0).then(|| {
            format!(
                "there is no data {}, because rows are too far apart; add rows, or raise valid_days or regions_valid_days in [series]",
                listed(&gaps)
            )
        })
    }

    /// For each column of the network series and each region, the first suspiciously large change.
    fn step_warnings(&self) -> Vec<String> {
        let rows = &self.series.network;
        let columns: [(&str, f64, NetworkColumn); 3] = [
            ("difficulty", 5.0, |row| Some(row.difficulty as f64)),
            ("fee_usd", 20.0, |row| row.fee_usd),
            ("price_usd", 5.0, |row| row.price_usd),
        ];
        let columns = columns.into_iter().filter_map(|(name, most, value)| {
            let values = rows.iter().filter_map(|row| Some((row.line, value(row)?)));
            let (line, step) = large_step(values, most)?;
            Some(format!("network series, line {line}: {name} {step}"))
        });
        let regions = self.regions.iter().zip(&self.series.regions).filter_map(|(region, rows)| {
            let values = |kind: usize| {
                let efficiency =
                    |row| RegionRow::efficiency_j_per_th(Some(row), region.efficiency_j_per_th);
                rows.iter().map(move |row| (row.line, efficiency(row)[kind]))
            };
            let (line, step) = (0..3).find_map(|kind| large_step(values(kind), EFFICIENCY_STEP))?;
            let region = title(region);
            Some(format!("region series, line {line}: efficiency_j_per_th of {region} {step}"))
        });
        columns.chain(regions.take(REGIONS_MAX)).collect()
    }

    /// Columns of the network series that are empty in some rows, and what their days have instead.
    fn partial_column_warnings(&self) -> Vec<String> {
        let rows = &self.series.network;
        let price = match self.network.price_usd {
            Some(_) => "have a synthetic price, based on network.price_usd",
            None => "have no price",
        };
        let columns: [(&str, NetworkColumn, &str); 2] = [
            (
                "hashrate_eh",
                |row| row.hashrate_eh,
                "have a synthetic hashrate, based on the difficulty",
            ),
            ("price_usd", |row| row.price_usd, price),
        ];
        let warning = |(name, value, instead): (&str, NetworkColumn, &str)| {
            let empty: Vec<_> = rows.iter().filter(|row| value(row).is_none()).collect();
            let (line, count) = (empty.first()?.line, rows.len());
            (empty.len() < count).then(|| {
                format!(
                    "network series: {name} is empty in {} of {count} rows, first on line {line}; the days of these rows {instead}",
                    empty.len()
                )
            })
        };
        columns.into_iter().filter_map(warning).collect()
    }

    /// Years of difficulty with a single reward, which was probably halved in that time.
    fn reward_warning(&self) -> Option<String> {
        let rows = &self.series.network;
        let days = rows.last()?.day - rows.first()?.day;
        let has_reward = !self.network.rewards.is_empty()
            || rows.iter().any(|row| row.block_reward_coins.is_some());
        (days > REWARD_DAYS && !has_reward).then(|| {
            format!(
                "the network series spans {days} days without block_reward_coins, so the reward is always {}; was there a halving?",
                self.network.block_reward_coins
            )
        })
    }

    /// Machines that cost more than running them does, on the last day. Both costs are for the same number
    /// of hashes.
    fn capital_warning(&self) -> Option<String> {
        let capital = self.capital.as_ref()?;
        let (_, day) = self.series.covered().unwrap_or_default();
        let regions = self.regions.iter().enumerate().map(|(index, region)| {
            let row = self.series.region_on(index, day);
            let share = RegionRow::hashrate_share_pct(row, region.hashrate_share_pct).to_f64();
            share / 100.0 * region.fleet(row).cost_usd(HASHES, CostKind::Avg)
        });
        let running = regions.sum::<f64>();
        let factor = capital_usd_per_coin(HASHES, capital.usd_per_th, capital.years) / running;
        (factor > 1.0).then(|| {
            format!(
                "machines cost {factor:.1} times the average cost of running them; check [capital]: usd_per_th is in USD per TH/s, and years is how long machines are used"
            )
        })
    }

    fn movement_warning(&self) -> Option<String> {
        let movement = &self.movement;
        let limits = [
            (movement.fee_pct, SMALL_FEE_PCT),
            (movement.difficulty_pct, SMALL_PCT),
            (movement.hashrate_pct, SMALL_PCT),
            (movement.electricity_pct, SMALL_PCT),
            (movement.weekday_pct, SMALL_PCT),
            (movement.spread_pct, SMALL_PCT),
        ];
        let moves = limits.iter().any(|(pct, _)| *pct > 0.0);
        let is_small = limits.iter().all(|(pct, limit)| pct < limit);
        (moves && is_small).then(|| {
            format!(
                "every percentage in [movement] is below {SMALL_FEE_PCT}, so the data hardly moves; are they fractions? Write 5 for 5%, and 0 for no movement"
            )
        })
    }
}

/// The line and a description of the first change, up or down, by a factor of more than `most`.
fn large_step(values: impl Iterator<Item = (u32, f64)>, most: f64) -> Option<(u32, String)> {
    let mut before = None;
    for (line, value) in values {
        let previous = before.replace(value).unwrap_or(value);
        if value > previous * most || previous > value * most {
            let step = format!(
                "changes from {previous} to {value}, by a factor of more than {most}; is it correct?"
            );
            return Some((line, step));
        }
    }
    None
}

/// A region as it is named in warnings.
fn title(region: &RegionInputs) -> String {
    format!("{} ({})", region.id, region.name)
}

/// A warning about the first price that is probably in cents.
fn expensive(
    region: &RegionInputs,
    prices: impl IntoIterator<Item = f64>,
    location: &str,
) -> Option<String> {
    let price = prices.into_iter().find(|price| *price >= EXPENSIVE_USD_PER_KWH)?;
    Some(format!(
        "the electricity of {} costs {price} {location}; is it in cents? Expected USD per kWh, such as 0.055",
        title(region)
    ))
}

/// A warning about an average that is `factor` times the median of the others, if that is far off.
fn far_average(region: &RegionInputs, factor: f64, on: &str) -> Option<String> {
    if factor >= FAR {
        Some(format!(
            "the average cost of {} is {factor:.0} times the median of the other regions{on}; is its electricity in cents? Expected USD per kWh, such as 0.055",
            title(region)
        ))
    } else if factor <= 1.0 / FAR {
        Some(format!(
            "the average cost of {} is 1/{:.0} of the median of the other regions{on}; expected electricity in USD per kWh and efficiency in J/TH",
            title(region),
            1.0 / factor
        ))
    } else {
        None
    }
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
