//! A CSV file, read row by row and cell by cell.

use csv::{Reader, ReaderBuilder, StringRecord};

use crate::calendar::{date_of, day_number, parse_date};
use crate::problems::{InputFile, Location, ProblemReport};
use crate::ranges::ValidRange;
use crate::text::{listed, suggestion};

/// The number of required columns, which come first in the list of known columns.
const REQUIRED: usize = 2;

/// The prefix of columns for other programs.
const IGNORED_PREFIX: &str = "x_";

/// The way out for coins whose unit of difficulty is small.
const LARGE_DIFFICULTY: &str =
    "; divide the column by a power of ten, and multiply hashes_per_difficulty in [network] by it";

/// A column that a series may have.
#[derive(Clone, Copy)]
pub(super) struct SeriesColumn {
    name: &'static str,
    /// Its index in a row, if the file has it.
    pub(super) index: Option<usize>,
}

/// A CSV file at one of its rows.
pub(super) struct Sheet<'a> {
    file: InputFile,
    pub(super) problems: &'a ProblemReport,
    text: &'a [u8],
    reader: Reader<&'a [u8]>,
    record: StringRecord,
    width: usize,
    line: usize,
    has_rows: bool,
}

impl<'a> Sheet<'a> {
    /// Reads the header, and returns its columns in the order of `names`, or `None` if the rows below it
    /// cannot be read.
    pub(super) fn open<const N: usize>(
        bytes: &'a [u8],
        file: InputFile,
        names: [&'static str; N],
        problems: &'a ProblemReport,
    ) -> Option<(Self, [SeriesColumn; N])> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        let record = StringRecord::new();
        let mut sheet =
            Self { file, problems, text, reader, record, width: 0, line: 1, has_rows: false };
        if !sheet.read_record() {
            let header = names[..REQUIRED].join(",");
            problems.add(sheet.location(), &format!("expected the header {header}"));
            return None;
        }
        sheet.width = sheet.record.len();
        let columns = sheet.columns(names);
        let has_required = columns[..REQUIRED].iter().all(|column| column.index.is_some());
        has_required.then_some((sheet, columns))
    }

    /// Finds the columns in the header.
    fn columns<const N: usize>(&self, names: [&'static str; N]) -> [SeriesColumn; N] {
        let mut columns = names.map(|name| SeriesColumn { name, index: None });
        let is_absent = |name: &&str| self.record.iter().all(|cell| cell != *name);
        let absent: Vec<&str> = names.into_iter().filter(is_absent).collect();
        let mut suggested = Vec::new();
        for (index, cell) in self.record.iter().enumerate() {
            let location = Location::cell(self.file, self.line, index + 1, cell);
            match columns.iter_mut().find(|column| column.name == cell) {
                Some(SeriesColumn { index: Some(_), .. }) => {
                    self.problems.add(location, "duplicate column; each column must appear once");
                }
                Some(column) => column.index = Some(index),
                None if cell.starts_with(IGNORED_PREFIX) => {}
                None => {
                    let mean = format!("{cell}_mean");
                    let meant = absent.iter().find(|name| **name == mean).copied();
                    let meant = meant.or_else(|| suggestion(cell.trim(), &absent));
                    suggested.extend(meant);
                    let hint =
                        meant.map(|meant| format!("did you mean {meant}? ")).unwrap_or_default();
                    let known = listed(&names);
                    let message = format!(
                        "unknown column; {hint}Known columns: {known}; names starting with {IGNORED_PREFIX} are ignored"
                    );
                    self.problems.add(location, &message);
                }
            }
        }
        // A misspelled column is not reported a second time as missing.
        let missing = columns[..REQUIRED].iter().filter(|column| column.index.is_none());
        let missing: Vec<&str> =
            missing.map(|column| column.name).filter(|name| !suggested.contains(name)).collect();
        if !missing.is_empty() {
            self.problems.add(self.location(), &format!("missing column {}", listed(&missing)));
        }
        columns
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

    /// The line of the row, counted from 1.
    pub(super) fn line(&self) -> u32 {
        u32::try_from(self.line).unwrap_or(u32::MAX)
    }

    /// The location of the row.
    pub(super) fn location(&self) -> Location<'static> {
        Location::row(self.file, self.line)
    }

    /// The content of a cell. Empty if the file does not have the column.
    pub(super) fn cell(&self, column: SeriesColumn) -> &str {
        column.index.and_then(|index| self.record.get(index)).unwrap_or_default()
    }

    /// Reports a problem with a cell.
    pub(super) fn report(&self, column: SeriesColumn, message: &str) {
        let location = column.index.map_or(self.location(), |index| {
            Location::cell(self.file, self.line, index + 1, column.name)
        });
        self.problems.add(location, message);
    }

    /// Reports a cell that does not have the expected content.
    pub(super) fn report_content(&self, column: SeriesColumn, expected: &str) {
        self.report(column, &format!("\"{}\" is not {expected}", self.cell(column)));
    }

    /// The number in a cell. `None` if the cell is empty or has a problem.
    pub(super) fn number(&self, column: SeriesColumn, range: ValidRange) -> Option<f64> {
        if self.cell(column).is_empty() { None } else { self.required_number(column, range) }
    }

    /// The number in a cell that must not be empty.
    pub(super) fn required_number(&self, column: SeriesColumn, range: ValidRange) -> Option<f64> {
        let number: Option<f64> = self.cell(column).parse().ok();
        let in_range = number.filter(|number| range.contains(*number));
        if in_range.is_none() {
            let is_large = column.name == "difficulty" && number > Some(range.max);
            let advice = if is_large { LARGE_DIFFICULTY } else { "" };
            self.report_content(column, &format!("a number {range}{advice}"));
        }
        in_range
    }

    /// The day of the date in a cell. It must be after `previous`, the day of the previous row, which it
    /// replaces.
    pub(super) fn day_after(
        &self,
        column: SeriesColumn,
        previous: &mut Option<i32>,
        previous_row: impl FnOnce() -> String,
    ) -> Option<i32> {
        let date = parse_date(self.cell(column));
        let report = |_| self.report_content(column, "a valid date such as 2026-01-31");
        let day = date.map_err(report).ok().map(|date| day_number(date) as i32);
        let previous = std::mem::replace(previous, day);
        if let (Some(day), Some(previous)) = (day, previous)
            && day <= previous
        {
            let (date, previous) = (self.cell(column), date_of(previous.into()));
            let row = previous_row();
            self.report(column, &format!("{date} must be after {previous}, the date of {row}"));
        }
        day
    }
}
