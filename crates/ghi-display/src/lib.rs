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
mod past;
mod shown;
mod unit;
mod differences;
mod amounts;

pub use amounts::{Amount, Percent, Quantity, Rounded, Span, Trend, grouped};
pub use comparison::comparison;
pub use differences::{BesideYours, Change, Difference, PercentChange, Tenths};
pub use frame::Source;
pub use history::{history_and_spread, history_with_spread};
pub use movement::Movement;
pub use panel::Line;
pub use past::{Past, Range};
pub use pen::Role;
pub use range_bar::range_bar;
pub use regions::regions;
pub use scale::{Scale, ScaleStyle, Tick};
pub use shown::{SYNTHETIC, by_size, extremes, name_of, shown_regions};
pub use shown::{WORLDWIDE, kind_of_data};
pub use sparkline::sparkline;
pub use unit::Unit;
