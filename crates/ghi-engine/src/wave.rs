//! Synthetic movement.
//!
//! A wave is value noise: random numbers at fixed intervals, joined by a smooth curve. Its value on a
//! day depends only on the nearest random numbers, which are hashes of their index, so there is no
//! starting point and no drift. It uses only integer arithmetic and + - * /, so every machine computes
//! the same bits.

#[derive(Clone, Copy, Debug)]
pub(crate) struct Octave {
    /// The interval between two random numbers in days. With 1, each day has its own random number.
    pub(crate) days: i64,
    /// Its weight in the wave.
    pub(crate) part: f64,
    /// Whether the random numbers come in pairs that are half the range apart. Such a curve turns so often
    /// that no year is flat, and still has a mean of 0 on any day.
    pub(crate) paired: bool,
}

impl Octave {
    pub(crate) const fn new(days: i64, part: f64) -> Self {
        Self { days, part, paired: false }
    }

    pub(crate) const fn paired(days: i64, part: f64) -> Self {
        Self { days, part, paired: true }
    }
}

/// A function of the day with values from -1 to 1 and a long-run mean of 0: the sum of its octaves.
#[derive(Clone, Debug)]
pub(crate) struct Wave {
    octaves: &'static [Octave],
    keys: Vec<u64>,
}

impl Wave {
    /// The wave with this name. Waves with other names or seeds are independent of it.
    pub(crate) fn new(seed: u64, name: &str, octaves: &'static [Octave]) -> Self {
        let key = key(seed, name);
        let keys = octaves.iter().map(|octave| splitmix64(key ^ octave.days as u64));
        Self { octaves, keys: keys.collect() }
    }

    /// The value on a day, counted from 1970-01-01.
    pub(crate) fn at(&self, day: i64) -> f64 {
        let mut value = 0.0;
        for (Octave { days, part, paired }, key) in std::iter::zip(self.octaves, &self.keys) {
            let index = day.div_euclid(*days);
            let from = random(*key, index, *paired);
            let eased = ease(day.rem_euclid(*days) as f64 / *days as f64);
            // The next random number is not needed if its weight is 0.
            let curve = if eased == 0.0 {
                from
            } else {
                from + (random(*key, index + 1, *paired) - from) * eased
            };
            value += part * curve;
        }
        value
    }
}

fn key(seed: u64, name: &str) -> u64 {
    name.bytes().fold(splitmix64(seed), |key, byte| splitmix64(key ^ u64::from(byte)))
}

/// A smooth curve from 0 at 0 to 1 at 1, flat at both ends.
pub(crate) fn ease(way: f64) -> f64 {
    way * way * (3.0 - 2.0 * way)
}

/// A random number for each day, from -1 to 1 with a mean of 0. It is the mean of four random numbers, so
/// values near 0 are the most frequent, as in the number of blocks per day. Its standard deviation is
/// 0.2887.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DailyScatter(u64);

impl DailyScatter {
    /// The scatter with this name. It is independent of those with other names or seeds.
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Self(splitmix64(key(seed, name) ^ 1))
    }

    pub(crate) fn at(self, day: i64) -> f64 {
        const HALF_OF_SUM_MAX: f64 = 131_070.0;
        let bits = splitmix64(self.0 ^ day as u64);
        let sum = [0, 16, 32, 48].map(|shift| (bits >> shift) & 0xffff).iter().sum::<u64>();
        sum as f64 / HALF_OF_SUM_MAX - 1.0
    }
}

fn random(key: u64, index: i64, paired: bool) -> f64 {
    if !paired {
        return uniform(key, index);
    }
    let first = uniform(key, index.div_euclid(2));
    match index.rem_euclid(2) {
        0 => first,
        _ if first < 0.0 => first + 1.0,
        _ => first - 1.0,
    }
}

fn uniform(key: u64, index: i64) -> f64 {
    const TWO_POW_52: f64 = 4_503_599_627_370_496.0;
    (splitmix64(key ^ index as u64) >> 11) as f64 / TWO_POW_52 - 1.0
}

/// The output function of SplitMix64: each bit of the result depends on each bit of the input.
pub fn splitmix64(input: u64) -> u64 {
    let mut x = input.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMOOTH: [Octave; 3] =
        [Octave::new(61, 0.5), Octave::paired(17, 0.3), Octave::new(5, 0.2)];
    const DAILY: [Octave; 1] = [Octave::new(1, 1.0)];
    const PAIRED: [Octave; 1] = [Octave::paired(53, 1.0)];

    fn values(
        seed: u64,
        octaves: &'static [Octave],
        days: std::ops::Range<i64>,
    ) -> impl Iterator<Item = f64> {
        let wave = Wave::new(seed, "test", octaves);
        days.map(move |day| wave.at(day))
    }

    /// A change to these bits would change the published data of every past day.
    #[test]
    fn a_wave_is_the_same_on_every_machine() {
        let wave = Wave::new(1, "electricity/us", &SMOOTH);
        let at = |day| wave.at(day).to_bits();
        let bits = [-1_000_000, -1, 0, 1, 20_000].map(at);
        assert_eq!(
            bits,
            [
                0x3fc9_5772_df47_fe62,
                0xbfe1_6307_fdca_d783,
                0xbfe2_1661_4ab4_64f8,
                0xbfe2_2d58_8f9a_fff8,
                0x3fd2_dff1_2a2c_d64d
            ]
        );
    }

    #[test]
    fn a_wave_stays_within_its_bounds_and_has_mean_zero() {
        for octaves in [&SMOOTH[..], &DAILY, &PAIRED] {
            let days = -700_000..3_000_000;
            let count = (days.end - days.start) as f64;
            let sum: f64 =
                values(7, octaves, days).inspect(|value| assert!(value.abs() <= 1.0)).sum();
            assert!((sum / count).abs() < 0.005, "{octaves:?}: mean {}", sum / count);
        }
    }

    #[test]
    fn a_wave_moves_smoothly() {
        // The steepest slope of the easing curve is 1.5, over a range of 2.
        let steepest: f64 =
            SMOOTH.iter().map(|octave| 3.0 * octave.part / octave.days as f64).sum();
        let values: Vec<f64> = values(7, &SMOOTH, -50_000..50_000).collect();
        for pair in values.windows(2) {
            assert!(pair[0] != pair[1] && (pair[1] - pair[0]).abs() <= steepest);
        }
    }

    #[test]
    fn a_pair_is_half_the_range_apart() {
        let turns: Vec<f64> = values(7, &PAIRED, -53_000..53_000).step_by(53).collect();
        for pair in turns.chunks(2) {
            assert!(((pair[0] - pair[1]).abs() - 1.0).abs() < 1e-12, "{pair:?}");
        }
    }

    #[test]
    fn days_of_a_daily_wave_are_independent() {
        let values: Vec<f64> = values(7, &DAILY, -50_000..50_000).collect();
        let product: f64 = values.windows(2).map(|pair| pair[0] * pair[1]).sum();
        assert!((product / values.len() as f64).abs() < 0.005);
    }

    #[test]
    fn daily_scatter_is_bell_shaped_with_mean_zero() {
        let scatter = DailyScatter::new(7, "test");
        let values: Vec<f64> = (-50_000..50_000).map(|day| scatter.at(day)).collect();
        let part_within = |bound: f64| {
            let count = values.iter().filter(|value| value.abs() <= bound).count();
            count as f64 / values.len() as f64
        };
        assert_eq!(part_within(1.0), 1.0);
        // One and two standard deviations, as in a normal distribution.
        let deviation = 1.0 / 12_f64.sqrt();
        assert!((part_within(deviation) - 0.67).abs() < 0.01);
        assert!((part_within(2.0 * deviation) - 0.96).abs() < 0.01);
        assert!((values.iter().sum::<f64>() / values.len() as f64).abs() < 0.005);
    }

    #[test]
    fn the_random_numbers_of_the_methodology_are_current() {
        let key = Wave::new(20_240_420, "hashrate", const { &[Octave::new(61, 1.0)] }).keys[0];
        let scatter = DailyScatter::new(20_240_420, "hashrate/scatter");
        let rows = [
            ("mix(0)", format!("{:#018x}", splitmix64(0))),
            ("mix(20240420)", format!("{:#018x}", splitmix64(20_240_420))),
            ("key of seed 20240420, name `hashrate`, 61 days", format!("{key:#018x}")),
            ("uniform of that key at 0", uniform(key, 0).to_string()),
            ("uniform of that key at -1", uniform(key, -1).to_string()),
            ("random, paired, of that key at 341", random(key, 341, true).to_string()),
            ("scatter of seed 20240420, name `hashrate/scatter`, day 0", scatter.at(0).to_string()),
        ];
        let rows = rows.map(|(what, value)| format!("| {what} | {value} |\n")).concat();
        let page = include_str!("../../../docs/methodology.md");
        assert!(page.contains(&rows), "docs/methodology.md must have these rows:\n{rows}");
    }
}
