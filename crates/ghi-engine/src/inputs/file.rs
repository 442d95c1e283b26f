//! The tables of an inputs file, as TOML has them.

use serde::Deserialize;
use toml::Spanned;

/// A number and where it is.
pub(super) type Number = Spanned<f64>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct InputsFile {
    pub(super) seed: u64,
    #[serde(default)]
    pub(super) coin: CoinTable,
    pub(super) network: NetworkTable,
    #[serde(default)]
    pub(super) decimals: DecimalsTable,
    pub(super) movement: MovementTable,
    pub(super) capital: Option<Spanned<CapitalTable>>,
    pub(super) region: Spanned<Vec<RegionTable>>,
    pub(super) series: Option<Spanned<SeriesTable>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct CoinTable {
    pub(super) name: Option<Spanned<String>>,
    pub(super) symbol: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct NetworkTable {
    pub(super) hashrate_eh: Number,
    pub(super) block_reward_coins: Number,
    pub(super) fee_usd: Number,
    pub(super) overhead: Number,
    pub(super) seconds_per_block: Option<Number>,
    pub(super) hashes_per_difficulty: Option<Number>,
    pub(super) retarget_days: Option<Number>,
    pub(super) price_usd: Option<Number>,
    #[serde(default)]
    pub(super) reward: Vec<RewardTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RewardTable {
    pub(super) from: Spanned<String>,
    pub(super) coins: Number,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct DecimalsTable {
    pub(super) usd: Option<Number>,
    pub(super) hashrate_eh: Option<Number>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct MovementTable {
    pub(super) difficulty_pct: Number,
    pub(super) hashrate_pct: Number,
    pub(super) fee_pct: Number,
    pub(super) electricity_pct: Number,
    pub(super) weekday_pct: Option<Number>,
    pub(super) spread_pct: Option<Number>,
    pub(super) price_pct: Option<Number>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct CapitalTable {
    pub(super) usd_per_th: Number,
    pub(super) years: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct RegionTable {
    pub(super) id: Spanned<String>,
    pub(super) name: Spanned<String>,
    pub(super) hashrate_share_pct: Number,
    pub(super) efficiency_j_per_th: Spanned<EfficiencyTable>,
    pub(super) electricity_usd_per_kwh: Spanned<ElectricityTable>,
    pub(super) overhead: Option<Number>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with best, mean and worst")]
pub(super) struct EfficiencyTable {
    pub(super) best: Number,
    pub(super) mean: Number,
    pub(super) worst: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with low, mean and high")]
pub(super) struct ElectricityTable {
    pub(super) low: Number,
    pub(super) mean: Number,
    pub(super) high: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct SeriesTable {
    pub(super) network: Option<Spanned<String>>,
    pub(super) regions: Option<Spanned<String>>,
    pub(super) valid_days: Option<Number>,
    pub(super) regions_valid_days: Option<Number>,
}
