//! What each path of the contract answers.

use bytes::Bytes;
use ghi_contract::{
    AnySnapshot, Forecast, History, Indicator, Metadata, Network, RegionDetail, Regions, paths,
};
use hyper::Response;
use hyper::header::HeaderValue;

use crate::api::Ask;
use crate::parameters::{Scope, forecast_days, region_of_path};
use crate::prefer::{PREFERENCE_APPLIED, applied, preferred_form};
use crate::problem::Problem;

type Answer = Result<Response<Bytes>, Problem>;

/// The chapter of the description that they stand in.
pub(crate) const INDEX: &str = "Index";

/// What the service is.
///
/// The API's versions, the environment and the paths of the documents.
#[utoipa::path(get, path = paths::METADATA, tag = INDEX,
    responses((status = 200, body = Metadata)))]
pub(crate) fn metadata(ask: &Ask<'_>) -> Answer {
    ask.document(|edition| &edition.metadata)
}

/// The registry of regions.
///
/// Every region with its id and its name.
#[utoipa::path(get, path = paths::REGIONS, tag = INDEX, responses((status = 200, body = Regions)))]
pub(crate) fn regions(ask: &Ask<'_>) -> Answer {
    ask.document(|edition| &edition.regions)
}

/// One region today.
///
/// The region's minimum, average and maximum cost of today, and its part of the network's
/// hashrate.
#[utoipa::path(get, path = paths::REGION_DETAIL, tag = INDEX,
    params(("id" = String, Path)),
    responses((status = 200, body = RegionDetail)))]
pub(crate) fn region_detail(ask: &Ask<'_>) -> Answer {
    let region = region_of_path(ask.path_parameter("id"), ask.model())?;
    ask.document(|edition| edition.region_detail(region))
}

/// Today's costs everywhere.
///
/// Globally and for each region. The reduced form carries the global costs alone.
#[utoipa::path(get, path = paths::SNAPSHOT, tag = INDEX,
    params(("Prefer" = Option<String>, Header)),
    responses((status = 200, body = AnySnapshot)))]
pub(crate) fn snapshot(ask: &Ask<'_>) -> Answer {
    let preferred = preferred_form(ask.headers);
    let form = preferred.unwrap_or(ask.default_form());
    let mut response = ask.document(|edition| edition.snapshot(form))?;
    if preferred.is_some() {
        let applied = HeaderValue::from_static(applied(form));
        response.headers_mut().insert(PREFERENCE_APPLIED, applied);
    }
    Ok(response)
}

/// A week of daily costs.
///
/// Seven days up to today, of the whole network or of one region.
#[utoipa::path(get, path = paths::HISTORY, tag = INDEX,
    params(("region_id" = Option<String>, Query)),
    responses((status = 200, body = History)))]
pub(crate) fn history(ask: &Ask<'_>) -> Answer {
    let scope = Scope::parse(&ask.query, ask.model())?;
    ask.document(|edition| edition.history(scope))
}

/// The network's state today.
///
/// Hashrate, difficulty and the mean fee of a transaction.
#[utoipa::path(get, path = paths::NETWORK, tag = INDEX, responses((status = 200, body = Network)))]
pub(crate) fn network(ask: &Ask<'_>) -> Answer {
    ask.document(|edition| &edition.network)
}

/// The predicted global average.
///
/// The sandbox predicts the model's long-run mean, the same for every horizon.
#[utoipa::path(get, path = paths::FORECAST, tag = INDEX,
    params(("forecast_days" = Option<u16>, Query)),
    responses((status = 200, body = Forecast)))]
pub(crate) fn forecast(ask: &Ask<'_>) -> Answer {
    let days = forecast_days(&ask.query)?;
    ask.document(|edition| edition.forecast(days))
}

/// v1.0: today's global costs.
///
/// Left for clients of v1.0; the snapshot is its successor.
#[utoipa::path(get, path = paths::INDICATOR, tag = INDEX,
    responses((status = 200, body = Indicator)))]
pub(crate) fn indicator(ask: &Ask<'_>) -> Answer {
    ask.document(|edition| &edition.indicator)
}
