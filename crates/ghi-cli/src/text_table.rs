//! Plain-text tables.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub(crate) const GAP: &str = "  ";

const ELLIPSIS: &str = "…";

/// The minimum width of a column of names in terminal columns.
const NAME_MIN: usize = 4;

/// Formats rows as lines: the first column left-aligned, the others right-aligned like numbers. Lines have no
/// trailing spaces.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    lines(rows, usize::MAX, None)
}

/// Formats rows with left-aligned names in the last column. Terminals disagree on the width and direction of
/// letters; with the names last, the numbers stay aligned. If a line is wider than the terminal, its name is
/// shortened, never its numbers.
pub(crate) fn aligned_with_names(rows: &[Vec<String>], terminal: Option<usize>) -> String {
    lines(rows, rows.iter().map(Vec::len).max().unwrap_or_default().saturating_sub(1), terminal)
}

fn lines(rows: &[Vec<String>], names: usize, terminal: Option<usize>) -> String {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }
    let before: usize = widths.iter().take(names).map(|width| width + GAP.len()).sum();
    let name_max = terminal.map_or(usize::MAX, |width| width.saturating_sub(before).max(NAME_MIN));
    let mut text = String::new();
    for row in rows {
        let start = text.len();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = if column == 0 { "" } else { GAP };
            let space = " ".repeat(width - cell.width());
            match column {
                _ if column == names => text.extend([gap, &cut(cell, name_max)]),
                0 => text.extend([cell, &*space]),
                _ => text.extend([gap, &space, cell]),
            }
        }
        text.truncate(start + text[start..].trim_end().len());
        text.push('\n');
    }
    text
}

/// Shortens a string to a number of terminal columns, with an ellipsis at the end.
pub(crate) fn cut(text: &str, max: usize) -> String {
    if text.width() <= max {
        return text.into();
    }
    let mut width = ELLIPSIS.width();
    let fits = |char: &char| {
        width += char.width().unwrap_or_default();
        width <= max
    };
    text.chars().take_while(fits).chain(ELLIPSIS.chars()).collect()
}

pub(crate) fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(String::from).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_longest_cell() {
        let rows = [row(["", "min", "max"]), row(["Zürich", "1.5", "20000"]), row(["x", "", ""])];
        assert_eq!(aligned(&rows), "        min    max\nZürich  1.5  20000\nx\n");
        assert_eq!(aligned(&[]), "");
    }

    #[test]
    fn names_come_last_and_are_shortened_to_fit() {
        let rows = [row(["id", "min", "name"]), row(["a", "1.5", "東京都"]), row(["b", "20", "x"])];
        let whole = "id  min  name\na   1.5  東京都\nb    20  x\n";
        let aligned = |width| aligned_with_names(&rows, width);
        assert_eq!(aligned(None), whole);
        assert_eq!(aligned(Some(15)), whole);
        let narrow = "id  min  name\na   1.5  東京…\nb    20  x\n";
        assert_eq!(aligned(Some(14)), narrow);
        assert_eq!(aligned(Some(1)), narrow.replace("東京…", "東…"));
    }
}
