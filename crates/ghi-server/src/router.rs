//! Every route there is.

use ghi_contract::paths as contract;
use matchit::Router;

use crate::http::paths;
use crate::routes::context::Handler;
use crate::routes::{
    assets, charts, csv, dashboard, discovery, explain, explain_files, feed, index, operations,
    pages, region,
};

/// A path and its handler.
pub(crate) struct Route {
    pub(crate) path: &'static str,
    pub(crate) kind: RouteKind,
    /// The names of its query parameters; of an API route alone, since others ignore unknown ones.
    pub(crate) parameters: &'static [&'static str],
    pub(crate) handler: Handler,
}

/// What a route is for, which decides how its requests are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteKind {
    /// For programs: has scenarios, and may be strict about parameters.
    Api,
    /// For people: a browser gets errors as pages.
    Page,
    /// For an orchestrator: never rate limited, and on the socket for probes too.
    Probe,
    /// For monitoring: on the socket for probes too.
    Metrics,
    /// A file that pages need, or one that describes the service.
    Asset,
}

impl RouteKind {
    pub(crate) fn is_rate_limited(self) -> bool {
        self != Self::Probe
    }

    pub(crate) fn is_on_probe_socket(self) -> bool {
        matches!(self, Self::Probe | Self::Metrics)
    }
}

/// Writes the table of routes, and the list of those that the OpenAPI document describes.
macro_rules! routes {
    (
        described { $($kind:ident $path:path [$($name:literal)*] => $module:ident::$handler:ident;)* }
        others { $($other_kind:ident $other:path => $other_handler:path;)* }
    ) => {
        /// The table of routes.
        pub(crate) const ROUTES: &[Route] = &[
            $(Route {
                path: $path,
                kind: RouteKind::$kind,
                parameters: &[$($name),*],
                handler: $module::$handler,
            },)*
            $(Route {
                path: $other,
                kind: RouteKind::$other_kind,
                parameters: &[],
                handler: $other_handler,
            },)*
        ];

        /// The operations that the OpenAPI document describes.
        #[cfg(feature = "internals")]
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($module::$handler),*), components(schemas(ghi_contract::ProblemDocument)))]
        pub struct Operations;
    };
}

routes! {
    described {
        Api contract::SNAPSHOT [] => index::snapshot;
        Api contract::HISTORY ["region_id"] => index::history;
        Api contract::REGIONS [] => index::regions;
        Api contract::REGION_DETAIL [] => index::region_detail;
        Api contract::METADATA [] => index::metadata;
        Api contract::NETWORK [] => index::network;
        Api contract::FORECAST ["forecast_days"] => index::forecast;
        Api contract::INDICATOR [] => index::indicator;
        Api paths::HISTORY_CHART ["region_id" "range" "theme"] => charts::history_chart;
        Api paths::REGIONS_CHART ["theme"] => charts::regions_chart;
        Api paths::HISTORY_CSV ["region_id" "range" "from" "to"] => csv::history_csv;
        Api paths::NETWORK_CSV ["range" "from" "to"] => csv::network_csv;
        Api paths::SNAPSHOT_CSV [] => csv::snapshot_csv;
        Api paths::EXPLAIN_CSV ["region_id" "date"] => explain_files::explain_csv;
        Api paths::EXPLAIN_JSON ["region_id" "date"] => explain_files::explain_json;
        Probe paths::HEALTHZ [] => operations::healthz;
        Probe paths::READYZ [] => operations::readyz;
        Metrics paths::METRICS [] => operations::metrics;
    }
    others {
        Page paths::DASHBOARD => dashboard::dashboard;
        Page paths::REGION => region::region;
        Page paths::METHODOLOGY => pages::methodology;
        Page paths::EXPLAIN => explain::explain;
        Page paths::DOCS => pages::docs;
        Page paths::FEED => feed::feed;
        Page paths::PROBLEMS => pages::problems;
        Page paths::PROBLEM => pages::problem;
        Asset paths::ASSET => assets::asset;
        Asset paths::FAVICON => assets::icon;
        Asset paths::OPENAPI => discovery::openapi;
        Asset paths::OPENAPI_3_0 => discovery::openapi_3_0;
        Asset paths::LLMS => discovery::llms;
        Asset paths::ROBOTS => discovery::robots;
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
