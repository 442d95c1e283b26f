//! Every field of the inputs file and every column of the series, with what it may contain.

use std::fmt;

use ghi_contract::{GLOBAL, REGION_ID_MAX, is_region_id};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::Spanned;
use toml::de::DeValue;

use FieldRule::{Any, Date, FileName, Name, Number, RegionId, SharePct, Symbol, Text, Url, Whole};

use crate::calendar::parse_date;
use crate::day::share_pct;
use crate::numbers::Interval;
use crate::text::is_invisible;

/// From a network of a few computers to a thousand times Bitcoin.
const HASHRATE_EH: Interval = Interval::new(1e-12, 1e6);
pub(crate) const BLOCK_REWARD_COINS: Interval = Interval::new(1e-6, 1e9);
const FEE_USD: Interval = Interval::new(1e-6, 1e6);
pub(crate) const PRICE_USD: Interval = Interval::new(1e-6, 1e9);
/// A float represents every whole number in this range exactly.
pub(crate) const DIFFICULTY: Interval = Interval::new(1.0, 9e15);
/// From an ASIC of the far future to a processor that computes RandomX.
pub(crate) const EFFICIENCY_J_PER_TH: Interval = Interval::new(1e-3, 1e13);
pub(crate) const ELECTRICITY_USD_PER_KWH: Interval = Interval::new(1e-4, 10.0);
pub(crate) const OVERHEAD: Interval = Interval::new(1.0, 10.0);
const VALID_DAYS: Interval = Interval::new(0.0, 3660.0);
/// Processors that compute RandomX cost 1e10 or more.
const CAPITAL_USD_PER_TH: Interval = Interval::new(1e-3, 1e13);
const FEES_PER_BLOCK_COINS: Interval = Interval::new(0.0, 1e9);
const OTHER_REVENUE_USD_PER_BLOCK: Interval = Interval::new(0.0, 1e12);
const BLOCKS: Interval = Interval::new(1.0, 1e9);
const UNCERTAINTY_PCT: Interval = Interval::new(0.0, 100.0);
/// The fields of the inputs file. All items of a list have the same fields.
pub(crate) const FIELDS: [(&str, FieldRule); 62] = [
    ("seed", Any),
    ("coin.name", Name),
    ("coin.symbol", Symbol),
    ("network.hashrate_eh", Number(HASHRATE_EH)),
    ("network.block_reward_coins", Number(BLOCK_REWARD_COINS)),
    ("network.reward.from", Date),
    ("network.reward.coins", Number(BLOCK_REWARD_COINS)),
    ("network.fee_usd", Number(FEE_USD)),
    ("network.overhead", Number(OVERHEAD)),
    ("network.price_usd", Number(PRICE_USD)),
    ("network.seconds_per_block", Number(Interval::new(0.1, 1e5))),
    ("network.hashes_per_difficulty", Number(Interval::new(1.0, 1e20))),
    ("network.retarget_days", Whole(Interval::new(0.0, 64.0))),
    ("network.retarget_blocks", Whole(BLOCKS)),
    ("network.halving_blocks", Whole(BLOCKS)),
    ("network.fees_per_block_coins", Number(FEES_PER_BLOCK_COINS)),
    ("network.other_revenue_usd_per_block", Number(OTHER_REVENUE_USD_PER_BLOCK)),
    ("network.pool_fee_pct", Number(Interval::new(0.0, 99.99))),
    ("decimals.usd", Whole(Interval::new(0.0, 10.0))),
    ("decimals.hashrate_eh", Whole(Interval::new(0.0, 15.0))),
    ("movement.difficulty_pct", Number(Interval::new(0.0, 50.0))),
    ("movement.hashrate_pct", Number(Interval::new(0.0, 30.0))),
    ("movement.fee_pct", Number(Interval::new(0.0, 90.0))),
    ("movement.electricity_pct", Number(Interval::new(0.0, 50.0))),
    ("movement.weekday_pct", Number(Interval::new(0.0, 20.0))),
    ("movement.spread_pct", Number(Interval::new(0.0, 90.0))),
    ("movement.price_pct", Number(Interval::new(0.0, 90.0))),
    ("capital.usd_per_th", Number(CAPITAL_USD_PER_TH)),
    ("capital.years", Number(Interval::new(0.1, 100.0))),
    ("uncertainty.electricity_pct", Number(UNCERTAINTY_PCT)),
    ("uncertainty.efficiency_pct", Number(UNCERTAINTY_PCT)),
    ("uncertainty.overhead_pct", Number(UNCERTAINTY_PCT)),
    ("region.id", RegionId),
    ("region.name", Name),
    ("region.hashrate_share_pct", SharePct(Interval::new(0.01, 100.0))),
    ("region.efficiency_j_per_th.best", Number(EFFICIENCY_J_PER_TH)),
    ("region.efficiency_j_per_th.mean", Number(EFFICIENCY_J_PER_TH)),
    ("region.efficiency_j_per_th.worst", Number(EFFICIENCY_J_PER_TH)),
    ("region.electricity_usd_per_kwh.low", Number(ELECTRICITY_USD_PER_KWH)),
    ("region.electricity_usd_per_kwh.mean", Number(ELECTRICITY_USD_PER_KWH)),
    ("region.electricity_usd_per_kwh.high", Number(ELECTRICITY_USD_PER_KWH)),
    ("region.overhead", Number(OVERHEAD)),
    ("series.network", FileName),
    ("series.regions", FileName),
    ("series.fleet", FileName),
    ("series.published", FileName),
    ("series.valid_days", Whole(VALID_DAYS)),
    ("series.regions_valid_days", Whole(VALID_DAYS)),
    ("about.title", Text),
    ("about.publisher", Text),
    ("about.url", Url),
    ("about.licence", Text),
    ("about.contact", Text),
    ("about.revised", Date),
    ("about.sources.what", Text),
    ("about.sources.source", Text),
    ("about.sources.url", Url),
    ("about.sources.kind", Any),
    ("event.date", Date),
    ("event.label", Text),
    ("event.source", Text),
    ("event.url", Url),
];

/// The columns of the network series after the date. The first is required.
pub(crate) const NETWORK_COLUMNS: [Variable; 9] = [
    Variable { name: "difficulty", range: DIFFICULTY },
    Variable { name: "hashrate_eh", range: HASHRATE_EH },
    Variable { name: "fee_usd", range: FEE_USD },
    Variable { name: "block_reward_coins", range: BLOCK_REWARD_COINS },
    Variable { name: "price_usd", range: PRICE_USD },
    Variable { name: "height", range: Interval::new(0.0, 1e12) },
    Variable { name: "fees_per_block_coins", range: FEES_PER_BLOCK_COINS },
    Variable { name: "other_revenue_usd_per_block", range: OTHER_REVENUE_USD_PER_BLOCK },
    Variable { name: "capital_usd_per_th", range: CAPITAL_USD_PER_TH },
];

/// The columns of the fleet after the date.
pub(crate) const FLEET_COLUMNS: [Variable; 2] = [
    Variable { name: "efficiency_j_per_th", range: EFFICIENCY_J_PER_TH },
    Variable { name: "share_pct", range: Interval::new(0.0, 100.0) },
];

/// The columns of the region series after the date and the region: the inputs of its costs.
pub const REGION_COLUMNS: [Variable; 8] = [
    // Unlike in the inputs file, a region may start or stop mining.
    Variable { name: "hashrate_share_pct", range: Interval::new(0.0, 100.0) },
    Variable { name: "efficiency_j_per_th_best", range: EFFICIENCY_J_PER_TH },
    Variable { name: "efficiency_j_per_th_mean", range: EFFICIENCY_J_PER_TH },
    Variable { name: "efficiency_j_per_th_worst", range: EFFICIENCY_J_PER_TH },
    Variable { name: "electricity_usd_per_kwh_low", range: ELECTRICITY_USD_PER_KWH },
    Variable { name: "electricity_usd_per_kwh_mean", range: ELECTRICITY_USD_PER_KWH },
    Variable { name: "electricity_usd_per_kwh_high", range: ELECTRICITY_USD_PER_KWH },
    Variable { name: "overhead", range: OVERHEAD },
];

/// A number with its name and its valid range.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The name of its field or column.
    pub name: &'static str,
    pub(crate) range: Interval,
}

impl Variable {
    /// Whether a value is in range. NaN is not.
    pub fn takes(&self, value: f64) -> bool {
        self.range.contains(value)
    }

    /// The smallest and the largest value.
    pub fn range(&self) -> [f64; 2] {
        [self.range.min, self.range.max]
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} must be a number {}", self.name, self.range)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldRule {
    Any,
    Number(Interval),
    Whole(Interval),
    SharePct(Interval),
    Date,
    /// The name of a coin or a region.
    Name,
    Symbol,
    RegionId,
    FileName,
    Text,
    /// An address that a page can link to.
    Url,
}

const SYMBOL_MAX: usize = 10;
const NAME_MAX: usize = 64;
const FILE_NAME_MAX: usize = 255;
pub(crate) const TEXT_MAX: usize = 300;
/// Characters that no URL contains unescaped, although they are visible.
const NOT_IN_URLS: [char; 7] = [' ', '"', '<', '>', '\\', '^', '`'];
/// The characters that start a formula in a spreadsheet, including their East Asian full-width forms.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

impl FieldRule {
    pub(crate) fn accepts(self, value: &Spanned<DeValue<'_>>) -> bool {
        let text = value.get_ref().as_str().unwrap_or_default();
        let number = f64::deserialize(value.clone().into_deserializer()).unwrap_or(f64::NAN);
        match self {
            Any => true,
            Number(range) => range.contains(number),
            Whole(range) => range.contains(number) && number.fract() == 0.0,
            // Rounding doesn't change a share with at most two decimals.
            SharePct(range) => range.contains(number) && share_pct(number).to_f64() == number,
            Date => parse_date(text).is_ok(),
            Name => {
                is_printable(text, NAME_MAX)
                    && text.trim() == text
                    && !text.starts_with(FORMULA_STARTS)
            }
            Symbol => {
                (1..=SYMBOL_MAX).contains(&text.len())
                    && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
            }
            RegionId => is_region_id(text) && text != GLOBAL,
            FileName => is_printable(text, FILE_NAME_MAX),
            Text => is_printable(text, TEXT_MAX),
            Url => is_url(text),
        }
    }
}

impl fmt::Display for FieldRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Any => Ok(()),
            Number(range) => write!(f, "a number {range}"),
            Whole(range) => write!(f, "a whole number {range}"),
            SharePct(range) => write!(f, "a number {range} with at most two decimals"),
            Date => f.write_str("a valid date in quotes such as \"2028-04-17\""),
            Name => write!(
                f,
                "1 to {NAME_MAX} visible characters, without spaces around them, not starting with =, +, - or @"
            ),
            Symbol => write!(f, "1 to {SYMBOL_MAX} characters from A-Z, a-z and 0-9"),
            RegionId => write!(
                f,
                "1 to {REGION_ID_MAX} of a-z, 0-9 and '-', starting with a letter, but not \"{GLOBAL}\""
            ),
            // In a string, "data\network.csv" has a line break.
            FileName => write!(
                f,
                "1 to {FILE_NAME_MAX} visible characters; in a path, write / or use single quotes, because a backslash starts an escape"
            ),
            Text => write!(f, "1 to {TEXT_MAX} visible characters"),
            Url => write!(
                f,
                "a URL that starts with https:// or http://, without spaces, of at most {TEXT_MAX} characters"
            ),
        }
    }
}

fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let has_host = rest.is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    has_host
        && is_printable(text, TEXT_MAX)
        && !text.contains(char::is_whitespace)
        && !text.contains(NOT_IN_URLS)
}

/// Whether a string can be displayed: not blank, not too long, and without invisible characters.
pub(crate) fn is_printable(text: &str, max: usize) -> bool {
    let is_long = text.chars().nth(max).is_some();
    !is_long && !text.trim().is_empty() && !text.chars().any(is_invisible)
}

/// A field with one value for each of the minimum, average and maximum cost: its name, and those of the values.
pub(crate) type Levels = (&'static str, [&'static str; 3]);

pub(crate) const EFFICIENCY: Levels = ("efficiency_j_per_th", ["best", "mean", "worst"]);
pub(crate) const ELECTRICITY: Levels = ("electricity_usd_per_kwh", ["low", "mean", "high"]);

pub(crate) fn order_problem((name, [a, b, c]): Levels, values: [f64; 3]) -> Option<String> {
    let [x, y, z] = values;
    let message = || format!("{name} is {x}, {y}, {z}; expected {a} <= {b} <= {c}");
    (!values.is_sorted()).then(message)
}
