//! Which days the series cover, and whether the regions make up the whole network on each of them.

use jiff::civil::Date;

use crate::calendar::{date_of, day_number};
use crate::inputs::{Inputs, SeriesInputs};
use crate::problems::{InputFile, Location, ProblemReport};
use crate::registry::WHOLE_NETWORK_PCT;
use crate::series::Series;

impl Inputs {
    /// Finds the days that have data, and checks that the shares of all regions sum to 100 on each of them.
    pub(crate) fn check_days(&mut self, problems: &ProblemReport) {
        let Some(series) = &self.file.series else { return };
        self.series.covered = self.series.covered_runs(series, problems);
        self.check_shares(problems);
    }

    fn check_shares(&self, problems: &ProblemReport) {
        let series = &self.series;
        if series.regions.is_empty() || series.covered.is_empty() {
            return;
        }
        let whole = WHOLE_NETWORK_PCT.count();
        let mut reported = whole;
        for day in series.change_days(&series.regions) {
            let regions = 0..series.regions.len();
            let share = |region| self.share_pct(region, series.region_on(region, day)).count();
            let sum: u64 = regions.clone().map(share).sum();
            // A sum that stays wrong is reported once.
            if sum != whole && sum != reported {
                let (date, sum) = (date_of(day), sum as f64 / 100.0);
                let message = format!(
                    "on {date}, the hashrate_share_pct values add up to {sum}; expected exactly 100"
                );
                let latest = regions.filter_map(|region| series.region_on(region, day));
                let latest = latest.max_by_key(|row| (row.day, row.line));
                let line = latest.map_or(1, |row| row.line);
                problems.add(Location::line(InputFile::RegionSeries, line), &message);
            }
            reported = sum;
        }
    }
}

struct Rows {
    file: InputFile,
    valid_days: i64,
    rows: Vec<(i64, usize)>,
}

impl Series {
    /// The runs of days on which every series has a valid row.
    fn covered_runs(&self, series: &SeriesInputs, problems: &ProblemReport) -> Vec<(i64, i64)> {
        let all_rows: Vec<Rows> = self.all_rows(series).collect();
        // The latest start and the earliest end.
        let start = all_rows.iter().max_by_key(|Rows { rows, file, .. }| (rows[0], *file));
        let ended = all_rows.iter().min_by_key(|rows| (rows.end(), rows.file));
        let Some((start, ended)) = start.zip(ended) else { return self.covered.clone() };
        let ((from, first_line), (to, last_line)) = (start.rows[0], ended.end());
        let to = to.min(day_number(Date::MAX));
        let runs = without_gaps((from, to), all_rows.iter().flat_map(Rows::gaps).collect());
        if runs.is_empty() {
            let message = if from <= to {
                "no day has data: on every day, at least one series has no valid row".to_owned()
            } else {
                let name = match ended.file {
                    InputFile::NetworkSeries => "the network series",
                    _ => "a region's series",
                };
                let (from, to, days) = (date_of(from), date_of(to), ended.valid_days);
                format!(
                    "no day has data: this series starts on {from}, but {name} ends on {to}, {days} days after its last row (line {last_line})"
                )
            };
            problems.add(Location::line(start.file, first_line), &message);
        }
        runs
    }

    fn all_rows(&self, series: &SeriesInputs) -> impl Iterator<Item = Rows> {
        let network = Rows {
            file: InputFile::NetworkSeries,
            valid_days: series.valid_days,
            rows: self.network.iter().map(|row| (row.day, row.line)).collect(),
        };
        let regions = self.regions.iter().map(|rows| Rows {
            file: InputFile::RegionSeries,
            valid_days: series.regions_valid_days,
            rows: rows.iter().map(|row| (row.day, row.line)).collect(),
        });
        std::iter::once(network).chain(regions).filter(|Rows { rows, .. }| !rows.is_empty())
    }
}

impl Rows {
    /// The last day on which the last row is valid, and its line.
    fn end(&self) -> (i64, usize) {
        let (day, line) = self.rows[self.rows.len() - 1];
        (day + self.valid_days, line)
    }

    fn gaps(&self) -> impl Iterator<Item = (i64, i64)> {
        let gaps =
            self.rows.windows(2).map(|rows| (rows[0].0 + self.valid_days + 1, rows[1].0 - 1));
        gaps.filter(|(first, last)| first <= last)
    }
}

/// The runs of days that remain of a range without its gaps.
fn without_gaps((from, to): (i64, i64), mut gaps: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    gaps.sort_unstable();
    let mut runs = Vec::new();
    let mut next = from;
    for (first, last) in gaps {
        if next < first.min(to + 1) {
            runs.push((next, (first - 1).min(to)));
        }
        next = next.max(last + 1);
    }
    if next <= to {
        runs.push((next, to));
    }
    runs
}
