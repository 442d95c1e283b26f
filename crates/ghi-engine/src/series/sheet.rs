//! A CSV file, read row by row and cell by cell.

use csv::{Reader, ReaderBuilder, StringRecord};

use crate::calendar::{date_of, day_number, parse_date};
use crate::fields::Variable;
use crate::interval::Interval;
use crate::problems::{InputFile, Location, ProblemReport};
use crate::text::{listed, suggestion};

const REQUIRED: usize = 2;
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
    /// The index of each in a row, if the file has it.
    indices: Vec<Option<usize>>,
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
            width: 0,
            line: 1,
            has_rows: false,
        };
        if !sheet.read_record() {
            let header = sheet.names[..REQUIRED].join(",");
            problems.add(sheet.location(), &format!("expected the header {header}"));
            return None;
        }
        sheet.width = sheet.record.len();
        sheet.find_columns();
        sheet.indices[..REQUIRED].iter().all(Option::is_some).then_some(sheet)
    }

    fn find_columns(&mut self) {
        let is_absent = |name: &&str| self.record.iter().all(|cell| cell != *name);
        let absent: Vec<&str> = self.names.iter().copied().filter(is_absent).collect();
        let mut suggested = Vec::new();
        for (index, cell) in self.record.iter().enumerate() {
            let location = Location { column: Some((index + 1, cell)), ..self.location() };
            match self.names.iter().position(|name| *name == cell) {
                Some(column) if self.indices[column].is_some() => {
                    self.problems.add(location, "duplicate column; each column must appear once");
                }
                Some(column) => self.indices[column] = Some(index),
                None if cell.starts_with(IGNORED_PREFIX) => {}
                None => {
                    let mean = format!("{cell}_mean");
                    let meant = absent.iter().find(|name| **name == mean).copied();
                    let meant = meant.or_else(|| suggestion(cell.trim(), &absent));
                    suggested.extend(meant);
                    let hint =
                        meant.map(|meant| format!("did you mean {meant}? ")).unwrap_or_default();
                    let known = listed(&self.names);
                    let message = format!(
                        "unknown column; {hint}Known columns: {known}; names starting with {IGNORED_PREFIX} are ignored"
                    );
                    self.problems.add(location, &message);
                }
            }
        }
        // A misspelled column is not reported a second time as missing.
        let missing = |name: &&&str| absent.contains(*name) && !suggested.contains(*name);
        let missing: Vec<_> = self.names[..REQUIRED].iter().filter(missing).collect();
        if !missing.is_empty() {
            self.problems.add(self.location(), &format!("missing column {}", listed(&missing)));
        }
    }

    /// Whether the file has a column that is not required.
    pub(super) fn has_optional_columns(&self) -> bool {
        self.indices[REQUIRED..].iter().any(Option::is_some)
    }

    /// Moves to the next row with as many cells as the header. Returns false after the last row, or after too
    /// many problems. Rows of empty cells, which spreadsheets append, are skipped.
    pub(super) fn advance(&mut self) -> bool {
        while self.read_record() {
            if self.problems.is_full() {
                return false;
            }
            let cells = self.record.len();
            if self.record.iter().all(str::is_empty) {
                continue;
            }
            self.has_rows = true;
            if cells == self.width {
                return true;
            }
            let message = format!("found {cells} cells; expected {}, as in the header", self.width);
            self.problems.add(self.location(), &message);
        }
        if !self.has_rows {
            self.problems.add(self.location(), "no rows below the header; expected at least one");
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
            self.problems.add(self.location(), "not valid UTF-8; save the file as \"CSV UTF-8\"");
        }
        read.is_ok()
    }

    pub(super) fn location(&self) -> Location<'static> {
        Location::line(self.file, self.line)
    }

    /// The content of a cell. Empty if the file does not have the column.
    pub(super) fn cell(&self, column: usize) -> &str {
        self.indices[column].and_then(|index| self.record.get(index)).unwrap_or_default()
    }

    pub(super) fn report(&self, column: usize, message: &str) {
        let column = self.indices[column].map(|index| (index + 1, self.names[column]));
        self.problems.add(Location { column, ..self.location() }, message);
    }

    pub(super) fn report_content(&self, column: usize, expected: &str) {
        self.report(column, &format!("\"{}\" is not {expected}", self.cell(column)));
    }

    /// The numbers in these columns, of which `first` is the first one. `None` for cells that have a problem,
    /// or are empty.
    pub(super) fn numbers<const N: usize>(
        &self,
        first: usize,
        columns: &[Variable; N],
    ) -> [Option<f64>; N] {
        std::array::from_fn(|index| self.number(first + index, columns[index].range))
    }

    fn number(&self, column: usize, range: Interval) -> Option<f64> {
        if self.cell(column).is_empty() && column >= REQUIRED {
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
    }

    /// The day of the date in the first column. It must be after `previous`, the day of the previous row, which
    /// it replaces.
    pub(super) fn day_after(
        &self,
        previous: &mut Option<i64>,
        previous_row: impl FnOnce() -> String,
    ) -> Option<i64> {
        let day = parse_date(self.cell(0)).map(day_number).ok();
        if day.is_none() {
            self.report_content(0, "a valid date such as 2026-01-31");
        }
        let previous = std::mem::replace(previous, day);
        if let (Some(day), Some(previous)) = (day, previous)
            && day <= previous
        {
            let (date, previous, row) = (self.cell(0), date_of(previous), previous_row());
            self.report(0, &format!("{date} must be after {previous}, the date of {row}"));
        }
        day
    }
}
