//! From a day's data to bytes: rendered once a day, timestamped per request. Independent of requests.

mod editions;
mod documents;
mod daily_edition;

pub(crate) use daily_edition::{DailyFile, Document, Edition, Theme};
pub use documents::document_json;
pub(crate) use documents::history_point;
pub(crate) use editions::{Editions, RequestDay};
