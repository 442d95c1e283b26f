//! The series that days are appended to, and the file of prices.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use csv::StringRecord;
use ghi_engine::parse_date;
use jiff::civil::Date;

use crate::collect::days::DayTotals;
use crate::inputs::{SERIES_MAX, read_file};

const HEADER: &str = "date,difficulty,hashrate_eh,fee_usd,block_reward_coins,price_usd";

/// The number of rows that are compared with the node before others are appended.
const COMPARED_ROWS: usize = 3;

/// The maximum relative difference between a number in the file and the node's.
const TOLERANCE: f64 = 1e-6;

/// A network series. Rows are only ever appended.
pub(super) struct NetworkFile {
    path: PathBuf,
    /// The contents of the file. Empty if the file doesn't exist.
    saved: Vec<u8>,
    added: String,
    /// The date of the last row.
    pub(super) last: Option<Date>,
    /// The last rows of the file, until they are compared with the node.
    pub(super) uncompared: VecDeque<SavedRow>,
}

/// A row of the file.
pub(super) struct SavedRow {
    line: u64,
    pub(super) date: Date,
    difficulty: f64,
    hashrate_eh: Option<f64>,
}

impl NetworkFile {
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        // If the path is a symbolic link, its target is replaced and the link stays.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let saved = if path.exists() { read(&path)? } else { Vec::new() };
        let mut uncompared = VecDeque::new();
        if !saved.is_empty() {
            uncompared.extend(rows(&path, &saved, HEADER, |line, date, row| {
                let hashrate_eh = Some(&row[2]).filter(|cell| !cell.is_empty());
                let hashrate_eh =
                    hashrate_eh.map(|cell| number(cell, "hashrate_eh")).transpose()?;
                let difficulty = number(&row[1], "difficulty")?;
                Ok(SavedRow { line, date, difficulty, hashrate_eh })
            })?);
        }
        // Reading the blocks takes hours, so a file that cannot be written is refused first.
        let temporary = temporary(&path);
        let is_writable = File::create(&temporary).and_then(|_| fs::remove_file(&temporary));
        is_writable.map_err(|error| format!("cannot write {path:?}: {error}"))?;
        let last = uncompared.back().map(|row: &SavedRow| row.date);
        uncompared.drain(..uncompared.len().saturating_sub(COMPARED_ROWS));
        Ok(Self { path, saved, added: String::new(), last, uncompared })
    }

    /// Compares a row with the node's blocks of its day. The difficulty may change within a day, and a row
    /// may have either value.
    pub(super) fn compare(
        &self,
        row: &SavedRow,
        day: Option<&DayTotals>,
        hashes_per_difficulty: f64,
    ) -> Result<(), String> {
        let Some(day) = day else {
            return self.refuse(row, "has no blocks on the node");
        };
        let [lowest, highest] = day.difficulty_range;
        let range = lowest * (1.0 - TOLERANCE)..=highest * (1.0 + TOLERANCE);
        if !range.contains(&row.difficulty) {
            let (found, expected) = (row.difficulty, day.difficulty());
            return self.refuse(row, &format!("has difficulty {found}, the node {expected}"));
        }
        let expected = day.hashrate_eh(hashes_per_difficulty);
        match row.hashrate_eh {
            Some(found) if (found / expected - 1.0).abs() > TOLERANCE => self.refuse(row, &format!(
                "has hashrate_eh {found}, the node {expected} with --hashes-per-difficulty {hashes_per_difficulty}"
            )),
            _ => Ok(()),
        }
    }

    /// Explains why a row doesn't match the node's data.
    pub(super) fn refuse(&self, row: &SavedRow, what: &str) -> Result<(), String> {
        let (path, line, date) = (&self.path, row.line, row.date);
        Err(format!(
            "{path:?}: line {line} ({date}) {what}; for another chain, use another --out file"
        ))
    }

    /// Appends a row, in memory until it is saved.
    pub(super) fn append(&mut self, date: Date, row: &str) {
        self.added += row;
        self.last = Some(date);
    }

    /// Atomically replaces the file on disk with one that has the appended rows. Returns their number.
    pub(super) fn save(&mut self) -> Result<usize, String> {
        let rows = self.added.lines().count();
        if rows == 0 {
            return Ok(0);
        }
        let path = &self.path;
        let on_disk = if path.exists() { read(path)? } else { Vec::new() };
        if on_disk != self.saved {
            return Err(format!("{path:?} was changed by another process; run ghi collect again"));
        }
        if self.saved.is_empty() {
            self.saved = format!("{HEADER}\n").into_bytes();
        } else if !self.saved.ends_with(b"\n") {
            self.saved.push(b'\n');
        }
        self.saved.extend(std::mem::take(&mut self.added).into_bytes());
        replace(path, &self.saved).map_err(|error| format!("cannot write {path:?}: {error}"))?;
        Ok(rows)
    }
}

/// Returns the path of the new file that replaces a file.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// Writes a new file, then renames it over the old one, so that a crash never leaves a partial file.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let new_path = temporary(path);
    let mut file = File::create(&new_path)?;
    let written = file.write_all(content).and_then(|()| match fs::metadata(path) {
        Ok(old) => file.set_permissions(old.permissions()),
        Err(_) => Ok(()),
    });
    let written = written.and_then(|()| file.sync_all());
    written.and_then(|()| fs::rename(&new_path, path)).inspect_err(|_| {
        _ = fs::remove_file(&new_path);
    })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Reads prices in USD by date.
pub(super) fn read_prices(path: &Path) -> Result<BTreeMap<Date, f64>, String> {
    let rows = rows(path, &read(path)?, "date,price_usd", |_, date, row| {
        Ok((date, number(&row[1], "price_usd")?))
    })?;
    Ok(rows.into_iter().collect())
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    read_file(path, SERIES_MAX).map_err(|error| format!("cannot read {path:?}: {error}"))
}

/// Reads the rows below a header. Their dates must ascend.
fn rows<T>(
    path: &Path,
    text: &[u8],
    header: &str,
    parse: impl Fn(u64, Date, &StringRecord) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let mut reader = csv::Reader::from_reader(text);
    let is_header = reader.headers().is_ok_and(|found| found.iter().eq(header.split(',')));
    if !is_header {
        return Err(format!("{path:?}: line 1: expected the header {header}"));
    }
    let mut last = None;
    let parsed = reader.records().map(|row| {
        // Every row has as many cells as the header.
        let row = row.map_err(|error| format!("{path:?}: {error}"))?;
        let line = row.position().map_or(0, csv::Position::line);
        let wrong = |why: String| format!("{path:?}: line {line}: {why}");
        let date = parse_date(&row[0]).map_err(|why| wrong(format!("date {why}")))?;
        if last.replace(date).is_some_and(|last| last >= date) {
            return Err(wrong(format!("{date} must be after the date of the previous row")));
        }
        parse(line, date, &row).map_err(wrong)
    });
    parsed.collect()
}

fn number(cell: &str, column: &str) -> Result<f64, String> {
    let number = cell.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("{column} is \"{cell}\"; expected a positive number"))
}
