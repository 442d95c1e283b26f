//! Where each document lives, below the service's base address.

/// What each of them starts with. Nothing but the contract lives below it.
pub const PREFIX: &str = "/v1/ghi/";

/// [`Metadata`](crate::Metadata).
pub const METADATA: &str = "/v1/ghi/metadata";
/// [`Regions`](crate::Regions).
pub const REGIONS: &str = "/v1/ghi/regions";
/// [`RegionDetail`](crate::RegionDetail); `{id}` stands for a region's id.
pub const REGION_DETAIL: &str = "/v1/ghi/regions/{id}";
/// [`Snapshot`](crate::Snapshot), in either of its forms.
pub const SNAPSHOT: &str = "/v1/ghi/snapshot";
/// [`History`](crate::History).
pub const HISTORY: &str = "/v1/ghi/history";
/// [`Network`](crate::Network).
pub const NETWORK: &str = "/v1/ghi/network";
/// [`Forecast`](crate::Forecast).
pub const FORECAST: &str = "/v1/ghi/forecast";
/// [`Indicator`](crate::Indicator), the one path that is left of v1.0 alone.
pub const INDICATOR: &str = "/v1/ghi/indicator";

/// What [`Metadata::available_endpoints`](crate::Metadata::available_endpoints) lists: the v1.1
/// paths without a parameter, in the contract's order.
pub const AVAILABLE_ENDPOINTS: [&str; 6] =
    [SNAPSHOT, HISTORY, REGIONS, METADATA, NETWORK, FORECAST];
