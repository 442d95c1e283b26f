//! A CSV file with named columns, read row by row and cell by cell.

use csv::{Reader, ReaderBuilder, StringRecord};

use crate::calendar::{date_of, day_number, parse_date};
use crate::fields::Variable;
use crate::problems::{InputFile, Location, ProblemReport};
use crate::text::{listed, suggestion};

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
            sheet.report(None, &format!("expected the header {header}"));
            return None;
        }
        sheet.width = sheet.record.len();
        sheet.find_columns();
        sheet.indices[..required].iter().all(Option::is_some).then_some(sheet)
    }

    fn find_columns(&mut self) {
        let is_absent = |name: &&str| self.record.iter().all(|cell| cell != *name);
        let absent: Vec<&str> = self.names.iter().copied().filter(is_absent).collect();
        let mut suggested = Vec::new();
        for (index, cell) in self.record.iter().enumerate() {
            let message = match self.names.iter().position(|name| *name == cell) {
                Some(column) if self.indices[column].is_none() => {
                    self.indices[column] = Some(index);
                    continue;
                }
                Some(_) => "duplicate column; each column must appear once".to_owned(),
                None if cell.starts_with(IGNORED_PREFIX) => continue,
                None => {
                    let mean = format!("{cell}_mean");
                    let meant = absent.iter().find(|name| **name == mean).copied();
                    let meant = meant.or_else(|| suggestion(cell.trim(), &absent));
                    suggested.extend(meant);
                    let hint = meant.map(|meant| format!("did you mean {meant}? "));
                    let (hint, known) = (hint.unwrap_or_default(), listed(&self.names));
                    format!(
                        "unknown column; {hint}Known columns: {known}; names starting with {IGNORED_PREFIX} are ignored"
                    )
                }
            };
            let column = Some((index + 1, cell));
            self.problems
                .add(Location { file: self.file, line: Some(self.line), column }, &message);
        }
        // A misspelled column is not reported a second time as missing.
        let missing = |name: &&&str| absent.contains(*name) && !suggested.contains(*name);
        let missing: Vec<_> = self.names[..self.required].iter().filter(missing).collect();
        if !missing.is_empty() {
            self.report(None, &format!("missing column {}", listed(&missing)));
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
            self.report(None, &format!("found {cells} cells; expected {width}, as in the header"));
        }
        if !self.has_rows {
            self.report(None, "no rows below the header; expected at least one");
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
            self.report(None, "not valid UTF-8; save the file as \"CSV UTF-8\"");
        }
        read.is_ok()
    }

    /// The content of a cell. Empty if the file does not have the column.
    pub(super) fn cell(&self, column: usize) -> &str {
        self.indices[column].and_then(|index| self.record.get(index)).unwrap_or_default()
    }

    /// Reports a problem with a cell of the row, or with the row.
    pub(super) fn report(&self, column: Option<usize>, message: &str) {
        let column =
            column.and_then(|column| Some((self.indices[column]? + 1, self.names[column])));
        self.problems.add(Location { file: self.file, line: Some(self.line), column }, message);
    }

    pub(super) fn report_content(&self, column: usize, expected: &str) {
        self.report(Some(column), &format!("\"{}\" is not {expected}", self.cell(column)));
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
                self.report_content(column, &format!("a number {range}{advice}"));
            }
            in_range
        })
    }

    /// The day of the date in the first column. An invalid date counts as the earliest day, so that it is
    /// reported only once.
    pub(super) fn day(&self) -> i64 {
        parse_date(self.cell(0)).map(day_number).unwrap_or_else(|_| {
            self.report_content(0, "a valid date such as 2026-01-31");
            i64::MIN
        })
    }

    /// The day, which must be after that of the previous row, or of the region's previous row.
    pub(super) fn day_after(&self, previous: Option<i64>, region_id: Option<&str>) -> i64 {
        let day = self.day();
        if let Some(previous) =
            previous.filter(|previous| (i64::MIN + 1..=*previous).contains(&day))
        {
            let date = date_of(day);
            let (previous, mut row) = (date_of(previous), "the previous row".to_owned());
            row += &region_id.map(|id| format!(" of {id:?}")).unwrap_or_default();
            self.report(Some(0), &format!("{date} must be after {previous}, the date of {row}"));
        }
        day
    }
}
