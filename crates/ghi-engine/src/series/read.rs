//! Reads the rows of the series files.

use std::collections::HashMap;

use jiff::civil::Date;

use crate::calendar::{FIRST, day_number};
use crate::fields::{EFFICIENCY, ELECTRICITY, NETWORK_COLUMNS, REGION_COLUMNS, order_problem};
use crate::inputs::RegionInputs;
use crate::problems::{InputFile, ProblemReport};
use crate::registry::share_pct;
use crate::series::sheet::Sheet;
use crate::series::{NetworkRow, RegionRow, Series, override_levels};
use crate::text::listed;

const IDS_LISTED: usize = 5;

impl Series {
    /// Reads both files. The region series is skipped if there are no regions to check it against.
    pub(crate) fn read(
        network: Option<&[u8]>,
        region_series: Option<&[u8]>,
        regions: &[RegionInputs],
        problems: &ProblemReport,
    ) -> Self {
        let network = network.and_then(|bytes| network_rows(bytes, problems));
        let region_series = region_series.filter(|_| !regions.is_empty());
        let regions = region_series.and_then(|bytes| region_rows(bytes, regions, problems));
        Self {
            network: network.unwrap_or_default(),
            regions: regions.unwrap_or_default(),
            covered: vec![(day_number(FIRST), day_number(Date::MAX))],
        }
    }
}

/// Reads the rows of the network. If there are problems, the file is refused, and rows may have placeholders.
fn network_rows(bytes: &[u8], problems: &ProblemReport) -> Option<Vec<NetworkRow>> {
    let names = std::iter::once("date").chain(NETWORK_COLUMNS.map(|column| column.name));
    let mut sheet = Sheet::open(bytes, InputFile::NetworkSeries, names.collect(), problems)?;
    let mut rows = Vec::new();
    let mut previous = None;
    while sheet.advance() {
        let day = sheet.day_after(&mut previous, || "the previous row".to_owned());
        let [difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd] =
            sheet.numbers(1, &NETWORK_COLUMNS);
        rows.push(NetworkRow {
            day: day.unwrap_or_default(),
            line: sheet.line,
            difficulty: (difficulty.unwrap_or_default() + 0.5).floor(),
            hashrate_eh,
            fee_usd,
            block_reward_coins,
            price_usd,
        });
    }
    Some(rows)
}

fn region_rows(
    bytes: &[u8],
    regions: &[RegionInputs],
    problems: &ProblemReport,
) -> Option<Vec<Vec<RegionRow>>> {
    let names = ["date", "region_id"].into_iter().chain(REGION_COLUMNS.map(|column| column.name));
    let mut sheet = Sheet::open(bytes, InputFile::RegionSeries, names.collect(), problems)?;
    if !sheet.has_optional_columns() {
        let names = listed(&REGION_COLUMNS.map(|column| column.name));
        let message = format!("no data columns; expected at least one of {names}");
        problems.add(sheet.location(), &message);
    }
    let indices = regions.iter().enumerate().map(|(index, region)| (&*region.id, index));
    let indices: HashMap<&str, usize> = indices.collect();
    let mut rows = vec![Vec::new(); regions.len()];
    let mut previous = vec![None; regions.len()];
    while sheet.advance() {
        let Some(&index) = indices.get(sheet.cell(1)) else {
            sheet.report_content(1, &known_ids(regions));
            continue;
        };
        let region = &regions[index];
        let before = problems.count();
        let previous_row = || format!("the previous row of {:?}", region.id);
        let day = sheet.day_after(&mut previous[index], previous_row);
        let [share, best, mean, worst, low, mean_price, high, overhead] =
            sheet.numbers(2, &REGION_COLUMNS);
        if share.is_some_and(|share| share_pct(share).to_f64() != share) {
            sheet.report_content(2, "a share with at most two decimals");
        }
        let row = RegionRow {
            day: day.unwrap_or_default(),
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
    let mut ids: Vec<String> = first.collect();
    if regions.len() > IDS_LISTED {
        ids.push(format!("{} more", regions.len() - IDS_LISTED));
    }
    format!("the id of a region: {}", listed(&ids))
}

/// Checks the order of efficiencies and prices; the inputs file has those that the row does not have.
fn check_order(sheet: &Sheet<'_>, row: &RegionRow, region: &RegionInputs) {
    for (levels, first_column, given, base) in [
        (EFFICIENCY, 3, row.efficiency_j_per_th, region.efficiency_j_per_th),
        (ELECTRICITY, 6, row.electricity_usd_per_kwh, region.electricity_usd_per_kwh),
    ] {
        if let Some(problem) = order_problem(levels, override_levels(base, given)) {
            let first_given = (0..3).find(|kind| given[*kind].is_some()).unwrap_or_default();
            let origin = match given.contains(&None) {
                true => " (empty cells use the values in the inputs file)",
                false => "",
            };
            sheet.report(first_column + first_given, &format!("{problem}{origin}"));
        }
    }
}
