//! Dated series: what a network and its regions were, from day to day, in place of movement.
//!
//! A row holds from its date until the next one. What it leaves out is as the inputs say.

use std::num::{NonZeroU16, NonZeroU64};

use crate::decimal::Decimal;
use crate::problems::Problems;
use crate::registry::SHARE_DECIMALS;

mod network_file;
mod regions_file;
mod whole;
mod sheet;
mod header;

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
    covered: Option<(i64, i64)>,
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
    hashrate_share_pct: Option<NonZeroU16>,
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
    fn new(value: f64) -> Option<Self> {
        NonZeroU64::new(value.to_bits()).map(Self)
    }

    /// The number.
    pub(crate) fn get(self) -> f64 {
        f64::from_bits(self.0.get())
    }
}

/// A row of either file.
trait Row {
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
    /// Reads and checks the files. Without regions to compare them with, because those have
    /// problems of their own, the series of the regions is left out.
    pub(crate) fn parse(
        files: &SeriesFiles,
        regions: Option<&[KnownRegion<'_>]>,
        problems: &mut Problems,
    ) -> Self {
        let before = problems.count();
        let mut series = Self::default();
        if let Some(bytes) = &files.network {
            series.network = network_file::read(bytes, problems);
        }
        if let Some((bytes, regions)) = files.regions.as_ref().zip(regions) {
            series.regions = regions_file::read(bytes, regions, problems);
        }
        // Rows that are left out would only make further problems.
        if problems.count() == before {
            series.covered = whole::coverage(&series, files.valid_days, problems);
            if let Some((regions, covered)) = regions.zip(series.covered) {
                whole::check_shares(&series, regions, covered, problems);
            }
        }
        series
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::Inputs;
    use jiff::civil::date;

    fn example() -> Series {
        let text = include_str!("../../../../examples/own-series/inputs.toml");
        let read = |name: &str| match name {
            "network.csv" => {
                Ok(include_bytes!("../../../../examples/own-series/network.csv").to_vec())
            }
            "regions.csv" => {
                Ok(include_bytes!("../../../../examples/own-series/regions.csv").to_vec())
            }
            _ => Err("there is none".to_owned()),
        };
        Inputs::parse_with_series(text, read).unwrap().series
    }

    fn day(year: i16, month: i8, day: i8) -> i64 {
        crate::calendar::day_number(date(year, month, day))
    }

    #[test]
    fn a_row_holds_from_its_date_until_the_next() {
        let series = example();
        let difficulty = |day| series.network_on(day).map(|row| row.difficulty);
        assert_eq!(difficulty(day(2025, 10, 2)), None);
        assert_eq!(difficulty(day(2025, 10, 3)), Some(108_200_000_000_000));
        assert_eq!(difficulty(day(2025, 10, 16)), Some(108_200_000_000_000));
        assert_eq!(difficulty(day(2025, 10, 17)), Some(110_500_000_000_000));
        assert_eq!(difficulty(day(2026, 1, 23)), Some(117_300_000_000_000));
        assert_eq!(difficulty(day(9999, 12, 31)), Some(116_100_000_000_000));
        let row = series.region_on(1, day(2025, 11, 30)).unwrap();
        assert_eq!((row.line, row.hashrate_share_pct()), (5, Some(Decimal::new(3000, 2))));
        assert_eq!(
            row.efficiency_j_per_th.map(|level| level.map(Positive::get)),
            [None, Some(21.8), None]
        );
        assert_eq!(row.electricity_usd_per_kwh, [None; 3]);
        assert_eq!(series.region_on(2, day(2025, 11, 30)), None);
        assert_eq!(series.region_on(3, day(2025, 11, 30)), None);
    }

    #[test]
    fn an_empty_cell_gives_nothing() {
        let series = example();
        let row = series.network_on(day(2025, 11, 28)).unwrap();
        assert_eq!(
            (row.hashrate_eh, row.fee_usd, row.block_reward_coins),
            (None, None, Some(3.125))
        );
    }

    #[test]
    fn covered_is_from_the_latest_first_row_to_where_the_first_series_ends() {
        let covered = (day(2025, 10, 3), day(2026, 2, 1) + 45);
        assert_eq!(example().covered(), Some(covered));
        assert_eq!(Inputs::default().series.covered(), None);
        assert_eq!(Inputs::default().series, Series::default());
    }
}
