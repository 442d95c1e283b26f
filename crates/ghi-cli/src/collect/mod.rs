//! `ghi collect`: daily network data from your own node.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

use futures_util::{StreamExt, TryStreamExt, stream};
use ghi_client::BaseUrl;
use ghi_display::grouped;
use ghi_engine::parse_date;
use ghi_server::Clock;
use indicatif::{ProgressBar, ProgressStyle};
use jiff::ToSpan;
use jiff::civil::Date;

use crate::collect::days::DayTotals;
use crate::collect::file::NetworkFile;
use crate::collect::rpc::CollectError::{self, Fixable, Other};
use crate::collect::rpc::{BATCH, Block, Node};
use crate::flag_values::whole_number;
use crate::output::print_error;
use crate::signals::{Signals, runtime};

mod rpc;
mod days;
mod file;

/// The number of requests in flight: Bitcoin Core's default number of RPC threads.
const REQUESTS: usize = 4;

/// How many blocks must follow the last block that is read.
const CONFIRMATIONS: u64 = 6;

/// The blocks that the median time past covers.
const MEDIAN_BLOCKS: u64 = 11;

/// The arguments of `ghi collect`.
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
    if args.from.zip(args.until).is_some_and(|(from, until)| from > until) {
        return Err(Fixable("--from must not be after --until".into()));
    }
    let today = Clock::system().now().date();
    if let Some(from) = args.from.filter(|from| *from > today) {
        return Err(Fixable(format!("--from {from} is in the future; today is {today}")));
    }
    let file = NetworkFile::open(&args.out)?;
    let after_last = file.last.map(|last| last.saturating_add(1.day()));
    let from = args.from.max(after_last).unwrap_or_else(|| today.saturating_sub(1.year()));
    let until = args.until.unwrap_or_else(|| today.saturating_sub(1.day()));
    let prices = args.prices.as_deref().map(file::read_prices).transpose()?.unwrap_or_default();
    let node = Node::new(&args.rpc, credentials(args)?)?;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} blocks, {per_sec}, {eta} left");
    let style = style.expect("the template is valid");
    let mut collection = Collection {
        file,
        prices,
        hashes_per_difficulty: args.hashes_per_difficulty as f64,
        days: from..=until,
        next: from,
        open: BTreeMap::new(),
        last_hash: None,
        rows_added: 0,
        progress: ProgressBar::no_length().with_style(style),
    };
    let outcome = runtime()?.block_on(async {
        let mut signals = Signals::watch().map_err(|error| format!("cannot start: {error}"))?;
        tokio::select! {
            outcome = collection.read(&node) => outcome.map(|()| ExitCode::SUCCESS),
            kind = signals.next() => Ok(ExitCode::from(128 + kind.as_raw_value() as u8)),
        }
    });
    // Whatever ended the collection, complete days are saved.
    let saved = collection.save().map_err(Other);
    let (blocks, time) = (collection.progress.position(), collection.progress.elapsed());
    collection.progress.finish_and_clear();
    saved?;
    if collection.rows_added > 0 || outcome.is_ok() {
        let (rows, blocks) = (rows(collection.rows_added), grouped(blocks));
        let last = collection.file.last.map(|last| format!(" up to {last}")).unwrap_or_default();
        let time = time.as_secs_f64();
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

/// The state of a collection.
struct Collection {
    file: NetworkFile,
    prices: BTreeMap<Date, f64>,
    hashes_per_difficulty: f64,
    /// The days to append.
    days: RangeInclusive<Date>,
    /// The day after the last one appended.
    next: Date,
    /// The days whose blocks are not all known yet.
    open: BTreeMap<Date, DayTotals>,
    /// The hash of the last block read.
    last_hash: Option<String>,
    rows_added: usize,
    progress: ProgressBar,
}

impl Collection {
    /// Reads the blocks of all days and appends the complete ones.
    async fn read(&mut self, node: &Node) -> Result<(), CollectError> {
        let (from, until) = (*self.days.start(), *self.days.end());
        if from > until {
            return Ok(());
        }
        let info = node.chain_info().await?;
        let last = info.blocks.saturating_sub(CONFIRMATIONS);
        // Starts a day early, because a block's time may be hours later than the times of the blocks
        // after it.
        let first_day = self.file.uncompared.front().map_or(from, |row| row.date);
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
        if self.next <= until && (info.initialblockdownload || info.headers > info.blocks) {
            let (done, all) = (grouped(info.blocks), grouped(info.headers));
            return Err(Other(format!(
                "the node is still syncing: block {done} of {all}; run ghi collect again later"
            )));
        }
        if let Some(row) = self.file.uncompared.front() {
            self.file.refuse(row, "is after the node's last complete day")?;
        }
        Ok(())
    }

    /// Adds a block, and appends the days that it completes.
    fn add(&mut self, (header, stats): Block) -> Result<(), CollectError> {
        if self.last_hash.is_some() && self.last_hash != header.previousblockhash {
            let height = grouped(header.height);
            return Err(Other(format!(
                "the node replaced block {height} while it was read; run ghi collect again"
            )));
        }
        // Timestamps don't always increase with height.
        self.open.entry(header.day).or_default().add(header.difficulty, stats);
        // Every later block has a later time than the median.
        while let Some(day) = self.open.first_entry().filter(|day| *day.key() < header.median_day) {
            let (date, day) = day.remove_entry();
            self.finish_day(date, &day)?;
        }
        self.last_hash = Some(header.hash);
        self.progress.inc(1);
        Ok(())
    }

    fn finish_day(&mut self, date: Date, day: &DayTotals) -> Result<(), CollectError> {
        while let Some(row) = self.file.uncompared.pop_front_if(|row| row.date <= date) {
            let day = (row.date == date).then_some(day);
            self.file.compare(&row, day, self.hashes_per_difficulty)?;
        }
        if !self.days.contains(&date) {
            return Ok(());
        }
        if self.next < date {
            let (first, last) = (self.next, date.saturating_sub(1.day()));
            let days = if first == last { first.to_string() } else { format!("{first} to {last}") };
            self.progress.suspend(|| print_error(&format!("{days}: no blocks, so no row")));
        }
        if self.file.last.is_some_and(|last| last.first_of_month() != date.first_of_month()) {
            self.save().map_err(Other)?;
        }
        let price = self.prices.get(&date).copied();
        self.file.append(date, &day.row(date, price, self.hashes_per_difficulty));
        self.rows_added += 1;
        self.next = date.saturating_add(1.day());
        Ok(())
    }

    /// Saves the complete rows: after each month, and at the end.
    fn save(&mut self) -> Result<(), String> {
        let saved = self.file.save()?;
        if let Some(last) = self.file.last.filter(|_| saved > 0 && self.progress.is_hidden()) {
            print_error(&format!("{}: {}", last.strftime("%Y-%m"), rows(saved)));
        }
        Ok(())
    }
}
