//! A chart: a plot with its margins, and the text around it.

use askama::Template;
use jiff::civil::Date;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChartForm {
    /// On a page, at least 480 pixels wide.
    Wide,
    /// On a page on a phone, at least 288 pixels wide.
    Narrow,
    /// In a file, with its title.
    File,
}

/// The source of the data, named by a chart in a file.
#[derive(Clone, Copy, Debug)]
pub struct ChartSource<'a> {
    /// The kind of data.
    pub data: &'a str,
    /// The host of the server, if it is known.
    pub host: Option<&'a str>,
}

/// The width of a chart in a file, and the space around it, in pixels.
const FILE_WIDTH: u32 = 880;
const PADDING: u32 = 12;

/// The heights above and below the plots of a file, in pixels.
pub(crate) const HEAD: u32 = 64;
const FOOT: u32 = 32;

/// The widest heading of a file, in pixels at the usual font size. Its own is 20.
const HEADING_MAX: f64 = (FILE_WIDTH - 2 * PADDING) as f64 * crate::svg::SIZE / 20.0;

impl ChartForm {
    pub(crate) fn is_narrow(self) -> bool {
        self == Self::Narrow
    }

    pub(crate) fn is_on_page(self) -> bool {
        self != Self::File
    }

    /// Returns one of three values, by form.
    pub(crate) fn pick<T>(self, wide: T, narrow: T, file: T) -> T {
        match self {
            Self::Wide => wide,
            Self::Narrow => narrow,
            Self::File => file,
        }
    }

    /// Returns the minimum width of plot and margins, in pixels.
    pub(crate) fn width(self) -> f64 {
        self.pick(480.0, 288.0, f64::from(FILE_WIDTH - 2 * PADDING))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Margins {
    pub(crate) left: u32,
    pub(crate) right: u32,
}

impl Margins {
    /// Returns margins with at least the needed space. On a page, the stylesheet has a class for each
    /// multiple of 30 pixels.
    pub(crate) fn new(left: f64, right: f64, form: ChartForm) -> Self {
        let [left, right] = [left, right].map(|margin| margin.ceil() as u32);
        let both = left + right;
        let both = if form.is_on_page() { both.next_multiple_of(30) } else { both };
        Self { left, right: both - left }
    }

    /// Returns the distance of the plot from the left of the chart, in pixels.
    pub(crate) fn plot_x(self, form: ChartForm) -> u32 {
        if form.is_on_page() { self.left } else { PADDING + self.left }
    }

    /// Returns the minimum width of the plot between the margins, in pixels.
    pub(crate) fn plot_width(self, form: ChartForm) -> f64 {
        form.width() - f64::from(self.left + self.right)
    }
}

/// A plot as SVG, and the text around it.
#[derive(Template)]
#[template(path = "chart.svg", escape = "html")]
pub(crate) struct ChartSvg<'a> {
    pub(crate) form: ChartForm,
    pub(crate) margins: Margins,
    pub(crate) plot_height: u32,
    pub(crate) plot: String,
    /// The prefix of the chart's ids.
    pub(crate) id: &'a str,
    pub(crate) heading: &'a str,
    /// A description for people who cannot see the chart.
    pub(crate) description: &'a str,
    pub(crate) file: Option<FileTexts<'a>>,
}

pub(crate) struct FileTexts<'a> {
    pub(crate) subtitle: &'a str,
    pub(crate) date: Date,
    pub(crate) source: ChartSource<'a>,
}
