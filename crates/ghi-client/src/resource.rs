//! The documents of the API and their paths.

use ghi_contract::{ForecastDays, paths};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters to escape in a path segment or a query value: all but the unreserved ones (RFC 3986).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The maximum size of a document that lists regions, in bytes. With 10,000 regions and the longest names and ids, a
/// snapshot has 4.3 MB and an explanation 5.2 MB.
pub const MAX_DOCUMENT_BYTES: usize = 8 << 20;

/// The maximum size of any other document in bytes. A typical one has one or two thousand.
const SINGLE_MAX: usize = 256 << 10;

/// A document of the API.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// The environment, API versions and endpoints.
    Metadata,
    /// The list of regions.
    Regions,
    /// The region with this id.
    RegionDetail(String),
    /// Today's costs, worldwide and in every region.
    Snapshot,
    /// The daily costs of the region with this id, or of [`GLOBAL`](ghi_contract::GLOBAL).
    History(String),
    /// Hashrate, difficulty and mean fee.
    Network,
    /// The predicted worldwide average.
    Forecast(ForecastDays),
    /// v1.0: today's worldwide costs.
    Indicator,
}

impl Resource {
    /// Returns the maximum size of this document in bytes.
    pub fn max_bytes(&self) -> usize {
        match self {
            Self::Regions | Self::Snapshot => MAX_DOCUMENT_BYTES,
            _ => SINGLE_MAX,
        }
    }

    /// Returns the path and query, to be appended to the base URL.
    ///
    /// ```
    /// use ghi_client::Resource;
    ///
    /// assert_eq!(Resource::RegionDetail("us".into()).target(), "/v1/ghi/regions/us");
    /// assert_eq!(Resource::History("a b".into()).target(), "/v1/ghi/history?region_id=a%20b");
    /// ```
    pub fn target(&self) -> String {
        let escaped = |id: &str| utf8_percent_encode(id, ESCAPED).to_string();
        match self {
            Self::Metadata => paths::METADATA.into(),
            Self::Regions => paths::REGIONS.into(),
            Self::RegionDetail(id) => paths::REGION_DETAIL.replace("{id}", &escaped(id)),
            Self::Snapshot => paths::SNAPSHOT.into(),
            Self::History(id) => format!("{}?region_id={}", paths::HISTORY, escaped(id)),
            Self::Network => paths::NETWORK.into(),
            Self::Forecast(days) => format!("{}?forecast_days={}", paths::FORECAST, days.get()),
            Self::Indicator => paths::INDICATOR.into(),
        }
    }
}
