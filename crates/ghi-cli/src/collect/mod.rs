//! `ghi collect`: daily network data from your own node.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use futures_util::{StreamExt, TryStreamExt, stream};
use ghi_client::BaseUrl;
use ghi_display::grouped;
use ghi_engine::parse_date;
use ghi_server::Clock;
use indicatif::{ProgressBar, ProgressStyle};
use jiff::ToSpan;
use jiff::civil::Date;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};

use crate::collect::rpc::CollectError::{self, Fixable, Other};
use crate::collect::rpc::{BATCH, Block, BlockStats, Node, UNITS_PER_COIN};
use crate::flag_values::whole_number;
use crate::inputs::{SERIES_MAX, read_file};
use crate::output::print_error;
use crate::signals::until_signal;

mod rpc;

/// The number of requests in flight: Bitcoin Core's default number of RPC threads.
const REQUESTS: usize = 4;

/// How many blocks must follow the last block that is read.
const CONFIRMATIONS: u64 = 6;

/// The blocks that the median time past covers.
const MEDIAN_BLOCKS: u64 = 11;

/// The columns of a new file. Another file may have fewer of them, or in another order after the date.
const COLUMNS: [&str; 7] =
    ["date", "difficulty", "hashrate_eh", "fee_usd", "block_reward_coins", "price_usd", "height"];

/// A column that a file may also have. Its cells stay empty: a node doesn't know the price of machines.
const UNMEASURED_COLUMN: &str = "capital_usd_per_th";

/// The number of rows that are compared with the node before others are appended.
const COMPARED_ROWS: usize = 3;

/// The maximum relative difference between a number in the file and the node's.
const TOLERANCE: f64 = 1e-6;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// Hashes per second of 1 EH/s.
const HASHES_PER_EH: f64 = 1e18;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// URL of the node's RPC interface
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8332")]
    rpc: BaseUrl,

    /// Append to this CSV file, or create it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Log in with the node's cookie file, such as ~/.bitcoin/.cookie
    #[arg(long, value_name = "FILE", conflicts_with = "user")]
    cookie: Option<PathBuf>,

    /// Log in as this user, with the password in GHI_RPC_PASSWORD
    #[arg(long, value_name = "NAME")]
    user: Option<String>,

    /// First day [default: after the file's last row, or one year ago]
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    from: Option<Date>,

    /// Last day [default: yesterday]
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    until: Option<Date>,

    /// Market prices: a CSV file with the columns date,price_usd
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,

    /// Hashes per unit of difficulty
    #[arg(long, value_name = "N", default_value = "4294967296")]
    #[arg(value_parser = whole_number::<u64>(1..=1_000_000_000_000_000_000))]
    hashes_per_difficulty: u64,
}

/// Exits with 2 for problems that the user can fix, and with 1 for others.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    match collect(args) {
        Ok(code) => Ok(code),
        Err(Fixable(message)) => Err(message),
        Err(Other(message)) => {
            print_error(&message);
            Ok(ExitCode::FAILURE)
        }
    }
}

fn collect(args: &Args) -> Result<ExitCode, CollectError> {
    let today = Clock::system().now().date();
    let until = args.until.unwrap_or_else(|| today.saturating_sub(1.day()));
    if args.from.is_some_and(|from| from > until) {
        return Err(Fixable(
            "--from must not be after --until, which defaults to yesterday".into(),
        ));
    }
    let mut collection = Collection::open(args, today)?;
    let node = Node::new(&args.rpc, credentials(args)?);
    let outcome = match until_signal(collection.read(&node))? {
        Ok(read) => read.map(|()| ExitCode::SUCCESS),
        Err(code) => Ok(code),
    };
    // Whatever ended the collection, complete days are saved.
    let saved = collection.save().map_err(Other);
    let Collection { rows_added, last, progress, .. } = collection;
    progress.finish_and_clear();
    saved?;
    if rows_added > 0 || outcome.is_ok() {
        let (rows, blocks) = (rows(rows_added), grouped(progress.position()));
        let last = last.map(|last| format!(" up to {last}")).unwrap_or_default();
        let time = progress.elapsed().as_secs_f64();
        print_error(&format!("{:?}: {rows} added{last}; {blocks} blocks in {time:.1} s", args.out));
    }
    outcome
}

fn rows(count: usize) -> String {
    format!("{} row{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Returns the user and password of the flags, if any.
fn credentials(args: &Args) -> Result<Option<(String, String)>, String> {
    if let Some(path) = &args.cookie {
        let cookie = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read {path:?}: {error}; is the node running?"))?;
        let (user, password) = cookie.trim().split_once(':').ok_or("the cookie has no password")?;
        return Ok(Some((user.into(), password.into())));
    }
    let Some(user) = args.user.clone() else { return Ok(None) };
    let password = std::env::var("GHI_RPC_PASSWORD")
        .map_err(|_| "--user needs the password in the variable GHI_RPC_PASSWORD")?;
    Ok(Some((user, password)))
}

#[derive(Deserialize)]
struct SavedRow {
    #[serde(deserialize_with = "valid_date")]
    date: Date,
    #[serde(deserialize_with = "positive_number")]
    difficulty: f64,
    #[serde(default)]
    hashrate_eh: Option<f64>,
}

/// A row of the file with prices.
#[derive(Deserialize)]
struct PriceRow {
    #[serde(deserialize_with = "valid_date")]
    date: Date,
    #[serde(deserialize_with = "positive_number")]
    price_usd: f64,
}

fn valid_date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_date(&text).map_err(|why| D::Error::custom(format!("date {why}")))
}

fn positive_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match f64::deserialize(deserializer)? {
        number if number > 0.0 && number.is_finite() => Ok(number),
        number => Err(D::Error::custom(format!("{number} is not a positive number"))),
    }
}

/// A network series to which days are appended.
struct Collection {
    path: PathBuf,
    /// The contents of the file. Empty if the file doesn't exist.
    saved: Vec<u8>,
    columns: Vec<&'static str>,
    /// The rows that are not saved yet.
    added: String,
    rows_added: usize,
    /// The date of the last row.
    last: Option<Date>,
    /// The last rows of the file, until they are compared with the node.
    uncompared: VecDeque<SavedRow>,
    /// The days that are still to be appended.
    days: RangeInclusive<Date>,
    prices: BTreeMap<Date, f64>,
    hashes_per_difficulty: f64,
    /// The days whose blocks are not all known yet.
    open: BTreeMap<Date, Vec<Block>>,
    /// The hash of the last block read.
    last_hash: Option<String>,
    progress: ProgressBar,
}

impl Collection {
    fn open(args: &Args, today: Date) -> Result<Self, String> {
        // If the path is a symbolic link, its target is replaced and the link stays.
        let path = fs::canonicalize(&args.out).unwrap_or_else(|_| args.out.clone());
        let saved = read_if_exists(&path)?;
        let columns = if saved.is_empty() { COLUMNS.into() } else { columns_of(&path, &saved)? };
        let rows = read_rows(&path, &saved, |row: &SavedRow| row.date)?;
        let mut uncompared = VecDeque::from(rows);
        // Reading the blocks takes hours, so a file that cannot be written is refused first.
        let temporary = temporary(&path);
        let is_writable = File::create(&temporary).and_then(|_| fs::remove_file(&temporary));
        is_writable.map_err(|error| format!("cannot write {path:?}: {error}"))?;
        let last = uncompared.back().map(|row| row.date);
        uncompared.drain(..uncompared.len().saturating_sub(COMPARED_ROWS));
        let from = args.from.max(last.map(|last| last.saturating_add(1.day())));
        let from = from.unwrap_or_else(|| today.saturating_sub(1.year()));
        let until = args.until.unwrap_or_else(|| today.saturating_sub(1.day()));
        let prices = match &args.prices {
            Some(path) => read_rows(path, &read(path)?, |row: &PriceRow| row.date)?,
            None => Vec::new(),
        };
        let style =
            ProgressStyle::with_template("{bar:30} {pos}/{len} blocks, {per_sec}, {eta} left");
        Ok(Self {
            path,
            saved,
            columns,
            added: String::new(),
            rows_added: 0,
            last,
            uncompared,
            days: from..=until,
            prices: prices.into_iter().map(|row| (row.date, row.price_usd)).collect(),
            hashes_per_difficulty: args.hashes_per_difficulty as f64,
            open: BTreeMap::new(),
            last_hash: None,
            progress: ProgressBar::no_length().with_style(style.expect("the template is valid")),
        })
    }

    /// Reads the blocks of all days and appends the complete ones.
    async fn read(&mut self, node: &Node) -> Result<(), CollectError> {
        if self.days.is_empty() {
            return Ok(());
        }
        let (from, until) = (*self.days.start(), *self.days.end());
        let info = node.chain_info().await?;
        let last = info.blocks.saturating_sub(CONFIRMATIONS);
        // Starts a day early, because a block's time may be hours later than the times of the blocks
        // after it.
        let first_day = self.uncompared.front().map_or(from, |row| row.date);
        let start = node.first_height(first_day.saturating_sub(1.day()), last).await?;
        // Block 0 has no statistics: nobody was paid for it.
        let start = start.saturating_sub(MEDIAN_BLOCKS).max(1);
        let end = node.first_height(until.saturating_add(1.day()), last).await?.min(last);
        if let Some(first_stored) = info.pruneheight.filter(|height| *height > start)
            && let day = node.header(first_stored).await?.day
            && from <= day
        {
            let next = day.saturating_add(1.day());
            return Err(Fixable(format!(
                "the node is pruned and has no blocks from {from} to {day}; use --from {next}, or a node that is not pruned"
            )));
        }
        self.progress.set_length((end + 1).saturating_sub(start));
        let days = self.days.clone();
        let batches = stream::iter((start..=end).step_by(BATCH as usize))
            .map(|low| node.blocks(low..=end.min(low + BATCH - 1), &days));
        let mut batches = batches.buffered(REQUESTS);
        while let Some(blocks) = batches.try_next().await? {
            blocks.into_iter().try_for_each(|block| self.add(block))?;
        }
        if !self.days.is_empty() && (info.initialblockdownload || info.headers > info.blocks) {
            let (done, all) = (grouped(info.blocks), grouped(info.headers));
            return Err(Other(format!(
                "the node is still syncing: block {done} of {all}; run ghi collect again later"
            )));
        }
        if let Some(row) = self.uncompared.front() {
            self.refuse(row, "is after the node's last complete day")?;
        }
        Ok(())
    }

    /// Adds a block, and appends the days that it completes.
    fn add(&mut self, block: Block) -> Result<(), CollectError> {
        let header = &block.0;
        if self.last_hash.is_some() && self.last_hash != header.previousblockhash {
            let height = grouped(header.height);
            return Err(Other(format!(
                "the node replaced block {height} while it was read; run ghi collect again"
            )));
        }
        self.last_hash = Some(header.hash.clone());
        let median_day = header.median_day;
        // Timestamps don't always increase with height.
        self.open.entry(header.day).or_default().push(block);
        // Every later block has a later time than the median.
        while let Some(day) = self.open.first_entry().filter(|day| *day.key() < median_day) {
            let (date, blocks) = day.remove_entry();
            self.finish_day(date, &blocks)?;
        }
        self.progress.inc(1);
        Ok(())
    }

    fn finish_day(&mut self, date: Date, blocks: &[Block]) -> Result<(), CollectError> {
        while let Some(row) = self.uncompared.pop_front_if(|row| row.date <= date) {
            self.compare(&row, if row.date == date { blocks } else { &[] })?;
        }
        if !self.days.contains(&date) {
            return Ok(());
        }
        let first = *self.days.start();
        if first < date {
            let last = date.saturating_sub(1.day());
            let days = if first == last { first.to_string() } else { format!("{first} to {last}") };
            self.progress.suspend(|| print_error(&format!("{days}: no blocks, so no row")));
        }
        if self.last.is_some_and(|last| last.first_of_month() != date.first_of_month()) {
            self.save().map_err(Other)?;
        }
        self.added += &self.row(date, blocks);
        self.rows_added += 1;
        self.last = Some(date);
        self.days = date.saturating_add(1.day())..=*self.days.end();
        Ok(())
    }

    /// Compares a row with the node's blocks of its day. The difficulty may change within a day, and a row
    /// may have either value.
    fn compare(&self, row: &SavedRow, blocks: &[Block]) -> Result<(), String> {
        if blocks.is_empty() {
            return self.refuse(row, "has no blocks on the node");
        }
        let is_above = |block: &Block| row.difficulty > block.0.difficulty * (1.0 + TOLERANCE);
        let is_below = |block: &Block| row.difficulty < block.0.difficulty * (1.0 - TOLERANCE);
        if blocks.iter().all(is_above) || blocks.iter().all(is_below) {
            let (found, expected) = (row.difficulty, mean_difficulty(blocks));
            return self.refuse(row, &format!("has difficulty {found}, the node {expected}"));
        }
        let (expected, hashes) = (self.hashrate_eh(blocks), self.hashes_per_difficulty);
        match row.hashrate_eh {
            Some(found) if (found / expected - 1.0).abs() > TOLERANCE => self.refuse(row, &format!(
                "has hashrate_eh {found}, the node {expected} with --hashes-per-difficulty {hashes}"
            )),
            _ => Ok(()),
        }
    }

    /// Explains why a row doesn't match the node's data.
    fn refuse(&self, row: &SavedRow, what: &str) -> Result<(), String> {
        let (path, date) = (&self.path, row.date);
        Err(format!("{path:?}: {date} {what}; for another chain, use another --out file"))
    }

    /// Formats the row of a day. Without a price, or without transactions that paid a fee, cells are empty.
    fn row(&self, date: Date, blocks: &[Block]) -> String {
        let sum = |amount: fn(&BlockStats) -> f64| -> f64 {
            blocks.iter().filter_map(|block| block.1.as_ref()).map(amount).sum()
        };
        let (difficulty, hashrate) = (mean_difficulty(blocks), rounded(self.hashrate_eh(blocks)));
        let reward = sum(|stats| stats.subsidy) / blocks.len() as f64 / UNITS_PER_COIN;
        let fees = sum(|stats| stats.totalfee);
        // The coinbase pays no fee.
        let fee_coins = fees / UNITS_PER_COIN / sum(|stats| stats.txs - 1.0);
        let price = self.prices.get(&date).copied();
        let fee = price.map(|price| rounded(fee_coins * price)).filter(|_| fees > 0.0);
        let height = blocks.iter().map(|block| block.0.height).max();
        let cell = |column: &&str| match *column {
            "date" => date.to_string(),
            "difficulty" => difficulty.to_string(),
            "hashrate_eh" => hashrate.to_string(),
            "fee_usd" => fee.map(|usd| usd.to_string()).unwrap_or_default(),
            "block_reward_coins" => reward.to_string(),
            "price_usd" => price.map(|usd| usd.to_string()).unwrap_or_default(),
            "height" => height.map(|height| height.to_string()).unwrap_or_default(),
            _ => String::new(),
        };
        self.columns.iter().map(cell).collect::<Vec<_>>().join(",") + "\n"
    }

    /// Returns the hashrate that found the blocks of a day, in EH/s.
    fn hashrate_eh(&self, blocks: &[Block]) -> f64 {
        let hashes = mean_difficulty(blocks) * blocks.len() as f64 * self.hashes_per_difficulty;
        hashes / SECONDS_PER_DAY / HASHES_PER_EH
    }

    /// Atomically replaces the file on disk with one that has the added rows: after each month, and at the end.
    fn save(&mut self) -> Result<(), String> {
        let count = self.added.lines().count();
        let Some(last) = self.last.filter(|_| count > 0) else { return Ok(()) };
        let path = &self.path;
        if read_if_exists(path)? != self.saved {
            return Err(format!("{path:?} was changed by another process; run ghi collect again"));
        }
        if self.saved.is_empty() {
            self.saved = format!("{}\n", self.columns.join(",")).into_bytes();
        } else if !self.saved.ends_with(b"\n") {
            self.saved.push(b'\n');
        }
        self.saved.extend(std::mem::take(&mut self.added).into_bytes());
        replace(path, &self.saved).map_err(|error| format!("cannot write {path:?}: {error}"))?;
        if self.progress.is_hidden() {
            print_error(&format!("{}: {}", last.strftime("%Y-%m"), rows(count)));
        }
        Ok(())
    }
}

/// Returns the mean difficulty of blocks, exactly theirs if it is the same for all.
fn mean_difficulty(day: &[Block]) -> f64 {
    let first = day[0].0.difficulty;
    let differences = day.iter().map(|block| block.0.difficulty - first);
    first + differences.sum::<f64>() / day.len() as f64
}

/// Rounds to 12 significant digits.
fn rounded(number: f64) -> f64 {
    format!("{number:.11e}").parse().unwrap_or(number)
}

fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// Writes a new file, then renames it over the old one, so that a crash never leaves a partial file.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let new_path = temporary(path);
    let write = || {
        let mut file = File::create(&new_path)?;
        file.write_all(content)?;
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&new_path, path)
    };
    write().inspect_err(|_| _ = fs::remove_file(&new_path))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    read_file(path, SERIES_MAX).map_err(|error| format!("cannot read {path:?}: {error}"))
}

fn read_if_exists(path: &Path) -> Result<Vec<u8>, String> {
    if path.exists() { read(path) } else { Ok(Vec::new()) }
}

/// Returns the columns of a file, which must be some of [`COLUMNS`] or [`UNMEASURED_COLUMN`].
fn columns_of(path: &Path, text: &[u8]) -> Result<Vec<&'static str>, String> {
    let mut reader = csv::Reader::from_reader(text);
    let names = reader.headers().map_err(|error| format!("{path:?}: {error}"))?;
    let all = || COLUMNS.into_iter().chain([UNMEASURED_COLUMN]);
    let known = |name: &str| all().find(|column| *column == name);
    let columns: Option<Vec<_>> = names.iter().map(known).collect();
    let has_required = |columns: &Vec<_>| columns[0] == "date" && columns.contains(&"difficulty");
    columns.filter(has_required).ok_or_else(|| {
        let any = all().skip(2).collect::<Vec<_>>().join(", ");
        format!("{path:?}: line 1: expected the columns date and difficulty, and any of {any}")
    })
}

/// Reads the rows below a header. Their dates must ascend.
fn read_rows<T: DeserializeOwned>(
    path: &Path,
    text: &[u8],
    date: fn(&T) -> Date,
) -> Result<Vec<T>, String> {
    let rows = csv::Reader::from_reader(text).into_deserialize().collect::<Result<Vec<T>, _>>();
    let rows = rows.map_err(|error| format!("{path:?}: {error}"))?;
    match rows.windows(2).find(|pair| date(&pair[0]) >= date(&pair[1])) {
        Some(pair) => {
            Err(format!("{path:?}: {} must be after the date of the row above", date(&pair[1])))
        }
        None => Ok(rows),
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;
    use jiff::civil::date;
    use serde_json::json;

    use super::*;

    /// Returns the row of a day with these blocks.
    fn row(price: Option<f64>, blocks: &[Block]) -> String {
        let command = <Args as clap::Args>::augment_args(clap::Command::new("collect"));
        let out = std::env::temp_dir().join("ghi-collect-no-such-file.csv");
        let line = ["collect".as_ref(), "--out".as_ref(), out.as_os_str()];
        let args = Args::from_arg_matches(&command.get_matches_from(line)).unwrap();
        let day = date(2026, 1, 2);
        let mut collection = Collection::open(&args, day).unwrap();
        collection.prices.extend(price.map(|price| (day, price)));
        collection.row(day, blocks)
    }

    fn block(difficulty: f64, subsidy: f64, totalfee: f64, txs: f64) -> Block {
        let header = json!({ "hash": "", "height": 1, "difficulty": difficulty, "time": 0, "mediantime": 0 });
        (serde_json::from_value(header).unwrap(), Some(BlockStats { subsidy, totalfee, txs }))
    }

    #[test]
    fn cells_are_means_over_the_blocks_of_the_day() {
        let day = [block(100e12, 625e6, 1_000.0, 1.0), block(104e12, 312.5e6, 29_000.0, 4.0)];
        // 204e12 * 2^32 / 86,400 hashes per second; 30,000 units over three transactions.
        assert_eq!(row(None, &day), "2026-01-02,102000000000000,10.1408950044,,4.6875,,1\n");
        assert_eq!(
            row(Some(50_000.0), &day),
            "2026-01-02,102000000000000,10.1408950044,5,4.6875,50000,1\n"
        );
    }

    #[test]
    fn equal_difficulties_have_exactly_that_mean() {
        let blocks = (0..144).map(|_| block(86_388_558_925_171.02, 312.5e6, 0.0, 1.0));
        let row = row(Some(60_000.0), &blocks.collect::<Vec<_>>());
        assert!(row.starts_with("2026-01-02,86388558925171.02,"), "{row}");
        assert!(row.ends_with(",,3.125,60000,1\n"), "no transactions, no fee: {row}");
    }
}
