//! Figures in readable form: numbers, changes, units, dates and SVG charts. Independent of HTTP.
//!
//! On a page, a chart fills the available width: heights are in pixels, and horizontal positions in percent of the plot.

mod history_chart;
mod cost_curve_chart;
mod regions_chart;
mod day_plot;
mod scale;
mod svg;
mod selection;
mod steps;
mod numbers;

pub use cost_curve_chart::{CostCurveChart, CurvePrice};
pub use day_plot::{ScopeLine, region_colour};
pub use history_chart::{ComparisonChart, HistoryChart, outlook_in_words};
pub use numbers::{
    Delta, J_PER_MH_FROM, Unit, day_before, digits_and_power, duration, efficiency, grouped,
    hashprice, long_date, rough, rounded, rounded_to_four_digits, share_in_words, share_percent,
    short_date, signed_percent, with_prefix,
};
pub use regions_chart::{average_in_range, regions_chart, sparkline};
pub use scale::{Scale, Tick};
pub use selection::{
    Past, Range, WORLDWIDE, by_size, extremes, first_with, kind_of_data, known_ids, line_scopes,
    name_of,
};
pub use steps::{SHARED_STEPS, STEPS, step_descriptions, step_values};
