//! Every route there is.

use bytes::Bytes;
use ghi_contract::paths;
use hyper::Response;
use matchit::Router;

use crate::api::Ask;
use crate::problem::Problem;
use crate::{handlers, pages};

/// What answers a GET of a route.
pub(crate) type Handler = fn(&Ask<'_>) -> Result<Response<Bytes>, Problem>;

const ROUTES: [(&str, Handler); 9] = [
    (paths::METADATA, handlers::metadata),
    (paths::REGIONS, handlers::regions),
    (paths::REGION_DETAIL, handlers::region_detail),
    (paths::SNAPSHOT, handlers::snapshot),
    (paths::HISTORY, handlers::history),
    (paths::NETWORK, handlers::network),
    (paths::FORECAST, handlers::forecast),
    (paths::INDICATOR, handlers::indicator),
    (pages::PROBLEM, pages::problem),
];

/// The table, ready to be asked.
pub(crate) fn router() -> Router<Handler> {
    let mut router = Router::new();
    for (path, handler) in ROUTES {
        router.insert(path, handler).expect("the routes are distinct");
    }
    router
}
