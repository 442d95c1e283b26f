//! Who publishes an edition, what it is based on, and what happened to its network. Every text is visible and
//! of bounded length.

use jiff::civil::Date;
use serde::{Deserialize, Deserializer};

use crate::calendar::{FIRST, parse_date};

/// Who publishes the data, and where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct About {
    /// The title of the edition.
    pub title: Option<String>,
    /// A person or an organization.
    pub publisher: Option<String>,
    /// The address of the edition, with http or https.
    pub url: Option<String>,
    /// The licence of the data.
    pub licence: Option<String>,
    /// How to reach the publisher.
    pub contact: Option<String>,
    /// The day of the last change.
    #[serde(deserialize_with = "date")]
    pub revised: Option<Date>,
    /// The sources, in the order of the inputs.
    pub sources: Vec<DataSource>,
}

/// The origin of an input.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct DataSource {
    /// The input.
    pub what: String,
    /// Where it comes from.
    pub source: String,
    /// The address of the source, with http or https.
    pub url: Option<String>,
    /// How the source knows it.
    pub kind: SourceKind,
}

/// How a source knows what it says, from the most to the least certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// From a chain, a meter or a market.
    Measured,
    /// Stated by those who know: in surveys, filings and tariffs.
    Reported,
    /// Computed from other data.
    Estimated,
    /// Chosen without evidence of its own.
    Assumed,
}

impl About {
    /// What is known from sources of a kind.
    pub fn known(&self, kind: SourceKind) -> Vec<&str> {
        let sources = self.sources.iter().filter(|source| source.kind == kind);
        sources.map(|source| &*source.what).collect()
    }
}

impl SourceKind {
    /// All kinds, from the most to the least certain.
    pub const ALL: [Self; 4] = [Self::Measured, Self::Reported, Self::Estimated, Self::Assumed];

    /// The kind as in the inputs.
    pub fn name(self) -> &'static str {
        ["measured", "reported", "estimated", "assumed"][self as usize]
    }
}

/// Something that happened to the network or its miners.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Event {
    /// The day.
    #[serde(deserialize_with = "date")]
    pub date: Date,
    /// What happened, in a few words.
    pub label: String,
    /// Where it was reported.
    pub source: Option<String>,
    /// The address of the report, with http or https.
    pub url: Option<String>,
}

/// Reads a date. Invalid ones are refused later.
fn date<'de, D: Deserializer<'de>, T: From<Date>>(from: D) -> Result<T, D::Error> {
    String::deserialize(from).map(|text| parse_date(&text).unwrap_or(FIRST).into())
}
