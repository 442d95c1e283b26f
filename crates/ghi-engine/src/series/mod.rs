//! Dated series: historical data of the network and its regions, instead of synthetic movement.
//!
//! A row is valid from its date until the next one. For an empty cell, the inputs file applies. Days are
//! counted from 1970-01-01, and lines from 1.

use jiff::civil::Date;

use crate::calendar::{Coverage, NoFigures, date_of, day_number};

mod read;
mod sheet;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    /// By date. Empty without a file.
    pub(crate) network: Vec<NetworkRow>,
    /// By region index, then by date. Empty without a file.
    pub(crate) regions: Vec<Vec<RegionRow>>,
    /// By date. Empty without a file.
    pub(crate) fleet: Vec<FleetRow>,
    /// By date. Empty without a file.
    pub(crate) published: Vec<PublishedEstimate>,
    /// The first and the last day of each run of covered days, in order. At least one.
    pub(crate) covered: Vec<(i64, i64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NetworkRow {
    pub(crate) day: i64,
    pub(crate) line: usize,
    /// A whole number.
    pub(crate) difficulty: f64,
    pub(crate) hashrate_eh: Option<f64>,
    pub(crate) fee_usd: Option<f64>,
    pub(crate) block_reward_coins: Option<f64>,
    pub(crate) price_usd: Option<f64>,
    /// The height of the day's last block, a whole number that never falls.
    pub(crate) height: Option<f64>,
    pub(crate) fees_per_block_coins: Option<f64>,
    pub(crate) other_revenue_usd_per_block: Option<f64>,
    pub(crate) capital_usd_per_th: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegionRow {
    pub(crate) day: i64,
    pub(crate) line: usize,
    pub(crate) hashrate_share_pct: Option<f64>,
    /// Best, mean, worst.
    pub(crate) efficiency_j_per_th: [Option<f64>; 3],
    /// Low, mean, high.
    pub(crate) electricity_usd_per_kwh: [Option<f64>; 3],
    pub(crate) overhead: Option<f64>,
}

/// A machine of the world's fleet. A date has several, whose shares sum to nearly 100.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FleetRow {
    pub(crate) day: i64,
    pub(crate) line: usize,
    pub(crate) efficiency_j_per_th: f64,
    pub(crate) share_pct: f64,
}

/// A cost of mining a coin that someone else published.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedEstimate {
    /// The day that it describes.
    pub date: Date,
    /// The cost.
    pub usd_per_coin: f64,
    /// Who published it.
    pub publisher: String,
    /// What the cost includes.
    pub scope: CostScope,
    /// Where it was published. May be empty.
    pub source: String,
}

/// What a cost includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostScope {
    /// Electricity alone.
    Energy,
    /// All operating costs, as in the published costs.
    Cash,
    /// Operating costs and machines.
    AllIn,
}

impl CostScope {
    /// All scopes, each of which includes the one before.
    pub const ALL: [Self; 3] = [Self::Energy, Self::Cash, Self::AllIn];

    /// The scope as in series and on pages.
    pub fn name(self) -> &'static str {
        ["energy", "cash", "all-in"][self as usize]
    }
}

pub(crate) fn override_levels(base: [f64; 3], given: [Option<f64>; 3]) -> [f64; 3] {
    std::array::from_fn(|kind| given[kind].unwrap_or(base[kind]))
}

impl Series {
    pub(crate) fn network_on(&self, day: i64) -> Option<&NetworkRow> {
        let after = self.network.partition_point(|row| row.day <= day);
        self.network[..after].last()
    }

    pub(crate) fn region_on(&self, region: usize, day: i64) -> Option<&RegionRow> {
        let rows = self.regions.get(region)?;
        rows[..rows.partition_point(|row| row.day <= day)].last()
    }

    /// The machines on a day, or none before the first date of the fleet.
    pub(crate) fn fleet_on(&self, day: i64) -> &[FleetRow] {
        let rows = &self.fleet[..self.fleet.partition_point(|row| row.day <= day)];
        let first = rows.last().map_or(0, |last| rows.partition_point(|row| row.day < last.day));
        &rows[first..]
    }

    pub(crate) fn has_rows(&self) -> bool {
        !self.network.is_empty() || !self.regions.is_empty()
    }

    /// Writes ` on 2026-02-01`, or nothing without series.
    pub(crate) fn on(&self, day: i64) -> String {
        if self.has_rows() { format!(" on {}", date_of(day)) } else { String::new() }
    }

    /// The rows of the network. Without any, `None` for the base levels.
    pub(crate) fn network_rows(&self) -> impl Iterator<Item = Option<&NetworkRow>> {
        self.network.iter().map(Some).chain(self.network.is_empty().then_some(None))
    }

    /// The first and the last day with data. Without series, those of the calendar.
    pub(crate) fn coverage(&self) -> Coverage {
        let last = self.covered[self.covered.len() - 1].1;
        Coverage { first: date_of(self.covered[0].0), last: date_of(last) }
    }

    /// The first and the last day of each gap between covered days.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = (Date, Date)> {
        self.covered.windows(2).map(|runs| (date_of(runs[0].1 + 1), date_of(runs[1].0 - 1)))
    }

    /// The first and the last day of a range that have data. Days between them may have none.
    pub(crate) fn overlap(&self, from: Date, to: Date) -> Result<(Date, Date), NoFigures> {
        let first_run = self.covered.partition_point(|run| run.1 < day_number(from));
        let runs = self.covered_up_to(to);
        if let (Some(first), Some(last)) = (runs.get(first_run), runs.last()) {
            return Ok((from.max(date_of(first.0)), to.min(date_of(last.1))));
        }
        let gap = first_run.checked_sub(1).and_then(|before| self.gaps().nth(before));
        Err(NoFigures { date: from, coverage: self.coverage(), gap })
    }

    /// The runs of covered days that start up to a date.
    pub(crate) fn covered_up_to(&self, date: Date) -> &[(i64, i64)] {
        &self.covered[..self.covered.partition_point(|run| run.0 <= day_number(date))]
    }

    /// The covered days on which a row of the network or of these regions becomes valid, and the first day
    /// after each gap, in order. Without series, a single day.
    pub(crate) fn change_days(&self, regions: &[Vec<RegionRow>]) -> Vec<i64> {
        let network = self.network.iter().map(|row| row.day);
        let rows = network.chain(regions.iter().flatten().map(|row| row.day));
        let is_covered = |day: &i64| {
            let run = self.covered.partition_point(|run| run.1 < *day);
            self.covered.get(run).is_some_and(|run| run.0 <= *day)
        };
        let starts = self.covered.iter().map(|run| run.0);
        let mut days: Vec<i64> = starts.chain(rows.filter(is_covered)).collect();
        days.sort_unstable();
        days.dedup();
        days
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::Inputs;
    use jiff::civil::date;

    fn example() -> Series {
        let text = include_str!("../../../../examples/own-series/inputs.toml");
        let read = |name: &str| match name {
            "network.csv" => {
                Ok(include_bytes!("../../../../examples/own-series/network.csv").to_vec())
            }
            "regions.csv" => {
                Ok(include_bytes!("../../../../examples/own-series/regions.csv").to_vec())
            }
            _ => Err("No such file or directory".to_owned()),
        };
        Inputs::parse_with_series(text, read).unwrap().series
    }

    fn day(year: i16, month: i8, day: i8) -> i64 {
        day_number(date(year, month, day))
    }

    #[test]
    fn a_row_is_valid_from_its_date_until_the_next() {
        let series = example();
        let difficulty = |day| series.network_on(day).map(|row| row.difficulty);
        assert_eq!(difficulty(day(2025, 10, 2)), None);
        assert_eq!(difficulty(day(2025, 10, 3)), Some(108_200_000_000_000.0));
        assert_eq!(difficulty(day(2025, 10, 16)), Some(108_200_000_000_000.0));
        assert_eq!(difficulty(day(2025, 10, 17)), Some(110_500_000_000_000.0));
        assert_eq!(difficulty(day(2026, 1, 23)), Some(117_300_000_000_000.0));
        assert_eq!(difficulty(day(9999, 12, 31)), Some(116_100_000_000_000.0));
        let row = series.region_on(1, day(2025, 11, 30)).unwrap();
        assert_eq!((row.line, row.hashrate_share_pct), (5, Some(30.0)));
        assert_eq!(override_levels([1.0; 3], row.efficiency_j_per_th), [1.0, 21.8, 1.0]);
        assert_eq!(override_levels([1.0; 3], row.electricity_usd_per_kwh), [1.0; 3]);
        assert_eq!(series.region_on(2, day(2025, 11, 30)), None);
        assert_eq!(series.region_on(3, day(2025, 11, 30)), None);
    }

    #[test]
    fn an_empty_cell_has_no_value() {
        let series = example();
        let row = series.network_on(day(2025, 11, 28)).unwrap();
        assert_eq!(
            (row.hashrate_eh, row.fee_usd, row.block_reward_coins),
            (Some(815.3), None, Some(3.125))
        );
    }

    #[test]
    fn coverage_runs_from_the_latest_first_row_to_the_end_of_the_first_series() {
        // Rows of regions are valid for 400 days, so the network series ends first.
        assert_eq!(example().covered, [(day(2025, 10, 3), day(2026, 2, 6) + 45)]);
        let calendar = (day(1, 1, 1), day(9999, 12, 31));
        assert_eq!(Inputs::default().series.covered, [calendar]);
    }

    #[test]
    fn change_days_are_the_covered_days_on_which_a_row_starts() {
        let series = example();
        let days = series.change_days(&series.regions);
        assert_eq!(days[0], day(2025, 10, 3));
        assert!(days.is_sorted() && days.contains(&day(2025, 11, 14)));
        assert_eq!(Inputs::default().series.change_days(&[]), [day(1, 1, 1)]);
    }
}
