//! The paths outside the contract.

/// The dashboard.
pub(crate) const DASHBOARD: &str = "/";
/// The methodology page.
pub(crate) const METHODOLOGY: &str = "/methodology";
/// The page that shows how a cost is calculated, step by step.
pub(crate) const EXPLAIN: &str = "/explain";
/// The page of a region.
pub(crate) const REGION: &str = "/regions/{id}";
/// The interactive API reference.
pub(crate) const DOCS: &str = "/docs";
/// The OpenAPI document.
pub(crate) const OPENAPI: &str = "/openapi.json";
/// The OpenAPI document converted to OpenAPI 3.0.
pub(crate) const OPENAPI_3_0: &str = "/openapi-3.0.json";
/// The feed, with one entry per day.
pub(crate) const FEED: &str = "/feed.xml";
/// The list of problem types.
pub(crate) const PROBLEMS: &str = "/problems";
/// The page that the `type` of a problem links to.
pub(crate) const PROBLEM: &str = "/problems/{code}";
/// Style sheets, scripts and images of the pages.
pub(crate) const ASSET: &str = "/assets/{name}";
/// The icon, at the path that browsers expect.
pub(crate) const FAVICON: &str = "/favicon.ico";
/// A short description of the service for language models.
pub(crate) const LLMS: &str = "/llms.txt";
/// Rules for crawlers.
pub(crate) const ROBOTS: &str = "/robots.txt";

/// The history as a chart.
pub(crate) const HISTORY_CHART: &str = "/charts/history.svg";
/// The regions as a chart.
pub(crate) const REGIONS_CHART: &str = "/charts/regions.svg";
/// The cost curve as a chart.
pub(crate) const COST_CURVE_CHART: &str = "/charts/cost-curve.svg";
/// The history as CSV.
pub(crate) const HISTORY_CSV: &str = "/export/history.csv";
/// The network data as CSV.
pub(crate) const NETWORK_CSV: &str = "/export/network.csv";
/// The snapshot as CSV.
pub(crate) const SNAPSHOT_CSV: &str = "/export/snapshot.csv";
/// The cost curve of a day as CSV.
pub(crate) const COST_CURVE_CSV: &str = "/export/cost-curve.csv";
/// Percentiles of the cost as CSV.
pub(crate) const DISTRIBUTION_CSV: &str = "/export/distribution.csv";
/// Price, margin and break-evens as CSV.
pub(crate) const ECONOMICS_CSV: &str = "/export/economics.csv";
/// The model's inputs by day as CSV.
pub(crate) const INPUTS_CSV: &str = "/export/inputs.csv";
/// The calculation as CSV.
pub(crate) const EXPLAIN_CSV: &str = "/export/explain.csv";
/// The calculation as JSON.
pub(crate) const EXPLAIN_JSON: &str = "/export/explain.json";

/// The liveness probe.
pub(crate) const HEALTHZ: &str = "/healthz";
/// The readiness probe.
pub(crate) const READYZ: &str = "/readyz";
/// Metrics for Prometheus.
pub(crate) const METRICS: &str = "/metrics";
