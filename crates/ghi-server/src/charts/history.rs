//! The week as a chart.

use std::sync::Arc;

use ghi_engine::{Costs, Decimal};
use jiff::civil::Date;
use kuva::plot::{BandPlot, LinePlot};
use kuva::render::layout::TickFormat;
use kuva::render::plots::Plot;

use crate::charts::amounts::Amount;
use crate::charts::axis::CostAxis;
use crate::charts::svg::{Caption, Format, draw, layout};
use crate::charts::text::shortened;

/// The days of a scope, of which there is one at least: a band with the average as a line.
pub(crate) fn history(days: &[(Date, Costs)], name: &str, format: Format) -> String {
    let (dates, costs): (Vec<Date>, Vec<Costs>) = days.iter().copied().unzip();
    let places = || (0..dates.len()).map(|place| place as f64);
    let usd = |pick: fn(&Costs) -> Decimal| {
        costs.iter().map(move |costs| pick(costs).to_f64()).collect::<Vec<_>>()
    };
    let average = usd(|costs| costs.avg_usd);
    let band = BandPlot::new(places(), usd(|costs| costs.min_usd), usd(|costs| costs.max_usd));
    let line = LinePlot::new().with_data(places().zip(average)).with_color("var(--average)");
    let plots = vec![
        Plot::Band(band.with_color("var(--range)").with_opacity(0.45)),
        Plot::Line(line.with_stroke_width(3.0)),
    ];
    let labels: Vec<String> = dates.iter().map(|date| day_label(*date, dates[0], format)).collect();
    let label = move |place: f64| labels.get(place.round() as usize).cloned().unwrap_or_default();
    let lowest = costs.iter().map(|costs| costs.min_usd).min().unwrap_or(costs[0].min_usd);
    let highest = costs.iter().map(|costs| costs.max_usd).max().unwrap_or(lowest);
    let axis = CostAxis::upright(lowest, highest, format.steps());
    let layout = layout(&plots, format, 300.0)
        .with_force_margins(axis.label_width() + 16.0, 20.0)
        .with_y_axis_min(axis.first_usd())
        .with_y_axis_max(axis.last_usd())
        .with_y_tick_step(axis.step_usd())
        .with_y_tick_format(axis.format())
        .with_x_axis_min(0.0)
        .with_x_axis_max((dates.len() - 1).max(1) as f64)
        .with_x_tick_step(1.0)
        .with_x_tick_format(TickFormat::Custom(Arc::new(label)));

    let (first, last) = (costs[0], costs[costs.len() - 1]);
    let title = |name: &str| format!("Cost of one coin, {name}, USD");
    let heading = title(&shortened(name, format.letters()));
    let description = format!(
        "From {} to {}, the average went from {} to {}; on the last day, costs ranged from {} to {}.",
        dates[0],
        dates[dates.len() - 1],
        Amount(first.avg_usd),
        Amount(last.avg_usd),
        Amount(last.min_usd),
        Amount(last.max_usd),
    );
    let key = "band: minimum to maximum; line: average";
    let title = &title(name);
    let caption =
        Caption { name: "history", title, heading: &heading, key, description: &description };
    draw(plots, layout, format, &caption)
}

/// A day on the axis; where there is little room, the month stands where it begins.
fn day_label(date: Date, first: Date, format: Format) -> String {
    let brief = matches!(format, Format::Narrow) && date != first && date.day() != 1;
    date.strftime(if brief { "%-d" } else { "%-d %b" }).to_string()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn where_there_is_little_room_the_month_stands_where_it_begins() {
        let first = date(2026, 10, 30);
        let days = [first, date(2026, 10, 31), date(2026, 11, 1), date(2026, 11, 2)];
        let labels = |format| days.map(|day| day_label(day, first, format));
        assert_eq!(labels(Format::Narrow), ["30 Oct", "31", "1 Nov", "2"]);
        assert_eq!(labels(Format::Wide), ["30 Oct", "31 Oct", "1 Nov", "2 Nov"]);
    }
}
