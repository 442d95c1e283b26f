//! What is probably a slip in inputs that are valid: of units, most of all.

use crate::inputs::values::{Inputs, RegionInputs};
use crate::shown::Shown;
use crate::visible::visible;

mod averages;
mod prices;

/// How many times off what is expected a value is that is probably a slip.
const FAR: f64 = 5.0;

/// Below it, percent, movement that is not switched off is probably given as fractions.
const HARDLY_PCT: f64 = 0.5;

/// The same for the fee, which moves more than all else: 0.65 is a fraction as well.
const FEE_HARDLY_PCT: f64 = 1.0;

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
        let others = [self.warning_of_hashrate(), self.warning_of_movement()];
        self.warnings_of_regions().into_iter().chain(others.into_iter().flatten()).collect()
    }

    /// One a region: what says most exactly where the slip is.
    fn warnings_of_regions(&self) -> Vec<String> {
        let far = averages::far_from_others(self);
        let slips = std::iter::zip(0.., far).filter_map(|(region, far)| {
            let in_row = prices::dear_row(self, region);
            in_row.or(far).or_else(|| prices::dear_level(&self.regions[region]))
        });
        let mut warnings: Vec<String> = slips.collect();
        let more = warnings.len().saturating_sub(NAMED_MAX);
        if more > 0 {
            warnings.truncate(NAMED_MAX);
            warnings.push(format!("{more} more regions have such electricity or efficiency"));
        }
        warnings
    }

    /// The first hashrate of the series that does not go with its difficulty.
    fn warning_of_hashrate(&self) -> Option<String> {
        self.series.network.iter().find_map(|row| {
            let (given, implied) = (row.hashrate_eh?, self.implied_eh(row.difficulty));
            let is_far = given >= implied * FAR || given * FAR <= implied;
            is_far.then(|| {
                format!(
                    "line {} of the network's series: hashrate_eh is {given}, but its difficulty comes to {} EH/s: are its units right? The hashrate is in EH/s",
                    row.line,
                    Shown::new(implied, 4)
                )
            })
        })
    }

    fn warning_of_movement(&self) -> Option<String> {
        let movement = &self.movement;
        let others = [
            movement.difficulty_pct,
            movement.hashrate_pct,
            movement.electricity_pct,
            movement.weekday_pct,
            movement.spread_pct,
        ];
        let moves = movement.fee_pct > 0.0 || others.iter().any(|pct| *pct > 0.0);
        let hardly =
            movement.fee_pct < FEE_HARDLY_PCT && others.iter().all(|pct| *pct < HARDLY_PCT);
        (moves && hardly).then(|| {
            format!(
                "every percentage in [movement] is below {FEE_HARDLY_PCT}, so that the figures hardly move: are they fractions? 5 is 5 %, and 0 holds still"
            )
        })
    }
}

/// A region as warnings call it.
fn title(region: &RegionInputs) -> String {
    format!("{} ({})", region.id, visible(&region.name, NAME_MAX))
}
