//! From a day's data to bytes: rendered once a day, timestamped per request. Independent of requests.

mod editions;
mod day_limit;
mod daily_edition;
mod rendered;
mod documents;

pub(crate) use daily_edition::{Chart, DailyFile, Document, Edition, Theme};
pub(crate) use day_limit::TooManyDays;
pub(crate) use documents::history_point;
pub(crate) use editions::{Editions, RequestDay};
pub use rendered::document_json;
