//! The requests that a server sends to itself before anyone else does, so that nobody waits for their rendering.

use ghi_contract::{ForecastDays, paths as contract};
use ghi_engine::Registry;

use crate::http::paths;

/// Every document of the contract, and the pages and files that are requested most.
pub(crate) fn targets(registry: &Registry) -> impl Iterator<Item = String> {
    let single = [
        contract::SNAPSHOT,
        contract::HISTORY,
        contract::REGIONS,
        contract::METADATA,
        contract::NETWORK,
        contract::INDICATOR,
        paths::DASHBOARD,
        paths::EXPLAIN,
        paths::FEED,
        paths::SNAPSHOT_CSV,
        paths::EXPLAIN_CSV,
        paths::EXPLAIN_JSON,
    ];
    let charts = [paths::HISTORY_CHART, paths::REGIONS_CHART]
        .into_iter()
        .flat_map(|path| ["auto", "light", "dark"].map(|theme| format!("{path}?theme={theme}")));
    let forecasts = ForecastDays::all()
        .map(|days| format!("{}?forecast_days={}", contract::FORECAST, days.get()));
    let regions = registry.regions().iter().flat_map(|region| {
        let detail = contract::REGION_DETAIL.replace("{id}", &region.id);
        [detail, format!("{}?region_id={}", contract::HISTORY, region.id)]
    });
    single.map(String::from).into_iter().chain(charts).chain(forecasts).chain(regions)
}
