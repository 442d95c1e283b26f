//! The rows of the series, and which of them hold on a day.

use std::num::{NonZeroU16, NonZeroU64};

use crate::decimal::Decimal;
use crate::registry::SHARE_DECIMALS;

/// The bytes of the series, none where there is no such file or it cannot be read.
pub(crate) struct SeriesFiles {
    pub(crate) network: Option<Vec<u8>>,
    pub(crate) regions: Option<Vec<u8>>,
    /// For how many days the last row of a series holds.
    pub(crate) valid_days: i64,
}

/// A region as the inputs have it: what holds where a row says nothing.
pub(crate) struct KnownRegion<'a> {
    pub(crate) id: &'a str,
    pub(crate) hashrate_share_pct: Decimal,
    /// Best, mean, worst.
    pub(crate) efficiency_j_per_th: [f64; 3],
    /// Low, mean, high.
    pub(crate) electricity_usd_per_kwh: [f64; 3],
}

/// The rows of both files, checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Series {
    /// By date; empty without a file.
    pub(crate) network: Vec<NetworkRow>,
    /// By the index of the region, then by date; a region that the file does not name has no rows.
    pub(crate) regions: Vec<Vec<RegionRow>>,
    pub(super) covered: Option<(i64, i64)>,
}

/// The network from a date on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NetworkRow {
    /// Days since 1970-01-01.
    pub(crate) day: i32,
    /// The line of the file, counted from 1.
    pub(crate) line: u32,
    /// To the nearest whole.
    pub(crate) difficulty: u64,
    pub(crate) hashrate_eh: Option<f64>,
    pub(crate) fee_usd: Option<f64>,
    pub(crate) block_reward_coins: Option<f64>,
}

/// A region from a date on. Kept small, as there may be a row for each region and day.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegionRow {
    /// Days since 1970-01-01.
    pub(crate) day: i32,
    /// The line of the file, counted from 1.
    pub(crate) line: u32,
    pub(super) hashrate_share_pct: Option<NonZeroU16>,
    /// Best, mean, worst.
    pub(crate) efficiency_j_per_th: [Option<Positive>; 3],
    /// Low, mean, high.
    pub(crate) electricity_usd_per_kwh: [Option<Positive>; 3],
}

const _: () = assert!(size_of::<RegionRow>() <= 64);

impl RegionRow {
    /// The share, if the row gives one.
    pub(crate) fn hashrate_share_pct(&self) -> Option<Decimal> {
        self.hashrate_share_pct.map(|share| Decimal::new(share.get().into(), SHARE_DECIMALS))
    }
}

/// A positive number. It takes no more room where there may be none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Positive(NonZeroU64);

impl Positive {
    /// None of a number that is 0.
    pub(super) fn new(value: f64) -> Option<Self> {
        NonZeroU64::new(value.to_bits()).map(Self)
    }

    /// The number.
    pub(crate) fn get(self) -> f64 {
        f64::from_bits(self.0.get())
    }
}

/// A row of either file.
pub(super) trait Row {
    fn day(&self) -> i64;
    fn line(&self) -> usize;
}

impl Row for NetworkRow {
    fn day(&self) -> i64 {
        self.day.into()
    }
    fn line(&self) -> usize {
        self.line as usize
    }
}

impl Row for RegionRow {
    fn day(&self) -> i64 {
        self.day.into()
    }
    fn line(&self) -> usize {
        self.line as usize
    }
}

impl Series {
    /// The network's row that holds on a day.
    pub(crate) fn network_on(&self, day: i64) -> Option<&NetworkRow> {
        row_on(&self.network, day)
    }

    /// A region's row that holds on a day.
    pub(crate) fn region_on(&self, region: usize, day: i64) -> Option<&RegionRow> {
        row_on(self.regions.get(region)?, day)
    }

    /// The first and the last day that have figures; none without series, when every day has.
    pub(crate) fn covered(&self) -> Option<(i64, i64)> {
        self.covered
    }
}

/// The last row that is not after a day.
fn row_on<R: Row>(rows: &[R], day: i64) -> Option<&R> {
    let after = rows.partition_point(|row| row.day() <= day);
    rows.get(after.checked_sub(1)?)
}
