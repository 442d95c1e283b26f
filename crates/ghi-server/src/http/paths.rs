//! The paths outside the contract.

pub(crate) const DASHBOARD: &str = "/";
pub(crate) const METHODOLOGY: &str = "/methodology";
pub(crate) const EXPLAIN: &str = "/explain";
pub(crate) const REGION: &str = "/regions/{id}";
/// The interactive API reference.
pub(crate) const DOCS: &str = "/docs";
pub(crate) const OPENAPI: &str = "/openapi.json";
pub(crate) const OPENAPI_3_0: &str = "/openapi-3.0.json";
pub(crate) const FEED: &str = "/feed.xml";
pub(crate) const PROBLEMS: &str = "/problems";
/// The page that the `type` of a problem links to.
pub(crate) const PROBLEM: &str = "/problems/{code}";
pub(crate) const ASSET: &str = "/assets/{name}";
/// The icon, at the path that browsers expect.
pub(crate) const FAVICON: &str = "/favicon.ico";
/// A short description of the service for language models.
pub(crate) const LLMS: &str = "/llms.txt";
pub(crate) const ROBOTS: &str = "/robots.txt";

pub(crate) const HISTORY_CHART: &str = "/charts/history.svg";
pub(crate) const REGIONS_CHART: &str = "/charts/regions.svg";
pub(crate) const COST_CURVE_CHART: &str = "/charts/cost-curve.svg";
pub(crate) const HISTORY_CSV: &str = "/export/history.csv";
pub(crate) const NETWORK_CSV: &str = "/export/network.csv";
pub(crate) const SNAPSHOT_CSV: &str = "/export/snapshot.csv";
pub(crate) const COST_CURVE_CSV: &str = "/export/cost-curve.csv";
pub(crate) const MERIT_ORDER_CSV: &str = "/export/merit-order.csv";
pub(crate) const DISTRIBUTION_CSV: &str = "/export/distribution.csv";
pub(crate) const ECONOMICS_CSV: &str = "/export/economics.csv";
pub(crate) const FORECAST_CSV: &str = "/export/forecast.csv";
pub(crate) const FORECAST_SCORE_CSV: &str = "/export/forecast-score.csv";
pub(crate) const INPUTS_CSV: &str = "/export/inputs.csv";
pub(crate) const EXPLAIN_CSV: &str = "/export/explain.csv";
pub(crate) const EXPLAIN_JSON: &str = "/export/explain.json";

pub(crate) const HEALTHZ: &str = "/healthz";
pub(crate) const READYZ: &str = "/readyz";
pub(crate) const METRICS: &str = "/metrics";
