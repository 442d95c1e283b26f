//! Reads and checks the series files.

use std::collections::HashMap;
use std::num::NonZeroU16;

use jiff::civil::Date;

use crate::calendar::{date_of, day_number};
use crate::decimal::Decimal;
use crate::inputs::RegionInputs;
use crate::problems::{InputFile, Location, ProblemReport};
use crate::ranges::{self, EFFICIENCY_LEVELS, ELECTRICITY_LEVELS, LevelsField};
use crate::registry::{SHARE_DECIMALS, WHOLE_NETWORK_PCT};
use crate::series::header::SeriesColumn;
use crate::series::sheet::Sheet;
use crate::series::{NetworkRow, PositiveF64, RegionRow, Series, SeriesFiles, override_levels};
use crate::text::listed;

const NETWORK_COLUMNS: [&str; 5] =
    ["date", "difficulty", "hashrate_eh", "fee_usd", "block_reward_coins"];

const REGION_COLUMNS: [&str; 9] = [
    "date",
    "region_id",
    "hashrate_share_pct",
    "efficiency_j_per_th_best",
    "efficiency_j_per_th_mean",
    "efficiency_j_per_th_worst",
    "electricity_usd_per_kwh_low",
    "electricity_usd_per_kwh_mean",
    "electricity_usd_per_kwh_high",
];

/// How many known ids a message lists.
const IDS_LISTED: usize = 5;

/// Reads both files. Without regions, because those of the inputs file have problems, the region series
/// is left out.
pub(crate) fn read_series(
    files: &SeriesFiles,
    regions: &[RegionInputs],
    problems: &ProblemReport,
) -> Series {
    let before = problems.count();
    let mut series = Series::default();
    if let Some(bytes) = &files.network {
        series.network = network_rows(bytes, problems).unwrap_or_default();
    }
    if let Some(bytes) = files.regions.as_ref().filter(|_| !regions.is_empty()) {
        series.regions = region_rows(bytes, regions, problems).unwrap_or_default();
    }
    // Rows with problems are left out, which would only cause more problems.
    if problems.count() == before {
        series.covered = coverage(&series, files.valid_days, problems);
        check_shares(&series, regions, problems);
    }
    series
}

fn network_rows(bytes: &[u8], problems: &ProblemReport) -> Option<Vec<NetworkRow>> {
    let (mut sheet, columns) =
        Sheet::open(bytes, InputFile::NetworkSeries, NETWORK_COLUMNS, problems)?;
    let [date, difficulty, hashrate_eh, fee_usd, block_reward_coins] = columns;
    let mut rows = Vec::new();
    let mut previous = None;
    while sheet.advance() {
        let day = sheet.day_after(date, &mut previous, || "the row before".to_owned());
        let difficulty = sheet.required_number(difficulty, ranges::DIFFICULTY);
        let hashrate_eh = sheet.number(hashrate_eh, ranges::HASHRATE_EH);
        let fee_usd = sheet.number(fee_usd, ranges::FEE_USD);
        let block_reward_coins = sheet.number(block_reward_coins, ranges::BLOCK_REWARD_COINS);
        let line = sheet.line();
        rows.extend(day.zip(difficulty).map(|(day, difficulty)| {
            let difficulty = (difficulty + 0.5) as u64;
            NetworkRow { day, line, difficulty, hashrate_eh, fee_usd, block_reward_coins }
        }));
    }
    Some(rows)
}

/// The rows of each region.
fn region_rows(
    bytes: &[u8],
    regions: &[RegionInputs],
    problems: &ProblemReport,
) -> Option<Vec<Vec<RegionRow>>> {
    let (mut sheet, columns) =
        Sheet::open(bytes, InputFile::RegionSeries, REGION_COLUMNS, problems)?;
    let [date, region_id, share, best, mean, worst, low, mean_price, high] = columns;
    if columns[2..].iter().all(|column| column.index.is_none()) {
        let message =
            format!("no data columns; expected at least one of {}", listed(&REGION_COLUMNS[2..]));
        problems.add(sheet.location(), &message);
    }
    let indices = regions.iter().enumerate().map(|(index, region)| (&*region.id, index));
    let indices: HashMap<&str, usize> = indices.collect();
    let mut rows = vec![Vec::new(); regions.len()];
    let mut previous = vec![None; regions.len()];
    while sheet.advance() {
        let Some(&index) = indices.get(sheet.cell(region_id)) else {
            sheet.report_content(region_id, &known_ids(regions));
            continue;
        };
        let region = &regions[index];
        let previous_row = || format!("the row of {:?} before", region.id);
        let day = sheet.day_after(date, &mut previous[index], previous_row);
        let hashrate_share = hashrate_share(&sheet, share);
        let base = region.efficiency_j_per_th;
        let efficiency_j_per_th = levels(&sheet, [best, mean, worst], EFFICIENCY_LEVELS, base);
        let base = region.electricity_usd_per_kwh;
        let electricity_usd_per_kwh =
            levels(&sheet, [low, mean_price, high], ELECTRICITY_LEVELS, base);
        let line = sheet.line();
        rows[index].extend(day.map(|day| RegionRow {
            day,
            line,
            hashrate_share,
            efficiency_j_per_th,
            electricity_usd_per_kwh,
        }));
    }
    Some(rows)
}

/// The ids that a row may have, as a message lists them.
fn known_ids(regions: &[RegionInputs]) -> String {
    let first = regions.iter().take(IDS_LISTED).map(|region| format!("{:?}", region.id));
    let mut ids: Vec<String> = first.collect();
    if regions.len() > IDS_LISTED {
        ids.push(format!("{} more", regions.len() - IDS_LISTED));
    }
    format!("the id of a region: {}", listed(&ids))
}

/// A share in hundredths of a percent.
fn hashrate_share(sheet: &Sheet<'_>, column: SeriesColumn) -> Option<NonZeroU16> {
    let value = sheet.number(column, ranges::HASHRATE_SHARE_PCT)?;
    let share = Decimal::nearest(value, SHARE_DECIMALS);
    if share.to_f64() != value {
        sheet.report_content(column, "a share with at most two decimals");
    }
    u16::try_from(share.count()).ok().and_then(NonZeroU16::new)
}

/// Three values, of which a row may give some; `base` applies where it does not.
fn levels(
    sheet: &Sheet<'_>,
    columns: [SeriesColumn; 3],
    field: LevelsField,
    base: [f64; 3],
) -> [Option<PositiveF64>; 3] {
    let before = sheet.problems.count();
    let given = columns.map(|column| sheet.number(column, field.range).and_then(PositiveF64::new));
    if sheet.problems.count() == before
        && let Some(problem) = field.order_problem(override_levels(base, given))
    {
        let first = (0..3).find(|kind| given[*kind].is_some()).unwrap_or_default();
        let origin = match given.contains(&None) {
            true => " (empty cells have the values of the inputs file)",
            false => "",
        };
        sheet.report(columns[first], &format!("{} {problem}{origin}", field.name));
    }
    given
}

/// The days on which every series has a row that holds.
fn coverage(series: &Series, valid_days: i64, problems: &ProblemReport) -> Option<(i64, i64)> {
    // Each series as its file, the day and line of its first row, and those of its last.
    let network = series.network.first().zip(series.network.last()).map(|(first, last)| {
        (InputFile::NetworkSeries, (first.day, first.line), (last.day, last.line))
    });
    let regions = series.regions.iter().filter_map(|rows| {
        let (first, last) = (rows.first()?, rows.last()?);
        Some((InputFile::RegionSeries, (first.day, first.line), (last.day, last.line)))
    });
    let spans: Vec<_> = network.into_iter().chain(regions).collect();
    let (file, (from, first_line), _) = *spans.iter().max_by_key(|(_, first, _)| *first)?;
    let (ended_file, _, (last, last_line)) = *spans.iter().min_by_key(|(.., last)| *last)?;
    let from = i64::from(from);
    let to = (i64::from(last) + valid_days).min(day_number(Date::MAX));
    if from <= to {
        return Some((from, to));
    }
    let ended = match ended_file {
        InputFile::NetworkSeries => "the network series",
        _ => "a region's series",
    };
    let (from, to) = (date_of(from), date_of(to));
    let message = format!(
        "no day has data: this series starts on {from}, but {ended} ends on {to}, {valid_days} days after its last row (line {last_line})"
    );
    problems.add(Location::row(file, first_line as usize), &message);
    None
}

/// Checks that the shares of all regions sum to 100 on every covered day.
fn check_shares(series: &Series, regions: &[RegionInputs], problems: &ProblemReport) {
    let Some((from, to)) = series.covered.filter(|_| !series.regions.is_empty()) else { return };
    // The changes of the sum by day: most rows repeat the share of the row before.
    let mut changes: Vec<(i64, i64)> = Vec::new();
    for (region, rows) in regions.iter().zip(&series.regions) {
        let mut before = 0;
        let started = rows.partition_point(|row| i64::from(row.day) <= from);
        let first = (from, started.checked_sub(1).map(|index| &rows[index]));
        let later = rows[started..].iter().map(|row| (i64::from(row.day), Some(row)));
        for (day, row) in std::iter::once(first).chain(later) {
            let share =
                RegionRow::hashrate_share_pct(row, region.hashrate_share_pct).count() as i64;
            if share != before {
                changes.push((day, share - before));
                before = share;
            }
        }
    }
    changes.sort_unstable_by_key(|(day, _)| *day);
    let mut sum = 0;
    for changes in changes.chunk_by(|(day, _), (other, _)| day == other) {
        let day = changes[0].0;
        let change: i64 = changes.iter().map(|(_, change)| change).sum();
        sum += change;
        // A sum that stays wrong is reported once.
        if day <= to && change != 0 && sum != WHOLE_NETWORK_PCT.count() as i64 {
            let (date, sum) = (date_of(day), sum as f64 / 100.0);
            let message = format!(
                "the hashrate_share_pct of all regions sum to {sum} on {date}; they must sum to exactly 100"
            );
            problems.add(Location::row(InputFile::RegionSeries, last_line(series, day)), &message);
        }
    }
}

/// The line of the latest row that holds on a day.
fn last_line(series: &Series, day: i64) -> usize {
    let rows = (0..series.regions.len()).filter_map(|region| series.region_on(region, day));
    rows.map(|row| (row.day, row.line)).max().map_or(1, |(_, line)| line as usize)
}
