//! The synthetic movement of the market price.

use crate::movement::Extremes;
use crate::wave::{Octave, Wave, WavePosition};

/// The market price: seasons, weeks, and a little every day.
const PRICE: [Octave; 3] = [Octave::new(89, 0.6), Octave::new(13, 0.3), Octave::new(1, 0.1)];

/// The synthetic movement of the market price.
#[derive(Debug)]
pub(crate) struct PriceMovement {
    swing: f64,
    wave: Wave<3>,
}

impl PriceMovement {
    pub(crate) fn new(seed: u64, price_pct: f64) -> Self {
        Self { swing: price_pct / 100.0, wave: Wave::new(seed, "price", &PRICE) }
    }

    /// The factor of the price on a day.
    pub(crate) fn factor(&self, day: i64) -> f64 {
        1.0 + self.swing * self.wave.at(&WavePosition::new(day, &PRICE))
    }

    /// The factors that the price can have.
    pub(crate) fn extremes(price_pct: f64) -> Extremes {
        let swing = price_pct / 100.0;
        Extremes { least: 1.0 - swing, most: 1.0 + swing }
    }
}
