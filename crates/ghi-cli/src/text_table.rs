//! Tables in plain text.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What stands between two columns.
const GAP: &str = "  ";

/// What stands for what was cut.
const ELLIPSIS: &str = "…";

/// The narrowest that a column of names is cut to, columns.
const NAME_MIN: usize = 4;

/// Rows as lines: the first column to the left, the others to the right, as numbers are read.
/// Columns are as wide as they need to be, and no line ends in a space.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    lines(rows, None)
}

/// The same, with names in the last column, to the left. They stand there because not every terminal
/// agrees on how wide a letter is, or in which direction it is read: what stands before them stays in
/// place. Where lines are wider than the terminal, names are cut, and numbers never.
pub(crate) fn aligned_with_names(mut rows: Vec<Vec<String>>, terminal: Option<usize>) -> String {
    let names = columns(&rows).saturating_sub(1);
    if let Some(terminal) = terminal {
        let before: usize = widths(&rows).iter().take(names).map(|width| width + GAP.len()).sum();
        let width = terminal.saturating_sub(before).max(NAME_MIN);
        for name in rows.iter_mut().filter_map(|row| row.get_mut(names)) {
            *name = cut(name, width);
        }
    }
    lines(&rows, Some(names))
}

/// A text that is at most so many columns wide, with an ellipsis where something is missing.
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

fn columns(rows: &[Vec<String>]) -> usize {
    rows.iter().map(Vec::len).max().unwrap_or_default()
}

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let cell = |row: &Vec<String>, column| row.get(column).map_or(0, |cell: &String| cell.width());
    let width = |column| rows.iter().map(|row| cell(row, column)).max().unwrap_or_default();
    (0..columns(rows)).map(width).collect()
}

fn lines(rows: &[Vec<String>], names: Option<usize>) -> String {
    let widths = widths(rows);
    let line_max: usize = widths.iter().map(|width| width + GAP.len()).sum();
    let mut text = String::with_capacity(line_max * rows.len());
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in std::iter::zip(row, &widths).enumerate() {
            let gap = if column == 0 { "" } else { GAP };
            let space = " ".repeat(width - cell.width());
            line += &match column == 0 || Some(column) == names {
                true => format!("{gap}{cell}{space}"),
                false => format!("{gap}{space}{cell}"),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A row of texts.
pub(crate) fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(String::from).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_need_to_be() {
        let rows = [row(["", "min", "max"]), row(["Zürich", "1.5", "20000"]), row(["x", "", ""])];
        assert_eq!(aligned(&rows), "        min    max\nZürich  1.5  20000\nx\n");
        assert_eq!(aligned(&[]), "");
    }

    #[test]
    fn names_stand_last_and_are_cut_where_there_is_no_room() {
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
