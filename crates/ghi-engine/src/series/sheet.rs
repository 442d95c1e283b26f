//! A CSV file with named columns, read row by row and cell by cell.

use csv::{Reader, ReaderBuilder, StringRecord};

use crate::calendar::{date_of, day_number, parse_date};
use crate::fields::Variable;
use crate::problems::{InputFile, NAME_MAX, ProblemReport};
use crate::text::{listed, visible};

const IGNORED_PREFIX: &str = "x_";
/// The way out for coins whose unit of difficulty is small.
const LARGE_DIFFICULTY: &str =
    "; divide the column by a power of ten, and multiply hashes_per_difficulty in [network] by it";

/// A CSV file at one of its rows. Columns are numbered as in the list of known columns.
pub(super) struct Sheet<'a> {
    file: InputFile,
    problems: &'a ProblemReport,
    text: &'a [u8],
    reader: Reader<&'a [u8]>,
    record: StringRecord,
    names: Vec<&'static str>,
    /// The number of columns that a file must have. They are the first of the known columns.
    required: usize,
    /// The index of each column in a row, if the file has it.
    pub(super) indices: Vec<Option<usize>>,
    /// The number of cells in the header.
    width: usize,
    /// The line of the row, counted from 1.
    pub(super) line: usize,
    has_rows: bool,
}

impl<'a> Sheet<'a> {
    /// Reads the header. Returns `None` if the rows below it cannot be read.
    pub(super) fn open(
        bytes: &'a [u8],
        file: InputFile,
        names: Vec<&'static str>,
        required: usize,
        problems: &'a ProblemReport,
    ) -> Option<Self> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut sheet = Self {
            file,
            problems,
            text,
            reader: ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text),
            record: StringRecord::new(),
            indices: vec![None; names.len()],
            names,
            required,
            width: 0,
            line: 1,
            has_rows: false,
        };
        if !sheet.read_record() {
            let header = sheet.names[..required].join(",");
            sheet.report(&format!("expected the header {header}"));
            return None;
        }
        sheet.width = sheet.record.len();
        sheet.find_columns();
        sheet.indices[..required].iter().all(Option::is_some).then_some(sheet)
    }

    fn find_columns(&mut self) {
        for (index, cell) in self.record.iter().enumerate() {
            match self.names.iter().position(|name| *name == cell) {
                Some(column) if self.indices[column].is_none() => {
                    self.indices[column] = Some(index);
                }
                None if cell.starts_with(IGNORED_PREFIX) => {}
                _ => self.report(&format!(
                    "unknown or duplicate column \"{}\"; expected each of these at most once: {}; names starting with {IGNORED_PREFIX} are ignored",
                    visible(cell, NAME_MAX),
                    listed(&self.names)
                )),
            }
        }
        let columns = std::iter::zip(&self.names[..self.required], &self.indices);
        let missing = columns.filter(|(_, index)| index.is_none()).map(|(name, _)| *name);
        let missing: Vec<&str> = missing.collect();
        if !missing.is_empty() {
            self.report(&format!("missing column {}", listed(&missing)));
        }
    }

    /// Moves to the next row with as many cells as the header. Returns false after the last row, or after too
    /// many problems. Rows of empty cells, which spreadsheets append, are skipped.
    pub(super) fn advance(&mut self) -> bool {
        while self.read_record() {
            if self.problems.is_full() {
                return false;
            }
            if self.record.iter().all(str::is_empty) {
                continue;
            }
            self.has_rows = true;
            let (cells, width) = (self.record.len(), self.width);
            if cells == width {
                return true;
            }
            self.report(&format!("found {cells} cells; expected {width}, as in the header"));
        }
        if !self.has_rows {
            self.report("no rows below the header; expected at least one");
        }
        false
    }

    fn read_record(&mut self) -> bool {
        let read = self.reader.read_record(&mut self.record);
        let position = match &read {
            Ok(true) => self.record.position(),
            Ok(false) => return false,
            Err(error) => error.position(),
        };
        if let Some(position) = position {
            // Any empty lines before the row are included in its position.
            let start = (position.byte() as usize).min(self.text.len());
            let is_line_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
            let skipped = self.text[start..].iter().take_while(is_line_end);
            let newlines = skipped.filter(|byte| **byte == b'\n').count();
            self.line = position.line() as usize + newlines;
        }
        if read.is_err() {
            self.has_rows = true;
            self.report("not valid UTF-8; save the file as \"CSV UTF-8\"");
        }
        read.is_ok()
    }

    /// The content of a cell. Empty if the file does not have the column.
    pub(super) fn cell(&self, column: usize) -> &str {
        self.indices[column].and_then(|index| self.record.get(index)).unwrap_or_default()
    }

    /// Reports a problem with the row.
    pub(super) fn report(&self, message: &str) {
        self.problems.add((self.file, Some(self.line)), message);
    }

    pub(super) fn refuse(&self, column: usize, expected: &str) {
        let (name, cell) = (self.names[column], self.cell(column));
        self.report(&format!("{name} is \"{cell}\"; expected {expected}"));
    }

    /// The numbers in these columns, of which `first` is the first one. `None` for cells that have a problem,
    /// or are empty.
    pub(super) fn numbers<const N: usize>(
        &self,
        first: usize,
        columns: &[Variable; N],
    ) -> [Option<f64>; N] {
        std::array::from_fn(|index| {
            let (column, range) = (first + index, columns[index].range);
            if self.cell(column).is_empty() && column >= self.required {
                return None;
            }
            let number: Option<f64> = self.cell(column).parse().ok();
            let in_range = number.filter(|number| range.contains(*number));
            if in_range.is_none() {
                let is_large = self.names[column] == "difficulty" && number > Some(range.max);
                let advice = if is_large { LARGE_DIFFICULTY } else { "" };
                self.refuse(column, &format!("a number {range}{advice}"));
            }
            in_range
        })
    }

    /// The day of the date in the first column, which must not be before `first`. An invalid date counts as the
    /// earliest day, so that it is reported only once.
    pub(super) fn day(&self, first: Option<i64>) -> i64 {
        let Ok(day) = parse_date(self.cell(0)).map(day_number) else {
            self.refuse(0, "a valid date such as 2026-01-31");
            return i64::MIN;
        };
        if let Some(first) = first.filter(|first| day < *first) {
            let first = date_of(first);
            self.refuse(0, &format!("{first} or later, because the dates must ascend"));
        }
        day
    }
}
