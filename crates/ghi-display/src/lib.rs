//! Figures in readable form: numbers, changes, units, dates and SVG charts. Independent of HTTP.
//!
//! Numbers are [`Amount`], [`Delta`] and [`Percent`]; a [`Unit`] formats costs that appear
//! together. Charts are SVG with a common [`Scale`]. On a page, a chart fills the available width: heights
//! and text are in pixels, and horizontal positions are percentages of the plot.

mod history_chart;
mod comparison_chart;
mod cost_curve_chart;
mod regions_chart;
mod small_charts;
mod day_plot;
mod line_style;
mod end_labels;
mod chart;
mod day_axis;
mod scale;
mod svg;
mod selection;
mod past;
mod dates;
mod steps;
mod delta;
mod numbers;

pub use chart::ChartSource;
pub use comparison_chart::ComparisonChart;
pub use cost_curve_chart::{CurvePrice, cost_curve_chart, cost_curve_finding, cost_curve_on_page};
pub use dates::{day_before, duration, long_date, short_date};
pub use day_plot::ScopeLine;
pub use delta::Delta;
pub use history_chart::HistoryChart;
pub use line_style::region_colour;
pub use numbers::{
    Amount, J_PER_MH_FROM, Percent, Unit, digits_and_power, efficiency, grouped, hashprice,
    rounded_to_four_digits, share_in_words, signed_percent, with_prefix,
};
pub use past::{Past, Range};
pub use regions_chart::regions_chart;
pub use scale::{Scale, ScaleStyle, Tick};
pub use selection::{
    WORLDWIDE, by_size, data_notice, extremes, first_with, kind_of_data, known_ids, line_scopes,
    name_of, shown_regions,
};
pub use small_charts::{range_bar, sparkline};
pub use steps::{DerivationStep, STEPS};
