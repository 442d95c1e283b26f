//! Charts as SVG: the frame of a chart, paths, text, and labels next to lines.

use std::fmt::{Display, Write};

use askama::Template;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChartForm {
    /// On a page, at least 480 pixels wide.
    Wide,
    /// On a page on a phone, at least 288 pixels wide.
    Narrow,
    /// In a file, with its title.
    File,
}

/// The width of a chart in a file, the space around it, and the heights above and below its plot, in pixels.
const FILE_WIDTH: u32 = 880;
const PADDING: u32 = 12;
pub(crate) const HEAD: u32 = 64;
const FOOT: u32 = 32;

/// The widest heading of a file, in pixels at the usual font size. Its own is 20.
const HEADING_MAX: f64 = (FILE_WIDTH - 2 * PADDING) as f64 * SIZE / 20.0;

impl ChartForm {
    pub(crate) fn is_narrow(self) -> bool {
        self == Self::Narrow
    }

    pub(crate) fn is_on_page(self) -> bool {
        self != Self::File
    }

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
    /// Returns margins with at least this space. On a page, the stylesheet has a class for each multiple of 30 pixels.
    pub(crate) fn new(left: f64, right: f64, form: ChartForm) -> Self {
        let [left, right] = [left, right].map(|margin| margin.ceil() as u32);
        let both = left + right;
        let both = if form.is_on_page() { both.next_multiple_of(30) } else { both };
        Self { left, right: both - left }
    }

    pub(crate) fn plot_x(self, form: ChartForm) -> u32 {
        if form.is_on_page() { self.left } else { PADDING + self.left }
    }

    /// Returns the minimum width of the plot between the margins, in pixels.
    pub(crate) fn plot_width(self, form: ChartForm) -> f64 {
        form.width() - f64::from(self.left + self.right)
    }
}

/// A plot with its margins, and the text around it: the frame of every chart.
#[derive(Template)]
#[template(path = "chart.svg", escape = "html")]
pub(crate) struct ChartFrame<'a, P: Display> {
    pub(crate) form: ChartForm,
    pub(crate) margins: Margins,
    /// The height of the plot in pixels, and its content as SVG.
    pub(crate) plot: (u32, P),
    /// The prefix of the chart's ids, its heading, and a description for people who cannot see it.
    pub(crate) texts: [&'a str; 3],
    /// The text below the heading of a file, and the source of its data.
    pub(crate) file: Option<[&'a str; 2]>,
}

/// Rounds to two decimals.
pub(crate) fn short(value: f64) -> f64 {
    (100.0 * value).round() / 100.0
}

/// A point of a path, in whole units: days or half pixels.
pub(crate) type Point = (i64, i64);

/// Returns the path through these points, in as few characters as possible: a page has thousands of points.
pub(crate) fn path(points: &[Point]) -> String {
    let mut path = String::with_capacity(6 * points.len());
    let mut before = (0, 0);
    for (index, &(x, y)) in points.iter().enumerate() {
        let separators = [["M", "l", " "][index.min(2)], " "];
        for (separator, number) in separators.into_iter().zip([x - before.0, y - before.1]) {
            // A minus sign separates a number from the previous one, so no space is needed.
            let separator = if number < 0 { separator.trim_end() } else { separator };
            _ = write!(path, "{separator}{number}");
        }
        before = (x, y);
    }
    path
}

pub(crate) fn area(upper: &[Point], lower: &[Point]) -> String {
    let around: Vec<Point> = upper.iter().chain(lower.iter().rev()).copied().collect();
    format!("{}z", path(&around))
}

/// The font sizes of names, and of the numbers of an axis, in pixels.
pub(crate) const SIZE: f64 = 13.0;
pub(crate) const SMALL_SIZE: f64 = 12.0;

/// Shortens text to a width in pixels at [`SIZE`], with an ellipsis.
pub(crate) fn shortened(text: &str, max_width: f64) -> String {
    if width_of(text) <= max_width {
        return text.into();
    }
    let mut width = width_of("…");
    let fits = |char: &char| {
        width += SIZE * em(*char);
        width <= max_width
    };
    let start: String = text.chars().take_while(fits).collect();
    format!("{}…", start.trim_end())
}

/// Returns the width of text in pixels at [`SIZE`], in a font as wide as the widest common ones.
pub(crate) fn width_of(text: &str) -> f64 {
    text.chars().map(|char| SIZE * em(char)).sum()
}

pub(crate) fn small_width_of(text: &str) -> f64 {
    width_of(text) * SMALL_SIZE / SIZE
}

fn em(char: char) -> f64 {
    match char {
        'i' | 'l' | 'j' | 'I' | '.' | ',' | '\'' | ' ' | '\u{a0}' | '|' | ':' => 0.33,
        'f' | 't' | 'r' | '-' | '(' | ')' | '·' => 0.42,
        'W' | 'M' | 'm' | '%' | '@' | '…' => 1.0,
        'w' => 0.82,
        'A'..='Z' => 0.79,
        ' '..='~' => 0.65,
        // Latin, Greek and Cyrillic.
        '\0'..'\u{590}' => 0.8,
        // Hebrew and Arabic.
        '\0'..'\u{700}' => 0.85,
        // Directional isolates have no width.
        '\u{2066}'..='\u{2069}' => 0.0,
        _ => 1.1,
    }
}

/// Isolates a name from the surrounding text, which a right-to-left name would reorder.
pub(crate) fn isolated(name: &str) -> String {
    let is_plain = name.trim_end_matches('…').is_ascii();
    if is_plain { name.into() } else { format!("\u{2068}{name}\u{2069}") }
}

pub(crate) const LABEL_HEIGHT: f64 = 16.0;

/// The factor by which bold letters are wider.
pub(crate) const BOLD: f64 = 1.1;

/// Moves labels apart, within bounds and as little as possible. Returns the middle of each label.
pub(crate) fn spread_out(heights: &[f64], [top, bottom]: [f64; 2]) -> Vec<f64> {
    let count = heights.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| heights[*a].total_cmp(&heights[*b]));
    let above = |labels: usize| LABEL_HEIGHT * labels as f64;
    // Where the first label would be if all touched and this one were at its own height. In order, these must not fall,
    // and the nearest values that don't are means of neighbours (isotonic regression).
    let starts: Vec<f64> = (0..count).map(|at| heights[order[at]] - above(at)).collect();
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let mut placed = vec![0.0; count];
    for (at, label) in order.into_iter().enumerate() {
        let lowest = |from| {
            let means = (at + 1..=count).map(|to| mean(&starts[from..to]));
            means.fold(f64::INFINITY, f64::min)
        };
        let start = (0..=at).map(lowest).fold(f64::NEG_INFINITY, f64::max);
        placed[label] = start.min(bottom - above(count - 1)).max(top) + above(at);
    }
    placed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_path_is_short() {
        let line = [(0, 159), (1, 160), (2, 148), (3, 148), (4, 150)];
        assert_eq!(path(&line), "M0 159l1 1 1-12 1 0 1 2");
        assert_eq!(path(&line[..1]), "M0 159");
    }

    #[test]
    fn an_area_goes_back_along_its_lower_line() {
        let [upper, lower] = [[(0, 10), (1, 9)], [(0, 20), (1, 25)]];
        assert_eq!(area(&upper, &lower), "M0 10l1-1 0 16-1-5z");
    }

    #[test]
    fn a_long_name_is_cut_with_an_ellipsis() {
        for (name, width, expected) in [
            ("Europe", 52.0, "Europe"),
            ("Europe", 45.0, "Eur…"),
            ("Europe", 1.0, "…"),
            ("界界界", 43.0, "界界界"),
            ("界界界", 42.0, "界界…"),
            ("WWWWWWWW", 60.0, "WWW…"),
            ("New York", 55.0, "New…"),
        ] {
            assert_eq!(shortened(name, width), expected, "{name} in {width}");
        }
    }

    proptest! {
        #[test]
        fn a_cut_name_fits(name: String, width in 13.0..300.0) {
            prop_assert!(width_of(&shortened(&name, width)) <= width + 1e-9);
        }
    }

    #[test]
    fn names_in_other_scripts_are_isolated() {
        assert_eq!([isolated("Europe"), isolated("Eur…")], ["Europe", "Eur…"]);
        assert_eq!(isolated("أوروبا"), "\u{2068}أوروبا\u{2069}");
    }

    #[test]
    fn labels_move_to_both_sides() {
        assert_eq!(spread_out(&[100.0, 50.0], [8.0, 300.0]), [100.0, 50.0]);
        assert_eq!(spread_out(&[100.0, 104.0], [8.0, 300.0]), [94.0, 110.0]);
        assert_eq!(spread_out(&[104.0, 100.0, 102.0], [8.0, 300.0]), [118.0, 86.0, 102.0]);
        assert_eq!(spread_out(&[0.0, 4.0], [8.0, 300.0]), [8.0, 24.0]);
        assert_eq!(spread_out(&[300.0, 300.0], [8.0, 300.0]), [284.0, 300.0]);
    }

    proptest! {
        #[test]
        fn no_labels_overlap_or_leave_their_bounds(heights in prop::collection::vec(-50.0..350.0, 0..8_usize)) {
            let bounds = [8.0, 260.0];
            let mut placed = spread_out(&heights, bounds);
            for at in &placed {
                prop_assert!((bounds[0]..=bounds[1] + 1e-9).contains(at), "{placed:?}");
            }
            placed.sort_by(f64::total_cmp);
            for pair in placed.windows(2) {
                prop_assert!(pair[1] - pair[0] > LABEL_HEIGHT - 1e-6, "{placed:?}");
            }
        }
    }
}
