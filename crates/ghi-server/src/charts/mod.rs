//! Figures to charts and to numbers that people read. Knows no HTTP.

mod history;
mod regions;
mod sparkline;
mod svg;
mod text;
mod shown;
pub(crate) mod differences;
mod axis;
pub(crate) mod amounts;

pub(crate) use history::history;
pub(crate) use regions::regions;
pub(crate) use shown::{name_of, shown_regions};
pub(crate) use sparkline::sparkline;
pub(crate) use svg::Format;
