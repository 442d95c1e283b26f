//! Smooth synthetic movement.
//!
//! A wave is value noise: random numbers at fixed distances in time, joined by a smooth curve.
//! Its value at any time needs the two nearest random numbers alone, and those come from hashing
//! their position, so there is no origin to start from and nothing that drifts. Only integer
//! arithmetic and + - * / take part: every machine computes the same bits.

/// The curves that make up a wave: the distance between random numbers, and the part of the whole.
/// The distances share no factor, so that the curves seldom turn at the same time; the parts sum
/// to 1.
const OCTAVES: [(i64, f64); 3] = [(61, 0.5), (17, 0.3), (5, 0.2)];

/// A function of time with values from -1 to 1 and a long-run mean of 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wave {
    key: u64,
}

impl Wave {
    /// The wave of this name. Waves of other names or seeds are independent of it.
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        let key = name.bytes().fold(mix(seed), |key, byte| mix(key ^ u64::from(byte)));
        Self { key }
    }

    /// The value at a time.
    pub(crate) fn at(self, time: i64) -> f64 {
        let mut value = 0.0;
        for (distance, part) in OCTAVES {
            let octave = mix(self.key ^ distance as u64);
            let index = time.div_euclid(distance);
            let from = random(octave, index);
            let to = random(octave, index + 1);
            let way = time.rem_euclid(distance) as f64 / distance as f64;
            let eased = way * way * (3.0 - 2.0 * way);
            value += part * (from + (to - from) * eased);
        }
        value
    }
}

/// A number from -1 to 1, fixed for its place in its octave.
fn random(octave: u64, index: i64) -> f64 {
    const TWO_POW_52: f64 = 4_503_599_627_370_496.0;
    (mix(octave ^ index as u64) >> 11) as f64 / TWO_POW_52 - 1.0
}

/// SplitMix64: each bit of the result depends on each bit of the input.
fn mix(input: u64) -> u64 {
    let mut x = input.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published figures rest on these bits; a change here changes every day of the past.
    #[test]
    fn a_wave_is_the_same_on_every_machine() {
        let wave = Wave::new(1, "electricity/us");
        let bits = [-1_000_000, -1, 0, 1, 20_000].map(|time| wave.at(time).to_bits());
        assert_eq!(
            bits,
            [
                0x3fd3_68b5_3a2c_c7c1,
                0xbfe1_7b8a_ccc7_e482,
                0xbfe2_1661_4ab4_64f8,
                0xbfe2_4475_8650_11ea,
                0x3fdf_c38f_5578_1a91,
            ]
        );
    }

    #[test]
    fn a_wave_stays_within_its_bounds_and_has_mean_zero() {
        let wave = Wave::new(7, "fee");
        let days = -700_000..3_000_000;
        let count = days.end - days.start;
        let values = days.map(|time| wave.at(time));
        let sum = values.inspect(|value| assert!(value.abs() <= 1.0)).sum::<f64>();
        assert!((sum / count as f64).abs() < 0.005, "mean {}", sum / count as f64);
    }

    #[test]
    fn a_wave_moves_every_day() {
        let wave = Wave::new(20_240_420, "electricity/us");
        assert!((-700_000..3_000_000).all(|time| wave.at(time) != wave.at(time + 1)));
    }

    #[test]
    fn a_wave_moves_smoothly() {
        // The steepest slope of the easing curve is 1.5, over a range of 2.
        let steepest: f64 =
            OCTAVES.iter().map(|(distance, part)| 3.0 * part / *distance as f64).sum();
        let wave = Wave::new(7, "hashrate");
        for time in -50_000..50_000 {
            assert!((wave.at(time + 1) - wave.at(time)).abs() <= steepest);
        }
    }
}
