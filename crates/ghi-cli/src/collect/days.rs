//! Blocks by UTC day.

use std::collections::BTreeMap;

use jiff::civil::Date;

use crate::collect::rpc::{BlockStats, Header, UNITS_PER_COIN};

/// Seconds per day.
const SECONDS_PER_DAY: f64 = 86_400.0;

/// Hashes per second of 1 EH/s.
const HASHES_PER_EH: f64 = 1e18;

/// The days whose blocks are not all known yet.
#[derive(Default)]
pub(super) struct OpenDays {
    days: BTreeMap<Date, DayTotals>,
}

/// The totals of a day's blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct DayTotals {
    pub(super) blocks: u64,
    /// The lowest and the highest difficulty.
    pub(super) difficulty_range: [f64; 2],
    first_difficulty: f64,
    /// The sum of the differences from the first difficulty, so that equal difficulties have exactly that mean.
    difference: f64,
    subsidy_units: u64,
    fee_units: u64,
    /// Excluding coinbases.
    transactions: u64,
}

impl OpenDays {
    /// Adds a block to the day of its timestamp. Timestamps don't always increase with height.
    pub(super) fn add(&mut self, header: &Header, stats: Option<BlockStats>) {
        let difficulty = header.difficulty;
        let day = self.days.entry(header.day).or_insert_with(|| DayTotals {
            first_difficulty: difficulty,
            difficulty_range: [difficulty; 2],
            ..DayTotals::default()
        });
        day.blocks += 1;
        let [lowest, highest] = day.difficulty_range;
        day.difficulty_range = [lowest.min(difficulty), highest.max(difficulty)];
        day.difference += difficulty - day.first_difficulty;
        if let Some(stats) = stats {
            day.subsidy_units = day.subsidy_units.saturating_add(stats.subsidy);
            day.fee_units = day.fee_units.saturating_add(stats.totalfee);
            day.transactions = day.transactions.saturating_add(stats.txs.saturating_sub(1));
        }
    }

    /// Removes and returns the days before `median_day`, the day of a block's median time past. They are
    /// complete, because every later block has a later time.
    pub(super) fn complete(&mut self, median_day: Date) -> BTreeMap<Date, DayTotals> {
        let open = self.days.split_off(&median_day);
        std::mem::replace(&mut self.days, open)
    }
}

impl DayTotals {
    /// Returns the mean difficulty of the blocks.
    pub(super) fn difficulty(&self) -> f64 {
        self.first_difficulty + self.difference / self.blocks as f64
    }

    /// Returns the hashrate that found the blocks, in EH/s.
    pub(super) fn hashrate_eh(&self, hashes_per_difficulty: f64) -> f64 {
        let hashes = self.difficulty() * self.blocks as f64 * hashes_per_difficulty;
        hashes / SECONDS_PER_DAY / HASHES_PER_EH
    }

    /// Formats the day as a row of a network series. Without a price, or without transactions that paid a fee,
    /// cells are empty.
    pub(super) fn row(&self, date: Date, price: Option<f64>, hashes_per_difficulty: f64) -> String {
        let difficulty = self.difficulty();
        let hashrate = rounded(self.hashrate_eh(hashes_per_difficulty));
        let reward = self.subsidy_units as f64 / self.blocks as f64 / UNITS_PER_COIN;
        let fee_coins = self.fee_units as f64 / UNITS_PER_COIN / self.transactions as f64;
        let fee = price.map(|price| rounded(fee_coins * price)).filter(|_| self.fee_units > 0);
        let [fee, price] =
            [fee, price].map(|usd| usd.map(|usd| usd.to_string()).unwrap_or_default());
        format!("{date},{difficulty},{hashrate},{fee},{reward},{price}\n")
    }
}

/// Rounds to 12 significant digits.
fn rounded(number: f64) -> f64 {
    format!("{number:.11e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    const HASHES: f64 = 4_294_967_296.0;

    fn header(day: i8, median_day: i8, difficulty: f64) -> Header {
        Header {
            hash: String::new(),
            previousblockhash: None,
            height: 1,
            difficulty,
            day: date(2026, 1, day),
            median_day: date(2026, 1, median_day),
        }
    }

    fn stats(subsidy: u64, fee: u64, txs: u64) -> Option<BlockStats> {
        Some(BlockStats { subsidy, totalfee: fee, txs })
    }

    #[test]
    fn a_block_belongs_to_the_day_of_its_time_whatever_its_height() {
        let mut open = OpenDays::default();
        for day in [2, 3, 2, 3, 2] {
            open.add(&header(day, 1, 1.0), None);
        }
        let days = open.complete(date(2026, 1, 4));
        let blocks: Vec<_> = days.iter().map(|(date, day)| (date.day(), day.blocks)).collect();
        assert_eq!(blocks, [(2, 3), (3, 2)]);
    }

    #[test]
    fn a_day_is_complete_when_the_median_time_past_has_reached_its_end() {
        let mut open = OpenDays::default();
        open.add(&header(2, 1, 1.0), None);
        open.add(&header(3, 2, 1.0), None);
        assert!(open.complete(date(2026, 1, 2)).is_empty());
        open.add(&header(2, 2, 1.0), None);
        assert_eq!(open.complete(date(2026, 1, 3))[&date(2026, 1, 2)].blocks, 2);
        assert!(open.complete(date(2026, 1, 3)).is_empty(), "the third is still open");
    }

    #[test]
    fn a_day_without_blocks_is_absent() {
        let mut open = OpenDays::default();
        open.add(&header(2, 1, 1.0), None);
        open.add(&header(4, 2, 1.0), None);
        let days: Vec<_> = open.complete(date(2026, 1, 5)).into_keys().collect();
        assert_eq!(days, [date(2026, 1, 2), date(2026, 1, 4)]);
    }

    #[test]
    fn cells_are_means_over_the_blocks_of_the_day() {
        let mut open = OpenDays::default();
        open.add(&header(2, 1, 100e12), stats(625_000_000, 1_000, 1));
        open.add(&header(2, 1, 104e12), stats(312_500_000, 29_000, 4));
        let day = open.complete(date(2026, 1, 3)).pop_first().unwrap().1;
        assert_eq!(day.difficulty_range, [100e12, 104e12]);
        let row = |price| day.row(date(2026, 1, 2), price, HASHES);
        // 204e12 * 2^32 / 86,400 hashes per second; 30,000 units over three transactions.
        assert_eq!(row(None), "2026-01-02,102000000000000,10.1408950044,,4.6875,\n");
        assert_eq!(
            row(Some(50_000.0)),
            "2026-01-02,102000000000000,10.1408950044,5,4.6875,50000\n"
        );
    }

    #[test]
    fn equal_difficulties_have_exactly_that_mean() {
        let mut open = OpenDays::default();
        for _ in 0..144 {
            open.add(&header(2, 1, 86_388_558_925_171.02), stats(312_500_000, 0, 1));
        }
        let day = open.complete(date(2026, 1, 3)).pop_first().unwrap().1;
        assert_eq!(day.difficulty(), 86_388_558_925_171.02);
        let row = day.row(date(2026, 1, 2), Some(60_000.0), HASHES);
        assert!(row.ends_with(",,3.125,60000\n"), "no transactions, no fee: {row}");
    }

    #[test]
    fn amounts_may_be_units_or_coins() {
        for (subsidy, fee) in [("312500000", "1"), ("3.12500000", "0.00000001")] {
            let text = format!(r#"{{"subsidy":{subsidy},"totalfee":{fee},"txs":1}}"#);
            let stats: BlockStats = serde_json::from_str(&text).unwrap();
            assert_eq!((stats.subsidy, stats.totalfee), (312_500_000, 1), "{text}");
        }
    }
}
