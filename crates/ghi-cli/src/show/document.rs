//! The documents, parsed, and what people are told of all of them alike.

use ghi_client::AnySnapshot;
use ghi_contract::{Forecast, History, Indicator, Metadata, Network, RegionDetail, Regions};

/// A document of any deployment.
pub(crate) enum Document {
    Snapshot(AnySnapshot),
    Regions(Regions),
    Region(RegionDetail),
    History(History),
    Network(Network),
    Forecast(Forecast),
    Indicator(Indicator),
    Metadata(Metadata),
}

impl Document {
    /// When it was made.
    pub(crate) fn timestamp_utc(&self) -> &str {
        match self {
            Self::Snapshot(document) => &document.timestamp_utc,
            Self::Regions(document) => &document.timestamp_utc,
            Self::Region(document) => &document.timestamp_utc,
            Self::History(document) => &document.timestamp_utc,
            Self::Network(document) => &document.timestamp_utc,
            Self::Forecast(document) => &document.timestamp_utc,
            Self::Indicator(document) => &document.timestamp_utc,
            Self::Metadata(document) => &document.timestamp_utc,
        }
    }

    /// The UTC day on which it was made, which is that of its figures.
    pub(crate) fn date(&self) -> &str {
        self.timestamp_utc().split('T').next().unwrap_or_default()
    }
}
