//! What is probably a slip in inputs that are valid: of units, most of all.

use crate::inputs::{Inputs, RegionInputs};
use crate::series::Positive;
use crate::visible::visible;

/// How many times dearer or cheaper than the others a region is that is probably a slip.
const FAR: f64 = 5.0;

/// Below it, percent, movement that is not switched off is probably given as fractions.
const HARDLY: f64 = 0.5;

/// The most regions that are named.
const NAMED_MAX: usize = 20;

/// The longest name that is shown, characters: that of a name in the inputs.
const NAME_MAX: usize = 64;

impl Inputs {
    /// What is probably a slip: each a sentence, with what it may be. Valid inputs may well be meant
    /// as they are, so this refuses nothing.
    ///
    /// ```
    /// use ghi_engine::{DEFAULT_INPUTS, Inputs};
    ///
    /// assert!(Inputs::default().warnings().is_empty());
    /// let in_cents = DEFAULT_INPUTS.replace(
    ///     "low = 0.048, mean = 0.055, high = 0.062",
    ///     "low = 4.8, mean = 5.5, high = 6.2",
    /// );
    /// let warnings = Inputs::parse(&in_cents)?.warnings();
    /// assert!(warnings[0].starts_with("the average of us (United States) is 98 times"));
    /// # Ok::<(), ghi_engine::InputsError>(())
    /// ```
    pub fn warnings(&self) -> Vec<String> {
        self.warnings_of_regions().into_iter().chain(self.warning_of_movement()).collect()
    }

    /// Regions whose average is far from the others'. Difficulty, reward and overhead are the same for
    /// all: efficiency and price are what tells them apart.
    fn warnings_of_regions(&self) -> Vec<String> {
        let averages: Vec<f64> = (0..self.regions.len()).map(|index| self.average(index)).collect();
        let mut sorted = averages.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let far = std::iter::zip(&self.regions, &averages).filter_map(|(region, average)| {
            let times = average / median_of_others(&sorted, *average)?;
            far_from_others(region, times)
        });
        let mut warnings: Vec<String> = far.collect();
        let more = warnings.len().saturating_sub(NAMED_MAX);
        if more > 0 {
            warnings.truncate(NAMED_MAX);
            warnings.push(format!("{more} more regions are as far from the median of the others"));
        }
        warnings
    }

    /// Efficiency x price of a region: where there are series, what holds on their last day.
    fn average(&self, region: usize) -> f64 {
        let levels = &self.regions[region];
        let levels = [levels.efficiency_j_per_th.mean, levels.electricity_usd_per_kwh.mean];
        let last = self.series.covered().map(|(_, last)| last);
        let row = last.and_then(|last| self.series.region_on(region, last));
        let given = row
            .map_or([None; 2], |row| [row.efficiency_j_per_th[1], row.electricity_usd_per_kwh[1]]);
        std::iter::zip(given, levels)
            .map(|(given, level)| given.map_or(level, Positive::get))
            .product()
    }

    fn warning_of_movement(&self) -> Option<String> {
        let movement = &self.movement;
        let all = [
            movement.difficulty_pct,
            movement.hashrate_pct,
            movement.fee_pct,
            movement.electricity_pct,
            movement.weekday_pct,
            movement.spread_pct,
        ];
        let moves = all.iter().any(|pct| *pct > 0.0);
        (moves && all.iter().all(|pct| *pct < HARDLY)).then(|| {
            format!(
                "every percentage in [movement] is below {HARDLY}, so that the figures hardly move: are they fractions? 5 is 5 %, and 0 holds still"
            )
        })
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

fn far_from_others(region: &RegionInputs, times: f64) -> Option<String> {
    let name = format!("{} ({})", region.id, visible(&region.name, NAME_MAX));
    if times >= FAR {
        Some(format!(
            "the average of {name} is {times:.0} times the median of the other regions: is its electricity in cents? It is in USD per kWh, such as 0.055"
        ))
    } else if times <= 1.0 / FAR {
        Some(format!(
            "the average of {name} is 1/{:.0} of the median of the other regions: are its units right? Electricity is in USD per kWh, efficiency in J/TH",
            1.0 / times
        ))
    } else {
        None
    }
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
