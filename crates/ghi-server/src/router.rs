//! Every route there is.

use bytes::Bytes;
use ghi_contract::paths;
use hyper::Response;
use matchit::Router;

use crate::api::Ask;
use crate::problem::Problem;
use crate::{assets, dashboard, discovery, exports, handlers, operations, pages, pictures};

/// What answers a GET of a route.
pub(crate) type Handler = fn(&Ask<'_>) -> Result<Response<Bytes>, Problem>;

/// A path and what lives there.
pub(crate) struct Route {
    pub(crate) path: &'static str,
    pub(crate) handler: Handler,
    /// Whether it counts against the rate limit: all do but the probes of an orchestrator.
    pub(crate) limited: bool,
}

const fn route(path: &'static str, handler: Handler) -> Route {
    Route { path, handler, limited: true }
}

const fn probe(path: &'static str, handler: Handler) -> Route {
    Route { path, handler, limited: false }
}

/// Writes the table of routes, and the list of those that the OpenAPI document describes.
macro_rules! routes {
    (described { $($kind:ident $path:expr => $module:ident::$handler:ident;)* } others { $($other:tt)* }) => {
        pub(crate) const ROUTES: &[Route] =
            &[$($kind($path, $module::$handler),)* $($other)*];

        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($module::$handler),*), components(schemas(ghi_contract::Problem)))]
        pub(crate) struct Described;
    };
}

routes! {
    described {
        route paths::SNAPSHOT => handlers::snapshot;
        route paths::HISTORY => handlers::history;
        route paths::REGIONS => handlers::regions;
        route paths::REGION_DETAIL => handlers::region_detail;
        route paths::METADATA => handlers::metadata;
        route paths::NETWORK => handlers::network;
        route paths::FORECAST => handlers::forecast;
        route paths::INDICATOR => handlers::indicator;
        route pictures::HISTORY_CHART => pictures::history_chart;
        route pictures::REGIONS_CHART => pictures::regions_chart;
        route exports::HISTORY_CSV => exports::history_csv;
        route exports::SNAPSHOT_CSV => exports::snapshot_csv;
        probe operations::HEALTHZ => operations::healthz;
        probe operations::READYZ => operations::readyz;
        route operations::METRICS => operations::metrics;
    }
    others {
        route("/", dashboard::dashboard),
        route("/docs", pages::docs),
        route("/problems/{code}", pages::problem),
        route("/assets/{name}", assets::asset),
        route("/favicon.ico", assets::icon),
        route("/openapi.json", discovery::openapi),
        route("/.well-known/api-catalog", discovery::api_catalog),
        route("/llms.txt", discovery::llms),
        route("/robots.txt", discovery::robots),
        #[cfg(test)]
        route("/panic", |_| panic!("as the test wants")),
    }
}

/// How many routes there are.
pub(crate) const ROUTE_COUNT: usize = ROUTES.len();

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

/// The table, ready to be asked.
pub(crate) fn router() -> Router<RouteIndex> {
    let mut router = Router::new();
    for (index, route) in ROUTES.iter().enumerate() {
        router.insert(route.path, RouteIndex(index)).expect("the routes are distinct");
    }
    router
}
