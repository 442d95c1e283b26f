//! What the model starts from: a TOML text and the series that it names, checked in every field.

use crate::decimal::Decimal;
use crate::fingerprint::Fingerprint;
use crate::problems::{InputsError, Problems};
use crate::series::{KnownRegion, Series};

use document::Document;

mod fields;
mod regions;
mod series_files;
mod publishable;
mod document;
mod table;
mod text;
mod syntax;

/// The text of [`Inputs::default`]: commented, with the sources of its orders of magnitude.
pub const DEFAULT_INPUTS: &str = include_str!("../../inputs.toml");

/// A network that the model can compute.
///
/// Only [`Inputs::parse`] and [`Inputs::parse_with_series`] make one, so every one is valid: each
/// number lies within bounds that keep every figure positive and exact to its last digit, and the
/// shares of every day sum to 100.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    pub(crate) seed: u64,
    pub(crate) network: NetworkInputs,
    pub(crate) decimals: DecimalsInputs,
    pub(crate) movement: Movement,
    pub(crate) regions: Vec<RegionInputs>,
    /// Empty where the inputs name none.
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
    /// At least 1: a difficulty that is set with each block has a step a day.
    pub(crate) retarget_days: i64,
}

/// With how many decimals figures are published.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DecimalsInputs {
    pub(crate) usd: u8,
    pub(crate) hashrate_eh: u8,
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

impl RegionInputs {
    /// What a series must know of the region.
    fn known(&self) -> KnownRegion<'_> {
        let Efficiency { best, mean, worst } = self.efficiency_j_per_th;
        let Electricity { low, mean: mean_price, high } = self.electricity_usd_per_kwh;
        KnownRegion {
            id: &self.id,
            hashrate_share_pct: self.hashrate_share_pct,
            efficiency_j_per_th: [best, mean, worst],
            electricity_usd_per_kwh: [low, mean_price, high],
        }
    }
}

impl Default for Inputs {
    /// The three regions of the sandbox.
    fn default() -> Self {
        Self::parse(DEFAULT_INPUTS).expect("a test parses the default inputs")
    }
}

/// What gives the bytes of a series by its name, or says why it cannot.
type ReadSeries<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

impl Inputs {
    /// Reads and checks a TOML text that names no series.
    ///
    /// ```
    /// let text = ghi_engine::DEFAULT_INPUTS.replace("overhead = 1.24", "overhead = 1,24");
    /// let error = ghi_engine::Inputs::parse(&text).unwrap_err();
    /// assert!(error.to_string().ends_with(
    ///     "overhead: 1,24 has a decimal comma; decimals are written with a point: 1.24"
    /// ));
    /// ```
    pub fn parse(text: &str) -> Result<Self, InputsError> {
        Self::read(text, None)
    }

    /// Reads and checks a TOML text and the series that it names; `read` gives the bytes of a
    /// series by the name that stands in the text, or says why it cannot.
    pub fn parse_with_series(
        text: &str,
        mut read: impl FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Self, InputsError> {
        Self::read(text, Some(&mut read))
    }

    fn read(text: &str, read: Option<ReadSeries<'_>>) -> Result<Self, InputsError> {
        let mut problems = Problems::default();
        let Some(document) = Document::parse(text, &mut problems) else {
            return Err(problems.into_error());
        };
        let root = document.root(&mut problems);
        let fields = fields::read(&root, &mut problems);
        let files = series_files::read(&root, read, &mut problems);
        let known: Option<Vec<KnownRegion<'_>>> = fields
            .regions
            .as_ref()
            .map(|regions| regions.iter().map(RegionInputs::known).collect());
        let series = Series::parse(&files, known.as_deref(), &mut problems);
        if !problems.is_empty() {
            return Err(problems.into_error());
        }
        let bytes = [Some(text.as_bytes()), files.network.as_deref(), files.regions.as_deref()];
        let Some(inputs) = fields.whole(series, Fingerprint::of(bytes)) else {
            return Err(problems.into_error());
        };
        publishable::check(&inputs, &document, &mut problems);
        if problems.is_empty() { Ok(inputs) } else { Err(problems.into_error()) }
    }

    /// How many regions there are.
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }

    /// Which bytes these inputs were read from.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}
