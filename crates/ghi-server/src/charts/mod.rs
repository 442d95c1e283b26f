//! Figures to charts and to numbers that people read. Knows no HTTP.
//!
//! Charts are SVG templates over one [`scale`]. On a page, a chart is as wide as its place: heights
//! and text are in pixels, and across, everything stands at a percentage of the plot.

mod history;
mod spread;
mod comparison;
mod regions;
mod range_bar;
mod sparkline;
mod movement;
mod finding;
mod panel;
mod pen;
mod day_axis;
mod end_labels;
mod frame;
mod scale;
mod path;
mod text;
mod shown;
mod unit;
pub(crate) mod differences;
pub(crate) mod amounts;

pub(crate) use comparison::comparison;
pub(crate) use frame::Source;
pub(crate) use history::{history_and_spread, history_with_spread};
pub(crate) use movement::Movement;
pub(crate) use panel::Line;
pub(crate) use pen::Role;
pub(crate) use range_bar::range_bar;
pub(crate) use regions::regions;
pub use scale::{Scale, ScaleStyle, Tick};
pub(crate) use shown::{SYNTHETIC, by_size, extremes, name_of, shown_regions};
pub use shown::{WORLDWIDE, kind_of_data};
pub(crate) use sparkline::sparkline;
pub(crate) use unit::Unit;
