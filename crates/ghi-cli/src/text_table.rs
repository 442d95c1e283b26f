//! Plain-text tables.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The space between two columns.
const GAP: &str = "  ";

/// Marks the end of a shortened text.
const ELLIPSIS: &str = "…";

/// The minimum width of a column of names in terminal columns.
const NAME_MIN: usize = 4;

/// Formats rows as lines: the first column left-aligned, the others right-aligned like numbers. Lines have no
/// trailing spaces.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    lines(rows, &widths(rows), None)
}

/// Formats rows with left-aligned names in the last column. Terminals disagree on the width and direction of
/// letters; with the names last, the numbers stay aligned. If a line is wider than the terminal, its name is
/// shortened, never its numbers.
pub(crate) fn aligned_with_names(mut rows: Vec<Vec<String>>, terminal: Option<usize>) -> String {
    let widths = widths(&rows);
    let names = widths.len().saturating_sub(1);
    if let Some(terminal) = terminal {
        let before: usize = widths.iter().take(names).map(|width| width + GAP.len()).sum();
        let width = terminal.saturating_sub(before).max(NAME_MIN);
        for name in rows.iter_mut().filter_map(|row| row.get_mut(names)) {
            *name = cut(name, width);
        }
    }
    lines(&rows, &widths, Some(names))
}

/// Formats the columns that have a label, with the labels as the first line. Names may be shortened, so their column
/// comes last.
pub(crate) fn labelled(
    labels: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    terminal: Option<usize>,
) -> String {
    let mut shown: Vec<usize> = (0..labels.len()).filter(|at| !labels[*at].is_empty()).collect();
    shown.sort_by_key(|at| labels[*at] == "name");
    let header = shown.iter().map(|at| labels[*at].to_owned()).collect();
    let pick = |mut cells: Vec<String>| {
        shown.iter().map(|at| std::mem::take(&mut cells[*at])).collect::<Vec<_>>()
    };
    let rows = std::iter::once(header).chain(rows.into_iter().map(pick)).collect();
    if labels.contains(&"name") { aligned_with_names(rows, terminal) } else { aligned(&rows) }
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

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }
    widths
}

fn lines(rows: &[Vec<String>], widths: &[usize], names: Option<usize>) -> String {
    let line_max: usize = widths.iter().map(|width| width + GAP.len()).sum();
    let mut text = String::with_capacity(line_max * rows.len());
    for row in rows {
        let start = text.len();
        for (column, (cell, width)) in std::iter::zip(row, widths).enumerate() {
            let gap = if column == 0 { "" } else { GAP };
            let space = " ".repeat(width.saturating_sub(cell.width()));
            match column == 0 || Some(column) == names {
                true => text.extend([gap, cell.as_str(), &space]),
                false => text.extend([gap, &space, cell.as_str()]),
            }
        }
        text.truncate(start + text[start..].trim_end().len());
        text.push('\n');
    }
    text
}

/// Builds a row from strings.
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
        let aligned = |width| aligned_with_names(rows.to_vec(), width);
        assert_eq!(aligned(None), whole);
        assert_eq!(aligned(Some(15)), whole);
        let narrow = "id  min  name\na   1.5  東京…\nb    20  x\n";
        assert_eq!(aligned(Some(14)), narrow);
        assert_eq!(aligned(Some(1)), narrow.replace("東京…", "東…"));
    }
}
