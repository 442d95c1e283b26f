//! Reads each series from its CSV file.

use std::collections::HashMap;

use jiff::civil::Date;

use crate::calendar::{FIRST, date_of, day_number};
use crate::day::share_pct;
use crate::fields::{
    EFFICIENCY, ELECTRICITY, FLEET_COLUMNS, NETWORK_COLUMNS, PRICE_USD, REGION_COLUMNS, TEXT_MAX,
    Variable, is_printable, order_problem,
};
use crate::inputs::{InputsFile, RegionInputs};
use crate::numbers::{DisplayNumber, Interval};
use crate::problems::{InputFile, ProblemReport};
use crate::series::sheet::Sheet;
use crate::series::{
    CostScope, FleetRow, NetworkRow, PublishedEstimate, RegionRow, Series, override_levels,
};

/// The sum of a fleet's shares, which are usually rounded.
const FLEET_SUM_PCT: Interval = Interval::new(99.9, 100.1);
/// The most machines on one date.
const MACHINES_MAX: usize = 256;

impl Series {
    /// Reads the files of the network, the regions, the fleet and the published estimates.
    pub(crate) fn read(
        files: [Option<&[u8]>; 4],
        inputs: &InputsFile,
        problems: &ProblemReport,
    ) -> Self {
        let [network, regions, fleet, published] = files;
        let has_capital = inputs.capital.is_some();
        let network = network.and_then(|bytes| network_rows(bytes, has_capital, problems));
        let regions = regions.and_then(|bytes| region_rows(bytes, &inputs.regions, problems));
        let fleet = fleet.and_then(|bytes| fleet_rows(bytes, problems));
        let published = published.and_then(|bytes| published_estimates(bytes, problems));
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
        sheet.report(
            "capital_usd_per_th needs [capital] in the inputs file, which says for how many years",
        );
    }
    let mut rows: Vec<NetworkRow> = Vec::new();
    let mut last_height = 0.0;
    while sheet.advance() {
        let day = sheet.day(rows.last().map(|row| row.day + 1));
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
            if height.fract() != 0.0 || height < last_height {
                let expected = format!("a whole number, at least {last_height} as in earlier rows");
                sheet.refuse(height_column, &expected);
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
        let day = sheet.day(rows.last().map(|row| row.day));
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
    if count > MACHINES_MAX || !FLEET_SUM_PCT.contains(sum) {
        let (date, sum) = (date_of(last.day), DisplayNumber::new(sum, 6));
        let message = format!(
            "{date} has a share_pct of {sum} in {count} rows; expected 100, or {FLEET_SUM_PCT} if shares are rounded, in at most {MACHINES_MAX} rows"
        );
        problems.add((InputFile::Fleet, Some(last.line)), &message);
    }
}

/// Reads what others published, in any order.
fn published_estimates(bytes: &[u8], problems: &ProblemReport) -> Option<Vec<PublishedEstimate>> {
    const COST: [Variable; 1] = [Variable { name: "usd_per_coin", range: PRICE_USD }];
    let names = vec!["date", "usd_per_coin", "publisher", "scope", "source"];
    let mut sheet = Sheet::open(bytes, InputFile::Published, names, 5, problems)?;
    let mut estimates = Vec::new();
    while sheet.advance() {
        let (day, [cost]) = (sheet.day(None), sheet.numbers(1, &COST));
        let [publisher, source] = [2, 4].map(|column| {
            let text = sheet.cell(column);
            let is_missing = column == 4 && text.is_empty();
            if !is_missing && !is_printable(text, TEXT_MAX) {
                sheet.refuse(column, &format!("a text of 1 to {TEXT_MAX} visible characters"));
            }
            text.to_owned()
        });
        let scope = CostScope::ALL.into_iter().find(|scope| scope.name() == sheet.cell(3));
        if scope.is_none() {
            sheet.refuse(3, "energy, cash or all-in");
        }
        estimates.push(PublishedEstimate {
            date: date_of(day),
            usd_per_coin: cost.unwrap_or_default(),
            publisher,
            scope: scope.unwrap_or(CostScope::Cash),
            source,
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
    let indices = regions.iter().enumerate().map(|(index, region)| (&*region.id, index));
    let indices: HashMap<&str, usize> = indices.collect();
    let mut rows: Vec<Vec<RegionRow>> = vec![Vec::new(); regions.len()];
    while sheet.advance() {
        let Some(&index) = indices.get(sheet.cell(1)) else {
            sheet.refuse(1, "the id of a region in the inputs file");
            continue;
        };
        let before = problems.count();
        let day = sheet.day(rows[index].last().map(|row| row.day + 1));
        let [share, best, mean, worst, low, mean_price, high, overhead] =
            sheet.numbers(2, &REGION_COLUMNS);
        if share.is_some_and(|share| share_pct(share).to_f64() != share) {
            sheet.refuse(2, "at most two decimals");
        }
        let (efficiency, electricity) = ([best, mean, worst], [low, mean_price, high]);
        let base = &regions[index];
        for (levels, base, given) in [
            (EFFICIENCY, base.efficiency_j_per_th, efficiency),
            (ELECTRICITY, base.electricity_usd_per_kwh, electricity),
        ] {
            let problem = order_problem(levels, override_levels(base, given));
            if let Some(problem) = problem.filter(|_| problems.count() == before) {
                sheet.report(&format!("{problem} (empty cells use the values in the inputs file)"));
            }
        }
        rows[index].push(RegionRow {
            day,
            line: sheet.line,
            hashrate_share_pct: share,
            efficiency_j_per_th: efficiency,
            electricity_usd_per_kwh: electricity,
            overhead,
        });
    }
    Some(rows)
}
