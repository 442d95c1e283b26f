//! The series of the network.

use crate::bounds;
use crate::calendar::date_of;
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
    let mut last = None;
    while sheet.advance(problems) {
        rows.extend(row(&mut sheet, &mut last, problems));
    }
    rows
}

/// The row, and the last date that there is with it: whatever is wrong with its other cells.
fn row(
    sheet: &mut Sheet<'_>,
    last: &mut Option<i32>,
    problems: &mut Problems,
) -> Result<NetworkRow, Refused> {
    let day = match (sheet.day(DATE, problems), *last) {
        (Ok(day), Some(last)) if day <= last => {
            let message = || {
                let (date, last) = (sheet.cell(DATE), date_of(last.into()));
                format!("{date} must be after {last}, the date of the row before it")
            };
            sheet.refuse(DATE, message, problems)
        }
        (day, _) => day,
    };
    *last = day.ok().or(*last);
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
