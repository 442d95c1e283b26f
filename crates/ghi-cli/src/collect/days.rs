//! Blocks by UTC day.

use jiff::civil::Date;

use crate::collect::rpc::{BlockStats, UNITS_PER_COIN};

/// Seconds per day.
const SECONDS_PER_DAY: f64 = 86_400.0;

/// Hashes per second of 1 EH/s.
const HASHES_PER_EH: f64 = 1e18;

/// The totals of a day's blocks.
#[derive(Default)]
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

impl DayTotals {
    pub(super) fn add(&mut self, difficulty: f64, stats: Option<BlockStats>) {
        if self.blocks == 0 {
            (self.first_difficulty, self.difficulty_range) = (difficulty, [difficulty; 2]);
        }
        self.blocks += 1;
        let [lowest, highest] = self.difficulty_range;
        self.difficulty_range = [lowest.min(difficulty), highest.max(difficulty)];
        self.difference += difficulty - self.first_difficulty;
        if let Some(stats) = stats {
            self.subsidy_units = self.subsidy_units.saturating_add(stats.subsidy);
            self.fee_units = self.fee_units.saturating_add(stats.totalfee);
            self.transactions = self.transactions.saturating_add(stats.txs.saturating_sub(1));
        }
    }

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

    fn stats(subsidy: u64, fee: u64, txs: u64) -> Option<BlockStats> {
        Some(BlockStats { subsidy, totalfee: fee, txs })
    }

    #[test]
    fn cells_are_means_over_the_blocks_of_the_day() {
        let mut day = DayTotals::default();
        day.add(100e12, stats(625_000_000, 1_000, 1));
        day.add(104e12, stats(312_500_000, 29_000, 4));
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
        let mut day = DayTotals::default();
        for _ in 0..144 {
            day.add(86_388_558_925_171.02, stats(312_500_000, 0, 1));
        }
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
