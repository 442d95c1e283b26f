//! The inputs of the model: a TOML file and the series that it names, checked in every field.

use jiff::civil::Date;
use serde::{Deserialize, Deserializer};

use crate::calendar::{Coverage, NoFigures, date_of, day_number, parse_date};
use crate::cost::{Fleet, hashes_per_coin};
use crate::day::share_pct;
use crate::numbers::Decimal;
use crate::series::{NetworkRow, PublishedEstimate, RegionRow, Series, override_levels};

pub use about::{About, DataSource, Event, SourceKind};

mod parse;
mod about;
mod toml_text;
mod checks;

/// The text of [`Inputs::default`], with comments and sources.
pub const DEFAULT_INPUTS: &str = include_str!("../../inputs.toml");
const HASHES_PER_EH: f64 = 1e18;

/// A network that the model can compute.
///
/// Only [`Inputs::parse`] and [`Inputs::parse_with_series`] create one, so every one is valid: each
/// number is in a range that keeps all published numbers positive and exact to their last digit, and the
/// shares of every day sum to 100.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    pub(crate) file: InputsFile,
    pub(crate) series: Series,
    /// The line of each region's power prices in the inputs file.
    pub(crate) electricity_lines: Vec<usize>,
    fingerprint: String,
}

/// The content of an inputs file. Its numbers are in the ranges of [`FIELDS`](crate::fields::FIELDS).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct InputsFile {
    pub(crate) seed: u64,
    #[serde(default)]
    pub(crate) coin: Coin,
    pub(crate) network: NetworkInputs,
    #[serde(default)]
    pub(crate) decimals: DecimalsInputs,
    pub(crate) movement: MovementInputs,
    pub(crate) capital: Option<CapitalInputs>,
    pub(crate) uncertainty: Option<UncertaintyInputs>,
    #[serde(rename = "region")]
    pub(crate) regions: Vec<RegionInputs>,
    pub(crate) series: Option<SeriesInputs>,
    #[serde(default)]
    pub(crate) about: About,
    #[serde(default, rename = "event")]
    pub(crate) events: Vec<Event>,
}

/// The coin that the network mines.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Coin {
    /// Its name as in "one bitcoin"; "coin" unless the inputs name it.
    pub name: String,
    /// Its ticker symbol, such as BTC.
    pub symbol: Option<String>,
}

impl Default for Coin {
    fn default() -> Self {
        Self { name: "coin".to_owned(), symbol: None }
    }
}

impl Coin {
    /// The coin as a unit, as in "USD per BTC": its symbol, or else its name.
    pub fn unit(&self) -> &str {
        self.symbol.as_deref().unwrap_or(&self.name)
    }
}

/// The network as a whole: base levels and protocol parameters, which default to Bitcoin's.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct NetworkInputs {
    pub(crate) hashrate_eh: f64,
    pub(crate) block_reward_coins: f64,
    pub(crate) fee_usd: f64,
    pub(crate) overhead: f64,
    #[serde(default = "bitcoin_seconds_per_block")]
    pub(crate) seconds_per_block: f64,
    #[serde(default = "bitcoin_hashes_per_difficulty")]
    pub(crate) hashes_per_difficulty: f64,
    #[serde(default = "bitcoin_retarget_days", deserialize_with = "whole")]
    pub(crate) retarget_days: i64,
    /// Blocks per retarget, a whole number. Without it, a forecast keeps the difficulty.
    pub(crate) retarget_blocks: Option<f64>,
    /// Blocks per halving of the reward, a whole number. Without it, a forecast keeps the reward.
    pub(crate) halving_blocks: Option<f64>,
    /// `None` if there is no synthetic market price.
    pub(crate) price_usd: Option<f64>,
    /// The fees of all transactions in a block.
    #[serde(default)]
    pub(crate) fees_per_block_coins: f64,
    /// What a block earns besides its own coin: with merged mining, the coins of other networks.
    #[serde(default)]
    pub(crate) other_revenue_usd_per_block: f64,
    #[serde(default)]
    pub(crate) pool_fee_pct: f64,
    /// The rewards that replace `block_reward_coins`, in order.
    #[serde(default, rename = "reward")]
    pub(crate) rewards: Vec<RewardInputs>,
}

fn bitcoin_seconds_per_block() -> f64 {
    600.0
}

fn bitcoin_hashes_per_difficulty() -> f64 {
    4_294_967_296.0
}

/// The time of 2016 blocks.
fn bitcoin_retarget_days() -> i64 {
    14
}

/// A block reward and the first day on which it applies.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct RewardInputs {
    #[serde(deserialize_with = "day")]
    pub(crate) from: i64,
    pub(crate) coins: f64,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(crate) struct DecimalsInputs {
    #[serde(deserialize_with = "whole")]
    pub(crate) usd: u8,
    #[serde(deserialize_with = "whole")]
    pub(crate) hashrate_eh: u8,
}

impl Default for DecimalsInputs {
    fn default() -> Self {
        Self { usd: 2, hashrate_eh: 2 }
    }
}

/// How far the synthetic network moves from its base levels, in percent.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct MovementInputs {
    pub(crate) difficulty_pct: f64,
    pub(crate) hashrate_pct: f64,
    pub(crate) fee_pct: f64,
    pub(crate) electricity_pct: f64,
    #[serde(default)]
    pub(crate) weekday_pct: f64,
    #[serde(default)]
    pub(crate) spread_pct: f64,
    #[serde(default)]
    pub(crate) price_pct: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct CapitalInputs {
    pub(crate) usd_per_th: f64,
    pub(crate) years: f64,
}

/// Relative standard errors of the inputs, each common to all regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(crate) struct UncertaintyInputs {
    pub(crate) electricity_pct: f64,
    pub(crate) efficiency_pct: f64,
    pub(crate) overhead_pct: f64,
}

/// A region's base levels. Three values apply to the minimum, average and maximum cost.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct RegionInputs {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) hashrate_share_pct: f64,
    #[serde(deserialize_with = "efficiency")]
    pub(crate) efficiency_j_per_th: [f64; 3],
    #[serde(deserialize_with = "electricity")]
    pub(crate) electricity_usd_per_kwh: [f64; 3],
    /// `None` if the network's applies.
    overhead: Option<f64>,
}

/// The series files, and how many days a row is valid unless another follows: a month or a year, plus some
/// time to publish the next row.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(crate) struct SeriesInputs {
    pub(crate) network: Option<String>,
    pub(crate) regions: Option<String>,
    pub(crate) fleet: Option<String>,
    pub(crate) published: Option<String>,
    #[serde(deserialize_with = "whole")]
    pub(crate) valid_days: i64,
    #[serde(deserialize_with = "whole")]
    pub(crate) regions_valid_days: i64,
}

impl Default for SeriesInputs {
    fn default() -> Self {
        Self {
            network: None,
            regions: None,
            fleet: None,
            published: None,
            valid_days: 45,
            regions_valid_days: 400,
        }
    }
}

/// Reads a whole number, which may be written as a float. Others are refused later, with their range.
fn whole<'de, D: Deserializer<'de>, T: TryFrom<i64> + Default>(from: D) -> Result<T, D::Error> {
    f64::deserialize(from).map(|number| T::try_from(number as i64).unwrap_or_default())
}

/// Reads the number of a day. Invalid dates are refused later.
fn day<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    String::deserialize(from).map(|text| parse_date(&text).map_or(0, day_number))
}

fn efficiency<'de, D: Deserializer<'de>>(from: D) -> Result<[f64; 3], D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, expecting = "a table with best, mean and worst")]
    struct Efficiency {
        best: f64,
        mean: f64,
        worst: f64,
    }
    Efficiency::deserialize(from).map(|Efficiency { best, mean, worst }| [best, mean, worst])
}

fn electricity<'de, D: Deserializer<'de>>(from: D) -> Result<[f64; 3], D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, expecting = "a table with low, mean and high")]
    struct Electricity {
        low: f64,
        mean: f64,
        high: f64,
    }
    Electricity::deserialize(from).map(|Electricity { low, mean, high }| [low, mean, high])
}

impl Default for Inputs {
    fn default() -> Self {
        Self::parse(DEFAULT_INPUTS).expect("a test parses the default inputs")
    }
}

impl Inputs {
    /// The number of regions.
    pub fn region_count(&self) -> usize {
        self.file.regions.len()
    }

    /// The SHA-256 of every byte that these inputs were read from: the TOML file, then the series in the order
    /// network, regions, fleet, published. `cat inputs.toml network.csv regions.csv | sha256sum` prints the same.
    pub fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }

    /// The content of `[about]`.
    pub fn about(&self) -> &About {
        &self.file.about
    }

    /// What the inputs file fills in where the series have no value, with the value if all regions have the same.
    /// What the model moves is generated, not assumed.
    pub fn assumed(&self) -> Vec<(&'static str, Option<f64>)> {
        if !self.series.has_rows() {
            return Vec::new();
        }
        let InputsFile { network, movement, regions, .. } = &self.file;
        let rows = &self.series.network;
        let lacks = |has_value: fn(&RegionRow) -> bool| {
            let series = &self.series.regions;
            series.is_empty()
                || series.iter().any(|rows| rows.is_empty() || !rows.iter().all(has_value))
        };
        let lacks_fee = rows.iter().any(|row| row.fee_usd.is_none());
        let lacks_reward = rows.iter().any(|row| row.block_reward_coins.is_none());
        let lacks_prices = lacks(|row| !row.electricity_usd_per_kwh.contains(&None));
        let are_prices_constant = movement.electricity_pct == 0.0 && movement.spread_pct == 0.0;
        let reward = network.rewards.is_empty().then_some(network.block_reward_coins);
        let is_overhead_common = regions.iter().all(|region| region.overhead.is_none());
        let overhead = is_overhead_common.then_some(network.overhead);
        let assumed = [
            (lacks_fee && movement.fee_pct == 0.0, "Average fee in USD", Some(network.fee_usd)),
            (lacks_reward, "Block reward in coins", reward),
            (lacks(|row| row.hashrate_share_pct.is_some()), "Shares of the hashrate", None),
            (lacks(|row| !row.efficiency_j_per_th.contains(&None)), "Efficiency", None),
            (lacks_prices && are_prices_constant, "Power prices", None),
            (lacks(|row| row.overhead.is_some()), "Overhead", overhead),
        ];
        let assumed = assumed.into_iter().filter(|(is_assumed, ..)| *is_assumed);
        assumed.map(|(_, what, value)| (what, value)).collect()
    }

    /// The events, in the order of the inputs.
    pub fn events(&self) -> &[Event] {
        &self.file.events
    }

    /// The costs that others published, by date.
    pub fn published(&self) -> &[PublishedEstimate] {
        &self.series.published
    }

    /// The first and the last day that have data.
    pub fn coverage(&self) -> Coverage {
        self.series.coverage()
    }

    /// The dates of the first and the last row of the network series. `None` without one.
    pub fn network_rows(&self) -> Option<[Date; 2]> {
        let rows = &self.series.network;
        Some([rows.first()?, rows.last()?].map(|row| date_of(row.day)))
    }

    /// Fails if a day has no data.
    pub fn check(&self, date: Date) -> Result<(), NoFigures> {
        self.series.overlap(date, date).map(|_| ())
    }

    /// The block reward on a day that has this row.
    pub(crate) fn reward_on(&self, day: i64, row: Option<&NetworkRow>) -> f64 {
        let network = &self.file.network;
        let changed = network.rewards.iter().rfind(|reward| reward.from <= day);
        let in_file = changed.map_or(network.block_reward_coins, |reward| reward.coins);
        row.and_then(|row| row.block_reward_coins).unwrap_or(in_file)
    }

    /// What a block earns at a price of the coin while a row is valid: the reward, fees and other revenue, without
    /// the pool's fee.
    pub(crate) fn block_revenue_usd(
        &self,
        row: Option<&NetworkRow>,
        block_reward_coins: f64,
        price_usd: f64,
    ) -> f64 {
        let base = &self.file.network;
        let fees = row.and_then(|row| row.fees_per_block_coins);
        let other = row.and_then(|row| row.other_revenue_usd_per_block);
        let coins = block_reward_coins + fees.unwrap_or(base.fees_per_block_coins);
        (price_usd * coins + other.unwrap_or(base.other_revenue_usd_per_block))
            * (1.0 - base.pool_fee_pct / 100.0)
    }

    /// The cost of machines while a row is valid.
    pub(crate) fn capital_on(&self, row: Option<&NetworkRow>) -> Option<CapitalInputs> {
        let capital = self.file.capital?;
        let usd_per_th = row.and_then(|row| row.capital_usd_per_th).unwrap_or(capital.usd_per_th);
        Some(CapitalInputs { usd_per_th, ..capital })
    }

    pub(crate) fn hashes_per_coin(&self, difficulty: f64, block_reward_coins: f64) -> f64 {
        let hashes_per_difficulty = self.file.network.hashes_per_difficulty;
        hashes_per_coin(difficulty, hashes_per_difficulty, block_reward_coins)
    }

    pub(crate) fn base_difficulty(&self) -> f64 {
        let network = &self.file.network;
        network.hashrate_eh * HASHES_PER_EH * network.seconds_per_block
            / network.hashes_per_difficulty
    }

    /// The hashrate at which blocks of this difficulty arrive on schedule, in EH/s.
    pub(crate) fn implied_hashrate_eh(&self, difficulty: f64) -> f64 {
        let network = &self.file.network;
        difficulty * network.hashes_per_difficulty / network.seconds_per_block / HASHES_PER_EH
    }

    pub(crate) fn share_pct(&self, region: usize, row: Option<&RegionRow>) -> Decimal {
        let given = row.and_then(|row| row.hashrate_share_pct);
        share_pct(given.unwrap_or(self.file.regions[region].hashrate_share_pct))
    }

    /// The fleet of a region while a row is valid, without movement.
    pub(crate) fn fleet(&self, region: usize, row: Option<&RegionRow>) -> Fleet {
        let base = &self.file.regions[region];
        let efficiency = row.map_or([None; 3], |row| row.efficiency_j_per_th);
        let electricity = row.map_or([None; 3], |row| row.electricity_usd_per_kwh);
        let overhead = row.and_then(|row| row.overhead).or(base.overhead);
        Fleet {
            efficiency_j_per_th: override_levels(base.efficiency_j_per_th, efficiency),
            electricity_usd_per_kwh: override_levels(base.electricity_usd_per_kwh, electricity),
            overhead: overhead.unwrap_or(self.file.network.overhead),
        }
    }
}
