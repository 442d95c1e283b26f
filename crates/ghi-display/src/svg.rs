//! Paths and text in SVG.

use std::fmt::Write;

use askama::Template;

pub(crate) fn rendered(template: &impl Template) -> String {
    template.render().expect("writing to a string does not fail")
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

/// Returns the area between a line and another below it.
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

/// Returns the width of text in pixels at [`SMALL_SIZE`].
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
}
