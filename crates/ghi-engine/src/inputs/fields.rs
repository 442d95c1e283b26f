//! The fields of an inputs file: which there are, and their defaults.

use std::collections::HashSet;

use ghi_contract::{GLOBAL, REGION_ID_MAX, is_region_id};

use crate::decimal::Decimal;
use crate::inputs::table::Table;
use crate::inputs::{DecimalsInputs, MovementInputs, NetworkInputs, RegionInputs};
use crate::problems::{InputFile, Location};
use crate::ranges::{self, EFFICIENCY_LEVELS, ELECTRICITY_LEVELS, LevelsField};
use crate::registry::{SHARE_DECIMALS, WHOLE_NETWORK_PCT};
use crate::series::SeriesFiles;
use crate::text::{is_invisible, visible};

/// The tables that an inputs file must have.
pub(super) const REQUIRED_TABLES: [&str; 2] = ["network", "movement"];

/// Bitcoin's block time, seconds.
const SECONDS_PER_BLOCK: f64 = 600.0;

/// Bitcoin's hashes per unit of difficulty, 2^32.
const HASHES_PER_DIFFICULTY: f64 = 4_294_967_296.0;

/// Bitcoin's 2016 blocks, days.
const RETARGET_DAYS: i64 = 14;

/// Cents, and hundredths of EH/s.
const DECIMALS: u8 = 2;

/// How long the last row of a series holds, days: a month, and some time to publish the next.
const VALID_DAYS: i64 = 45;

/// The longest display name of a region, characters.
const NAME_MAX: usize = 64;

/// The longest name of a series file, characters.
const FILE_NAME_MAX: usize = 255;

/// The characters that start a formula in a spreadsheet, also in East Asian full width.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Returns the bytes of a series file by its name, or why it cannot be read.
pub(super) type ReadFile<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// What an inputs file says. Where problems were reported, placeholders take the place of values.
pub(super) struct Fields {
    pub(super) seed: u64,
    pub(super) network: NetworkInputs,
    pub(super) decimals: DecimalsInputs,
    pub(super) movement: MovementInputs,
    /// Empty if a region has problems.
    pub(super) regions: Vec<RegionInputs>,
    pub(super) series: SeriesFiles,
    pub(super) locations: Locations,
}

/// The fields whose values may be too small or too large for the published decimals.
pub(super) struct Locations {
    pub(super) hashrate_eh: Location<'static>,
    pub(super) fee_usd: Location<'static>,
    /// The efficiency of each region.
    pub(super) regions: Vec<Location<'static>>,
}

/// Reads every field, and the series that the file names.
pub(super) fn read(root: &mut Table<'_>, read_file: Option<ReadFile<'_>>) -> Fields {
    let seed = root.seed("seed");
    let (network, hashrate_eh, fee_usd) = root.table("network", |table| {
        (network(table), table.location("hashrate_eh"), table.location("fee_usd"))
    });
    let decimals = root.table("decimals", |table| DecimalsInputs {
        usd: table.whole_or("usd", DECIMALS, ranges::DECIMALS_USD),
        hashrate_eh: table.whole_or("hashrate_eh", DECIMALS, ranges::DECIMALS_HASHRATE_EH),
    });
    let movement = root.table("movement", movement);
    let (regions, locations) = regions(root);
    let locations = Locations { hashrate_eh, fee_usd, regions: locations };
    let series = series_files(root, read_file);
    Fields { seed, network, decimals, movement, regions, series, locations }
}

fn network(table: &mut Table<'_>) -> NetworkInputs {
    NetworkInputs {
        hashrate_eh: table.number("hashrate_eh", ranges::HASHRATE_EH),
        block_reward_coins: table.number("block_reward_coins", ranges::BLOCK_REWARD_COINS),
        fee_usd: table.number("fee_usd", ranges::FEE_USD),
        overhead: table.number("overhead", ranges::OVERHEAD),
        seconds_per_block: table.number_or(
            "seconds_per_block",
            SECONDS_PER_BLOCK,
            ranges::SECONDS_PER_BLOCK,
        ),
        hashes_per_difficulty: table.number_or(
            "hashes_per_difficulty",
            HASHES_PER_DIFFICULTY,
            ranges::HASHES_PER_DIFFICULTY,
        ),
        retarget_days: table.whole_or("retarget_days", RETARGET_DAYS, ranges::RETARGET_DAYS).max(1),
    }
}

fn movement(table: &mut Table<'_>) -> MovementInputs {
    MovementInputs {
        difficulty_pct: table.number("difficulty_pct", ranges::DIFFICULTY_PCT),
        hashrate_pct: table.number("hashrate_pct", ranges::HASHRATE_PCT),
        fee_pct: table.number("fee_pct", ranges::FEE_PCT),
        electricity_pct: table.number("electricity_pct", ranges::ELECTRICITY_PCT),
        weekday_pct: table.number_or("weekday_pct", 0.0, ranges::WEEKDAY_PCT),
        spread_pct: table.number_or("spread_pct", 0.0, ranges::SPREAD_PCT),
    }
}

/// The regions and the locations of their efficiencies; none if a region has problems.
fn regions(root: &mut Table<'_>) -> (Vec<RegionInputs>, Vec<Location<'static>>) {
    let before = root.problem_count();
    let mut ids = HashSet::new();
    let mut last_share = None;
    let regions: Vec<_> = root.tables("region", |table| {
        let region = region(table);
        if !region.id.is_empty() && !ids.insert(region.id.clone()) {
            table.report("id", &format!("{:?} is a duplicate; each id must be unique", region.id));
        }
        last_share = Some(table.location("hashrate_share_pct"));
        (region, table.location(EFFICIENCY_LEVELS.name))
    });
    if root.problem_count() > before {
        return (Vec::new(), Vec::new());
    }
    let counts = regions.iter().map(|(region, _)| region.hashrate_share_pct.count());
    let sum = Decimal::new(counts.sum(), SHARE_DECIMALS);
    if let Some(location) = last_share.filter(|_| sum != WHOLE_NETWORK_PCT) {
        let sum = sum.to_f64();
        let message = format!(
            "the hashrate_share_pct of all regions, of which this is the last, sum to {sum}; they must sum to exactly 100"
        );
        root.problems().add(location, &message);
    }
    regions.into_iter().unzip()
}

fn region(table: &mut Table<'_>) -> RegionInputs {
    RegionInputs {
        id: region_id(table),
        name: region_name(table),
        hashrate_share_pct: hashrate_share(table),
        efficiency_j_per_th: levels(table, EFFICIENCY_LEVELS),
        electricity_usd_per_kwh: levels(table, ELECTRICITY_LEVELS),
    }
}

/// Reads an id; empty where it is not valid.
fn region_id(table: &mut Table<'_>) -> String {
    let Some(id) = table.string("id") else { return String::new() };
    if id == GLOBAL {
        table.report("id", &format!("{id:?} is reserved for worldwide data; choose another"));
        return String::new();
    }
    if !is_region_id(id) {
        let allowed = format!("1 to {REGION_ID_MAX} of a-z, 0-9 and '-', starting with a letter");
        table.report("id", &format!("is {id:?}; expected {allowed}"));
        return String::new();
    }
    id.to_owned()
}

fn region_name(table: &mut Table<'_>) -> String {
    let Some(name) = table.string("name") else { return String::new() };
    if !is_printable(name, NAME_MAX) {
        table.report("name", &format!("must have 1 to {NAME_MAX} characters, all of them visible"));
    } else if name.trim() != name {
        table.report("name", "must not start or end with a space");
    } else if name.starts_with(FORMULA_STARTS) {
        table.report("name", "must not start with =, +, - or @: spreadsheets would run it");
    }
    name.to_owned()
}

/// Whether a text can be displayed: not blank, not too long, and without invisible characters.
fn is_printable(text: &str, max: usize) -> bool {
    let is_long = text.chars().nth(max).is_some();
    !is_long && !text.trim().is_empty() && !text.chars().any(is_invisible)
}

fn hashrate_share(table: &mut Table<'_>) -> Decimal {
    const NAME: &str = "hashrate_share_pct";
    let share_pct = table.number(NAME, ranges::HASHRATE_SHARE_PCT);
    let share = Decimal::nearest(share_pct, SHARE_DECIMALS);
    // With no more than two decimals, both are the float that is nearest to them.
    if share.to_f64() != share_pct {
        table.report(NAME, &format!("is {share_pct}; expected at most two decimals"));
    }
    share
}

fn levels(region: &mut Table<'_>, field: LevelsField) -> [f64; 3] {
    let before = region.problem_count();
    let values = region
        .table(field.name, |table| field.levels.map(|level| table.number(level, field.range)));
    if region.problem_count() == before
        && let Some(message) = field.order_problem(values)
    {
        region.report(field.name, &message);
    }
    values
}

fn series_files(root: &mut Table<'_>, read_file: Option<ReadFile<'_>>) -> SeriesFiles {
    let none = SeriesFiles { network: None, regions: None, valid_days: VALID_DAYS };
    if !root.has("series") {
        return none;
    }
    let Some(read_file) = read_file else {
        root.report("series", "names files relative to an inputs file; this text is not in a file");
        return none;
    };
    let mut names_file = false;
    let files = root.table("series", |table| {
        names_file = table.has("network") | table.has("regions");
        SeriesFiles {
            network: series_file(table, "network", InputFile::NetworkSeries, read_file),
            regions: series_file(table, "regions", InputFile::RegionSeries, read_file),
            valid_days: table.whole_or("valid_days", VALID_DAYS, ranges::VALID_DAYS),
        }
    });
    if !names_file {
        root.report("series", "names no file; expected network, regions or both");
    }
    files
}

fn series_file(
    table: &mut Table<'_>,
    field: &'static str,
    file: InputFile,
    read_file: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Option<Vec<u8>> {
    let name = if table.has(field) { table.string(field)? } else { return None };
    if !is_printable(name, FILE_NAME_MAX) {
        // A path such as "data\network.csv" has a line break in it.
        let hint = "in a path, write / or use single quotes: a backslash starts an escape";
        let message =
            format!("must have 1 to {FILE_NAME_MAX} characters, all of them visible; {hint}");
        table.report(field, &message);
        return None;
    }
    table.problems().set_name(file, name);
    let bytes = read_file(name);
    if let Err(reason) = &bytes {
        let name = visible(name, NAME_MAX);
        table.report(field, &format!("{name:?} cannot be read: {reason}"));
    }
    bytes.ok()
}
