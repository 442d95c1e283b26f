//! Dated series: what a network and its regions were, from day to day, in place of movement.
//!
//! A row holds from its date until the next one. What it leaves out is as the inputs say.

use crate::problems::Problems;

pub(crate) use rows::{KnownRegion, NetworkRow, Positive, RegionRow, Series, SeriesFiles};

mod network_file;
mod regions_file;
mod whole;
mod sheet;
mod not_csv;
mod header;
mod rows;

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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimal::Decimal;
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
