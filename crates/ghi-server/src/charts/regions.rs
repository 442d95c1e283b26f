//! The regions side by side as a chart.

use ghi_engine::{Day, Decimal, Model, RegionIndex};
use kuva::plot::forest::ForestPlot;
use kuva::render::plots::Plot;

use crate::charts::amounts::{Amount, Percent};
use crate::charts::axis::CostAxis;
use crate::charts::shown::shown_regions;
use crate::charts::svg::{Caption, Format, draw, layout};
use crate::charts::text::{literal, shortened, width_of};

/// The regions side by side: ranges with the average as a point.
pub(crate) fn regions(today: &Day, model: &Model, format: Format) -> String {
    let (shown, _) = shown_regions(model, today);
    let mut forest = ForestPlot::new()
        .with_color("var(--range)")
        .with_whisker_width(8.0)
        .with_cap_size(0.0)
        .with_marker_size(7.0)
        .with_null_value(today.global.avg_usd.to_f64())
        .with_show_null_line(true);
    let mut room = format.width();
    for index in &shown {
        let costs = today.regions[index.get()];
        let [low, point, high] = [costs.min_usd, costs.avg_usd, costs.max_usd].map(Decimal::to_f64);
        let label = row_label(model, today, *index, format);
        // Names stand left of the axis, in letters some seven pixels wide.
        room = room.min(format.width() - 7.5 * width_of(&label) as f64);
        forest = forest.with_row(label, point, low, high);
    }
    let plots = vec![Plot::Forest(forest)];
    let brief = matches!(format, Format::Narrow);
    let axis = CostAxis::fitting(today.global.min_usd, today.global.max_usd, room, brief);
    let layout = layout(&plots, format, 40.0 + 38.0 * shown.len() as f64)
        .with_x_axis_min(axis.first_usd())
        .with_x_axis_max(axis.last_usd())
        .with_x_tick_step(axis.step_usd())
        .with_x_tick_format(axis.format());

    let described = shown.iter().map(|index| {
        let costs = today.regions[index.get()];
        format!(
            "{} {} to {}, average {}",
            model.registry()[*index].name,
            Amount(costs.min_usd),
            Amount(costs.max_usd),
            Amount(costs.avg_usd)
        )
    });
    let description = format!("{}.", described.collect::<Vec<_>>().join("; "));
    let title = format!("Cost of one coin by region on {}, USD", today.date);
    let key = "bars: minimum to maximum; squares: average; dashes: world";
    let (name, heading) = ("regions", &*title);
    let caption = Caption { name, title: &title, heading, key, description: &description };
    // The library knows one colour for a range and its point.
    draw(plots, layout, format, &caption)
        .replace("fill=\"var(--range)\"", "fill=\"var(--average)\"")
}

/// A region beside its range.
fn row_label(model: &Model, today: &Day, region: RegionIndex, format: Format) -> String {
    let name = literal(&shortened(&model.registry()[region].name, format.letters()));
    // A name that is written from right to left shall not take the number along.
    let (start, end) = if name.is_ascii() { ("", "") } else { ("\u{2068}", "\u{2069}") };
    format!("{start}{name}{end} {}", Percent(today.hashrate_shares_pct[region.get()]))
}
