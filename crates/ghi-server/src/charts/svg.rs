//! How a chart is drawn: size, colours, texts, and what the plotting library leaves out.

use kuva::backend::svg::SvgBackend;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::render::render_multiple;
use kuva::render::theme::Theme as Colours;

use crate::charts::text::literal;

/// Where a chart shall fit.
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
    pub(super) fn width(self) -> f64 {
        match self {
            Self::Wide | Self::Alone => 640.0,
            Self::Narrow => 360.0,
        }
    }

    /// Steps of the axis of costs, where it stands upright.
    pub(super) fn steps(self) -> u64 {
        match self {
            Self::Wide | Self::Alone => 7,
            Self::Narrow => 5,
        }
    }

    /// The room for a name, in narrow letters.
    pub(super) fn letters(self) -> usize {
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

/// The frame of a chart of some height.
pub(super) fn layout(plots: &[Plot], format: Format, height: f64) -> Layout {
    let alone = matches!(format, Format::Alone);
    let colours = Colours {
        background: if alone { "var(--card)" } else { "none" }.into(),
        axis_color: "var(--faint)".into(),
        grid_color: "var(--rule)".into(),
        tick_color: "var(--faint)".into(),
        text_color: "var(--ink)".into(),
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

/// The texts of a chart.
pub(super) struct Caption<'a> {
    /// What its ids start with.
    pub(super) name: &'a str,
    pub(super) title: &'a str,
    /// The title as far as there is room for it.
    pub(super) heading: &'a str,
    /// What its parts are, for a chart that stands alone.
    pub(super) key: &'a str,
    /// What it shows, for those who do not see it.
    pub(super) description: &'a str,
}

/// Draws, and describes what is drawn.
pub(super) fn draw(
    plots: Vec<Plot>,
    layout: Layout,
    format: Format,
    caption: &Caption<'_>,
) -> String {
    let Caption { name, title, heading, key, description } = caption;
    let layout = match format {
        Format::Alone => {
            layout.with_title(literal(heading)).with_subtitle(*key).with_subtitle_size(13)
        }
        Format::Wide | Format::Narrow => layout,
    };
    let scene = render_multiple(plots, layout);
    // The last label of an axis reaches beyond it.
    let (width, height) = (scene.width + 20.0, scene.height);
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

/// An id that is unique where several charts share a page, and the same whenever one is drawn: the
/// library counts its own through all the charts that a process draws, one for each.
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
