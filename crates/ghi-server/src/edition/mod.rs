//! Figures of a day to bytes: rendered once a day, stamped per request. Knows no requests.

mod editions;
mod visits;
mod now;
mod daily_edition;
mod past;
mod rendered;
mod documents;
#[cfg(feature = "internals")]
pub(crate) mod bench;

pub(crate) use daily_edition::{DailyFile, Edition};
pub use documents::Documents;
pub(crate) use editions::Editions;
pub(crate) use now::Now;
pub(crate) use past::{Past, Range};
pub use rendered::document_json;
pub(crate) use visits::TooManyDays;
