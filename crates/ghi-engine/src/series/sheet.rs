//! A CSV file, read row by row and cell by cell.

use csv::{Reader, ReaderBuilder, StringRecord};

use crate::calendar::{InvalidDate, date_of, day_number, parse_date};
use crate::number::{explain_notation, parse_plain};
use crate::problems::{InputFile, Location, ProblemReport};
use crate::ranges::ValidRange;
use crate::series::header::{self, REQUIRED, SeriesColumn};

/// The first bytes of files in other formats, and a message for each.
const OTHER_FORMATS: [(&[u8], &str); 5] = [
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    (b"\x1f\x8b", "the file is compressed with gzip; decompress it"),
    (b"PK\x03\x04", WORKBOOK),
    (b"\xd0\xcf\x11\xe0", WORKBOOK),
];

const UTF_16: &str = "the file is in UTF-16; save it as \"CSV UTF-8\"";

const WORKBOOK: &str =
    "the file is an Excel workbook or a zip archive; save the sheet as \"CSV UTF-8\"";

/// The way out for coins whose unit of difficulty is small.
const LARGE_DIFFICULTY: &str =
    "; divide the column by a power of ten, and multiply hashes_per_difficulty in [network] by it";

/// A CSV file at one of its rows.
pub(super) struct Sheet<'a> {
    file: InputFile,
    pub(super) problems: &'a ProblemReport,
    text: &'a [u8],
    reader: Reader<&'a [u8]>,
    record: StringRecord,
    width: usize,
    line: usize,
    row_count: usize,
    /// The date that was parsed last, and its day. In most files, many successive rows have the same date.
    last_date: Option<(String, i32)>,
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
        let refuse = |line: usize, message: &str| {
            problems.add(Location::row(file, line), message);
            None
        };
        if let Some((_, message)) = OTHER_FORMATS.iter().find(|(start, _)| bytes.starts_with(start))
        {
            return refuse(1, message);
        }
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if let Err(error) = std::str::from_utf8(text) {
            let line = 1 + newlines(&text[..error.valid_up_to()]);
            return refuse(line, "the file is not valid UTF-8; save it as UTF-8");
        }
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        let mut sheet = Self {
            file,
            problems,
            text,
            reader,
            record: StringRecord::new(),
            width: 0,
            line: 1,
            row_count: 0,
            last_date: None,
        };
        if !sheet.read_record() {
            let header = names[..REQUIRED].join(",");
            return refuse(1, &format!("the file is empty; expected a header: {header}"));
        }
        sheet.width = sheet.record.len();
        let columns = header::read(&sheet.record, sheet.line, file, names, problems)?;
        Some((sheet, columns))
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
            self.row_count += 1;
            let (cells, width) = (self.record.len(), self.width);
            if cells == width {
                return true;
            }
            let hint = if self.record.iter().any(|cell| cell.contains('\n')) {
                "a quoted cell continues on the next line"
            } else if cells > width {
                "a comma in a number separates cells"
            } else {
                "empty cells need a comma too"
            };
            let message =
                format!("found {cells} cells; expected {width}, as in the header ({hint})");
            self.problems.add(self.location(), &message);
        }
        if self.row_count == 0 {
            self.problems.add(self.location(), "no rows below the header; expected at least one");
        }
        false
    }

    fn read_record(&mut self) -> bool {
        // A slice can always be read, and it is valid UTF-8.
        let is_read = matches!(self.reader.read_record(&mut self.record), Ok(true));
        if is_read && let Some(position) = self.record.position() {
            // Any empty lines before the row are included in its position.
            let start = (position.byte() as usize).min(self.text.len());
            let is_line_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
            let skipped = self.text[start..].iter().take_while(is_line_end).count();
            self.line = position.line() as usize + newlines(&self.text[start..start + skipped]);
        }
        is_read
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
        let cell = self.cell(column);
        let message = match cell.trim() == cell {
            _ if cell.is_empty() => format!("the cell is empty; expected {expected}"),
            true => format!("\"{cell}\" is not {expected}"),
            false => format!("\"{cell}\" has leading or trailing spaces; remove them"),
        };
        self.report(column, &message);
    }

    /// The number in a cell. `None` if the cell is empty or has a problem.
    pub(super) fn number(&self, column: SeriesColumn, range: ValidRange) -> Option<f64> {
        let cell = self.cell(column);
        if cell.is_empty() {
            return None;
        }
        let number = parse_plain(cell);
        if number.is_none()
            && cell.trim() == cell
            && let Some(message) = explain_notation(cell)
        {
            self.report(column, &message);
            return None;
        }
        let in_range = number.filter(|number| range.contains(*number));
        if in_range.is_none() {
            let is_large = column.name == "difficulty" && number > Some(range.max);
            let advice = if is_large { LARGE_DIFFICULTY } else { "" };
            self.report_content(column, &format!("a number {range}{advice}"));
        }
        in_range
    }

    /// The number in a cell that must not be empty.
    pub(super) fn required_number(&self, column: SeriesColumn, range: ValidRange) -> Option<f64> {
        if self.cell(column).is_empty() {
            self.report_content(column, &format!("a number {range}"));
        }
        self.number(column, range)
    }

    /// The day of the date in a cell. It must be after `previous`, the day of the previous row, which it
    /// replaces.
    pub(super) fn day_after(
        &mut self,
        column: SeriesColumn,
        previous: &mut Option<i32>,
        previous_row: impl FnOnce() -> String,
    ) -> Option<i32> {
        let day = self.day(column);
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

    fn day(&mut self, column: SeriesColumn) -> Option<i32> {
        let cell = self.cell(column);
        if let Some((date, day)) = &self.last_date
            && date == cell
        {
            return Some(*day);
        }
        let expected = |invalid| match invalid {
            InvalidDate::OtherForm => "a date such as 2026-01-31",
            InvalidDate::NoSuchDay => "a valid calendar date, such as 2026-01-31",
        };
        let report = |invalid| self.report_content(column, expected(invalid));
        let date = parse_date(cell).map_err(report).ok()?;
        let day = i32::try_from(day_number(date)).unwrap_or(i32::MAX);
        self.last_date = Some((cell.to_owned(), day));
        Some(day)
    }
}

fn newlines(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}
