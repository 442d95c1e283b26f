//! The series of the network.

use crate::bounds;
use crate::problems::{Problems, Source};
use crate::series::header::Columns;
use crate::series::rows::NetworkRow;
use crate::series::sheet::{Refused, Sheet};

const COLUMNS: Columns = Columns {
    source: Source::Network,
    names: &["date", "difficulty", "hashrate_eh", "fee_usd", "block_reward_coins"],
    required: 2,
};

const DATE: usize = 0;
const DIFFICULTY: usize = 1;
const HASHRATE_EH: usize = 2;
const FEE_USD: usize = 3;
const BLOCK_REWARD_COINS: usize = 4;

/// The rows by date, without those that have problems.
pub(super) fn read(bytes: &[u8], problems: &mut Problems) -> Vec<NetworkRow> {
    let Some(mut sheet) = Sheet::open(bytes, COLUMNS, problems) else { return Vec::new() };
    let mut rows: Vec<NetworkRow> = Vec::new();
    let mut before = None;
    while sheet.advance(problems) {
        rows.extend(row(&mut sheet, &mut before, problems));
    }
    rows
}

/// The row; `before` is the day of the row before it, and becomes that of this one.
fn row(
    sheet: &mut Sheet<'_>,
    before: &mut Option<i32>,
    problems: &mut Problems,
) -> Result<NetworkRow, Refused> {
    let row_before = || "the row before it".to_owned();
    let day = sheet.day_after(DATE, before, row_before, problems);
    let difficulty = sheet.required_number(DIFFICULTY, bounds::DIFFICULTY, problems);
    let hashrate_eh = sheet.number(HASHRATE_EH, bounds::HASHRATE_EH, problems);
    let fee_usd = sheet.number(FEE_USD, bounds::FEE_USD, problems);
    let block_reward_coins = sheet.number(BLOCK_REWARD_COINS, bounds::BLOCK_REWARD_COINS, problems);
    Ok(NetworkRow {
        day: day?,
        line: sheet.line(),
        difficulty: (difficulty? + 0.5) as u64,
        hashrate_eh: hashrate_eh?,
        fee_usd: fee_usd?,
        block_reward_coins: block_reward_coins?,
    })
}
