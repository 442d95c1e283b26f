//! The speed of a clock.

use std::fmt;
use std::str::FromStr;

use ghi_display::grouped;

/// How many times as fast as real time a clock runs: 1 to 86,400, which is one day per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed(u32);

impl Speed {
    /// The speed of real time.
    pub const REAL: Self = Self(1);

    /// One day per second.
    pub const MAX: Self = Self(86_400);

    /// Returns a speed, or `None` if it is out of range.
    pub const fn new(times: u32) -> Option<Self> {
        if times >= Self::REAL.0 && times <= Self::MAX.0 { Some(Self(times)) } else { None }
    }

    pub(crate) fn get(self) -> u64 {
        self.0.into()
    }
}

impl fmt::Display for Speed {
    /// Writes the speed with its digits in groups of three.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&grouped(self.0))
    }
}

impl FromStr for Speed {
    type Err = InvalidSpeed;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        let times = is_plain.then(|| text.parse().ok()).flatten();
        times.and_then(Self::new).ok_or(InvalidSpeed)
    }
}

/// The error for a string that is not a speed. Its message says what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a whole number from {} to {}", Speed::REAL.0, Speed::MAX.0)]
pub struct InvalidSpeed;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_a_whole_number_up_to_one_day_per_second() {
        for text in ["", "0", "86401", "1.5", "-1", "+1", " 1", "1e3", "1,000", "99999999999", "٣"]
        {
            assert_eq!(text.parse::<Speed>(), Err(InvalidSpeed), "{text:?}");
        }
        for (text, shown) in [("1", "1"), ("999", "999"), ("1001", "1,001"), ("86400", "86,400")] {
            assert_eq!(text.parse::<Speed>().unwrap().to_string(), shown);
        }
        assert_eq!(InvalidSpeed.to_string(), "must be a whole number from 1 to 86400");
    }
}
