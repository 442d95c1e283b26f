//! Requests that are in error, and what they should get.

use ghi_client::Resource;
use ghi_contract::paths;

use crate::check::case::Case;
use crate::check::request::Request;

/// An id that hardly any region has.
pub(super) const UNKNOWN: &str = "no-such-region";

/// The request for the detail of a region that there is not.
pub(super) fn unknown_region() -> Request {
    Request::document(&Resource::RegionDetail(UNKNOWN.into()))
}

/// The request for a path that there is not.
pub(super) fn unknown_path() -> Request {
    Request::get(format!("{}no-such-path", paths::PREFIX))
}

/// The request for a forecast with this text for a horizon.
pub(super) fn forecast(days: &str) -> Request {
    Request::get(format!("{}?forecast_days={days}", paths::FORECAST))
}

/// Looks whether a request gets a problem of this status and, if it has one, this code.
pub(super) fn verify_problem(case: &mut Case<'_>, request: Request, status: u16, code: &str) {
    if let Some(exchange) = case.answer(request) {
        let found = exchange.problem().and_then(|problem| problem.get("code")?.as_str());
        let expected = format!("{status} {code}");
        case.verify_answer(&exchange, &expected, |answer| {
            answer.status == status && found.is_none_or(|found| found == code)
        });
    }
}
