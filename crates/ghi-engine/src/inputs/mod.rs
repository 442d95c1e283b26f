//! What the model starts from: a TOML text and the series that it names, checked in every field.

use crate::fingerprint::Fingerprint;
use crate::problems::{InputsError, Problems};
use crate::series::{KnownRegion, Series};

use document::Document;
use series_files::ReadSeries;
pub use values::Inputs;
use values::RegionInputs;

mod fields;
mod regions;
mod series_files;
mod publishable;
mod document;
mod table;
mod text;
pub(crate) mod values;
mod syntax;

/// The text of [`Inputs::default`]: commented, with the sources of its orders of magnitude.
pub const DEFAULT_INPUTS: &str = include_str!("../../inputs.toml");

impl Default for Inputs {
    /// The three regions of the sandbox.
    fn default() -> Self {
        Self::parse(DEFAULT_INPUTS).expect("a test parses the default inputs")
    }
}

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
        let bytes = [Some(text.as_bytes()), files.network.as_deref(), files.regions.as_deref()];
        let (fingerprint, series) =
            Fingerprint::beside(bytes, || Series::parse(&files, known.as_deref(), &mut problems));
        if !problems.is_empty() {
            return Err(problems.into_error());
        }
        let Some(inputs) = fields.whole(series, fingerprint) else {
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
