//! What each path of the contract answers.

use bytes::Bytes;
use hyper::Response;
use hyper::header::HeaderValue;

use crate::api::Ask;
use crate::parameters::{Scope, forecast_days, region_of_path};
use crate::prefer::{PREFERENCE_APPLIED, applied, preferred_form};
use crate::problem::Problem;

type Answer = Result<Response<Bytes>, Problem>;

pub(crate) fn metadata(ask: &Ask<'_>) -> Answer {
    ask.document(|edition| &edition.metadata)
}

pub(crate) fn regions(ask: &Ask<'_>) -> Answer {
    ask.document(|edition| &edition.regions)
}

pub(crate) fn region_detail(ask: &Ask<'_>) -> Answer {
    let region = region_of_path(ask.path_parameter("id"), ask.model())?;
    ask.document(|edition| edition.region_detail(region))
}

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

pub(crate) fn history(ask: &Ask<'_>) -> Answer {
    let scope = Scope::parse(&ask.query, ask.model())?;
    ask.document(|edition| edition.history(scope))
}

pub(crate) fn network(ask: &Ask<'_>) -> Answer {
    ask.document(|edition| &edition.network)
}

pub(crate) fn forecast(ask: &Ask<'_>) -> Answer {
    let days = forecast_days(&ask.query)?;
    ask.document(|edition| edition.forecast(days))
}

pub(crate) fn indicator(ask: &Ask<'_>) -> Answer {
    ask.document(|edition| &edition.indicator)
}
