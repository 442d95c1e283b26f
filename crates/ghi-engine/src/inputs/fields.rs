//! The fields of an inputs file: which there are, what they are where they are not given.

use super::table::Table;
use super::{DecimalsInputs, Inputs, Movement, NetworkInputs, RegionInputs, regions};
use crate::bounds;
use crate::fingerprint::Fingerprint;
use crate::problems::Problems;
use crate::series::Series;

/// The first four must be given.
const NETWORK_FIELDS: [&str; 7] = [
    "hashrate_eh",
    "block_reward_coins",
    "fee_usd",
    "overhead",
    "seconds_per_block",
    "hashes_per_difficulty",
    "retarget_days",
];

const DECIMALS_FIELDS: [&str; 2] = ["usd", "hashrate_eh"];

/// The first four must be given.
const MOVEMENT_FIELDS: [&str; 6] =
    ["difficulty_pct", "hashrate_pct", "fee_pct", "electricity_pct", "weekday_pct", "spread_pct"];

/// The tables that must be there, with their fields.
pub(super) const REQUIRED_TABLES: [(&str, &[&str]); 2] =
    [("network", &NETWORK_FIELDS), ("movement", &MOVEMENT_FIELDS)];

/// How many fields of the network and of its movement must be given.
const REQUIRED: usize = 4;

/// Bitcoin's block time, seconds.
const SECONDS_PER_BLOCK: f64 = 600.0;

/// Bitcoin's hashes per unit of difficulty, 2^32.
const HASHES_PER_DIFFICULTY: f64 = 4_294_967_296.0;

/// Bitcoin's 2016 blocks, days.
const RETARGET_DAYS: i64 = 14;

/// Cents, and hundredths of EH/s.
const DECIMALS: u8 = 2;

/// What the TOML says; a part that has problems is none.
pub(super) struct Fields {
    seed: Option<u64>,
    network: Option<NetworkInputs>,
    decimals: Option<DecimalsInputs>,
    movement: Option<Movement>,
    pub(super) regions: Option<Vec<RegionInputs>>,
}

impl Fields {
    /// The inputs, if no part is missing.
    pub(super) fn whole(self, series: Series, fingerprint: Fingerprint) -> Option<Inputs> {
        Some(Inputs {
            seed: self.seed?,
            network: self.network?,
            decimals: self.decimals?,
            movement: self.movement?,
            regions: self.regions?,
            series,
            fingerprint,
        })
    }
}

/// Reads every field but those of the series.
pub(super) fn read(root: &Table<'_>, problems: &mut Problems) -> Fields {
    Fields {
        seed: root.seed("seed", problems),
        network: root
            .required_table("network", &NETWORK_FIELDS, REQUIRED, problems)
            .and_then(|table| network(&table, problems)),
        decimals: decimals(root, problems),
        movement: root
            .required_table("movement", &MOVEMENT_FIELDS, REQUIRED, problems)
            .and_then(|table| movement(&table, problems)),
        regions: regions::read(root, problems),
    }
}

fn network(table: &Table<'_>, problems: &mut Problems) -> Option<NetworkInputs> {
    let hashrate_eh = table.number("hashrate_eh", bounds::HASHRATE_EH, problems);
    let block_reward_coins =
        table.number("block_reward_coins", bounds::BLOCK_REWARD_COINS, problems);
    let fee_usd = table.number("fee_usd", bounds::FEE_USD, problems);
    let overhead = table.number("overhead", bounds::OVERHEAD, problems);
    let seconds_per_block = table.number_or(
        "seconds_per_block",
        SECONDS_PER_BLOCK,
        bounds::SECONDS_PER_BLOCK,
        problems,
    );
    let hashes_per_difficulty = table.number_or(
        "hashes_per_difficulty",
        HASHES_PER_DIFFICULTY,
        bounds::HASHES_PER_DIFFICULTY,
        problems,
    );
    let retarget_days =
        table.whole_or("retarget_days", RETARGET_DAYS, bounds::RETARGET_DAYS, problems);
    Some(NetworkInputs {
        hashrate_eh: hashrate_eh?,
        block_reward_coins: block_reward_coins?,
        fee_usd: fee_usd?,
        overhead: overhead?,
        seconds_per_block: seconds_per_block?,
        hashes_per_difficulty: hashes_per_difficulty?,
        retarget_days: retarget_days?.max(1),
    })
}

fn decimals(root: &Table<'_>, problems: &mut Problems) -> Option<DecimalsInputs> {
    if root.get("decimals").is_none() {
        return Some(DecimalsInputs { usd: DECIMALS, hashrate_eh: DECIMALS });
    }
    let table = root.table("decimals", &DECIMALS_FIELDS, problems)?;
    let usd = table.whole_or("usd", DECIMALS, bounds::DECIMALS_USD, problems);
    let hashrate_eh =
        table.whole_or("hashrate_eh", DECIMALS, bounds::DECIMALS_HASHRATE_EH, problems);
    Some(DecimalsInputs { usd: usd?, hashrate_eh: hashrate_eh? })
}

fn movement(table: &Table<'_>, problems: &mut Problems) -> Option<Movement> {
    let difficulty_pct = table.number("difficulty_pct", bounds::DIFFICULTY_PCT, problems);
    let hashrate_pct = table.number("hashrate_pct", bounds::HASHRATE_PCT, problems);
    let fee_pct = table.number("fee_pct", bounds::FEE_PCT, problems);
    let electricity_pct = table.number("electricity_pct", bounds::ELECTRICITY_PCT, problems);
    let weekday_pct = table.number_or("weekday_pct", 0.0, bounds::WEEKDAY_PCT, problems);
    let spread_pct = table.number_or("spread_pct", 0.0, bounds::SPREAD_PCT, problems);
    Some(Movement {
        difficulty_pct: difficulty_pct?,
        hashrate_pct: hashrate_pct?,
        fee_pct: fee_pct?,
        electricity_pct: electricity_pct?,
        weekday_pct: weekday_pct?,
        spread_pct: spread_pct?,
    })
}
