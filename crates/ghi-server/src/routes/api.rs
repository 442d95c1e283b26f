//! The index: the handlers of the contract's paths.

use ghi_contract::paths;
use hyper::header::LINK;

use crate::config::SnapshotForm;
use crate::edition::Document;
use crate::http::caching::vary_by;
use crate::http::prefer::{PREFER, add_applied, preference};
use crate::routes::context::{Context, HandlerResult};
use crate::routes::parameters::{forecast_days, region_of_path, scope};

/// Service metadata.
///
/// The API versions, the environment and the paths of the documents.
#[cfg_attr(feature = "internals", utoipa::path(get, path = ghi_contract::paths::METADATA, tag = "Index",
    responses((status = 200, body = ghi_contract::Metadata))))]
pub(crate) fn metadata(context: &Context<'_>) -> HandlerResult {
    context.document(Document::Metadata)
}

/// All regions.
///
/// The id and name of every region.
#[cfg_attr(feature = "internals", utoipa::path(get, path = ghi_contract::paths::REGIONS, tag = "Index", responses((status = 200, body = ghi_contract::Regions))))]
pub(crate) fn regions(context: &Context<'_>) -> HandlerResult {
    context.document(Document::Regions)
}

/// One region's costs today.
///
/// The region's minimum, average and maximum cost today, and its share of the network's hashrate.
#[cfg_attr(feature = "internals", utoipa::path(get, path = ghi_contract::paths::REGION_DETAIL, tag = "Index",
    params(("id" = String, Path)),
    responses((status = 200, body = ghi_contract::RegionDetail))))]
pub(crate) fn region_detail(context: &Context<'_>) -> HandlerResult {
    let region = region_of_path(context.path_parameter, context.registry())?;
    context.document(Document::RegionDetail(region))
}

/// Today's costs, worldwide and by region.
///
/// The reduced form has only the worldwide costs.
#[cfg_attr(feature = "internals", utoipa::path(get, path = ghi_contract::paths::SNAPSHOT, tag = "Index",
    responses((status = 200, body = ghi_contract::Snapshot))))]
pub(crate) fn snapshot(context: &Context<'_>) -> HandlerResult {
    let (form, applied) = match preference(context.headers, "return").as_deref() {
        Some("minimal") => (SnapshotForm::Reduced, Some("return=minimal")),
        Some("representation") => (SnapshotForm::Full, Some("return=representation")),
        _ => (context.snapshot_form, None),
    };
    let mut response = context.document(Document::Snapshot(form))?;
    let headers = response.headers_mut();
    applied.inspect(|preference| add_applied(headers, preference));
    // With scenarios, all documents vary by `Prefer`.
    if !context.site.has_scenarios {
        vary_by(headers, PREFER);
    }
    Ok(response)
}

/// Daily costs of the last seven days.
///
/// Worldwide or for one region, oldest day first.
#[cfg_attr(feature = "internals", utoipa::path(get, path = ghi_contract::paths::HISTORY, tag = "Index",
    responses((status = 200, body = ghi_contract::History))))]
pub(crate) fn history(context: &Context<'_>) -> HandlerResult {
    context.document(Document::History(scope(&context.query, context.registry())?))
}

/// The network today.
///
/// Hashrate, difficulty and the average transaction fee.
#[cfg_attr(feature = "internals", utoipa::path(get, path = ghi_contract::paths::NETWORK, tag = "Index", responses((status = 200, body = ghi_contract::Network))))]
pub(crate) fn network(context: &Context<'_>) -> HandlerResult {
    context.document(Document::Network)
}

/// The predicted worldwide average cost.
///
/// The model's long-run average or, on a server that publishes an operator's dated series, today's
/// worldwide average with the difficulty and the reward that are expected for that day.
#[cfg_attr(feature = "internals", utoipa::path(get, path = ghi_contract::paths::FORECAST, tag = "Index",
    responses((status = 200, body = ghi_contract::Forecast))))]
pub(crate) fn forecast(context: &Context<'_>) -> HandlerResult {
    context.document(Document::Forecast(forecast_days(&context.query)?))
}

/// Today's worldwide costs (v1.0).
///
/// For clients of API v1.0; new clients should use the snapshot.
#[cfg_attr(feature = "internals", utoipa::path(get, path = ghi_contract::paths::INDICATOR, tag = "Index",
    responses((status = 200, body = ghi_contract::Indicator))))]
pub(crate) fn indicator(context: &Context<'_>) -> HandlerResult {
    let mut response = context.document(Document::Indicator)?;
    let successor = context.site.link(paths::SNAPSHOT, "successor-version");
    response.headers_mut().append(LINK, successor);
    Ok(response)
}
