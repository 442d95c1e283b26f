//! The inputs of the model: a TOML file and the series that it names, checked in every field.

use std::fmt;

use jiff::civil::Date;
use sha2::{Digest, Sha256};

use crate::calendar::{Coverage, FIRST, Gap, NoFigures, date_of, day_number};
use crate::decimal::Decimal;
use crate::series::Series;

mod parse;
mod fields;
mod file;
mod precision;

/// The text of [`Inputs::default`], with comments and sources.
pub const DEFAULT_INPUTS: &str = include_str!("../../inputs.toml");

/// Hashes per second of 1 EH/s.
const HASHES_PER_EH: f64 = 1e18;

/// A network that the model can compute.
///
/// Only [`Inputs::parse`] and [`Inputs::parse_with_series`] create one, so every one is valid: each
/// number is in a range that keeps all published numbers positive and exact to their last digit, and the
/// shares of every day sum to 100.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    pub(crate) seed: u64,
    pub(crate) coin: Coin,
    pub(crate) network: NetworkInputs,
    pub(crate) decimals: DecimalsInputs,
    pub(crate) movement: MovementInputs,
    /// `None` if no full cost is computed.
    pub(crate) capital: Option<CapitalInputs>,
    pub(crate) regions: Vec<RegionInputs>,
    /// Empty if the inputs name no series.
    pub(crate) series: Series,
    pub(crate) fingerprint: Fingerprint,
}

/// The coin that the network mines.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// The machines of a network.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CapitalInputs {
    pub(crate) usd_per_th: f64,
    pub(crate) years: f64,
}

/// The network as a whole: base levels and protocol parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NetworkInputs {
    pub(crate) hashrate_eh: f64,
    pub(crate) block_reward_coins: f64,
    /// The rewards that replace it, each with the day from which it applies, in order.
    pub(crate) rewards: Vec<(i64, f64)>,
    pub(crate) fee_usd: f64,
    /// `None` if there is no synthetic market price.
    pub(crate) price_usd: Option<f64>,
    pub(crate) seconds_per_block: f64,
    pub(crate) hashes_per_difficulty: f64,
    /// At least 1: a difficulty that is adjusted with each block changes once a day here.
    pub(crate) retarget_days: i64,
}

/// The number of decimals of published numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DecimalsInputs {
    pub(crate) usd: u8,
    pub(crate) hashrate_eh: u8,
}

/// How far the synthetic network moves from its base levels, in percent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MovementInputs {
    pub(crate) difficulty_pct: f64,
    pub(crate) hashrate_pct: f64,
    pub(crate) fee_pct: f64,
    pub(crate) electricity_pct: f64,
    pub(crate) weekday_pct: f64,
    pub(crate) spread_pct: f64,
    pub(crate) price_pct: f64,
}

/// A region's base levels. If there are three values, they apply to the minimum, average and maximum
/// cost.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegionInputs {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) hashrate_share_pct: Decimal,
    /// Best, mean, worst.
    pub(crate) efficiency_j_per_th: [f64; 3],
    /// Low, mean, high.
    pub(crate) electricity_usd_per_kwh: [f64; 3],
    /// The region's own, or the network's.
    pub(crate) overhead: f64,
    /// The line of the prices in the inputs file, if it is known.
    pub(crate) electricity_line: Option<usize>,
}

impl Default for Inputs {
    /// The three regions of the sandbox.
    fn default() -> Self {
        Self::parse(DEFAULT_INPUTS).expect("a test parses the default inputs")
    }
}

impl Inputs {
    /// The number of regions.
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }

    /// The SHA-256 of the files that these inputs were read from.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The first and the last day that have data.
    pub fn coverage(&self) -> Coverage {
        let covered = self.series.covered().map(|(first, last)| (date_of(first), date_of(last)));
        let (first, last) = covered.unwrap_or((FIRST, Date::MAX));
        Coverage { first, last }
    }

    /// Fails if a day has no data.
    pub fn check(&self, date: Date) -> Result<(), NoFigures> {
        self.overlap(date, date).map(|_| ())
    }

    /// The first and the last day of a range that have data. Days between them may have none.
    pub(crate) fn overlap(&self, from: Date, to: Date) -> Result<(Date, Date), NoFigures> {
        let (series, coverage) = (&self.series, self.coverage());
        let range = (from.max(coverage.first), to.min(coverage.last));
        let error = NoFigures { date: from, coverage, gap: None };
        if range.0 > range.1 {
            return Err(error);
        }
        let first = series.covered_on_or_after(day_number(range.0));
        let last = series.covered_on_or_before(day_number(range.1));
        match first.zip(last) {
            Some((first, last)) if first <= last => Ok((date_of(first), date_of(last))),
            // The range is within a gap, and these are the covered days around it.
            Some((after, before)) => {
                let gap = Gap(date_of(before + 1), date_of(after - 1));
                Err(NoFigures { gap: Some(gap), ..error })
            }
            None => Ok(range),
        }
    }

    /// The block reward of a day according to the inputs file.
    pub(crate) fn reward_on(&self, day: i64) -> f64 {
        let network = &self.network;
        let after = network.rewards.partition_point(|(from, _)| *from <= day);
        let changed = after.checked_sub(1).map(|index| network.rewards[index].1);
        changed.unwrap_or(network.block_reward_coins)
    }

    /// The difficulty at the base level of the hashrate.
    pub(crate) fn base_difficulty(&self) -> f64 {
        let network = &self.network;
        network.hashrate_eh * HASHES_PER_EH * network.seconds_per_block
            / network.hashes_per_difficulty
    }

    /// The hashrate at which blocks of this difficulty arrive on schedule, in EH/s.
    pub(crate) fn implied_hashrate_eh(&self, difficulty: u64) -> f64 {
        let network = &self.network;
        difficulty as f64 * network.hashes_per_difficulty
            / network.seconds_per_block
            / HASHES_PER_EH
    }
}

/// The SHA-256 of every byte that inputs were read from: the TOML file, then the network series, then
/// the region series. `cat inputs.toml network.csv regions.csv | sha256sum` prints the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Hashes the files one after another.
    fn new<'a>(files: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Sha256::new();
        files.into_iter().for_each(|file| hasher.update(file));
        Self(hasher.finalize().into())
    }
}

impl fmt::Display for Fingerprint {
    /// Writes 64 lowercase hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
