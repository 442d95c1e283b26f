//! The model: from inputs and a date to the figures of the day.

use std::sync::Arc;

use jiff::ToSpan;
use jiff::civil::Date;

use crate::calendar::{Coverage, NoFigures, day_number};
use crate::cost::{cost_usd_per_coin, hashes_per_coin};
use crate::decimal::Decimal;
use crate::figures::{Costs, Day, NetworkFigures};
use crate::fingerprint::Fingerprint;
use crate::inputs::values::{Inputs, RegionInputs};
use crate::movement::{DayOfPrices, NetworkMovement, RegionMovement};
use crate::registry::{RegisteredRegion, Registry, WHOLE_NETWORK_PCT};
use crate::scope::Scope;
use crate::series::{Positive, RegionRow};

/// A network whose figures can be asked for, day by day.
///
/// Each figure is a function of the inputs and the date alone: no day depends on the day before
/// it, and a published day never changes.
#[derive(Debug)]
pub struct Model {
    pub(crate) inputs: Inputs,
    registry: Registry,
    coverage: Coverage,
    movement: NetworkMovement,
    regions: Vec<RegionMovement>,
    /// Where no series says otherwise.
    shares_pct: Arc<[Decimal]>,
    long_run_avg_usd: Decimal,
}

/// What the costs of a day have in common over all regions.
#[derive(Debug)]
pub(crate) struct NetworkDay {
    day: i64,
    pub(crate) difficulty: u64,
    pub(crate) block_reward_coins: f64,
    pub(crate) hashes_per_coin: f64,
    prices: DayOfPrices,
}

/// With what a region mines on a day. Each from best to worst: minimum, average, maximum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fleet {
    pub(crate) efficiency_j_per_th: [f64; 3],
    pub(crate) electricity_usd_per_kwh: [f64; 3],
}

impl Model {
    /// The model of a network.
    pub fn new(inputs: Inputs) -> Self {
        let registered = |region: &RegionInputs| RegisteredRegion {
            id: region.id.clone(),
            name: region.name.clone(),
        };
        let moving = |region: &RegionInputs| RegionMovement::new(inputs.seed, &region.id);
        let mut model = Self {
            registry: Registry::new(inputs.regions.iter().map(registered).collect()),
            coverage: inputs.coverage(),
            movement: NetworkMovement::new(inputs.seed, &inputs.movement),
            regions: inputs.regions.iter().map(moving).collect(),
            shares_pct: inputs.regions.iter().map(|region| region.hashrate_share_pct).collect(),
            long_run_avg_usd: Decimal::new(0, inputs.decimals.usd),
            inputs,
        };
        model.long_run_avg_usd = model.avg_usd_at_levels();
        model
    }

    /// What the movement of the figures is drawn from.
    pub fn seed(&self) -> u64 {
        self.inputs.seed
    }

    /// The regions of the network.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The days that there are figures of.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// Whether figures follow from dated series, in part at least.
    pub fn has_series(&self) -> bool {
        self.inputs.series.covered().is_some()
    }

    /// What the inputs were read from, as one number.
    pub fn fingerprint(&self) -> Fingerprint {
        self.inputs.fingerprint()
    }

    /// What the global average is expected to be, on a day: the long-run mean of the synthetic
    /// network; where there are dated series, which have none, the average of the day itself.
    pub fn forecast_avg_usd(&self, today: &Day) -> Decimal {
        if self.has_series() { today.global.avg_usd } else { self.long_run_avg_usd }
    }

    /// Every figure of a UTC day.
    pub fn day(&self, date: Date) -> Result<Day, NoFigures> {
        let network = self.network_day(date)?;
        let costs = |index| self.region_costs(&network, index);
        let regions: Vec<Costs> = (0..self.regions.len()).map(costs).collect();
        let hashrate_shares_pct = self.shares_pct(network.day);
        Ok(Day {
            date,
            network: self.network_figures(&network),
            global: global(&regions, &hashrate_shares_pct),
            regions,
            hashrate_shares_pct,
        })
    }

    /// The costs of a scope on a UTC day. Those of one region need nothing of the others.
    pub fn costs(&self, scope: Scope, date: Date) -> Result<Costs, NoFigures> {
        match scope {
            Scope::Global => Ok(self.day(date)?.global),
            Scope::Region(region) => Ok(self.region_costs(&self.network_day(date)?, region.get())),
        }
    }

    /// The network's state on a UTC day.
    pub fn network(&self, date: Date) -> Result<NetworkFigures, NoFigures> {
        Ok(self.network_figures(&self.network_day(date)?))
    }

    /// The costs of a scope on those days of a range that there are figures of, the oldest first.
    ///
    /// ```
    /// use ghi_engine::{Inputs, Model, Scope};
    /// use jiff::civil::date;
    ///
    /// let model = Model::new(Inputs::default());
    /// let (from, to) = (date(2026, 1, 1), date(2026, 12, 31));
    /// let year: Vec<_> = model.history(Scope::Global, from, to)?.collect();
    /// assert_eq!(year.len(), 365);
    /// assert_eq!(year[364], (to, model.day(to)?.global));
    /// # Ok::<(), ghi_engine::NoFigures>(())
    /// ```
    pub fn history(
        &self,
        scope: Scope,
        from: Date,
        to: Date,
    ) -> Result<impl Iterator<Item = (Date, Costs)>, NoFigures> {
        let days = self.covered_days(from, to)?;
        Ok(days.filter_map(move |date| Some((date, self.costs(scope, date).ok()?))))
    }

    /// The network's state on those days of a range that there are figures of, the oldest first.
    pub fn network_history(
        &self,
        from: Date,
        to: Date,
    ) -> Result<impl Iterator<Item = (Date, NetworkFigures)>, NoFigures> {
        let days = self.covered_days(from, to)?;
        Ok(days.filter_map(|date| Some((date, self.network(date).ok()?))))
    }

    fn covered_days(&self, from: Date, to: Date) -> Result<impl Iterator<Item = Date>, NoFigures> {
        let (first, last) = self.coverage.overlap(from, to)?;
        Ok(first.series(1.day()).take_while(move |date| *date <= last))
    }

    /// What the costs of a day have in common.
    pub(crate) fn network_day(&self, date: Date) -> Result<NetworkDay, NoFigures> {
        self.coverage.check(date)?;
        let day = day_number(date);
        let network = &self.inputs.network;
        let row = self.inputs.series.network_on(day);
        let difficulty = row.map_or_else(|| self.difficulty(day), |row| row.difficulty);
        let block_reward_coins =
            row.and_then(|row| row.block_reward_coins).unwrap_or(network.block_reward_coins);
        let hashes_per_coin =
            hashes_per_coin(difficulty as f64, network.hashes_per_difficulty, block_reward_coins);
        let prices = self.movement.prices(day);
        Ok(NetworkDay { day, difficulty, block_reward_coins, hashes_per_coin, prices })
    }

    /// The synthetic difficulty of a day.
    fn difficulty(&self, day: i64) -> u64 {
        let moved = self.movement.difficulty(day, self.inputs.network.retarget_days);
        nearest_whole(self.inputs.level_of_difficulty() * moved)
    }

    fn network_figures(&self, network: &NetworkDay) -> NetworkFigures {
        let Inputs { network: levels, decimals, series, .. } = &self.inputs;
        let day = network.day;
        let row = series.network_on(day);
        let estimated = || {
            let hashrate_eh = match row {
                Some(_) => self.inputs.implied_eh(network.difficulty),
                None => levels.hashrate_eh * self.movement.hashrate(day),
            };
            hashrate_eh * self.movement.scatter(day)
        };
        let hashrate_eh = row.and_then(|row| row.hashrate_eh).unwrap_or_else(estimated);
        let fee_usd = row
            .and_then(|row| row.fee_usd)
            .unwrap_or_else(|| levels.fee_usd * self.movement.fee(day));
        NetworkFigures {
            hashrate_eh: Decimal::nearest(hashrate_eh, decimals.hashrate_eh),
            difficulty: network.difficulty,
            avg_fee_usd: Decimal::nearest(fee_usd, decimals.usd),
        }
    }

    /// With what a region mines on a day.
    pub(crate) fn fleet(&self, network: &NetworkDay, index: usize) -> Fleet {
        let region = &self.inputs.regions[index];
        let mut prices =
            self.regions[index].prices(&network.prices, &region.electricity_usd_per_kwh);
        let row = self.inputs.series.region_on(index, network.day);
        if let Some(row) = row {
            replace(&mut prices, row.electricity_usd_per_kwh);
            // Where only some of the three are given, the others move, but not past the mean.
            prices = [prices[0].min(prices[1]), prices[1], prices[2].max(prices[1])];
        }
        Fleet { efficiency_j_per_th: efficiencies(region, row), electricity_usd_per_kwh: prices }
    }

    /// The efficiency of a region's mean fleet on a day.
    pub(crate) fn mean_efficiency_j_per_th(&self, network: &NetworkDay, index: usize) -> f64 {
        let row = self.inputs.series.region_on(index, network.day);
        efficiencies(&self.inputs.regions[index], row)[1]
    }

    fn region_costs(&self, network: &NetworkDay, index: usize) -> Costs {
        let Fleet { efficiency_j_per_th, electricity_usd_per_kwh } = self.fleet(network, index);
        let cost = |scenario: usize| {
            let cost = cost_usd_per_coin(
                network.hashes_per_coin,
                efficiency_j_per_th[scenario],
                electricity_usd_per_kwh[scenario],
                self.inputs.network.overhead,
            );
            Decimal::nearest(cost, self.inputs.decimals.usd)
        };
        Costs { min_usd: cost(0), avg_usd: cost(1), max_usd: cost(2) }
    }

    /// Each region's share of the hashrate on a day.
    fn shares_pct(&self, day: i64) -> Arc<[Decimal]> {
        if self.inputs.series.regions.is_empty() {
            return Arc::clone(&self.shares_pct);
        }
        let share = |(index, level): (usize, &Decimal)| {
            let row = self.inputs.series.region_on(index, day);
            row.and_then(RegionRow::hashrate_share_pct).unwrap_or(*level)
        };
        self.shares_pct.iter().enumerate().map(share).collect()
    }

    /// The global average on a day on which nothing moves. Every factor's mean is 1 and the factors
    /// are independent, so it is the mean over all time.
    fn avg_usd_at_levels(&self) -> Decimal {
        let network = &self.inputs.network;
        let hashes = hashes_per_coin(
            nearest_whole(self.inputs.level_of_difficulty()) as f64,
            network.hashes_per_difficulty,
            network.block_reward_coins,
        );
        let costs = |region: &RegionInputs| {
            let [efficiency, price] =
                [region.efficiency_j_per_th.mean, region.electricity_usd_per_kwh.mean];
            let cost = cost_usd_per_coin(hashes, efficiency, price, network.overhead);
            let avg_usd = Decimal::nearest(cost, self.inputs.decimals.usd);
            Costs { min_usd: avg_usd, avg_usd, max_usd: avg_usd }
        };
        let regions: Vec<Costs> = self.inputs.regions.iter().map(costs).collect();
        global(&regions, &self.shares_pct).avg_usd
    }
}

/// The costs over all regions.
fn global(regions: &[Costs], shares_pct: &[Decimal]) -> Costs {
    let mut global = regions[0];
    let mut weighted = 0;
    for (costs, share_pct) in std::iter::zip(regions, shares_pct) {
        global.min_usd = global.min_usd.min(costs.min_usd);
        global.max_usd = global.max_usd.max(costs.max_usd);
        weighted += u128::from(share_pct.count()) * u128::from(costs.avg_usd.count());
    }
    // Whoever weighs the published averages by the published shares finds the same last digit.
    let whole = u128::from(WHOLE_NETWORK_PCT.count());
    let avg = ((weighted + whole / 2) / whole) as u64;
    global.avg_usd = Decimal::new(avg, global.avg_usd.decimals());
    global
}

/// The efficiencies of a region's fleets, from best to worst, with what a row of a series gives.
fn efficiencies(region: &RegionInputs, row: Option<&RegionRow>) -> [f64; 3] {
    let levels = &region.efficiency_j_per_th;
    let mut efficiencies = [levels.best, levels.mean, levels.worst];
    if let Some(row) = row {
        replace(&mut efficiencies, row.efficiency_j_per_th);
    }
    efficiencies
}

/// Puts what a row of a series gives in the place of what the inputs say.
fn replace(values: &mut [f64; 3], given: [Option<Positive>; 3]) {
    for (value, given) in std::iter::zip(values, given) {
        *value = given.map_or(*value, Positive::get);
    }
}

fn nearest_whole(value: f64) -> u64 {
    (value + 0.5) as u64
}
