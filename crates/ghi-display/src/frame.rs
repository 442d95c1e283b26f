//! What is around the plot of a chart: its size, its texts, and where it comes from.

use askama::Template;
use jiff::civil::Date;

use crate::text::{SIZE, shortened};

/// Where a chart shall fit.
#[derive(Clone, Copy)]
pub(crate) enum Form<'a> {
    /// On a page, in a place of 480 pixels or more.
    Wide,
    /// On a page, on a phone: from 288 pixels on.
    Narrow,
    /// In a file, with its title.
    Alone(Source<'a>),
}

/// What a picture that leaves the page says of itself.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Whether its figures are synthetic.
    pub data: &'a str,
    /// The host of the server, where it is known.
    pub host: Option<&'a str>,
}

/// The space around a chart in a file, in pixels.
const MARGIN: u32 = 12;

/// The width of a chart in a file, in pixels.
const WIDTH: u32 = 880;

/// The height of what stands above and below the plot in a file, in pixels.
const HEAD: u32 = 64;
const FOOT: u32 = 32;

/// The largest title of a file, in pixels of the usual size.
const TITLE_MAX: f64 = (WIDTH - 2 * MARGIN) as f64 * SIZE / 20.0;

impl Form<'_> {
    pub(crate) fn is_narrow(self) -> bool {
        matches!(self, Self::Narrow)
    }

    pub(crate) fn is_on_page(self) -> bool {
        !matches!(self, Self::Alone(_))
    }

    /// One of three, by form.
    pub(crate) fn pick<T>(self, wide: T, narrow: T, alone: T) -> T {
        match self {
            Self::Wide => wide,
            Self::Narrow => narrow,
            Self::Alone(_) => alone,
        }
    }

    /// The least width that there is for plot and rooms, in pixels.
    pub(crate) fn width(self) -> f64 {
        self.pick(480.0, 288.0, f64::from(WIDTH - 2 * MARGIN))
    }
}

/// The space beside a plot, in whole pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rooms {
    pub(crate) left: u32,
    pub(crate) right: u32,
}

impl Rooms {
    /// The space that is needed at least. On a page, the stylesheet has a class for each multiple of 30
    /// pixels.
    pub(crate) fn new(left: f64, right: f64, form: Form<'_>) -> Self {
        let [left, right] = [left, right].map(|room| room.ceil() as u32);
        let all =
            if form.is_on_page() { (left + right).next_multiple_of(30) } else { left + right };
        Self { left, right: all - left }
    }

    fn all(self) -> u32 {
        self.left + self.right
    }

    /// The least width of the plot between them, in pixels.
    pub(crate) fn plot_width(self, form: Form<'_>) -> f64 {
        form.width() - f64::from(self.all())
    }
}

/// Where a plot stands, as its element says it.
pub(crate) struct Place {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) width: String,
}

impl Place {
    /// The place between two rooms, below so many pixels of other plots.
    pub(crate) fn new(rooms: Rooms, above: u32, form: Form<'_>) -> Self {
        if form.is_on_page() {
            return Self { x: rooms.left, y: above, width: "100%".into() };
        }
        let width = rooms.plot_width(form).to_string();
        Self { x: MARGIN + rooms.left, y: HEAD + above, width }
    }
}

/// The texts of a chart.
pub(crate) struct Caption<'a> {
    /// What its ids start with.
    pub(crate) name: &'a str,
    pub(crate) heading: &'a str,
    /// What is drawn, below the title of a file.
    pub(crate) subtitle: &'a str,
    /// What it shows, for those who do not see it.
    pub(crate) description: &'a str,
    /// The day that a file is of.
    pub(crate) date: Date,
}

#[derive(Template)]
#[template(path = "frame.svg", escape = "html")]
struct Frame<'a> {
    name: &'a str,
    form: &'static str,
    room: u32,
    width: u32,
    height: u32,
    margin: u32,
    title: &'a str,
    description: &'a str,
    /// Of two forms on a page, the second is labelled by the first.
    has_title: bool,
    words: Option<Words<'a>>,
    plot: &'a str,
}

/// The texts that only a file has.
struct Words<'a> {
    heading: String,
    subtitle: &'a str,
    origin: String,
}

impl<'a> Words<'a> {
    fn new(caption: &Caption<'a>, source: Source<'_>) -> Self {
        let mut origin = format!("{} · {}", source.data, caption.date.strftime("%-d %B %Y"));
        if let Some(host) = source.host {
            origin.push_str(&format!(" · {host}"));
        }
        Self { heading: shortened(caption.heading, TITLE_MAX), subtitle: caption.subtitle, origin }
    }
}

/// A chart: a plot of some height in its frame.
pub(crate) fn framed(
    plot: &str,
    height: u32,
    rooms: Rooms,
    caption: &Caption<'_>,
    form: Form<'_>,
) -> String {
    let words = match form {
        Form::Alone(source) => Some(Words::new(caption, source)),
        Form::Wide | Form::Narrow => None,
    };
    let frame = Frame {
        name: caption.name,
        form: form.pick("wide", "narrow", "alone"),
        room: rooms.all(),
        width: WIDTH,
        height: if words.is_some() { HEAD + height + FOOT } else { height },
        margin: MARGIN,
        title: caption.heading,
        description: caption.description,
        has_title: !form.is_narrow(),
        words,
        plot,
    };
    rendered(&frame)
}

/// A template as text.
pub(crate) fn rendered(template: &impl Template) -> String {
    template.render().expect("writing to a string does not fail")
}
