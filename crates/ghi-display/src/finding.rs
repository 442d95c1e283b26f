//! What charts find, in words.

use ghi_engine::{Day, Decimal, Model, RegionIndex};
use jiff::ToSpan;
use jiff::civil::Date;

use crate::amounts::Rounded;
use crate::differences::Tenths;
use crate::past::{Past, Range};
use crate::text::{isolated, shortened};

/// How the average of a scope changed from the first day that is drawn of a range to the last: the title
/// of its chart.
pub(crate) fn finding(name: &str, range: Range, past: &Past) -> String {
    let name = isolated(name);
    let ((since, from), (last, to)) = (past.first(), past.last());
    let (from, to) = (from.avg_usd, to.avg_usd);
    if since == last {
        return format!("{name} average ${} on {}", Rounded(to), day(last));
    }
    let is_whole = since == last.saturating_sub(i64::from(range.days()).days());
    let (than, ago) = match range {
        _ if !is_whole => ("than on", day_beside(since, last)),
        Range::Week => ("than", "a week ago".into()),
        Range::Year => ("than", "a year ago".into()),
        Range::Month | Range::Quarter => ("than", format!("{} days ago", range.days())),
    };
    if from == to {
        return format!("{name} average unchanged from {ago}");
    }
    let direction = if to < from { "lower" } else { "higher" };
    format!("{name} average {} {direction} {than} {ago}", percent(from, to))
}

/// Which of the regions that are shown of a day, one at least, are the cheapest and the dearest: the title
/// of their chart.
pub(crate) fn finding_of_regions(day: &Day, model: &Model, shown: &[RegionIndex]) -> String {
    let average = |region: &RegionIndex| day.regions[region.get()].avg_usd;
    let of_all = shown.len() == day.regions.len();
    // In pixels of the usual size of a chart's text.
    let room = if of_all { 150.0 } else { 110.0 };
    let name = |region: &RegionIndex| isolated(&shortened(&model.registry()[*region].name, room));
    let mut regions = shown.to_vec();
    regions.sort_by_key(average);
    let [low, high] = [&regions[0], &regions[regions.len() - 1]];
    let cost = Rounded(average(low));
    match average(low) == average(high) {
        true if of_all && shown.len() == 1 => {
            format!("One coin costs ${cost} in {} on average", name(low))
        }
        true => format!("One coin costs ${cost} in each of {} regions on average", shown.len()),
        false => {
            let of = if of_all {
                "Cheapest".into()
            } else {
                format!("Of {} shown, cheapest", shown.len())
            };
            format!("{of} in {}, dearest in {} on average", name(low), name(high))
        }
    }
}

/// By how much one cost differs from another, without a sign: one decimal, two below 0.1 %.
pub(crate) fn percent(from: Decimal, to: Decimal) -> String {
    let by = 100.0 * to.count().abs_diff(from.count()) as f64 / from.count() as f64;
    // What belongs together does not break over lines.
    match by {
        ..0.005 if from != to => "less than 0.01\u{a0}%".into(),
        ..0.095 => format!("{by:.2}\u{a0}%"),
        _ => Tenths(by).to_string().replace(' ', "\u{a0}"),
    }
}

/// From one day to another.
pub(crate) fn period(first: Date, last: Date) -> String {
    if first == last {
        return day(last);
    }
    let format = if first.year() == last.year() { "%-d %b" } else { "%-d %b %Y" };
    format!("{} to {}", first.strftime(format), day(last))
}

/// A day in full, with its year where that is not the one of another.
fn day_beside(date: Date, other: Date) -> String {
    let format = if date.year() == other.year() { "%-d %B" } else { "%-d %B %Y" };
    date.strftime(format).to_string()
}

fn day(date: Date) -> String {
    date.strftime("%-d %b %Y").to_string()
}

#[cfg(test)]
mod tests {
    use ghi_engine::Costs;
    use jiff::civil::date;

    use super::*;

    const LAST: Date = date(2026, 11, 16);

    fn costs(count: u64) -> Costs {
        let cost = Decimal::new(count, 2);
        Costs { min_usd: cost, avg_usd: cost, max_usd: cost }
    }

    /// The finding of a range whose figures begin on a day, with an average on that and on the last.
    #[track_caller]
    fn check(range: Range, first: Date, averages: [u64; 2], expected: &str) {
        let [from, to] = averages.map(costs);
        // The day before is not drawn.
        let before = Some((first.yesterday().unwrap(), costs(1)));
        let past = Past { days: vec![(first, from), (LAST, to)], before };
        let found = finding("Worldwide", range, &past);
        assert_eq!(found.replace('\u{a0}', " "), expected);
    }

    #[test]
    fn a_finding_says_how_the_average_changed_from_the_first_day_drawn() {
        let check = |range: Range, to, expected| {
            let first = LAST.saturating_sub(i64::from(range.days()).days());
            check(range, first, [6_180_000, to], expected);
        };
        check(Range::Quarter, 6_146_549, "Worldwide average 0.5 % lower than 90 days ago");
        check(Range::Month, 6_800_000, "Worldwide average 10.0 % higher than 30 days ago");
        check(Range::Year, 6_185_000, "Worldwide average 0.08 % higher than a year ago");
        check(Range::Year, 252_000_000, "Worldwide average 3,977.7 % higher than a year ago");
        check(Range::Week, 6_180_000, "Worldwide average unchanged from a week ago");
        check(Range::Week, 6_179_999, "Worldwide average less than 0.01 % lower than a week ago");
    }

    #[test]
    fn a_range_that_is_not_whole_names_its_first_day() {
        let day = date(2026, 11, 3);
        let changed = "Worldwide average 0.6 % higher than on 3 November";
        check(Range::Quarter, day, [10_000, 10_060], changed);
        check(Range::Quarter, day, [1, 1], "Worldwide average unchanged from 3 November");
        let before = "Worldwide average 0.6 % higher than on 31 December 2025";
        check(Range::Year, date(2025, 12, 31), [10_000, 10_060], before);
        let past = Past { days: vec![(LAST, costs(6_146_549))], before: None };
        let only = "Worldwide average $61,465 on 16 Nov 2026";
        assert_eq!(finding("Worldwide", Range::Week, &past), only);
    }

    #[test]
    fn a_period_names_a_year_once_if_it_can() {
        assert_eq!(period(date(2026, 8, 19), LAST), "19 Aug to 16 Nov 2026");
        assert_eq!(period(date(2025, 11, 17), LAST), "17 Nov 2025 to 16 Nov 2026");
        assert_eq!(period(LAST, LAST), "16 Nov 2026");
    }
}
