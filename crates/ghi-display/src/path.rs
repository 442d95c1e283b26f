//! Lines as SVG has them, in as few letters as possible: a page has thousands of points.

use std::fmt::Write;

/// A point, in tenths of a unit.
pub(crate) type Point = (i64, i64);

/// A point whose distance from the left is a whole number of units, such as days.
pub(crate) fn point(x: i64, y: f64) -> Point {
    (10 * x, tenths(y))
}

/// The nearest whole number of tenths.
pub(crate) fn tenths(value: f64) -> i64 {
    (10.0 * value).round() as i64
}

/// A number with two decimals at most.
pub(crate) fn short(value: f64) -> f64 {
    (100.0 * value).round() / 100.0
}

/// The path through some points.
pub(crate) fn path(points: &[Point]) -> String {
    let mut path = String::with_capacity(6 * points.len());
    let mut before = (0, 0);
    for (place, &(x, y)) in points.iter().enumerate() {
        let command = match place {
            0 => "M",
            1 => "l",
            _ => "",
        };
        path.push_str(command);
        let separator = if command.is_empty() { " " } else { "" };
        push(&mut path, x - before.0, separator);
        push(&mut path, y - before.1, " ");
        before = (x, y);
    }
    path
}

/// The area between a line and another below it.
pub(crate) fn area(upper: &[Point], lower: &[Point]) -> String {
    let around: Vec<Point> = upper.iter().chain(lower.iter().rev()).copied().collect();
    format!("{}z", path(&around))
}

/// Adds a number; a sign separates it from the one before, too.
fn push(path: &mut String, tenths: i64, separator: &str) {
    path.push_str(if tenths < 0 { "-" } else { separator });
    let (whole, rest) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
    // Writing to a string does not fail.
    _ = match (whole, rest) {
        (whole, 0) => write!(path, "{whole}"),
        (0, rest) => write!(path, ".{rest}"),
        (whole, rest) => write!(path, "{whole}.{rest}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_short() {
        let line = [(0, 1597), (10, 1600), (20, 1588), (30, 1588), (40, 1590)];
        assert_eq!(path(&line), "M0 159.7l1 .3 1-1.2 1 0 1 .2");
        assert_eq!(path(&line[..1]), "M0 159.7");
    }

    #[test]
    fn an_area_goes_back_along_its_lower_line() {
        let [upper, lower] = [[(0, 100), (10, 90)], [(0, 200), (10, 205)]];
        assert_eq!(area(&upper, &lower), "M0 10l1-1 0 11.5-1-.5z");
    }
}
