//! Tables in plain text.

/// Spaces between two columns.
const GAP: usize = 2;

/// Rows as lines: the first column to the left, the others to the right, as numbers are read.
/// Columns are as wide as they need to be, and no line ends in a space.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let length =
        |row: &Vec<String>, column| row.get(column).map_or(0, |cell: &String| cell.chars().count());
    let width = |column| rows.iter().map(|row| length(row, column)).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in std::iter::zip(row, &widths).enumerate() {
            match column {
                0 => line += &format!("{cell:<width$}"),
                _ => line += &format!("{:GAP$}{cell:>width$}", ""),
            }
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
}
