//! What holds over all rows: which days have figures, and what the shares of a day sum to.

use super::{KnownRegion, Row, Series};
use crate::calendar::{date_of, day_number};
use crate::decimal::Decimal;
use crate::problems::{Place, Problems, Source};
use crate::registry::WHOLE_NETWORK_PCT;

/// The last day that there is.
const LAST_DAY: jiff::civil::Date = jiff::civil::Date::MAX;

/// The first and the last row of one series.
struct Span {
    source: Source,
    first: (i64, usize),
    last: (i64, usize),
}

fn span<R: Row>(source: Source, rows: &[R]) -> Option<Span> {
    let [first, last] = [rows.first()?, rows.last()?].map(|row| (row.day(), row.line()));
    Some(Span { source, first, last })
}

/// The days on which every series has a row that holds.
pub(super) fn coverage(
    series: &Series,
    valid_days: i64,
    problems: &mut Problems,
) -> Option<(i64, i64)> {
    let network = span(Source::Network, &series.network);
    let regions = series.regions.iter().filter_map(|rows| span(Source::Regions, rows));
    let spans: Vec<Span> = network.into_iter().chain(regions).collect();
    let latest = spans.iter().max_by_key(|span| span.first)?;
    let earliest = spans.iter().min_by_key(|span| span.last)?;
    let from = latest.first.0;
    let to = (earliest.last.0 + valid_days).min(day_number(LAST_DAY));
    if from <= to {
        return Some((from, to));
    }
    problems.push(Place::row(latest.source, latest.first.1), || {
        let (from, to) = (date_of(from), date_of(to));
        let ended = match earliest.source {
            Source::Network => "the network's series",
            _ => "a region's series",
        };
        format!(
            "no day has figures: this series begins on {from}, but {ended} ends on {to}, {valid_days} days after its last row (line {}); they must overlap",
            earliest.last.1
        )
    });
    None
}

/// Checks that the shares of all regions sum to 100 on every covered day.
pub(super) fn check_shares(
    series: &Series,
    regions: &[KnownRegion<'_>],
    (from, to): (i64, i64),
    problems: &mut Problems,
) {
    // By how much the sum changes on which day: most rows repeat the share before them.
    let mut changes: Vec<(i64, i64)> = Vec::new();
    let mut sum = 0;
    for (index, region) in regions.iter().enumerate() {
        let own = region.hashrate_share_pct;
        let rows = series.regions.get(index).map_or(&[][..], Vec::as_slice);
        let in_force = series.region_on(index, from).map_or(own, |row| share(row, own));
        sum += hundredths(in_force);
        let mut before = in_force;
        for row in &rows[rows.partition_point(|row| row.day() <= from)..] {
            let share = share(row, own);
            if share != before {
                changes.push((row.day(), hundredths(share) - hundredths(before)));
                before = share;
            }
        }
    }
    changes.sort_unstable_by_key(|(day, _)| *day);
    let changes = changes.chunk_by(|(day, _), (other, _)| day == other);
    let changes = changes.map(|changes| (changes[0].0, changes.iter().map(|(_, by)| by).sum()));
    let whole = hundredths(WHOLE_NETWORK_PCT);
    for (day, change) in std::iter::once((from, 0)).chain(changes).filter(|(day, _)| *day <= to) {
        sum += change;
        // A sum that stays wrong is reported once.
        if sum != whole && (change != 0 || day == from) {
            problems.push(last_row(series, day), || {
                let (date, sum) = (date_of(day), sum as f64 / 100.0);
                format!("hashrate_share_pct sums to {sum} over all regions on {date}; it must sum to exactly 100")
            });
        }
    }
}

fn share(row: &super::RegionRow, own: Decimal) -> Decimal {
    row.hashrate_share_pct().unwrap_or(own)
}

fn hundredths(share: Decimal) -> i64 {
    i64::try_from(share.count()).unwrap_or(i64::MAX)
}

/// The latest row that holds on a day, the last one of its date.
fn last_row(series: &Series, day: i64) -> Place<'static> {
    let rows = (0..series.regions.len()).filter_map(|region| series.region_on(region, day));
    let last = rows.map(|row| (row.day(), row.line())).max();
    match last {
        Some((_, line)) => Place::row(Source::Regions, line),
        None => Place::inputs(None),
    }
}
