//! Within which bounds each number of the inputs lies, in the TOML and in the series alike.

use std::fmt;

/// The smallest and the largest value that a field may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    min: f64,
    max: f64,
}

/// EH/s. From a network of a few computers to a thousand times Bitcoin.
pub(crate) const HASHRATE_EH: Bounds = Bounds { min: 1e-12, max: 1e6 };
/// Coins per block.
pub(crate) const BLOCK_REWARD_COINS: Bounds = Bounds { min: 1e-6, max: 1e9 };
/// USD.
pub(crate) const FEE_USD: Bounds = Bounds { min: 1e-6, max: 1e6 };
/// Whole cost over the cost of energy.
pub(crate) const OVERHEAD: Bounds = Bounds { min: 1.0, max: 10.0 };
/// Seconds.
pub(crate) const SECONDS_PER_BLOCK: Bounds = Bounds { min: 0.1, max: 1e5 };
/// Hashes per unit of difficulty.
pub(crate) const HASHES_PER_DIFFICULTY: Bounds = Bounds { min: 1.0, max: 1e20 };
/// Days.
pub(crate) const RETARGET_DAYS: Bounds = Bounds { min: 0.0, max: 64.0 };
/// Decimals of figures in USD.
pub(crate) const DECIMALS_USD: Bounds = Bounds { min: 0.0, max: 10.0 };
/// Decimals of figures in EH/s.
pub(crate) const DECIMALS_HASHRATE_EH: Bounds = Bounds { min: 0.0, max: 15.0 };
/// Percent of the level, and so for the movements below.
pub(crate) const DIFFICULTY_PCT: Bounds = Bounds { min: 0.0, max: 50.0 };
/// See [`DIFFICULTY_PCT`].
pub(crate) const HASHRATE_PCT: Bounds = Bounds { min: 0.0, max: 30.0 };
/// See [`DIFFICULTY_PCT`].
pub(crate) const FEE_PCT: Bounds = Bounds { min: 0.0, max: 90.0 };
/// See [`DIFFICULTY_PCT`].
pub(crate) const ELECTRICITY_PCT: Bounds = Bounds { min: 0.0, max: 50.0 };
/// See [`DIFFICULTY_PCT`].
pub(crate) const WEEKDAY_PCT: Bounds = Bounds { min: 0.0, max: 20.0 };
/// See [`DIFFICULTY_PCT`].
pub(crate) const SPREAD_PCT: Bounds = Bounds { min: 0.0, max: 90.0 };
/// Percent of the network's hashrate.
pub(crate) const HASHRATE_SHARE_PCT: Bounds = Bounds { min: 0.01, max: 100.0 };
/// J/TH. From an ASIC of the far future to a processor that computes RandomX.
pub(crate) const EFFICIENCY_J_PER_TH: Bounds = Bounds { min: 1e-3, max: 1e13 };
/// USD/kWh.
pub(crate) const ELECTRICITY_USD_PER_KWH: Bounds = Bounds { min: 1e-4, max: 10.0 };
/// Days for which the last row of a series holds.
pub(crate) const VALID_DAYS: Bounds = Bounds { min: 0.0, max: 3660.0 };
/// Whole. A float holds every one of them, and every hundredth of a percent of one.
pub(crate) const DIFFICULTY: Bounds = Bounds { min: 1.0, max: 9e15 };

impl Bounds {
    /// Whether a value lies within, either end included. Nothing that is not a number does.
    pub(crate) fn contains(self, value: f64) -> bool {
        (self.min..=self.max).contains(&value)
    }

    /// The smallest value.
    pub(crate) fn min(self) -> f64 {
        self.min
    }

    /// The largest value.
    pub(crate) fn max(self) -> f64 {
        self.max
    }
}

impl fmt::Display for Bounds {
    /// `from 1e-12 to 1000000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from {} to {}", Readable(self.min), Readable(self.max))
    }
}

/// A number without rows of zeros that nobody counts.
struct Readable(f64);

impl fmt::Display for Readable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = *self;
        if value == 0.0 || (1e-4..1e7).contains(&value) {
            write!(f, "{value}")
        } else {
            write!(f, "{value:e}")
        }
    }
}
