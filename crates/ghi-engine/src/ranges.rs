//! The valid range of each number in the inputs, both in the TOML file and in series.

use std::fmt;

use crate::decimal::compact;

/// The smallest and the largest value that a field may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValidRange {
    pub(crate) min: f64,
    pub(crate) max: f64,
}

const fn range(min: f64, max: f64) -> ValidRange {
    ValidRange { min, max }
}

/// EH/s. From a network of a few computers to a thousand times Bitcoin.
pub(crate) const HASHRATE_EH: ValidRange = range(1e-12, 1e6);
/// Coins per block.
pub(crate) const BLOCK_REWARD_COINS: ValidRange = range(1e-6, 1e9);
/// USD.
pub(crate) const FEE_USD: ValidRange = range(1e-6, 1e6);
/// USD: the market price of a coin.
pub(crate) const PRICE_USD: ValidRange = range(1e-6, 1e9);
/// USD per TH/s of machines. Processors that compute RandomX cost 1e10 or more.
pub(crate) const USD_PER_TH: ValidRange = range(1e-3, 1e13);
/// Years that machines are used.
pub(crate) const YEARS: ValidRange = range(0.1, 100.0);
/// Total cost divided by energy cost.
pub(crate) const OVERHEAD: ValidRange = range(1.0, 10.0);
/// Seconds.
pub(crate) const SECONDS_PER_BLOCK: ValidRange = range(0.1, 1e5);
/// Hashes per unit of difficulty.
pub(crate) const HASHES_PER_DIFFICULTY: ValidRange = range(1.0, 1e20);
/// Days.
pub(crate) const RETARGET_DAYS: ValidRange = range(0.0, 64.0);
/// Decimals of numbers in USD.
pub(crate) const DECIMALS_USD: ValidRange = range(0.0, 10.0);
/// Decimals of numbers in EH/s.
pub(crate) const DECIMALS_HASHRATE_EH: ValidRange = range(0.0, 15.0);
/// Percent of the network's hashrate.
pub(crate) const HASHRATE_SHARE_PCT: ValidRange = range(0.01, 100.0);
/// The same in a series, in which a region may start or stop mining.
pub(crate) const SERIES_SHARE_PCT: ValidRange = range(0.0, 100.0);
/// J/TH. From an ASIC of the far future to a processor that computes RandomX.
pub(crate) const EFFICIENCY_J_PER_TH: ValidRange = range(1e-3, 1e13);
/// USD/kWh.
pub(crate) const ELECTRICITY_USD_PER_KWH: ValidRange = range(1e-4, 10.0);
/// Days that a row of a series is valid, unless another follows.
pub(crate) const VALID_DAYS: ValidRange = range(0.0, 3660.0);
/// A whole number. A float represents every whole number in this range exactly.
pub(crate) const DIFFICULTY: ValidRange = range(1.0, 9e15);

impl ValidRange {
    /// Whether a value is in the range, including both ends. NaN is not.
    pub(crate) fn contains(self, value: f64) -> bool {
        (self.min..=self.max).contains(&value)
    }
}

impl fmt::Display for ValidRange {
    /// Writes `from 1e-12 to 1000000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from {} to {}", compact(self.min), compact(self.max))
    }
}

/// A field with one value for each of the minimum, average and maximum cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LevelsField {
    pub(crate) name: &'static str,
    pub(crate) levels: [&'static str; 3],
    pub(crate) range: ValidRange,
}

/// The efficiency of a region's machines.
pub(crate) const EFFICIENCY_LEVELS: LevelsField = LevelsField {
    name: "efficiency_j_per_th",
    levels: ["best", "mean", "worst"],
    range: EFFICIENCY_J_PER_TH,
};

/// The power prices of a region.
pub(crate) const ELECTRICITY_LEVELS: LevelsField = LevelsField {
    name: "electricity_usd_per_kwh",
    levels: ["low", "mean", "high"],
    range: ELECTRICITY_USD_PER_KWH,
};

impl LevelsField {
    /// Explains that values are out of order. The message follows the field's name.
    pub(crate) fn order_problem(&self, values: [f64; 3]) -> Option<String> {
        let ([a, b, c], [x, y, z]) = (self.levels, values);
        let message = || format!("is {x}, {y}, {z}; expected {a} <= {b} <= {c}");
        (!values.is_sorted()).then(message)
    }
}
