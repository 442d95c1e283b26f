//! A CSV file, read row by row, cell by cell.

use csv::{Reader, ReaderBuilder, StringRecord};
use jiff::civil::Date;

use crate::bounds::Bounds;
use crate::calendar::{date_of, day_number};
use crate::number;
use crate::problems::{Place, Problems};
use crate::series::header::{self, Columns};
use crate::series::not_csv;

/// A cell cannot be read, and a problem says why.
#[derive(Clone, Copy)]
pub(super) struct Refused;

/// A file that stands at one of its rows. Columns are told by their number among the known names.
pub(super) struct Sheet<'a> {
    columns: Columns,
    text: &'a [u8],
    reader: Reader<&'a [u8]>,
    record: StringRecord,
    /// The place of each column in a row.
    places: Vec<Option<usize>>,
    width: usize,
    line: usize,
    /// Up to which byte lines are counted.
    counted: usize,
    rows: usize,
    /// The date that was read last, and its day: in most files many rows in turn have one date.
    last_date: Option<(String, i32)>,
}

impl<'a> Sheet<'a> {
    /// Reads the header. None where the rows behind it mean nothing.
    pub(super) fn open(bytes: &'a [u8], columns: Columns, problems: &mut Problems) -> Option<Self> {
        if let Some(kind) = not_csv::kind(bytes) {
            problems.push(Place::row(columns.source, 1), || kind);
            return None;
        }
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if let Err(error) = std::str::from_utf8(text) {
            let line = 1 + newlines(&text[..error.valid_up_to()]);
            problems.push(Place::row(columns.source, line), || {
                "not UTF-8; a CSV file must be saved as UTF-8".to_owned()
            });
            return None;
        }
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        let mut sheet = Self {
            columns,
            text,
            reader,
            record: StringRecord::new(),
            places: Vec::new(),
            width: 0,
            line: 1,
            counted: 0,
            rows: 0,
            last_date: None,
        };
        if !sheet.read_record() {
            let header = columns.names[..columns.required].join(",");
            problems.push(Place::row(columns.source, 1), || {
                format!("the file is empty; its first line must be the header: {header}")
            });
            return None;
        }
        sheet.width = sheet.record.len();
        sheet.places = header::read(&sheet.record, sheet.line, columns, problems)?;
        Some(sheet)
    }

    /// Goes to the next row that has as many cells as the header. False behind the last row.
    /// A row in which every cell is empty, as spreadsheets leave them, is an empty line.
    pub(super) fn advance(&mut self, problems: &mut Problems) -> bool {
        while self.read_record() {
            if self.record.iter().all(str::is_empty) {
                continue;
            }
            self.rows += 1;
            let cells = self.record.len();
            if cells == self.width {
                return true;
            }
            problems.push(self.row_place(), || {
                let width = self.width;
                let hint = if self.record.iter().any(|cell| cell.contains('\n')) {
                    "; a quote in it goes on over the end of its line"
                } else if cells > width {
                    "; a comma separates cells, also within a number"
                } else {
                    "; a cell may be empty, but not its comma"
                };
                format!("the row has {cells} cells; it must have {width}, as the header{hint}")
            });
        }
        if self.rows == 0 {
            problems.push(self.row_place(), || {
                "there is no row below the header; there must be one at least".to_owned()
            });
        }
        false
    }

    fn read_record(&mut self) -> bool {
        // A slice can always be read, and its UTF-8 is checked.
        let is_read = matches!(self.reader.read_record(&mut self.record), Ok(true));
        if is_read && let Some(position) = self.record.position() {
            // What is left of the line before, and empty lines, count to the row as csv sees it.
            let start = usize::try_from(position.byte()).unwrap_or(usize::MAX).min(self.text.len());
            let is_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
            let start = start + self.text[start..].iter().take_while(is_end).count();
            self.line += newlines(&self.text[self.counted..start]);
            self.counted = start;
        }
        is_read
    }

    /// The line of the row, counted from 1.
    pub(super) fn line(&self) -> u32 {
        u32::try_from(self.line).unwrap_or(u32::MAX)
    }

    /// Whether the file has this column.
    pub(super) fn has(&self, column: usize) -> bool {
        self.places[column].is_some()
    }

    /// The place of the row.
    pub(super) fn row_place(&self) -> Place<'static> {
        Place::row(self.columns.source, self.line)
    }

    /// The place of a cell.
    pub(super) fn place(&self, column: usize) -> Place<'static> {
        match self.places[column] {
            Some(at) => {
                Place::cell(self.columns.source, self.line, at + 1, self.columns.names[column])
            }
            None => self.row_place(),
        }
    }

    /// What stands in a cell; nothing where the file lacks the column.
    pub(super) fn cell(&self, column: usize) -> &str {
        self.places[column].and_then(|at| self.record.get(at)).unwrap_or_default()
    }

    /// The number in a cell, if there is one.
    pub(super) fn number(
        &self,
        column: usize,
        bounds: Bounds,
        problems: &mut Problems,
    ) -> Result<Option<f64>, Refused> {
        let cell = self.cell(column);
        if cell.is_empty() {
            return Ok(None);
        }
        match number::plain(cell) {
            Some(value) if bounds.contains(value) => Ok(Some(value)),
            Some(_) => self.refuse(column, || format!("{cell} must be {bounds}"), problems),
            None if has_spaces_around(cell) => {
                self.refuse(column, || spaces_around(cell), problems)
            }
            None => self.refuse(
                column,
                || {
                    let slip = number::slip(cell);
                    slip.unwrap_or_else(|| {
                        format!("\"{cell}\" is no number; it must be a plain decimal {bounds}")
                    })
                },
                problems,
            ),
        }
    }

    /// The number in a cell that must not be empty.
    pub(super) fn required_number(
        &self,
        column: usize,
        bounds: Bounds,
        problems: &mut Problems,
    ) -> Result<f64, Refused> {
        match self.number(column, bounds, problems)? {
            Some(number) => Ok(number),
            None => {
                let message = || format!("the cell is empty; it must be a number {bounds}");
                self.refuse(column, message, problems)
            }
        }
    }

    /// The day of the date in a cell.
    fn day(&mut self, column: usize, problems: &mut Problems) -> Result<i32, Refused> {
        let cell = self.cell(column);
        if let Some((last, day)) = &self.last_date
            && last == cell
        {
            return Ok(*day);
        }
        let Some(date) = calendar_date(cell) else {
            let message = || match has_spaces_around(cell) {
                true => spaces_around(cell),
                false => format!(
                    "\"{cell}\" is no date; it must be a day written YYYY-MM-DD, as 2026-01-31"
                ),
            };
            return self.refuse(column, message, problems);
        };
        let day = i32::try_from(day_number(date)).unwrap_or(i32::MAX);
        self.last_date = Some((cell.to_owned(), day));
        Ok(day)
    }

    /// The day of the date in a cell, which must be after that of the row before it. That row is
    /// the one that the reader sees there, whatever else is wrong with it.
    pub(super) fn day_after(
        &mut self,
        column: usize,
        before: &mut Option<i32>,
        row_before: impl FnOnce() -> String,
        problems: &mut Problems,
    ) -> Result<i32, Refused> {
        let day = self.day(column, problems);
        match (day, std::mem::replace(before, day.ok())) {
            (Ok(day), Some(before)) if day <= before => {
                let message = || {
                    let (date, before) = (self.cell(column), date_of(before.into()));
                    format!("{date} must be after {before}, the date of {}", row_before())
                };
                self.refuse(column, message, problems)
            }
            (day, _) => day,
        }
    }

    /// Reports a cell.
    pub(super) fn refuse<T>(
        &self,
        column: usize,
        message: impl FnOnce() -> String,
        problems: &mut Problems,
    ) -> Result<T, Refused> {
        problems.push(self.place(column), message);
        Err(Refused)
    }
}

/// Whether a cell would be another without the spaces around it.
pub(super) fn has_spaces_around(cell: &str) -> bool {
    cell.trim() != cell
}

/// What is said of such a cell.
pub(super) fn spaces_around(cell: &str) -> String {
    format!("\"{cell}\" has spaces around it; a cell must have none")
}

/// A date of the calendar, from the year 1 on.
fn calendar_date(text: &str) -> Option<Date> {
    let &[a, b, c, d, b'-', e, f, b'-', g, h] = text.as_bytes() else { return None };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_i16, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + i16::from(digit - b'0'))
        })
    };
    let year = number(&[a, b, c, d]).filter(|year| *year > 0)?;
    let [month, day] = [number(&[e, f])?, number(&[g, h])?];
    Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()
}

fn newlines(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}
