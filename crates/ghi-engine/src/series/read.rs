//! Reads each series from its CSV file.

use std::collections::HashMap;

use jiff::civil::Date;

use crate::calendar::{FIRST, date_of, day_number};
use crate::day::share_pct;
use crate::fields::{
    EFFICIENCY, ELECTRICITY, FLEET_COLUMNS, NETWORK_COLUMNS, PRICE_USD, REGION_COLUMNS, TEXT_MAX,
    Variable, is_text, order_problem,
};
use crate::inputs::RegionInputs;
use crate::numbers::{DisplayNumber, Interval};
use crate::problems::{InputFile, Location, ProblemReport};
use crate::series::sheet::Sheet;
use crate::series::{
    CostScope, FleetRow, NetworkRow, PublishedEstimate, RegionRow, Series, override_levels,
};
use crate::text::listed;

const IDS_LISTED: usize = 5;
/// The sum of a fleet's shares, which are usually rounded.
const FLEET_SUM_PCT: Interval = Interval::new(99.9, 100.1);
/// The most machines on one date.
const MACHINES_MAX: usize = 256;

impl Series {
    /// Reads all files. The region series is skipped if there are no regions to check it against.
    pub(crate) fn read(
        [network, region_series, fleet, published]: [Option<&[u8]>; 4],
        regions: &[RegionInputs],
        has_capital: bool,
        problems: &ProblemReport,
    ) -> Self {
        let network = network.and_then(|bytes| network_rows(bytes, has_capital, problems));
        let fleet = fleet.and_then(|bytes| fleet_rows(bytes, problems));
        let published = published.and_then(|bytes| published_estimates(bytes, problems));
        let region_series = region_series.filter(|_| !regions.is_empty());
        let regions = region_series.and_then(|bytes| region_rows(bytes, regions, problems));
        Self {
            network: network.unwrap_or_default(),
            regions: regions.unwrap_or_default(),
            fleet: fleet.unwrap_or_default(),
            published: published.unwrap_or_default(),
            covered: vec![(day_number(FIRST), day_number(Date::MAX))],
        }
    }
}

/// Reads the rows of the network. If there are problems, the file is refused, and rows may have placeholders.
fn network_rows(
    bytes: &[u8],
    has_capital: bool,
    problems: &ProblemReport,
) -> Option<Vec<NetworkRow>> {
    let names = std::iter::once("date").chain(NETWORK_COLUMNS.map(|column| column.name));
    let mut sheet = Sheet::open(bytes, InputFile::NetworkSeries, names.collect(), 2, problems)?;
    let (height_column, capital_column) = (6, 9);
    if sheet.indices[capital_column].is_some() && !has_capital {
        let message = "the inputs file has no [capital], which says for how many years";
        sheet.report(Some(capital_column), message);
    }
    let mut rows: Vec<NetworkRow> = Vec::new();
    let mut last_height = 0.0;
    while sheet.advance() {
        let day = sheet.day_after(rows.last().map(|row| row.day), None);
        let [
            difficulty,
            hashrate_eh,
            fee_usd,
            block_reward_coins,
            price_usd,
            height,
            fees_per_block_coins,
            other_revenue_usd_per_block,
            capital_usd_per_th,
        ] = sheet.numbers(1, &NETWORK_COLUMNS);
        if let Some(height) = height {
            if height.fract() != 0.0 {
                sheet.report_content(height_column, "a whole number");
            } else if height < last_height {
                let message =
                    format!("{height} is below {last_height}, the height of an earlier row");
                sheet.report(Some(height_column), &message);
            }
            last_height = height;
        }
        rows.push(NetworkRow {
            day,
            line: sheet.line,
            difficulty: (difficulty.unwrap_or_default() + 0.5).floor(),
            hashrate_eh,
            fee_usd,
            block_reward_coins,
            price_usd,
            height,
            fees_per_block_coins,
            other_revenue_usd_per_block,
            capital_usd_per_th,
        });
    }
    Some(rows)
}

/// Reads the fleet. A date may have several rows.
fn fleet_rows(bytes: &[u8], problems: &ProblemReport) -> Option<Vec<FleetRow>> {
    let names = std::iter::once("date").chain(FLEET_COLUMNS.map(|column| column.name));
    let mut sheet = Sheet::open(bytes, InputFile::Fleet, names.collect(), 3, problems)?;
    let mut rows: Vec<FleetRow> = Vec::new();
    let before = problems.count();
    while sheet.advance() {
        let day = sheet.day();
        if let Some(last) = rows.last().filter(|last| (i64::MIN + 1..last.day).contains(&day)) {
            let [date, previous] = [day, last.day].map(date_of);
            let message = format!("{date} is before {previous}, the date of the previous row");
            sheet.report(Some(0), &message);
        }
        let [efficiency, share] = sheet.numbers(1, &FLEET_COLUMNS);
        let efficiency_j_per_th = efficiency.unwrap_or(1.0);
        let share_pct = share.unwrap_or_default();
        rows.push(FleetRow { day, line: sheet.line, efficiency_j_per_th, share_pct });
    }
    if problems.count() == before {
        rows.chunk_by(|a, b| a.day == b.day)
            .for_each(|machines| check_machines(machines, problems));
    }
    Some(rows)
}

/// Checks the machines of a date.
fn check_machines(machines: &[FleetRow], problems: &ProblemReport) {
    let (Some(last), count) = (machines.last(), machines.len()) else { return };
    let sum: f64 = machines.iter().map(|machine| machine.share_pct).sum();
    let date = date_of(last.day);
    let message = if count > MACHINES_MAX {
        format!("{date} has {count} rows; at most {MACHINES_MAX} are allowed")
    } else if !FLEET_SUM_PCT.contains(sum) {
        let sum = DisplayNumber::new(sum, 6);
        format!(
            "the share_pct values of {date} add up to {sum}; expected 100, or {FLEET_SUM_PCT} if they are rounded"
        )
    } else {
        return;
    };
    problems.add(Location::line(InputFile::Fleet, last.line), &message);
}

/// Reads what others published, in any order.
fn published_estimates(bytes: &[u8], problems: &ProblemReport) -> Option<Vec<PublishedEstimate>> {
    const COST: [Variable; 1] = [Variable { name: "usd_per_coin", range: PRICE_USD }];
    let names = vec!["date", "usd_per_coin", "publisher", "scope", "source"];
    let mut sheet = Sheet::open(bytes, InputFile::Published, names, 5, problems)?;
    let mut estimates = Vec::new();
    while sheet.advance() {
        let (day, [cost]) = (sheet.day(), sheet.numbers(1, &COST));
        for (column, is_valid) in
            [(2, is_text(sheet.cell(2))), (4, sheet.cell(4).is_empty() || is_text(sheet.cell(4)))]
        {
            if !is_valid {
                sheet.report_content(
                    column,
                    &format!("a text of 1 to {TEXT_MAX} visible characters"),
                );
            }
        }
        let scope = CostScope::ALL.into_iter().find(|scope| scope.name() == sheet.cell(3));
        if scope.is_none() {
            sheet.report_content(3, "energy, cash or all-in");
        }
        estimates.push(PublishedEstimate {
            date: date_of(day),
            usd_per_coin: cost.unwrap_or_default(),
            publisher: sheet.cell(2).to_owned(),
            scope: scope.unwrap_or(CostScope::Cash),
            source: sheet.cell(4).to_owned(),
        });
    }
    estimates.sort_by_key(|estimate| estimate.date);
    Some(estimates)
}

fn region_rows(
    bytes: &[u8],
    regions: &[RegionInputs],
    problems: &ProblemReport,
) -> Option<Vec<Vec<RegionRow>>> {
    let names = ["date", "region_id"].into_iter().chain(REGION_COLUMNS.map(|column| column.name));
    let mut sheet = Sheet::open(bytes, InputFile::RegionSeries, names.collect(), 2, problems)?;
    if sheet.indices[2..].iter().all(Option::is_none) {
        let names = listed(&REGION_COLUMNS.map(|column| column.name));
        sheet.report(None, &format!("no data columns; expected at least one of {names}"));
    }
    let indices = regions.iter().enumerate().map(|(index, region)| (&*region.id, index));
    let indices: HashMap<&str, usize> = indices.collect();
    let mut rows: Vec<Vec<RegionRow>> = vec![Vec::new(); regions.len()];
    while sheet.advance() {
        let Some(&index) = indices.get(sheet.cell(1)) else {
            sheet.report_content(1, &known_ids(regions));
            continue;
        };
        let region = &regions[index];
        let before = problems.count();
        let previous = rows[index].last().map(|row| row.day);
        let day = sheet.day_after(previous, Some(&region.id));
        let [share, best, mean, worst, low, mean_price, high, overhead] =
            sheet.numbers(2, &REGION_COLUMNS);
        if share.is_some_and(|share| share_pct(share).to_f64() != share) {
            sheet.report_content(2, "a share with at most two decimals");
        }
        let row = RegionRow {
            day,
            line: sheet.line,
            hashrate_share_pct: share,
            efficiency_j_per_th: [best, mean, worst],
            electricity_usd_per_kwh: [low, mean_price, high],
            overhead,
        };
        if problems.count() == before {
            check_order(&sheet, &row, region);
        }
        rows[index].push(row);
    }
    Some(rows)
}

fn known_ids(regions: &[RegionInputs]) -> String {
    let first = regions.iter().take(IDS_LISTED).map(|region| format!("{:?}", region.id));
    let more = regions.len().saturating_sub(IDS_LISTED);
    let ids: Vec<String> = first.chain((more > 0).then(|| format!("{more} more"))).collect();
    format!("the id of a region: {}", listed(&ids))
}

/// Checks the order of efficiencies and prices; the inputs file has those that the row does not have.
fn check_order(sheet: &Sheet<'_>, row: &RegionRow, region: &RegionInputs) {
    for (levels, first_column, given, base) in [
        (EFFICIENCY, 3, row.efficiency_j_per_th, region.efficiency_j_per_th),
        (ELECTRICITY, 6, row.electricity_usd_per_kwh, region.electricity_usd_per_kwh),
    ] {
        if let Some(problem) = order_problem(levels, override_levels(base, given)) {
            let first_given = given.iter().position(Option::is_some).unwrap_or_default();
            let origin = match given.contains(&None) {
                true => " (empty cells use the values in the inputs file)",
                false => "",
            };
            sheet.report(Some(first_column + first_given), &format!("{problem}{origin}"));
        }
    }
}
