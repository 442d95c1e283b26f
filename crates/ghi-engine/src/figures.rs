//! What a day publishes.

use std::fmt;

use jiff::civil::Date;

/// A published figure, in whole hundredths of its unit.
///
/// Figures are rounded as they leave the model and are integers from then on, so that sums and
/// comparisons of published figures are exact and the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hundredths(u64);

impl Hundredths {
    /// From a count of whole hundredths.
    pub const fn new(hundredths: u64) -> Self {
        Self(hundredths)
    }

    /// The nearest to a value that is not negative.
    pub(crate) fn nearest(value: f64) -> Self {
        Self((value * 100.0 + 0.5) as u64)
    }

    /// The count of hundredths.
    pub const fn count(self) -> u64 {
        self.0
    }

    /// The figure in its unit: the float nearest to the two decimals.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / 100.0
    }
}

impl fmt::Display for Hundredths {
    /// With two decimals: `61275.07`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// The cost of one coin, USD: minimum, average and maximum, never out of that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// The best fleet on the cheapest power.
    pub min_usd: Hundredths,
    /// The mean fleet on power at the mean price.
    pub avg_usd: Hundredths,
    /// The worst fleet on the dearest power.
    pub max_usd: Hundredths,
}

/// The network's state on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkFigures {
    /// EH/s, near to what the difficulty implies.
    pub hashrate_eh: Hundredths,
    /// Whole; changes once per epoch.
    pub difficulty: u64,
    /// Mean fee of a transaction, USD.
    pub avg_fee_usd: Hundredths,
}

/// Every figure of one UTC day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    /// The day.
    pub date: Date,
    /// The network's state.
    pub network: NetworkFigures,
    /// The costs over all regions.
    pub global: Costs,
    /// Each region's costs, in the order of the registry.
    pub regions: Vec<Costs>,
}
