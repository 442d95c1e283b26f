//! The fields of an inputs file, and their defaults.

use std::collections::HashSet;

use ghi_contract::{GLOBAL, REGION_ID_MAX, is_region_id};

use crate::calendar::date_of;
use crate::decimal::Decimal;
use crate::inputs::table::Table;
use crate::inputs::{
    CapitalInputs, Coin, DecimalsInputs, Fingerprint, Inputs, MovementInputs, NetworkInputs,
    RegionInputs,
};
use crate::problems::{InputFile, Location};
use crate::ranges::{self, EFFICIENCY_LEVELS, ELECTRICITY_LEVELS, LevelsField, ValidRange};
use crate::registry::{SHARE_DECIMALS, WHOLE_NETWORK_PCT};
use crate::series::{Series, SeriesFiles};
use crate::text::{is_invisible, visible};

/// The tables that an inputs file must have.
pub(super) const REQUIRED_TABLES: [&str; 2] = ["network", "movement"];

/// Bitcoin's block time in seconds.
const SECONDS_PER_BLOCK: f64 = 600.0;

/// Bitcoin's hashes per unit of difficulty, 2^32.
const HASHES_PER_DIFFICULTY: f64 = 4_294_967_296.0;

/// The time of Bitcoin's 2016 blocks in days.
const RETARGET_DAYS: i64 = 14;

/// The default number of decimals: cents, and hundredths of EH/s.
const DECIMALS: u8 = 2;

/// How many days a row of the network series is valid: a month, plus some time to publish the next
/// row.
const VALID_DAYS: i64 = 45;

/// The same for regions: a year, plus some time to publish the next row.
const REGIONS_VALID_DAYS: i64 = 400;

/// The longest symbol of a coin in characters.
const SYMBOL_MAX: usize = 10;

/// The longest name of a region or a coin in characters.
const NAME_MAX: usize = 64;

/// The longest name of a series file in characters.
const FILE_NAME_MAX: usize = 255;

/// The characters that start a formula in a spreadsheet, including their East Asian full-width forms.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Reads a series file by its name. Returns its bytes, or why it cannot be read.
pub(super) type ReadFile<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// The fields whose values may be too small or too large for the published decimals.
pub(super) struct Locations {
    pub(super) hashrate_eh: Location<'static>,
    pub(super) fee_usd: Location<'static>,
    pub(super) price_usd: Location<'static>,
    pub(super) capital: Location<'static>,
    /// The efficiency of each region.
    pub(super) regions: Vec<Location<'static>>,
}

/// Reads every field, and the files that it names. Values with problems are replaced with placeholders. The
/// inputs have neither series nor a fingerprint yet.
pub(super) fn read(
    root: &mut Table<'_>,
    read_file: Option<ReadFile<'_>>,
) -> (Inputs, SeriesFiles, Locations) {
    let seed = root.seed("seed");
    let coin = root.table("coin", coin);
    let ((network, overhead), [hashrate_eh, fee_usd, price_usd]) = root.table("network", |table| {
        let fields = ["hashrate_eh", "fee_usd", "price_usd"];
        (network(table), fields.map(|field| table.location(field)))
    });
    let decimals = root.table("decimals", |table| DecimalsInputs {
        usd: table.whole_or("usd", DECIMALS, ranges::DECIMALS_USD),
        hashrate_eh: table.whole_or("hashrate_eh", DECIMALS, ranges::DECIMALS_HASHRATE_EH),
    });
    let movement = root.table("movement", movement);
    let capital_location = root.location("capital");
    let capital = root.has("capital").then(|| {
        root.table("capital", |table| CapitalInputs {
            usd_per_th: table.number("usd_per_th", ranges::USD_PER_TH),
            years: table.number("years", ranges::YEARS),
        })
    });
    let (regions, locations) = regions(root, overhead);
    let locations = Locations {
        hashrate_eh,
        fee_usd,
        price_usd,
        capital: capital_location,
        regions: locations,
    };
    let (series, fingerprint) = (Series::default(), Fingerprint::new([]));
    let inputs =
        Inputs { seed, coin, network, decimals, movement, capital, regions, series, fingerprint };
    (inputs, series_files(root, read_file), locations)
}

fn coin(table: &mut Table<'_>) -> Coin {
    let name = if table.has("name") { display_name(table) } else { Coin::default().name };
    let symbol = if table.has("symbol") { table.string("symbol") } else { None };
    let is_symbol = |text: &&str| {
        (1..=SYMBOL_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    if let Some(text) = symbol.filter(|text| !is_symbol(text)) {
        let allowed = format!("1 to {SYMBOL_MAX} characters from A-Z, a-z and 0-9");
        table.report("symbol", &format!("is {text:?}; expected {allowed}"));
    }
    Coin { name, symbol: symbol.map(str::to_owned) }
}

/// Reads the network, and the overhead of regions without their own.
fn network(table: &mut Table<'_>) -> (NetworkInputs, f64) {
    let required = [
        ("hashrate_eh", ranges::HASHRATE_EH),
        ("block_reward_coins", ranges::BLOCK_REWARD_COINS),
        ("fee_usd", ranges::FEE_USD),
        ("overhead", ranges::OVERHEAD),
    ];
    let [hashrate_eh, block_reward_coins, fee_usd, overhead] =
        required.map(|(name, range)| table.number(name, range));
    let network = NetworkInputs {
        hashrate_eh,
        block_reward_coins,
        fee_usd,
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
        price_usd: table.has("price_usd").then(|| table.number("price_usd", ranges::PRICE_USD)),
        rewards: rewards(table),
    };
    (network, overhead)
}

/// Reads the rewards, each with the day from which it applies.
fn rewards(table: &mut Table<'_>) -> Vec<(i64, f64)> {
    if !table.has("reward") {
        return Vec::new();
    }
    let mut previous = None;
    table.tables("reward", |table| {
        let from = table.day("from");
        if let (Some(from), Some(previous)) = (from, previous)
            && from <= previous
        {
            let [from, previous] = [from, previous].map(date_of);
            let message = format!("is {from}; expected a date after the previous one, {previous}");
            table.report("from", &message);
        }
        previous = from;
        (from.unwrap_or_default(), table.number("coins", ranges::BLOCK_REWARD_COINS))
    })
}

/// Reads the movements, in percent of the base level.
fn movement(table: &mut Table<'_>) -> MovementInputs {
    let range = |max| ValidRange { min: 0.0, max };
    MovementInputs {
        difficulty_pct: table.number("difficulty_pct", range(50.0)),
        hashrate_pct: table.number("hashrate_pct", range(30.0)),
        fee_pct: table.number("fee_pct", range(90.0)),
        electricity_pct: table.number("electricity_pct", range(50.0)),
        weekday_pct: table.number_or("weekday_pct", 0.0, range(20.0)),
        spread_pct: table.number_or("spread_pct", 0.0, range(90.0)),
        price_pct: table.number_or("price_pct", 0.0, range(90.0)),
    }
}

/// Reads the regions and the locations of their efficiencies. Both are empty if a region has problems.
fn regions(root: &mut Table<'_>, overhead: f64) -> (Vec<RegionInputs>, Vec<Location<'static>>) {
    let before = root.problems().count();
    let mut ids = HashSet::new();
    let mut last_share = None;
    let regions: Vec<_> = root.tables("region", |table| {
        let region = region(table, overhead);
        if !region.id.is_empty() && !ids.insert(region.id.clone()) {
            table.report("id", &format!("{:?} is a duplicate; each id must be unique", region.id));
        }
        last_share = Some(table.location("hashrate_share_pct"));
        (region, table.location(EFFICIENCY_LEVELS.name))
    });
    if root.problems().count() > before {
        return (Vec::new(), Vec::new());
    }
    let counts = regions.iter().map(|(region, _)| region.hashrate_share_pct.count());
    let sum = Decimal::new(counts.sum(), SHARE_DECIMALS);
    if let Some(location) = last_share.filter(|_| sum != WHOLE_NETWORK_PCT) {
        let sum = sum.to_f64();
        let message = format!(
            "the hashrate_share_pct values add up to {sum}; expected exactly 100 (reported at the last region)"
        );
        root.problems().add(location, &message);
    }
    regions.into_iter().unzip()
}

fn region(table: &mut Table<'_>, overhead: f64) -> RegionInputs {
    RegionInputs {
        id: region_id(table),
        name: display_name(table),
        hashrate_share_pct: hashrate_share(table),
        efficiency_j_per_th: levels(table, EFFICIENCY_LEVELS),
        electricity_usd_per_kwh: levels(table, ELECTRICITY_LEVELS),
        overhead: table.number_or("overhead", overhead, ranges::OVERHEAD),
        electricity_line: table.location(ELECTRICITY_LEVELS.name).line().unwrap_or_default(),
    }
}

/// Reads an id. Returns an empty string if it isn't valid.
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

/// Reads the name of a region or a coin.
fn display_name(table: &mut Table<'_>) -> String {
    let Some(name) = table.string("name") else { return String::new() };
    if !is_printable(name, NAME_MAX) {
        table.report("name", &format!("must have 1 to {NAME_MAX} visible characters"));
    } else if name.trim() != name {
        table.report("name", "must not start or end with a space");
    } else if name.starts_with(FORMULA_STARTS) {
        table.report("name", "must not start with =, +, - or @, which start a formula");
    }
    name.to_owned()
}

/// Whether a string can be displayed: not blank, not too long, and without invisible characters.
fn is_printable(text: &str, max: usize) -> bool {
    let is_long = text.chars().nth(max).is_some();
    !is_long && !text.trim().is_empty() && !text.chars().any(is_invisible)
}

fn hashrate_share(table: &mut Table<'_>) -> Decimal {
    const NAME: &str = "hashrate_share_pct";
    let share_pct = table.number(NAME, ranges::HASHRATE_SHARE_PCT);
    let share = Decimal::nearest(share_pct, SHARE_DECIMALS);
    // Rounding doesn't change a share with at most two decimals.
    if share.to_f64() != share_pct {
        table.report(NAME, &format!("is {share_pct}; expected at most two decimals"));
    }
    share
}

fn levels(region: &mut Table<'_>, field: LevelsField) -> [f64; 3] {
    let before = region.problems().count();
    let values = region
        .table(field.name, |table| field.levels.map(|level| table.number(level, field.range)));
    if region.problems().count() == before
        && let Some(message) = field.order_problem(values)
    {
        region.report(field.name, &message);
    }
    values
}

fn series_files(root: &mut Table<'_>, read_file: Option<ReadFile<'_>>) -> SeriesFiles {
    let none = SeriesFiles {
        network: None,
        regions: None,
        valid_days: VALID_DAYS,
        regions_valid_days: REGIONS_VALID_DAYS,
    };
    if !root.has("series") {
        return none;
    }
    let Some(read_file) = read_file else {
        root.report("series", "is only allowed in a file, because its paths are relative to it");
        return none;
    };
    let mut names_file = false;
    let files = root.table("series", |table| {
        names_file = table.has("network") | table.has("regions");
        SeriesFiles {
            network: series_file(table, "network", InputFile::NetworkSeries, read_file),
            regions: series_file(table, "regions", InputFile::RegionSeries, read_file),
            valid_days: table.whole_or("valid_days", VALID_DAYS, ranges::VALID_DAYS),
            regions_valid_days: table.whole_or(
                "regions_valid_days",
                REGIONS_VALID_DAYS,
                ranges::VALID_DAYS,
            ),
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
    read_file: ReadFile<'_>,
) -> Option<Vec<u8>> {
    let name = if table.has(field) { table.string(field)? } else { return None };
    if !is_printable(name, FILE_NAME_MAX) {
        // In a string, "data\network.csv" has a line break.
        let hint = "in a path, write / or use single quotes, because a backslash starts an escape";
        let message = format!("must have 1 to {FILE_NAME_MAX} visible characters; {hint}");
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
