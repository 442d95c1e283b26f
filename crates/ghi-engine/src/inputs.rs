//! What the model starts from: a TOML text, checked in every field.

use std::collections::HashSet;
use std::fmt;
use std::ops::{Range, RangeInclusive};

use ghi_contract::{GLOBAL, REGION_ID_MAX, is_region_id};
use serde::Deserialize;
use toml::Spanned;

use crate::decimal::Decimal;
use crate::registry::WHOLE_NETWORK_PCT;
use crate::series::Series;
use crate::visible::{is_invisible, visible};

/// The text of [`Inputs::default`]: commented, with the sources of its orders of magnitude.
pub const DEFAULT_INPUTS: &str = include_str!("../inputs.toml");

/// The longest display name of a region, characters.
const NAME_MAX: usize = 64;

/// What a spreadsheet takes for the beginning of a formula, also in the full width of East Asian
/// scripts.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// The longest message about a text, characters: more than any of ours, less than a screen.
const MESSAGE_MAX: usize = 320;

/// A network that the model can compute.
///
/// Only [`Inputs::parse`] makes one, so every one is valid: each number lies within bounds that
/// keep every figure positive and exact to the hundredth, and the shares sum to 100.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    pub(crate) seed: u64,
    pub(crate) network: NetworkInputs,
    pub(crate) movement: Movement,
    pub(crate) regions: Vec<RegionInputs>,
    pub(crate) decimals: DecimalsInputs,
    pub(crate) series: Series,
    pub(crate) fingerprint: Fingerprint,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NetworkInputs {
    pub(crate) hashrate_eh: f64,
    pub(crate) block_reward_coins: f64,
    pub(crate) fee_usd: f64,
    pub(crate) overhead: f64,
    pub(crate) seconds_per_block: f64,
    pub(crate) hashes_per_difficulty: f64,
    pub(crate) retarget_days: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DecimalsInputs {
    pub(crate) usd: u8,
    pub(crate) hashrate_eh: u8,
}
/// Fp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fingerprint([u8; 32]);
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Movement {
    pub(crate) difficulty_pct: f64,
    pub(crate) hashrate_pct: f64,
    pub(crate) fee_pct: f64,
    pub(crate) electricity_pct: f64,
    pub(crate) weekday_pct: f64,
    pub(crate) spread_pct: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegionInputs {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) hashrate_share_pct: Decimal,
    pub(crate) efficiency_j_per_th: Efficiency,
    pub(crate) electricity_usd_per_kwh: Electricity,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Efficiency {
    pub(crate) best: f64,
    pub(crate) mean: f64,
    pub(crate) worst: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Electricity {
    pub(crate) low: f64,
    pub(crate) mean: f64,
    pub(crate) high: f64,
}

impl Default for Inputs {
    /// The three regions of the sandbox.
    fn default() -> Self {
        Self::parse(DEFAULT_INPUTS).expect("a test parses the default inputs")
    }
}

impl Inputs {
    /// Reads and checks a TOML text.
    ///
    /// ```
    /// let error = ghi_engine::Inputs::parse("seed = 1\nsede = 2\n").unwrap_err();
    /// assert_eq!(error.line, Some(2));
    /// assert!(error.to_string().contains("unknown field `sede`"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, InputsError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| line_of(text, span));
            InputsError::new(line, &readable(text, line, error.message()))
        })?;
        Check { text }.file(file)
    }

    /// fp.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
    /// How many regions there are.
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }
}

/// Why a text describes no network. Its message names the field and what would be right, in one
/// visible line of bounded length, whatever the text holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputsError {
    /// The line of the text, counted from 1, where one line is to blame.
    pub line: Option<usize>,
    message: String,
}

impl InputsError {
    fn new(line: Option<usize>, message: &str) -> Self {
        Self { line, message: visible(message, MESSAGE_MAX) }
    }
}

impl fmt::Display for InputsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for InputsError {}

/// What the TOML parser says, with the field or table that it speaks of, in words of the file
/// rather than of this program.
fn readable(text: &str, line: Option<usize>, message: &str) -> String {
    let line = line.and_then(|line| text.lines().nth(line - 1)).unwrap_or_default();
    let subject = line.split('=').next().unwrap_or_default().trim();
    let message = message
        .trim_end()
        .replace('\n', ", ")
        .replace("expected f64", "expected a number")
        .replace("expected i64", "expected a whole number below 2^63");
    match subject {
        "" => message,
        _ => format!("{}: {message}", subject.chars().take(REGION_ID_MAX).collect::<String>()),
    }
}

fn line_of(text: &str, span: Range<usize>) -> usize {
    1 + text.bytes().take(span.start).filter(|byte| *byte == b'\n').count()
}

/// The text as it is written, each value with its place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a TOML table")]
struct File {
    seed: Spanned<i64>,
    network: FileNetwork,
    movement: FileMovement,
    region: Vec<FileRegion>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table [network]")]
struct FileNetwork {
    hashrate_eh: Spanned<f64>,
    block_reward_coins: Spanned<f64>,
    fee_usd: Spanned<f64>,
    overhead: Spanned<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table [movement]")]
struct FileMovement {
    difficulty_pct: Spanned<f64>,
    hashrate_pct: Spanned<f64>,
    fee_pct: Spanned<f64>,
    electricity_pct: Spanned<f64>,
    weekday_pct: Option<f64>,
    spread_pct: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table [[region]]")]
struct FileRegion {
    id: Spanned<String>,
    name: Spanned<String>,
    hashrate_share_pct: Spanned<f64>,
    efficiency_j_per_th: FileEfficiency,
    electricity_usd_per_kwh: FileElectricity,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with best, mean and worst")]
struct FileEfficiency {
    best: Spanned<f64>,
    mean: Spanned<f64>,
    worst: Spanned<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with low, mean and high")]
struct FileElectricity {
    low: Spanned<f64>,
    mean: Spanned<f64>,
    high: Spanned<f64>,
}

/// From what is written to what is valid.
struct Check<'a> {
    text: &'a str,
}

impl Check<'_> {
    fn file(&self, file: File) -> Result<Inputs, InputsError> {
        let seed = u64::try_from(*file.seed.get_ref())
            .map_err(|_| self.wrong(&file.seed, "seed must not be negative".into()))?;
        let network = NetworkInputs {
            hashrate_eh: self.within(
                "network.hashrate_eh",
                &file.network.hashrate_eh,
                10.0..=1e4,
            )?,
            block_reward_coins: self.within(
                "network.block_reward_coins",
                &file.network.block_reward_coins,
                0.01..=50.0,
            )?,
            fee_usd: self.within("network.fee_usd", &file.network.fee_usd, 0.1..=1e3)?,
            overhead: self.within("network.overhead", &file.network.overhead, 1.0..=10.0)?,
            seconds_per_block: 600.0,
            hashes_per_difficulty: 4294967296.0,
            retarget_days: 14,
        };
        let swing = |field, value, max| self.within(field, value, 0.0..=max);
        let movement = Movement {
            difficulty_pct: swing("movement.difficulty_pct", &file.movement.difficulty_pct, 50.0)?,
            hashrate_pct: swing("movement.hashrate_pct", &file.movement.hashrate_pct, 30.0)?,
            fee_pct: swing("movement.fee_pct", &file.movement.fee_pct, 90.0)?,
            electricity_pct: swing(
                "movement.electricity_pct",
                &file.movement.electricity_pct,
                50.0,
            )?,
            weekday_pct: file.movement.weekday_pct.unwrap_or(0.0),
            spread_pct: file.movement.spread_pct.unwrap_or(0.0),
        };
        let regions = self.regions(file.region)?;
        Ok(Inputs {
            seed,
            network,
            movement,
            regions,
            decimals: DecimalsInputs { usd: 2, hashrate_eh: 2 },
            series: Series::default(),
            fingerprint: Fingerprint([0; 32]),
        })
    }

    fn regions(&self, written: Vec<FileRegion>) -> Result<Vec<RegionInputs>, InputsError> {
        let mut ids = HashSet::new();
        let mut regions = Vec::with_capacity(written.len());
        for region in &written {
            let id = self.id(&region.id)?;
            if !ids.insert(id.clone()) {
                let message = format!(
                    "region.id {id:?} stands here for the second time; each id must be unique"
                );
                return Err(self.wrong(&region.id, message));
            }
            regions.push(self.region(id, region)?);
        }
        let shares = regions.iter().map(|region| region.hashrate_share_pct.count());
        let sum = Decimal::new(shares.sum(), 2);
        if sum == WHOLE_NETWORK_PCT {
            return Ok(regions);
        }
        let sum = sum.to_f64();
        let message = format!(
            "region.hashrate_share_pct sums to {sum} over all regions, this one the last; it must sum to exactly 100"
        );
        Err(match written.last() {
            Some(last) => self.wrong(&last.hashrate_share_pct, message),
            None => InputsError::new(None, "there is no region; there must be one at least"),
        })
    }

    fn region(&self, id: String, written: &FileRegion) -> Result<RegionInputs, InputsError> {
        let field = |name: &str| format!("region {id:?}: {name}");
        let name = self.name(&field("name"), &written.name)?;

        let share = &written.hashrate_share_pct;
        let share_field = field("hashrate_share_pct");
        let share_pct = self.within(&share_field, share, 0.01..=100.0)?;
        let hashrate_share_pct = Decimal::nearest(share_pct, 2);
        // Both are the float that is nearest to the decimals, if there are no more than two.
        if hashrate_share_pct.to_f64() != share_pct {
            return Err(self.wrong(
                share,
                format!("{share_field} is {share_pct}; it must have at most two decimals"),
            ));
        }

        let efficiency = &written.efficiency_j_per_th;
        let [best, mean, worst] = self.rising(
            &field("efficiency_j_per_th"),
            [("best", &efficiency.best), ("mean", &efficiency.mean), ("worst", &efficiency.worst)],
            1.0..=1e3,
        )?;
        let efficiency_j_per_th = Efficiency { best, mean, worst };

        let electricity = &written.electricity_usd_per_kwh;
        let [low, mean, high] = self.rising(
            &field("electricity_usd_per_kwh"),
            [("low", &electricity.low), ("mean", &electricity.mean), ("high", &electricity.high)],
            0.001..=10.0,
        )?;
        let electricity_usd_per_kwh = Electricity { low, mean, high };

        Ok(RegionInputs {
            name,
            hashrate_share_pct,
            efficiency_j_per_th,
            electricity_usd_per_kwh,
            id,
        })
    }

    fn name(&self, field: &str, written: &Spanned<String>) -> Result<String, InputsError> {
        let name = written.get_ref();
        let is_long = name.chars().nth(NAME_MAX).is_some();
        if is_long || name.trim().is_empty() || name.chars().any(is_invisible) {
            let message =
                format!("{field} must have 1 to {NAME_MAX} characters, all of them visible");
            return Err(self.wrong(written, message));
        }
        if name.trim() != name {
            let message = format!("{field} must not begin or end with a space");
            return Err(self.wrong(written, message));
        }
        if name.starts_with(FORMULA_STARTS) {
            let message = format!(
                "{field} must not begin with =, +, - or @, which a spreadsheet takes for a formula; it must begin with another character"
            );
            return Err(self.wrong(written, message));
        }
        Ok(name.clone())
    }

    fn id(&self, written: &Spanned<String>) -> Result<String, InputsError> {
        let id = written.get_ref();
        if id == GLOBAL {
            return Err(self.wrong(
                written,
                format!("region.id {id:?} is reserved for the whole network; it must be another"),
            ));
        }
        if is_region_id(id) {
            Ok(id.clone())
        } else {
            Err(self.wrong(
                written,
                format!(
                    "region.id {id:?} must have 1 to {REGION_ID_MAX} of a-z, 0-9 and '-', a letter first"
                ),
            ))
        }
    }

    fn within(
        &self,
        field: &str,
        written: &Spanned<f64>,
        bounds: RangeInclusive<f64>,
    ) -> Result<f64, InputsError> {
        let value = *written.get_ref();
        if bounds.contains(&value) {
            Ok(value)
        } else {
            let (min, max) = (bounds.start(), bounds.end());
            Err(self
                .wrong(written, format!("{field} is {value:?}; it must be from {min} to {max}")))
        }
    }

    /// Three values within bounds, none below the one before it.
    fn rising(
        &self,
        field: &str,
        written: [(&str, &Spanned<f64>); 3],
        bounds: RangeInclusive<f64>,
    ) -> Result<[f64; 3], InputsError> {
        let mut values = [0.0; 3];
        for (value, (name, written)) in std::iter::zip(&mut values, written) {
            *value = self.within(&format!("{field}.{name}"), written, bounds.clone())?;
        }
        if values.is_sorted() {
            return Ok(values);
        }
        let [a, b, c] = written.map(|(name, _)| name);
        let [x, y, z] = values;
        Err(self.wrong(
            written[0].1,
            format!("{field} must not fall from {a} to {b} to {c}, but is {x}, {y}, {z}"),
        ))
    }

    fn wrong<T>(&self, place: &Spanned<T>, message: String) -> InputsError {
        InputsError::new(Some(line_of(self.text, place.span())), &message)
    }
}
