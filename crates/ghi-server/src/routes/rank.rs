//! Where a region stands among all by its average.

use ghi_display::grouped;
use std::cmp::Ordering;

use ghi_engine::{Day, RegionIndex};

/// The place of a region's average on a day, counted from the nearer end: `2nd cheapest of 30`.
pub(crate) fn rank(region: RegionIndex, day: &Day) -> String {
    let own = day.regions[region.get()].avg_usd;
    let [mut below, mut above] = [0_u64; 2];
    for costs in &day.regions {
        match costs.avg_usd.cmp(&own) {
            Ordering::Less => below += 1,
            Ordering::Equal => {}
            Ordering::Greater => above += 1,
        }
    }
    let all = day.regions.len() as u64;
    let ties = all - below - above - 1;
    if all == 1 {
        return "the only region".into();
    }
    if ties == all - 1 {
        return format!("the same as all {}", grouped(all));
    }
    let (place, end) =
        if below <= above { (below + 1, "cheapest") } else { (above + 1, "most expensive") };
    let place = if place == 1 { String::new() } else { format!("{} ", ordinal(place)) };
    let tied = match ties {
        0 => String::new(),
        1 => ", with 1 other".into(),
        ties => format!(", with {} others", grouped(ties)),
    };
    format!("{place}{end} of {}{tied}", grouped(all))
}

fn ordinal(place: u64) -> String {
    let ending = match (place % 10, place % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{}{ending}", grouped(place))
}

#[cfg(test)]
mod tests {
    use ghi_engine::{Decimal, Inputs, Model};
    use jiff::civil::date;

    use super::*;

    /// The ranks of regions with these averages; there are three.
    fn ranks(averages: [u64; 3]) -> [String; 3] {
        let model = Model::new(Inputs::default());
        let mut day = model.day(date(2026, 11, 15)).unwrap();
        for (costs, average) in std::iter::zip(&mut day.regions, averages) {
            costs.avg_usd = Decimal::new(average, 2);
        }
        let mut regions = model.registry().indices();
        std::array::from_fn(|_| rank(regions.next().unwrap(), &day))
    }

    #[test]
    fn a_place_is_counted_from_the_nearer_end() {
        let expected = ["2nd cheapest of 3", "most expensive of 3", "cheapest of 3"];
        assert_eq!(ranks([2, 3, 1]), expected);
    }

    #[test]
    fn regions_of_one_average_share_a_place() {
        let shared = "cheapest of 3, with 1 other";
        assert_eq!(ranks([1, 1, 2]), [shared, shared, "most expensive of 3"]);
        let shared = "most expensive of 3, with 1 other";
        assert_eq!(ranks([2, 1, 2]), [shared, "cheapest of 3", shared]);
        assert_eq!(ranks([5, 5, 5]), ["the same as all 3"; 3]);
    }

    #[test]
    fn places_have_their_endings() {
        let written = [2, 3, 4, 11, 12, 13, 21, 102, 1_111, 5_000].map(ordinal);
        let expected =
            ["2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "1,111th", "5,000th"];
        assert_eq!(written, expected);
    }
}
