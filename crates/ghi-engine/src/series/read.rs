//! Reads series: CSV files, row by row and cell by cell.

use std::collections::HashMap;

use csv::{Reader, ReaderBuilder, StringRecord};
use jiff::civil::Date;

use crate::calendar::{FIRST, date_of, day_number, parse_date};
use crate::day::share_pct;
use crate::fields::{
    EFFICIENCY, ELECTRICITY, NETWORK_COLUMNS, REGION_COLUMNS, Variable, order_problem,
};
use crate::inputs::RegionInputs;
use crate::problems::{InputFile, Location, ProblemReport};
use crate::series::{NetworkRow, RegionRow, Series, override_levels};
use crate::text::{listed, suggestion};

/// The number of columns that a file must have. They are the first of the known columns.
const REQUIRED: usize = 2;
const IGNORED_PREFIX: &str = "x_";
const IDS_LISTED: usize = 5;
/// The way out for coins whose unit of difficulty is small.
const LARGE_DIFFICULTY: &str =
    "; divide the column by a power of ten, and multiply hashes_per_difficulty in [network] by it";

impl Series {
    /// Reads both files. The region series is skipped if there are no regions to check it against.
    pub(crate) fn read(
        [network, region_series]: [Option<&[u8]>; 2],
        regions: &[RegionInputs],
        problems: &ProblemReport,
    ) -> Self {
        let network = network.and_then(|bytes| network_rows(bytes, problems));
        let region_series = region_series.filter(|_| !regions.is_empty());
        let regions = region_series.and_then(|bytes| region_rows(bytes, regions, problems));
        Self {
            network: network.unwrap_or_default(),
            regions: regions.unwrap_or_default(),
            covered: vec![(day_number(FIRST), day_number(Date::MAX))],
        }
    }
}

/// Reads the rows of the network. If there are problems, the file is refused, and rows may have placeholders.
fn network_rows(bytes: &[u8], problems: &ProblemReport) -> Option<Vec<NetworkRow>> {
    let names = std::iter::once("date").chain(NETWORK_COLUMNS.map(|column| column.name));
    let mut sheet = Sheet::open(bytes, InputFile::NetworkSeries, names.collect(), problems)?;
    let mut rows: Vec<NetworkRow> = Vec::new();
    while sheet.advance() {
        let day = sheet.day_after(rows.last().map(|row| row.day), None);
        let [difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd] =
            sheet.numbers(1, &NETWORK_COLUMNS);
        let difficulty = (difficulty.unwrap_or_default() + 0.5).floor();
        let line = sheet.line;
        rows.push(NetworkRow {
            day,
            line,
            difficulty,
            hashrate_eh,
            fee_usd,
            block_reward_coins,
            price_usd,
        });
    }
    Some(rows)
}

fn region_rows(
    bytes: &[u8],
    regions: &[RegionInputs],
    problems: &ProblemReport,
) -> Option<Vec<Vec<RegionRow>>> {
    let names = ["date", "region_id"].into_iter().chain(REGION_COLUMNS.map(|column| column.name));
    let mut sheet = Sheet::open(bytes, InputFile::RegionSeries, names.collect(), problems)?;
    if sheet.indices[REQUIRED..].iter().all(Option::is_none) {
        let names = listed(&REGION_COLUMNS.map(|column| column.name));
        sheet.report(None, &format!("no data columns; expected at least one of {names}"));
    }
    let indices = regions.iter().enumerate().map(|(index, region)| (&*region.id, index));
    let indices: HashMap<&str, usize> = indices.collect();
    let mut rows: Vec<Vec<RegionRow>> = vec![Vec::new(); regions.len()];
    while sheet.advance() {
        let Some(&index) = indices.get(sheet.cell(1)) else {
            sheet.report_content(1, &known_ids(regions));
            continue;
        };
        let region = &regions[index];
        let before = problems.count();
        let previous = rows[index].last().map(|row| row.day);
        let day = sheet.day_after(previous, Some(&region.id));
        let [share, best, mean, worst, low, mean_price, high, overhead] =
            sheet.numbers(2, &REGION_COLUMNS);
        if share.is_some_and(|share| share_pct(share).to_f64() != share) {
            sheet.report_content(2, "a share with at most two decimals");
        }
        let row = RegionRow {
            day,
            line: sheet.line,
            hashrate_share_pct: share,
            efficiency_j_per_th: [best, mean, worst],
            electricity_usd_per_kwh: [low, mean_price, high],
            overhead,
        };
        if problems.count() == before {
            check_order(&sheet, &row, region);
        }
        rows[index].push(row);
    }
    Some(rows)
}

fn known_ids(regions: &[RegionInputs]) -> String {
    let first = regions.iter().take(IDS_LISTED).map(|region| format!("{:?}", region.id));
    let more = regions.len().saturating_sub(IDS_LISTED);
    let ids: Vec<String> = first.chain((more > 0).then(|| format!("{more} more"))).collect();
    format!("the id of a region: {}", listed(&ids))
}

/// Checks the order of efficiencies and prices; the inputs file has those that the row does not have.
fn check_order(sheet: &Sheet<'_>, row: &RegionRow, region: &RegionInputs) {
    for (levels, first_column, given, base) in [
        (EFFICIENCY, 3, row.efficiency_j_per_th, region.efficiency_j_per_th),
        (ELECTRICITY, 6, row.electricity_usd_per_kwh, region.electricity_usd_per_kwh),
    ] {
        if let Some(problem) = order_problem(levels, override_levels(base, given)) {
            let first_given = given.iter().position(Option::is_some).unwrap_or_default();
            let origin = match given.contains(&None) {
                true => " (empty cells use the values in the inputs file)",
                false => "",
            };
            sheet.report(Some(first_column + first_given), &format!("{problem}{origin}"));
        }
    }
}

/// A CSV file at one of its rows. Columns are numbered as in the list of known columns.
struct Sheet<'a> {
    file: InputFile,
    problems: &'a ProblemReport,
    text: &'a [u8],
    reader: Reader<&'a [u8]>,
    record: StringRecord,
    names: Vec<&'static str>,
    /// The index of each column in a row, if the file has it.
    indices: Vec<Option<usize>>,
    /// The number of cells in the header.
    width: usize,
    /// The line of the row, counted from 1.
    line: usize,
    has_rows: bool,
}

impl<'a> Sheet<'a> {
    /// Reads the header. Returns `None` if the rows below it cannot be read.
    fn open(
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
            sheet.report(None, &format!("expected the header {header}"));
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
        let missing: Vec<_> = self.names[..REQUIRED].iter().filter(missing).collect();
        if !missing.is_empty() {
            self.report(None, &format!("missing column {}", listed(&missing)));
        }
    }

    /// Moves to the next row with as many cells as the header. Returns false after the last row, or after too
    /// many problems. Rows of empty cells, which spreadsheets append, are skipped.
    fn advance(&mut self) -> bool {
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
    fn cell(&self, column: usize) -> &str {
        self.indices[column].and_then(|index| self.record.get(index)).unwrap_or_default()
    }

    /// Reports a problem with a cell of the row, or with the row.
    fn report(&self, column: Option<usize>, message: &str) {
        let column =
            column.and_then(|column| Some((self.indices[column]? + 1, self.names[column])));
        self.problems.add(Location { file: self.file, line: Some(self.line), column }, message);
    }

    fn report_content(&self, column: usize, expected: &str) {
        self.report(Some(column), &format!("\"{}\" is not {expected}", self.cell(column)));
    }

    /// The numbers in these columns, of which `first` is the first one. `None` for cells that have a problem,
    /// or are empty.
    fn numbers<const N: usize>(&self, first: usize, columns: &[Variable; N]) -> [Option<f64>; N] {
        std::array::from_fn(|index| {
            let (column, range) = (first + index, columns[index].range);
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
        })
    }

    /// The day of the date in the first column, which must be after that of the previous row, or of the region's
    /// previous row. An invalid date counts as the earliest day, so that it is reported only once.
    fn day_after(&self, previous: Option<i64>, region_id: Option<&str>) -> i64 {
        let Ok(date) = parse_date(self.cell(0)) else {
            self.report_content(0, "a valid date such as 2026-01-31");
            return i64::MIN;
        };
        let day = day_number(date);
        if let Some(previous) = previous.filter(|previous| day <= *previous) {
            let (previous, mut row) = (date_of(previous), "the previous row".to_owned());
            row += &region_id.map(|id| format!(" of {id:?}")).unwrap_or_default();
            self.report(Some(0), &format!("{date} must be after {previous}, the date of {row}"));
        }
        day
    }
}
