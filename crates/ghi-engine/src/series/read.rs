//! Reads and checks the series files.

use std::collections::HashMap;

use jiff::civil::Date;

use crate::calendar::{date_of, day_number};
use crate::decimal::Decimal;
use crate::inputs::RegionInputs;
use crate::problems::{InputFile, Location, ProblemReport};
use crate::ranges::{self, EFFICIENCY_LEVELS, ELECTRICITY_LEVELS, LevelsField};
use crate::registry::{SHARE_DECIMALS, WHOLE_NETWORK_PCT};
use crate::series::sheet::{SeriesColumn, Sheet};
use crate::series::{NetworkRow, RegionRow, Series, SeriesFiles, override_levels};
use crate::text::listed;

const NETWORK_COLUMNS: [&str; 6] =
    ["date", "difficulty", "hashrate_eh", "fee_usd", "block_reward_coins", "price_usd"];

/// The columns of a region series: the day, the region, and the inputs of its costs.
pub const REGION_COLUMNS: [&str; 10] = [
    "date",
    "region_id",
    "hashrate_share_pct",
    "efficiency_j_per_th_best",
    "efficiency_j_per_th_mean",
    "efficiency_j_per_th_worst",
    "electricity_usd_per_kwh_low",
    "electricity_usd_per_kwh_mean",
    "electricity_usd_per_kwh_high",
    "overhead",
];

/// The most ids that a message lists.
const IDS_LISTED: usize = 5;

/// Reads both files. The region series is skipped if problems in the inputs file leave no regions to check
/// it against.
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
    // Rows with problems have placeholders, which would cause misleading problems here.
    if problems.count() == before {
        series.covered = coverage(&series, files, problems);
        check_shares(&series, regions, problems);
    }
    series
}

fn network_rows(bytes: &[u8], problems: &ProblemReport) -> Option<Vec<NetworkRow>> {
    let (mut sheet, columns) =
        Sheet::open(bytes, InputFile::NetworkSeries, NETWORK_COLUMNS, problems)?;
    let [date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd] = columns;
    let mut rows = Vec::new();
    let mut previous = None;
    while sheet.advance() {
        let day = sheet.day_after(date, &mut previous, || "the previous row".to_owned());
        let difficulty = sheet.required_number(difficulty, ranges::DIFFICULTY);
        // A row with a problem has placeholders, since the file is refused anyway.
        rows.push(NetworkRow {
            day: day.unwrap_or_default(),
            line: sheet.line(),
            difficulty: (difficulty.unwrap_or_default() + 0.5) as u64,
            hashrate_eh: sheet.number(hashrate_eh, ranges::HASHRATE_EH),
            fee_usd: sheet.number(fee_usd, ranges::FEE_USD),
            block_reward_coins: sheet.number(block_reward_coins, ranges::BLOCK_REWARD_COINS),
            price_usd: sheet.number(price_usd, ranges::PRICE_USD),
        });
    }
    Some(rows)
}

/// Reads the rows of each region.
fn region_rows(
    bytes: &[u8],
    regions: &[RegionInputs],
    problems: &ProblemReport,
) -> Option<Vec<Vec<RegionRow>>> {
    let (mut sheet, columns) =
        Sheet::open(bytes, InputFile::RegionSeries, REGION_COLUMNS, problems)?;
    let [date, region_id, share, best, mean, worst, low, mean_price, high, overhead] = columns;
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
        let previous_row = || format!("the previous row of {:?}", region.id);
        let day = sheet.day_after(date, &mut previous[index], previous_row);
        let [efficiency, electricity] = [
            (EFFICIENCY_LEVELS, [best, mean, worst], region.efficiency_j_per_th),
            (ELECTRICITY_LEVELS, [low, mean_price, high], region.electricity_usd_per_kwh),
        ]
        .map(|(field, columns, base)| levels(&sheet, columns, field, base));
        rows[index].push(RegionRow {
            day: day.unwrap_or_default(),
            line: sheet.line(),
            hashrate_share_pct: hashrate_share(&sheet, share),
            efficiency_j_per_th: efficiency,
            electricity_usd_per_kwh: electricity,
            overhead: sheet.number(overhead, ranges::OVERHEAD),
        });
    }
    Some(rows)
}

/// The ids that a row may have, for a message.
fn known_ids(regions: &[RegionInputs]) -> String {
    let first = regions.iter().take(IDS_LISTED).map(|region| format!("{:?}", region.id));
    let mut ids: Vec<String> = first.collect();
    if regions.len() > IDS_LISTED {
        ids.push(format!("{} more", regions.len() - IDS_LISTED));
    }
    format!("the id of a region: {}", listed(&ids))
}

fn hashrate_share(sheet: &Sheet<'_>, column: SeriesColumn) -> Option<Decimal> {
    let value = sheet.number(column, ranges::SERIES_SHARE_PCT)?;
    let share = Decimal::nearest(value, SHARE_DECIMALS);
    if share.to_f64() != value {
        sheet.report_content(column, "a share with at most two decimals");
    }
    Some(share)
}

/// Reads three values, some of which may be missing. To check their order, `base` fills the gaps.
fn levels(
    sheet: &Sheet<'_>,
    columns: [SeriesColumn; 3],
    field: LevelsField,
    base: [f64; 3],
) -> [Option<f64>; 3] {
    let before = sheet.problems.count();
    let given = columns.map(|column| sheet.number(column, field.range));
    if sheet.problems.count() == before
        && let Some(problem) = field.order_problem(override_levels(base, given))
    {
        let first = (0..3).find(|kind| given[*kind].is_some()).unwrap_or_default();
        let origin = match given.contains(&None) {
            true => " (empty cells use the values in the inputs file)",
            false => "",
        };
        sheet.report(columns[first], &format!("{} {problem}{origin}", field.name));
    }
    given
}

/// The runs of days on which every series has a valid row.
fn coverage(series: &Series, files: &SeriesFiles, problems: &ProblemReport) -> Vec<(i64, i64)> {
    // Each series with its file, the days that a row is valid, and the day and line of each row.
    let network: Vec<_> = series.network.iter().map(|row| (row.day, row.line)).collect();
    let network = (InputFile::NetworkSeries, files.valid_days, network);
    let regions = series.regions.iter().map(|rows| {
        let rows = rows.iter().map(|row| (row.day, row.line)).collect();
        (InputFile::RegionSeries, files.regions_valid_days, rows)
    });
    let (mut start, mut end) = (None, None);
    let mut gaps = Vec::new();
    for (file, valid_days, rows) in std::iter::once(network).chain(regions) {
        let Some((first, last)) = rows.first().copied().zip(rows.last().copied()) else { continue };
        start = start.max(Some((first, file)));
        let series_end = (i64::from(last.0) + valid_days, last.1, file, valid_days);
        end = Some(end.map_or(series_end, |end: (i64, u32, InputFile, i64)| end.min(series_end)));
        let days = rows.windows(2).map(|rows| [i64::from(rows[0].0), i64::from(rows[1].0)]);
        let gap = |[day, next]: [i64; 2]| (day + valid_days + 1, next - 1);
        gaps.extend(days.map(gap).filter(|(first, last)| first <= last));
    }
    let Some((((from, first_line), file), (to, last_line, ended_file, valid_days))) =
        start.zip(end)
    else {
        return Vec::new();
    };
    let (from, to) = (i64::from(from), to.min(day_number(Date::MAX)));
    let runs = without_gaps((from, to), gaps);
    if runs.is_empty() {
        let location = Location::row(file, first_line as usize);
        if from <= to {
            let message = "no day has data: on every day, at least one series has no valid row";
            problems.add(location, message);
            return runs;
        }
        let ended = match ended_file {
            InputFile::NetworkSeries => "the network series",
            _ => "a region's series",
        };
        let (from, to) = (date_of(from), date_of(to));
        let message = format!(
            "no day has data: this series starts on {from}, but {ended} ends on {to}, {valid_days} days after its last row (line {last_line})"
        );
        problems.add(location, &message);
    }
    runs
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

/// Checks that the shares of all regions sum to 100 on every covered day.
fn check_shares(series: &Series, regions: &[RegionInputs], problems: &ProblemReport) {
    let Some((from, _)) = series.covered().filter(|_| !series.regions.is_empty()) else { return };
    // The changes in the sum, by day. Most rows repeat the share of the previous row.
    let mut changes: Vec<(i64, i64)> =
        series.covered.iter().map(|(first, _)| (*first, 0)).collect();
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
    let whole = WHOLE_NETWORK_PCT.count() as i64;
    let (mut sum, mut reported) = (0, whole);
    for changes in changes.chunk_by(|(day, _), (other, _)| day == other) {
        let day = changes[0].0;
        sum += changes.iter().map(|(_, change)| change).sum::<i64>();
        if !series.is_covered(day) {
            continue;
        }
        // A sum that stays wrong is reported once.
        if sum != whole && sum != reported {
            let (date, sum) = (date_of(day), sum as f64 / 100.0);
            let message = format!(
                "on {date}, the hashrate_share_pct values add up to {sum}; expected exactly 100"
            );
            problems.add(Location::row(InputFile::RegionSeries, last_line(series, day)), &message);
        }
        reported = sum;
    }
}

/// The line of the latest row that is valid on a day.
fn last_line(series: &Series, day: i64) -> usize {
    let rows = (0..series.regions.len()).filter_map(|region| series.region_on(region, day));
    rows.map(|row| (row.day, row.line)).max().map_or(1, |(_, line)| line as usize)
}
