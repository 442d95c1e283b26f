//! The URLs of the API: of the server and of each document.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ghi_contract::{ForecastDays, paths};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Url;

/// The characters to escape in a path segment or a query value: all but the unreserved ones (RFC 3986).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The maximum size of a table or a document that lists regions, in bytes. With 256 regions, a snapshot takes 0.1 MB.
const LIST_MAX: usize = 8 << 20;

/// The maximum size of any other document in bytes. Typical documents have 1,000 to 2,000.
const SINGLE_MAX: usize = 256 << 10;

/// The base URL of a server, without a trailing slash.
#[derive(Clone, Debug)]
pub struct BaseUrl(Url);

impl BaseUrl {
    /// Returns the URL.
    pub fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    /// Returns the path of the URL, without a trailing slash.
    pub fn path(&self) -> &str {
        self.0.path().trim_end_matches('/')
    }

    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default().trim_matches(['[', ']']);
        host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for BaseUrl {
    type Err = InvalidBaseUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // A password would appear in error messages.
        let is_base = |url: &Url| {
            let plain = url.origin().ascii_serialization() + url.path();
            matches!(url.scheme(), "http" | "https") && url.as_str() == plain
        };
        Url::parse(text).ok().filter(is_base).map(Self).ok_or(InvalidBaseUrl)
    }
}

/// A string that is not a base URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must start with http:// or https:// and have no user name, query string or fragment, such as http://127.0.0.1:8000"
)]
pub struct InvalidBaseUrl;

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
    /// Returns the path and query, to be appended to the base URL.
    pub fn target(&self) -> String {
        match self {
            Self::Metadata => paths::METADATA.into(),
            Self::Regions => paths::REGIONS.into(),
            Self::RegionDetail(id) => paths::REGION_DETAIL.replace("{id}", &escaped(id)),
            Self::Snapshot => paths::SNAPSHOT.into(),
            Self::History(id) => with_query(paths::HISTORY, [("region_id", Some(id.clone()))]),
            Self::Network => paths::NETWORK.into(),
            Self::Forecast(days) => format!("{}?forecast_days={}", paths::FORECAST, days.get()),
            Self::Indicator => paths::INDICATOR.into(),
        }
    }
}

/// Returns the maximum size of a response in bytes.
pub(crate) fn max_bytes(target: &str) -> usize {
    let is_list = [paths::REGIONS, paths::SNAPSHOT].contains(&target);
    if is_list || !target.starts_with(paths::PREFIX) { LIST_MAX } else { SINGLE_MAX }
}

fn escaped(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Returns a path with the parameters that have a value, for [`Client::text_at`](crate::Client::text_at).
pub fn with_query<'a>(
    path: &str,
    parameters: impl IntoIterator<Item = (&'a str, Option<String>)>,
) -> String {
    let given = parameters.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let query: Vec<String> =
        given.map(|(name, value)| format!("{name}={}", escaped(&value))).collect();
    if query.is_empty() { path.into() } else { format!("{path}?{}", query.join("&")) }
}
