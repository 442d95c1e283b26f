//! Every route there is.

use ghi_contract::paths as contract;
use matchit::Router;

use crate::http::paths;
use crate::routes::context::Handler;
use crate::routes::{
    assets, card, charts, csv, dashboard, discovery, explain, explain_csv, explain_json, feed,
    index, operations, pages, region,
};

/// A path and what lives there.
pub(crate) struct Route {
    pub(crate) path: &'static str,
    pub(crate) handler: Handler,
    /// Whether it counts against the rate limit: all do but the probes of an orchestrator.
    pub(crate) limited: bool,
    /// Whether it is for operators, and so on the socket for probes as well.
    pub(crate) for_operators: bool,
    /// Whether it is of the API: requests may ask it for scenarios, and it has parameters to be
    /// strict about.
    pub(crate) of_api: bool,
    /// Whether it is a page: a browser gets a page about what was wrong as well.
    pub(crate) of_people: bool,
}

const fn api(path: &'static str, handler: Handler) -> Route {
    Route { of_api: true, ..route(path, handler) }
}

const fn page(path: &'static str, handler: Handler) -> Route {
    Route { of_people: true, ..route(path, handler) }
}

const fn route(path: &'static str, handler: Handler) -> Route {
    Route { path, handler, limited: true, for_operators: false, of_api: false, of_people: false }
}

const fn probe(path: &'static str, handler: Handler) -> Route {
    Route { path, handler, limited: false, ..scrape(path, handler) }
}

const fn scrape(path: &'static str, handler: Handler) -> Route {
    Route { for_operators: true, ..route(path, handler) }
}

/// Writes the table of routes, and the list of those that the OpenAPI document describes.
macro_rules! routes {
    (described { $($kind:ident $path:expr => $module:ident::$handler:ident;)* } others { $($other:tt)* }) => {
        /// The table of routes.
        pub(crate) const ROUTES: &[Route] =
            &[$($kind($path, $module::$handler),)* $($other)*];

        /// The operations that the OpenAPI document describes.
        #[cfg(feature = "internals")]
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($module::$handler),*), components(schemas(ghi_contract::Problem)))]
        pub struct Operations;
    };
}

routes! {
    described {
        api contract::SNAPSHOT => index::snapshot;
        api contract::HISTORY => index::history;
        api contract::REGIONS => index::regions;
        api contract::REGION_DETAIL => index::region_detail;
        api contract::METADATA => index::metadata;
        api contract::NETWORK => index::network;
        api contract::FORECAST => index::forecast;
        api contract::INDICATOR => index::indicator;
        api paths::HISTORY_CHART => charts::history_chart;
        api paths::REGIONS_CHART => charts::regions_chart;
        api paths::HISTORY_CSV => csv::history_csv;
        api paths::NETWORK_CSV => csv::network_csv;
        api paths::SNAPSHOT_CSV => csv::snapshot_csv;
        api paths::EXPLAIN_CSV => explain_csv::explain_csv;
        api paths::EXPLAIN_JSON => explain_json::explain_json;
        probe paths::HEALTHZ => operations::healthz;
        probe paths::READYZ => operations::readyz;
        scrape paths::METRICS => operations::metrics;
    }
    others {
        page(paths::DASHBOARD, dashboard::dashboard),
        page(paths::REGION, region::region),
        page(paths::METHODOLOGY, pages::methodology),
        page(paths::EXPLAIN, explain::explain),
        page(paths::DOCS, pages::docs),
        page(paths::CARD, card::card),
        page(paths::FEED, feed::feed),
        page(paths::PROBLEMS, pages::problems),
        page(paths::PROBLEM, pages::problem),
        route(paths::ASSET, assets::asset),
        route(paths::FAVICON, assets::icon),
        route(paths::OPENAPI, discovery::openapi),
        route(paths::OPENAPI_3_0, discovery::openapi_3_0),
        route(paths::API_CATALOG, discovery::api_catalog),
        route(paths::LLMS, discovery::llms),
        route(paths::ROBOTS, discovery::robots),
    }
}

/// The place of a route in [`ROUTES`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteIndex(usize);

impl RouteIndex {
    pub(crate) fn get(self) -> usize {
        self.0
    }

    pub(crate) fn route(self) -> &'static Route {
        &ROUTES[self.0]
    }
}

/// The table, ready to be searched.
pub(crate) fn router() -> Router<RouteIndex> {
    let mut router = Router::new();
    for (index, route) in ROUTES.iter().enumerate() {
        router.insert(route.path, RouteIndex(index)).expect("the routes are distinct");
    }
    router
}
