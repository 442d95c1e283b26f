//! The model: from inputs and a date to the figures of the day.

use jiff::civil::Date;

use crate::cost::{HASHES_PER_DIFFICULTY, cost_usd_per_coin};
use crate::day_number::day_number;
use crate::figures::{Costs, Day, Hundredths, NetworkFigures};
use crate::inputs::{Inputs, RegionInputs};
use crate::registry::{RegisteredRegion, Registry, WHOLE_NETWORK_PCT};
use crate::wave::Wave;

/// Days between two steps of the difficulty: 2016 blocks.
pub const EPOCH_DAYS: i64 = 14;

/// Seconds that a block takes when difficulty and hashrate fit each other.
pub const SECONDS_PER_BLOCK: f64 = 600.0;

/// Hashes per second of 1 EH/s.
const HASHES_PER_EH: f64 = 1e18;

/// A network whose figures can be asked for, day by day.
///
/// Each figure is a function of the inputs and the date alone: no day depends on the day before
/// it, and a published day never changes.
#[derive(Debug)]
pub struct Model {
    inputs: Inputs,
    registry: Registry,
    waves: NetworkWaves,
    electricity: Vec<Wave>,
    long_run_avg_usd: Hundredths,
}

#[derive(Debug)]
struct NetworkWaves {
    difficulty: Wave,
    hashrate: Wave,
    fee: Wave,
}

impl Model {
    /// The model of a network.
    pub fn new(inputs: Inputs) -> Self {
        let seed = inputs.seed;
        let registered = |region: &RegionInputs| RegisteredRegion {
            id: region.id.clone(),
            name: region.name.clone(),
            hashrate_share_pct: region.hashrate_share_pct,
        };
        let electricity =
            |region: &RegionInputs| Wave::new(seed, &format!("electricity/{}", region.id));
        let mut model = Self {
            registry: Registry::new(inputs.regions.iter().map(registered).collect()),
            waves: NetworkWaves {
                difficulty: Wave::new(seed, "difficulty"),
                hashrate: Wave::new(seed, "hashrate"),
                fee: Wave::new(seed, "fee"),
            },
            // Named by id, so that a region's movement does not depend on its neighbours.
            electricity: inputs.regions.iter().map(electricity).collect(),
            long_run_avg_usd: Hundredths::new(0),
            inputs,
        };
        model.long_run_avg_usd = model.costs(model.difficulty(0.0), |_| 0.0).0.avg_usd;
        model
    }

    /// The regions of the network.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The mean of the global average over all time: every wave's mean is 0 and the waves are
    /// independent, so it is the cost on a day on which nothing moves.
    pub fn long_run_avg_usd(&self) -> Hundredths {
        self.long_run_avg_usd
    }

    /// Every figure of a UTC day.
    pub fn day(&self, date: Date) -> Day {
        let day = day_number(date);
        let difficulty = self.difficulty(self.waves.difficulty.at(day.div_euclid(EPOCH_DAYS)));
        let (global, regions) = self.costs(difficulty, |wave| wave.at(day));
        let implied_eh =
            difficulty as f64 * HASHES_PER_DIFFICULTY / SECONDS_PER_BLOCK / HASHES_PER_EH;
        let network = &self.inputs.network;
        let movement = &self.inputs.movement;
        Day {
            date,
            network: NetworkFigures {
                hashrate_eh: Hundredths::nearest(moved(
                    implied_eh,
                    movement.hashrate_pct,
                    self.waves.hashrate.at(day),
                )),
                difficulty,
                avg_fee_usd: Hundredths::nearest(moved(
                    network.fee_usd,
                    movement.fee_pct,
                    self.waves.fee.at(day),
                )),
            },
            global,
            regions,
        }
    }

    /// The difficulty when its wave stands at this value.
    fn difficulty(&self, wave: f64) -> u64 {
        let level = self.inputs.network.hashrate_eh * HASHES_PER_EH * SECONDS_PER_BLOCK
            / HASHES_PER_DIFFICULTY;
        (moved(level, self.inputs.movement.difficulty_pct, wave) + 0.5) as u64
    }

    /// The global and the regional costs at this difficulty, `electricity` giving the value at
    /// which a region's wave stands.
    fn costs(&self, difficulty: u64, electricity: impl Fn(Wave) -> f64) -> (Costs, Vec<Costs>) {
        let regions: Vec<Costs> = std::iter::zip(&self.inputs.regions, &self.electricity)
            .map(|(region, wave)| self.region_costs(region, difficulty, electricity(*wave)))
            .collect();
        let mut global = regions[0];
        let mut weighted = 0;
        for (region, costs) in std::iter::zip(&self.inputs.regions, &regions) {
            global.min_usd = global.min_usd.min(costs.min_usd);
            global.max_usd = global.max_usd.max(costs.max_usd);
            weighted +=
                u128::from(region.hashrate_share_pct.count()) * u128::from(costs.avg_usd.count());
        }
        // Whoever weighs the published averages by the published shares finds the same cent.
        let whole = u128::from(WHOLE_NETWORK_PCT.count());
        global.avg_usd = Hundredths::new(((weighted + whole / 2) / whole) as u64);
        (global, regions)
    }

    fn region_costs(&self, region: &RegionInputs, difficulty: u64, wave: f64) -> Costs {
        let network = &self.inputs.network;
        let cost = |efficiency_j_per_th, electricity_usd_per_kwh| {
            Hundredths::nearest(cost_usd_per_coin(
                difficulty as f64,
                network.block_reward_coins,
                efficiency_j_per_th,
                moved(electricity_usd_per_kwh, self.inputs.movement.electricity_pct, wave),
                network.overhead,
            ))
        };
        let efficiency = &region.efficiency_j_per_th;
        let electricity = &region.electricity_usd_per_kwh;
        Costs {
            min_usd: cost(efficiency.best, electricity.low),
            avg_usd: cost(efficiency.mean, electricity.mean),
            max_usd: cost(efficiency.worst, electricity.high),
        }
    }
}

/// A level, moved by a wave that swings it by up to N percent.
fn moved(level: f64, pct: f64, wave: f64) -> f64 {
    level * (1.0 + pct / 100.0 * wave)
}
