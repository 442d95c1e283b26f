//! The table of all routes.

use ghi_contract::paths as contract;

use crate::http::paths;
use crate::http::query::Query;
use crate::routes::api;
use crate::routes::context::Handler;
use crate::routes::files::{charts, csv, explain_files, feed, forecast_csv};
use crate::routes::operations::{assets, discovery, probes};
use crate::routes::pages::{dashboard, explain, general, region};
use crate::routes::parameters;
use crate::scenarios;

pub(crate) struct Route {
    /// May end in a parameter: `/regions/{id}`.
    pub(crate) path: &'static str,
    pub(crate) kind: RouteKind,
    work: Work,
    pub(crate) parameters: &'static [&'static str],
    pub(crate) handler: Handler,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteKind {
    /// A document of the contract: supports scenarios and strict parameters.
    Api,
    /// A chart or a table: supports scenarios, and rejects unknown parameters.
    File,
    /// For people: browsers receive errors as pages.
    Page,
    /// For orchestrators: never rate limited, and also served on the probe socket.
    Probe,
    /// For monitoring: also served on the probe socket.
    Metrics,
    /// A file that pages use or that describes the service.
    Asset,
}

impl RouteKind {
    pub(crate) fn has_scenarios(self) -> bool {
        matches!(self, Self::Api | Self::File)
    }
}

/// How much work a response of a route takes with the most regions that inputs may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// Made on the worker: at most 2 ms, or in such pieces.
    Little,
    /// May take longer, so it is made on the render thread, unless it is the response without parameters, which all
    /// requests of a day share.
    Rendered,
}

impl Route {
    /// Returns the value of the parameter in a path of this route, still percent-encoded, or empty if it has none.
    pub(crate) fn parameter<'p>(&self, path: &'p str) -> Option<&'p str> {
        // A trailing slash makes no difference.
        let path = if path == "/" { path } else { path.strip_suffix('/').unwrap_or(path) };
        if !self.has_parameter() {
            return (self.path == path).then_some("");
        }
        let before = &self.path[..self.path.find('{')?];
        path.strip_prefix(before).filter(|rest| !rest.is_empty() && !rest.contains('/'))
    }

    fn has_parameter(&self) -> bool {
        self.path.ends_with('}')
    }

    /// Returns whether a request is rendered on the pool: if its route takes long, and no other request may be the same.
    pub(crate) fn is_rendered_alone(
        &self,
        query: Option<&str>,
        has_prefer: impl FnOnce() -> bool,
    ) -> bool {
        let has_query = query.is_some_and(|query| !query.is_empty());
        self.work == Work::Rendered && (self.has_parameter() || has_query || has_prefer())
    }

    /// Returns how many days a request draws, each of which is computed for a day other than today.
    pub(crate) fn days_drawn(&self, query: Option<&str>) -> u32 {
        let draws_range = self.work == Work::Rendered && self.parameters.contains(&"range");
        let range = || parameters::range(&Query::parse(query).ok()?).ok()?;
        match draws_range.then(range).flatten() {
            Some(range) if range.is_weekly() => u32::from(range.days()) / 7,
            Some(range) => range.days().into(),
            None => 1,
        }
    }
}

const fn route(
    kind: RouteKind,
    work: Work,
    path: &'static str,
    parameters: &'static [&'static str],
    handler: Handler,
) -> Route {
    Route { path, kind, work, parameters, handler }
}

/// Generates the table of routes, and the list of routes in the OpenAPI document.
macro_rules! routes {
    (
        described { $($kind:ident $work:ident $path:path [$($name:literal)*] => $module:ident::$handler:ident;)* }
        others { $($other_kind:ident $other_work:ident $other:path [$($other_name:literal)*] => $other_handler:path;)* }
    ) => {
        pub(crate) const ROUTES: &[Route] = &[
            $(route(RouteKind::$kind, Work::$work, $path, &[$($name),*], $module::$handler),)*
            $(route(RouteKind::$other_kind, Work::$other_work, $other, &[$($other_name),*], $other_handler),)*
        ];

        /// The operations in the OpenAPI document.
        #[cfg(feature = "internals")]
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($module::$handler),*), components(schemas(ghi_contract::ProblemDocument)))]
        pub struct Operations;
    };
}

routes! {
    described {
        Api Little contract::SNAPSHOT [] => api::snapshot;
        Api Little contract::HISTORY ["region_id"] => api::history;
        Api Little contract::REGIONS [] => api::regions;
        Api Little contract::REGION_DETAIL [] => api::region_detail;
        Api Little contract::METADATA [] => api::metadata;
        Api Little contract::NETWORK [] => api::network;
        Api Little contract::FORECAST ["forecast_days"] => api::forecast;
        Api Little contract::INDICATOR [] => api::indicator;
        File Rendered paths::HISTORY_CHART ["region_id" "range" "theme"] => charts::history_chart;
        File Rendered paths::REGIONS_CHART ["theme"] => charts::regions_chart;
        File Rendered paths::COST_CURVE_CHART ["price" "date" "order" "theme"] => charts::cost_curve_chart;
        File Little paths::HISTORY_CSV ["region_id" "range" "from" "to"] => csv::history_csv;
        File Little paths::NETWORK_CSV ["range" "from" "to"] => csv::network_csv;
        File Little paths::SNAPSHOT_CSV [] => csv::snapshot_csv;
        File Little paths::COST_CURVE_CSV ["date"] => csv::cost_curve_csv;
        File Rendered paths::MERIT_ORDER_CSV ["date"] => csv::merit_order_csv;
        File Little paths::DISTRIBUTION_CSV ["date" "range" "from" "to"] => csv::distribution_csv;
        File Little paths::ECONOMICS_CSV ["price" "date" "range" "from" "to"] => csv::economics_csv;
        File Rendered paths::FORECAST_CSV ["forecast_days" "from" "to"] => forecast_csv::forecast_csv;
        File Rendered paths::FORECAST_SCORE_CSV ["from" "to"] => forecast_csv::forecast_score_csv;
        File Little paths::INPUTS_CSV ["region_id" "date" "range" "from" "to"] => csv::inputs_csv;
        File Rendered paths::EXPLAIN_CSV ["region_id" "date"] => explain_files::explain_csv;
        File Rendered paths::EXPLAIN_JSON ["region_id" "date" "since"] => explain_files::explain_json;
        Probe Little paths::HEALTHZ [] => probes::healthz;
        Probe Little paths::READYZ [] => probes::readyz;
        Metrics Little paths::METRICS [] => probes::metrics;
    }
    others {
        Page Rendered paths::DASHBOARD [
            "range" "region_id" "price" "order" "compare" "with" "sort" "find" "page" "unit" "published"
            "electricity_usd_per_kwh" "efficiency_j_per_th" "efficiency_j_per_mh" "overhead" "block_reward_coins"
        ] => dashboard::dashboard;
        Page Rendered paths::REGION ["range"] => region::region;
        Page Little paths::METHODOLOGY [] => general::methodology;
        Page Rendered paths::EXPLAIN ["region_id" "date" "since"] => explain::explain;
        Page Little paths::DOCS [] => general::docs;
        Page Little paths::FEED [] => feed::feed;
        Page Little paths::PROBLEMS [] => general::problems;
        Page Little paths::PROBLEM [] => general::problem;
        Asset Little paths::ASSET [] => assets::asset;
        Asset Little paths::FAVICON [] => assets::asset;
        Asset Little paths::OPENAPI [] => discovery::openapi;
        Asset Little paths::OPENAPI_3_0 [] => discovery::openapi_3_0;
        Asset Little paths::LLMS [] => discovery::llms;
        Asset Little paths::ROBOTS [] => discovery::robots;
    }
}

pub(crate) fn find_route(path: &str) -> Option<&'static Route> {
    ROUTES.iter().find(|route| route.parameter(path).is_some())
}

/// Returns the names of the query parameters of a route.
#[cfg(feature = "internals")]
pub fn query_parameters(path: &str) -> &'static [&'static str] {
    find_route(path).map_or(&[], |route| route.parameters)
}

/// Returns the route of a path of the API, or of a route such as `/v1/ghi/regions/{id}`.
fn api_route(path: &str) -> Option<&'static str> {
    let route = find_route(path)?;
    route.kind.has_scenarios().then_some(route.path)
}

/// Returns whether a path, or a route such as `/v1/ghi/regions/{id}`, belongs to the API, so that its requests
/// may fail on purpose.
pub fn is_api_path(path: &str) -> bool {
    api_route(path).is_some()
}

/// Checks the value of `--fail`: all of its preferences must have an effect on its path.
pub fn check_fail_flag(text: &str) -> Result<(), String> {
    scenarios::check_fail_flag(text, api_route)
}

/// Returns the targets that a server renders before anyone requests them: the documents, pages and files that are
/// requested most.
pub(crate) fn rendered_ahead() -> impl Iterator<Item = String> {
    let is_document = |route: &&Route| route.kind == RouteKind::Api && !route.has_parameter();
    let documents = ROUTES.iter().filter(is_document).map(|route| route.path);
    let files = [paths::SNAPSHOT_CSV, paths::EXPLAIN_CSV, paths::EXPLAIN_JSON, paths::FEED];
    let pages = [paths::FORECAST_SCORE_CSV, paths::DASHBOARD, paths::EXPLAIN];
    let charts = [paths::HISTORY_CHART, paths::REGIONS_CHART].into_iter();
    let charts =
        charts.flat_map(|path| parameters::THEMES.map(|theme| format!("{path}?theme={theme}")));
    documents.chain(files).chain(pages).map(String::from).chain(charts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<(&str, &str)>) {
        let found = find_route(path).map(|route| (route.path, route.parameter(path).unwrap()));
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn a_path_finds_its_route_and_its_parameter() {
        check("/", Some(("/", "")));
        check("/v1/ghi/regions", Some((contract::REGIONS, "")));
        check("/v1/ghi/regions/", Some((contract::REGIONS, "")));
        check("/v1/ghi/regions/us", Some((contract::REGION_DETAIL, "us")));
        check("/v1/ghi/regions/u%73/", Some((contract::REGION_DETAIL, "u%73")));
        check("/v1/ghi/regions/us/costs", None);
        check("/v1/ghi/regions//", None);
        check("/v1/ghi/snapshot2", None);
        check("//", Some(("/", "")));
        check("", None);
    }

    #[test]
    fn no_two_routes_have_the_same_path() {
        for route in ROUTES {
            let path = route.path.replace(['{', '}'], "");
            let before = route.path.find('{').unwrap_or(path.len());
            check(&path, Some((route.path, &path[before..])));
        }
    }
}
