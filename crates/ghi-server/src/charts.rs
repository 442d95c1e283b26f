//! Charts of the figures, drawn as SVG.

use std::sync::Arc;

use ghi_engine::{Costs, Hundredths, Model, RegionIndex, RegisteredRegion};
use jiff::civil::Date;
use kuva::backend::svg::SvgBackend;
use kuva::plot::forest::ForestPlot;
use kuva::plot::{BandPlot, LinePlot};
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::render_multiple;
use kuva::render::theme::Theme as Colours;

use crate::amounts::{Amount, Percent};
use crate::axis::CostAxis;
use crate::days::Days;
use crate::parameters::Scope;

/// How many regions a picture or a page shows; the files have all.
const REGIONS_SHOWN: usize = 12;

/// Where a picture shall fit.
#[derive(Clone, Copy)]
pub(crate) enum Format {
    /// On a page, beside other things or on a tablet.
    Wide,
    /// On a page, on a phone.
    Narrow,
    /// Alone, with its title.
    Alone,
}

impl Format {
    /// Width, in CSS pixels.
    fn width(self) -> f64 {
        match self {
            Self::Wide | Self::Alone => 640.0,
            Self::Narrow => 360.0,
        }
    }

    /// Steps of the axis of costs, where it stands upright.
    fn steps(self) -> u64 {
        match self {
            Self::Wide | Self::Alone => 7,
            Self::Narrow => 5,
        }
    }

    /// The room for a name, in narrow letters.
    fn letters(self) -> usize {
        match self {
            Self::Wide => 18,
            Self::Alone => 14,
            Self::Narrow => 10,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
            Self::Alone => "alone",
        }
    }
}

/// The regions that a picture or a page shows: the largest by hashrate, and how many it leaves out.
pub(crate) fn shown_regions(model: &Model) -> (Vec<RegionIndex>, usize) {
    let share = |index: &RegionIndex| model.registry()[index.get()].hashrate_share_pct;
    let mut regions: Vec<RegionIndex> = model.indices().collect();
    regions.sort_by_key(|index| std::cmp::Reverse(share(index)));
    let hidden = regions.len().saturating_sub(REGIONS_SHOWN);
    regions.truncate(REGIONS_SHOWN);
    (regions, hidden)
}

/// What a scope is called where people read.
pub(crate) fn name_of(scope: Scope, model: &Model) -> &str {
    match scope {
        Scope::Global => "World",
        Scope::Region(index) => &model.registry()[index.get()].name,
    }
}

/// The week of a scope: a band with the average as a line.
pub(crate) fn history(days: &Days, model: &Model, scope: Scope, format: Format) -> String {
    let (dates, costs): (Vec<Date>, Vec<_>) = days.week(scope).unzip();
    let places = || (0..dates.len()).map(|place| place as f64);
    let usd = |pick: fn(&Costs) -> Hundredths| {
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
    let lowest = costs.iter().map(|costs| costs.min_usd).min().unwrap_or(Hundredths::new(0));
    let highest = costs.iter().map(|costs| costs.max_usd).max().unwrap_or(lowest);
    let axis = CostAxis::upright(lowest, highest, format.steps());
    let layout = layout(&plots, format, 300.0)
        .with_force_margins(axis.label_width() + 16.0, 20.0)
        .with_y_axis_min(axis.first_usd())
        .with_y_axis_max(axis.last_usd())
        .with_y_tick_step(axis.step_usd())
        .with_y_tick_format(axis.format())
        .with_x_axis_min(0.0)
        .with_x_axis_max((dates.len() - 1) as f64)
        .with_x_tick_step(1.0)
        .with_x_tick_format(TickFormat::Custom(Arc::new(label)));

    let name = name_of(scope, model);
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
    let words = Words { name: "history", title, heading: &heading, key, description: &description };
    finish(plots, layout, format, &words)
}

/// The regions side by side: ranges with the average as a point.
pub(crate) fn regions(days: &Days, model: &Model, format: Format) -> String {
    let (shown, _) = shown_regions(model);
    let today = days.today();
    let mut forest = ForestPlot::new()
        .with_color("var(--range)")
        .with_whisker_width(8.0)
        .with_cap_size(0.0)
        .with_marker_size(7.0)
        .with_null_value(today.global.avg_usd.to_f64())
        .with_show_null_line(true);
    let mut room = format.width();
    for index in &shown {
        let region = &model.registry()[index.get()];
        let costs = today.regions[index.get()];
        let [low, point, high] =
            [costs.min_usd, costs.avg_usd, costs.max_usd].map(Hundredths::to_f64);
        let label = row_label(region, format);
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
            model.registry()[index.get()].name,
            Amount(costs.min_usd),
            Amount(costs.max_usd),
            Amount(costs.avg_usd)
        )
    });
    let description = format!("{}.", described.collect::<Vec<_>>().join("; "));
    let title = format!("Cost of one coin by region on {}, USD", today.date);
    let key = "bars: minimum to maximum; squares: average; dashes: world";
    let (name, heading) = ("regions", &*title);
    let words = Words { name, title: &title, heading, key, description: &description };
    // The library knows one colour for a range and its point.
    finish(plots, layout, format, &words)
        .replace("fill=\"var(--range)\"", "fill=\"var(--average)\"")
}

fn layout(plots: &[Plot], format: Format, height: f64) -> Layout {
    let alone = matches!(format, Format::Alone);
    let colours = Colours {
        background: if alone { "var(--card)" } else { "none" }.into(),
        axis_color: "var(--faint)".into(),
        grid_color: "var(--rule)".into(),
        tick_color: "var(--faint)".into(),
        text_color: "var(--ink)".into(),
        font_family: Some("system-ui, sans-serif".into()),
        ..Colours::light()
    };
    Layout::auto_from_plots(plots)
        .with_width(format.width())
        .with_height(if alone { height + 50.0 } else { height })
        .with_theme(colours)
        .with_tick_size(13)
        .with_title_size(16)
        .with_force_margins_y(if alone { 60.0 } else { 10.0 }, 30.0)
}

/// What a picture says in words.
struct Words<'a> {
    /// What its ids start with.
    name: &'a str,
    title: &'a str,
    /// The title as far as there is room for it.
    heading: &'a str,
    /// What its parts are, for a picture that stands alone.
    key: &'a str,
    /// What it shows, for those who do not see it.
    description: &'a str,
}

/// Draws, and says in words what is drawn.
fn finish(plots: Vec<Plot>, layout: Layout, format: Format, words: &Words<'_>) -> String {
    let Words { name, title, heading, key, description } = words;
    let layout = match format {
        Format::Alone => {
            layout.with_title(literal(heading)).with_subtitle(*key).with_subtitle_size(13)
        }
        Format::Wide | Format::Narrow => layout,
    };
    let scene = render_multiple(plots, layout);
    // The last label of an axis reaches beyond it.
    let (width, height) = (scene.width + 16.0, scene.height);
    let drawn = SvgBackend::new().render_scene(&scene);
    // The library's root element gives way to one that scales and speaks.
    let content = drawn.split_once("-->").map_or(&*drawn, |(_, content)| content);
    let id = format!("{name}-{}", format.name());
    let content = with_own_ids(content, &id);
    let size = match format {
        Format::Alone => format!(" width=\"{width}\" height=\"{height}\""),
        Format::Wide | Format::Narrow => String::new(),
    };
    let [title, description] = [*title, *description].map(escaped);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{format}\" viewBox=\"0 0 {width} {height}\"{size} \
         role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" font-family=\"system-ui, sans-serif\" \
         fill=\"var(--ink)\"><title id=\"{id}-title\">{title}</title><desc id=\"{id}-desc\">{description}</desc>{content}",
        format = format.name(),
    )
}

/// An id that is unique where several pictures share a page, and the same whenever one is drawn: the
/// library counts its own through all the pictures that a process draws, one for each.
fn with_own_ids(content: &str, id: &str) -> String {
    let counted = content.split("<clipPath id=\"").nth(1).and_then(|rest| rest.split('"').next());
    let Some(counted) = counted else { return content.into() };
    content
        .replace(&format!("id=\"{counted}\""), &format!("id=\"{id}-clip\""))
        .replace(&format!("url(#{counted})"), &format!("url(#{id}-clip)"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A day on the axis; where there is little room, the month stands where it begins.
fn day_label(date: Date, first: Date, format: Format) -> String {
    let brief = matches!(format, Format::Narrow) && date != first && date.day() != 1;
    date.strftime(if brief { "%-d" } else { "%-d %b" }).to_string()
}

/// A region beside its range.
fn row_label(region: &RegisteredRegion, format: Format) -> String {
    let name = literal(&shortened(&region.name, format.letters()));
    // A name that is written from right to left shall not take the number along.
    let (start, end) = if name.is_ascii() { ("", "") } else { ("\u{2068}", "\u{2069}") };
    format!("{start}{name}{end} {}", Percent(region.hashrate_share_pct))
}

/// A text as the library draws it letter by letter: what stands between dollars is a formula to it.
fn literal(text: &str) -> String {
    text.replace('$', "\\$")
}

/// As much of a name as there is room for.
fn shortened(name: &str, letters: usize) -> String {
    if width_of(name) <= letters {
        return name.into();
    }
    let mut width = 0;
    let fits = |char: &char| {
        width += width_of(char.encode_utf8(&mut [0; 4]));
        width < letters
    };
    name.chars().take_while(fits).chain(['…']).collect()
}

/// The width of a text in narrow letters: those of other scripts can be twice as wide.
fn width_of(text: &str) -> usize {
    text.chars().map(|char| if char.is_ascii() { 1 } else { 2 }).sum()
}
