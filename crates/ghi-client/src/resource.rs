//! The documents of the API by their paths.

use ghi_contract::{ForecastDays, paths};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All but what may stay as it is in a path segment or a query value (RFC 3986, unreserved).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The longest document that a client reads, bytes: one that lists regions. With 10,000 regions, the longest names and the
/// longest ids, a snapshot has 4.3 MB and an explanation 5.2 MB.
pub const MAX_DOCUMENT_BYTES: usize = 8 << 20;

/// The longest document of any other kind, bytes; each has one or two thousand.
const SINGLE_MAX: usize = 256 << 10;

/// A document of the API.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// What the service is.
    Metadata,
    /// The registry of regions.
    Regions,
    /// The region with this id.
    RegionDetail(String),
    /// Today's costs everywhere.
    Snapshot,
    /// The daily costs of the region with this id, or of [`GLOBAL`](ghi_contract::GLOBAL).
    History(String),
    /// The state of the network.
    Network,
    /// What the global average is expected to be.
    Forecast(ForecastDays),
    /// v1.0: the global costs of today.
    Indicator,
}

impl Resource {
    /// The longest document of its kind that a client reads, bytes.
    pub fn max_bytes(&self) -> usize {
        match self {
            Self::Regions | Self::Snapshot => MAX_DOCUMENT_BYTES,
            _ => SINGLE_MAX,
        }
    }

    /// Path and query, to be appended to the base address.
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
