//! Regions whose average is far from the others', on any day that has figures.
//!
//! Difficulty, reward and overhead are the same for all: efficiency and price are what tells them
//! apart.

use crate::calendar::date_of;
use crate::inputs::values::{Inputs, RegionInputs};
use crate::series::{Positive, RegionRow};
use crate::warnings::{FAR, title};

/// For each region, what is said of the first day on which it is far from the others.
pub(super) fn far_from_others(inputs: &Inputs) -> Vec<Option<String>> {
    let mut found = vec![None; inputs.regions.len()];
    let mut averages: Vec<f64> =
        inputs.regions.iter().map(|region| average(region, None)).collect();
    let Some((from, to)) = inputs.series.covered() else {
        judge(&averages, inputs, None, &mut found);
        return found;
    };
    let mut ahead: Vec<&[RegionRow]> = inputs.series.regions.iter().map(Vec::as_slice).collect();
    let mut day = from;
    // From each day on which a row begins to hold to the next.
    while day <= to {
        let mut next = i64::MAX;
        for (region, ahead) in ahead.iter_mut().enumerate() {
            while let [row, rest @ ..] = *ahead {
                if i64::from(row.day) > day {
                    next = next.min(row.day.into());
                    break;
                }
                averages[region] = average(&inputs.regions[region], Some(row));
                *ahead = rest;
            }
        }
        judge(&averages, inputs, Some(day), &mut found);
        day = next;
    }
    found
}

/// Efficiency x price of a region: the row's, or the inputs' own where it gives none.
fn average(region: &RegionInputs, row: Option<&RegionRow>) -> f64 {
    let levels = [region.efficiency_j_per_th.mean, region.electricity_usd_per_kwh.mean];
    let given =
        row.map_or([None; 2], |row| [row.efficiency_j_per_th[1], row.electricity_usd_per_kwh[1]]);
    std::iter::zip(given, levels).map(|(given, level)| given.map_or(level, Positive::get)).product()
}

/// Compares the averages of one day.
fn judge(averages: &[f64], inputs: &Inputs, day: Option<i64>, found: &mut [Option<String>]) {
    let least = averages.iter().copied().fold(f64::INFINITY, f64::min);
    let most = averages.iter().copied().fold(0.0, f64::max);
    // So it is on almost every day of almost every series, and there may be thousands of days.
    if most < least * FAR {
        return;
    }
    let mut sorted = averages.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    for ((average, region), found) in
        averages.iter().zip(&inputs.regions).zip(found).filter(|(_, found)| found.is_none())
    {
        let others = median_of_others(&sorted, *average);
        *found = others.and_then(|others| far(region, average / others, day));
    }
}

/// The median of all but one value, which is among them; none where there is no other. Of an even
/// number, any value between the two in the middle is a median: the nearest, so that of two others
/// one that is far off does not make the third look far off as well.
fn median_of_others(sorted: &[f64], value: f64) -> Option<f64> {
    let place = sorted.partition_point(|other| other.total_cmp(&value).is_lt());
    let count = sorted.len().checked_sub(1).filter(|count| *count > 0)?;
    let other = |index: usize| sorted[if index < place { index } else { index + 1 }];
    Some(value.clamp(other((count - 1) / 2), other(count / 2)))
}

fn far(region: &RegionInputs, times: f64, day: Option<i64>) -> Option<String> {
    if times < FAR && times > 1.0 / FAR {
        return None;
    }
    let name = title(region);
    let on = day.map_or_else(String::new, |day| format!(" on {}", date_of(day)));
    Some(if times >= FAR {
        format!(
            "the average of {name} is {times:.0} times the median of the other regions{on}: is its electricity in cents? It is in USD per kWh, such as 0.055"
        )
    } else {
        format!(
            "the average of {name} is 1/{:.0} of the median of the other regions{on}: are its units right? Electricity is in USD per kWh, efficiency in J/TH",
            1.0 / times
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_the_others_leaves_one_out() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        for (value, median) in [(1.0, 4.0), (2.0, 4.0), (4.0, 2.0), (8.0, 2.0)] {
            assert_eq!(median_of_others(&sorted, value), Some(median));
        }
        for (value, median) in [(1.0, 2.0), (2.0, 2.0), (6.0, 2.0)] {
            assert_eq!(median_of_others(&[1.0, 2.0, 6.0], value), Some(median));
        }
        assert_eq!(median_of_others(&[3.0, 3.0, 3.0], 3.0), Some(3.0));
        assert_eq!(median_of_others(&[3.0], 3.0), None);
    }
}
