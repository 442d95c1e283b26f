//! Numbers and tables in plain text.

use unicode_width::UnicodeWidthStr;

pub(crate) const GAP: &str = "  ";

/// The number of decimals of USD, percent and EH/s, unless a number has more, and the maximum.
const DECIMALS: usize = 2;
const DECIMALS_MAX: usize = 20;

/// From this value on, numbers are written with an exponent.
const EXPONENT_FROM: f64 = 1e21;

/// Formats rows as lines: the first column left-aligned, the others right-aligned like numbers. Lines have no trailing
/// spaces.
///
/// A last column with the label `name` is left-aligned. Terminals disagree on the width and direction of letters; with
/// the names last, the numbers stay aligned.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let names = rows.first().and_then(|labels| labels.iter().position(|label| label == "name"));
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| rows.iter().filter_map(|row| Some(row.get(column)?.width())).max();
    let widths: Vec<usize> = (0..columns).filter_map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let space = " ".repeat(width - cell.width());
            match column == 0 || Some(column) == names {
                true => cell.clone() + &space,
                false => space + cell,
            }
        });
        cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

pub(crate) fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(String::from).to_vec()
}

/// Returns the largest number of decimals of these numbers, at least two.
pub(crate) fn decimals(numbers: impl IntoIterator<Item = f64>) -> usize {
    numbers.into_iter().map(own_decimals).fold(DECIMALS, usize::max)
}

/// Returns the number of decimals of a number, which may be zero.
pub(crate) fn own_decimals(number: f64) -> usize {
    let decimals = number.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len());
    decimals.min(DECIMALS_MAX)
}

/// Formats a number for programs: `61275.00`.
pub(crate) fn plain(number: f64, decimals: usize) -> String {
    if number.abs() >= EXPONENT_FROM {
        return format!("{number:e}");
    }
    // The digits as received, not the digits of the binary number. Adding 0 turns -0 into 0.
    let digits = (number + 0.0).to_string();
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    match decimals {
        0 => whole.into(),
        _ => format!("{whole}.{fraction:0<decimals$.decimals$}"),
    }
}

#[cfg(test)]
mod tests {
    use ghi_display::grouped;

    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_longest_cell() {
        let rows = [row(["", "min", "max"]), row(["Zürich", "1.5", "20000"]), row(["x", "", ""])];
        assert_eq!(aligned(&rows), "        min    max\nZürich  1.5  20000\nx\n");
        assert_eq!(aligned(&[]), "");
    }

    #[test]
    fn names_are_left_aligned() {
        let rows = [row(["id", "min", "name"]), row(["a", "1.5", "東京都"]), row(["b", "20", "x"])];
        assert_eq!(aligned(&rows), "id  min  name\na   1.5  東京都\nb    20  x\n");
    }

    #[test]
    fn numbers_keep_the_digits_as_received() {
        assert_eq!(decimals([58_218.8, 61_275.0]), 2);
        assert_eq!(decimals([0.000_000_004_512, 1.0]), 12);
        assert_eq!(plain(61_275.07, 12), "61275.070000000000");
        assert_eq!(plain(118_441_022_578_828.0, 0), "118441022578828");
    }

    #[test]
    fn thousands_are_separated() {
        for (number, decimals, text) in [
            (58_218.8, 2, "58,218.80"),
            (999.5, 2, "999.50"),
            (1_000_000.0, 0, "1,000,000"),
            (-1_234.5, 2, "-1,234.50"),
            (0.000_5, 4, "0.0005"),
            (1.5e300, 2, "1.5e300"),
            (2e300, 2, "2e300"),
            (-0.0, 2, "0.00"),
            (5e-324, decimals([5e-324]), "0.00000000000000000000"),
        ] {
            assert_eq!(grouped(plain(number, decimals)), text);
        }
    }
}
