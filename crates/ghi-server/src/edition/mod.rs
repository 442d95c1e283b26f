//! From a day's data to bytes: rendered once a day, timestamped per request. Independent of requests.

mod editions;
mod other_days;
mod request_day;
mod daily_edition;
mod rendered;
mod documents;

pub(crate) use daily_edition::{Chart, DailyFile, Document, Edition, Theme};
pub(crate) use documents::history_point;
pub(crate) use editions::Editions;
pub(crate) use other_days::TooManyDays;
pub use rendered::document_json;
pub(crate) use request_day::RequestDay;
