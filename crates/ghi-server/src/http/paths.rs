//! Where things live beside the contract's paths.

/// Figures for people.
pub(crate) const DASHBOARD: &str = "/";
/// How the figures come about.
pub(crate) const METHODOLOGY: &str = "/methodology";
/// Where figures come from.
pub(crate) const EXPLAIN: &str = "/explain";
/// A region, for people.
pub(crate) const REGION: &str = "/regions/{id}";
/// The interactive reference.
pub(crate) const DOCS: &str = "/docs";
/// The OpenAPI document.
pub(crate) const OPENAPI: &str = "/openapi.json";
/// The same as OpenAPI 3.0.
pub(crate) const OPENAPI_3_0: &str = "/openapi-3.0.json";
/// A day's figures as an entry of a feed.
pub(crate) const FEED: &str = "/feed.xml";
/// Every kind of problem.
pub(crate) const PROBLEMS: &str = "/problems";
/// What the `type` of a problem refers to.
pub(crate) const PROBLEM: &str = "/problems/{code}";
/// Files that pages are made of.
pub(crate) const ASSET: &str = "/assets/{name}";
/// The icon, where browsers look for it.
pub(crate) const FAVICON: &str = "/favicon.ico";
/// The service in a few words, for assistants.
pub(crate) const LLMS: &str = "/llms.txt";
/// What crawlers may read.
pub(crate) const ROBOTS: &str = "/robots.txt";

/// The history as a chart.
pub(crate) const HISTORY_CHART: &str = "/charts/history.svg";
/// The regions as a chart.
pub(crate) const REGIONS_CHART: &str = "/charts/regions.svg";
/// The cost curve as a chart.
pub(crate) const COST_CURVE_CHART: &str = "/charts/cost-curve.svg";
/// The history as a table.
pub(crate) const HISTORY_CSV: &str = "/export/history.csv";
/// The network as a table.
pub(crate) const NETWORK_CSV: &str = "/export/network.csv";
/// The snapshot as a table.
pub(crate) const SNAPSHOT_CSV: &str = "/export/snapshot.csv";
/// The cost curve of a day as a table.
pub(crate) const COST_CURVE_CSV: &str = "/export/cost-curve.csv";
/// Percentiles of the cost as a table.
pub(crate) const DISTRIBUTION_CSV: &str = "/export/distribution.csv";
/// The price beside the cost as a table.
pub(crate) const ECONOMICS_CSV: &str = "/export/economics.csv";
/// The model's inputs by day as a table.
pub(crate) const INPUTS_CSV: &str = "/export/inputs.csv";
/// Where figures come from, as a table.
pub(crate) const EXPLAIN_CSV: &str = "/export/explain.csv";
/// The same as JSON.
pub(crate) const EXPLAIN_JSON: &str = "/export/explain.json";

/// The liveness probe.
pub(crate) const HEALTHZ: &str = "/healthz";
/// The readiness probe.
pub(crate) const READYZ: &str = "/readyz";
/// What Prometheus scrapes.
pub(crate) const METRICS: &str = "/metrics";
