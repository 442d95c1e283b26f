//! The path of each document, relative to the server's base URL.

/// The prefix of every path of the contract, and of no other path.
pub const PREFIX: &str = "/v1/ghi/";

/// [`Metadata`](crate::Metadata).
pub const METADATA: &str = "/v1/ghi/metadata";
/// [`Regions`](crate::Regions).
pub const REGIONS: &str = "/v1/ghi/regions";
/// [`RegionDetail`](crate::RegionDetail); `{id}` is a region id.
pub const REGION_DETAIL: &str = "/v1/ghi/regions/{id}";
/// [`Snapshot`](crate::Snapshot), in either of its forms.
pub const SNAPSHOT: &str = "/v1/ghi/snapshot";
/// [`History`](crate::History).
pub const HISTORY: &str = "/v1/ghi/history";
/// [`Network`](crate::Network).
pub const NETWORK: &str = "/v1/ghi/network";
/// [`Forecast`](crate::Forecast).
pub const FORECAST: &str = "/v1/ghi/forecast";
/// [`Indicator`](crate::Indicator), the only path that remains of v1.0.
pub const INDICATOR: &str = "/v1/ghi/indicator";

/// The value of [`Metadata::available_endpoints`](crate::Metadata::available_endpoints): the v1.1
/// paths without a parameter, in the contract's order.
pub const AVAILABLE_ENDPOINTS: [&str; 6] =
    [SNAPSHOT, HISTORY, REGIONS, METADATA, NETWORK, FORECAST];
