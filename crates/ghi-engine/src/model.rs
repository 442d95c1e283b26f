//! The model: computes a day's data from inputs and a date.

use jiff::ToSpan;
use jiff::civil::Date;

use crate::calendar::{Coverage, NoFigures, date_of, day_number};
use crate::cost::{Fleet, hashes_per_coin};
use crate::day::{CostKind, Costs, Day, NetworkState};
use crate::decimal::Decimal;
use crate::inputs::{Coin, Fingerprint, Inputs, InputsFile, RegionInputs};
use crate::movement::{NetworkMovement, RegionMovement};
use crate::registry::{RegisteredRegion, Registry, Scope, WHOLE_NETWORK_PCT};
use crate::series::override_levels;

/// Computes the data of a network, day by day.
///
/// Everything is a function of the inputs and the date: no day depends on the day before, and a published
/// day never changes.
#[derive(Debug)]
pub struct Model {
    pub(crate) inputs: Inputs,
    registry: Registry,
    movement: NetworkMovement,
    regions: Vec<RegionMovement>,
}

#[derive(Debug)]
pub(crate) struct NetworkDay {
    pub(crate) day: i64,
    pub(crate) difficulty: u64,
    pub(crate) block_reward_coins: f64,
    pub(crate) hashes_per_coin: f64,
}

impl Model {
    /// The model of a network.
    pub fn new(inputs: Inputs) -> Self {
        let registered = |region: &RegionInputs| RegisteredRegion {
            id: region.id.clone(),
            name: region.name.clone(),
        };
        let moving = |region: &RegionInputs| RegionMovement::new(inputs.file.seed, &region.id);
        let file = &inputs.file;
        Self {
            registry: Registry::new(file.regions.iter().map(registered).collect()),
            movement: NetworkMovement::new(file.seed, &file.movement),
            regions: file.regions.iter().map(moving).collect(),
            inputs,
        }
    }

    /// The seed of the synthetic movement.
    pub fn seed(&self) -> u64 {
        self.inputs.file.seed
    }

    /// The coin that the network mines.
    pub fn coin(&self) -> &Coin {
        &self.inputs.file.coin
    }

    /// The regions of the network.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The first and the last day that have data.
    pub fn coverage(&self) -> Coverage {
        self.inputs.coverage()
    }

    /// Fails if a day has no data.
    pub fn check(&self, date: Date) -> Result<(), NoFigures> {
        self.inputs.check(date)
    }

    /// The first and the last day of a range that have data. Days between them may have none.
    pub fn overlap(&self, from: Date, to: Date) -> Result<(Date, Date), NoFigures> {
        self.inputs.overlap(from, to)
    }

    /// The last day with data up to a date, or the first day with data if there is none.
    pub fn nearest_covered(&self, date: Date) -> Date {
        let day = self.inputs.series.covered_on_or_before(day_number(date));
        day.map_or(self.coverage().first, date_of)
    }

    /// Whether the data is based on dated series, at least in part.
    pub fn has_series(&self) -> bool {
        self.inputs.series.has_rows()
    }

    /// The SHA-256 of the files that the inputs were read from.
    pub fn fingerprint(&self) -> Fingerprint {
        self.inputs.fingerprint()
    }

    /// The expected worldwide average: the long-run mean of the synthetic network or, with dated series,
    /// which have no such mean, today's average.
    pub fn forecast_avg_usd(&self, today: &Day) -> Decimal {
        if self.has_series() {
            return today.global.avg_usd;
        }
        // The factors of difficulty and power prices have a mean of 1 and are independent, so the long-run
        // mean is the average at the base levels.
        let network = &self.inputs.file.network;
        let hashes = hashes_per_coin(
            nearest_whole(self.inputs.base_difficulty()) as f64,
            network.hashes_per_difficulty,
            self.inputs.reward_on(day_number(today.date)),
        );
        let average = |region| self.inputs.fleet(region, None).cost_usd(hashes, CostKind::Avg);
        let regions = 0..self.regions.len();
        let shares_pct: Vec<Decimal> =
            regions.clone().map(|region| self.inputs.share_pct(region, None)).collect();
        weighted_average(regions.map(|region| self.usd(average(region))), &shares_pct)
    }

    /// The day of the next retarget, and its difficulty if the hashrate stays as it is on `day`. `None` with
    /// a network series, whose retargets aren't known in advance, or if the network retargets every day.
    pub fn next_retarget(&self, day: &Day) -> Option<(Date, u64)> {
        let days = self.inputs.file.network.retarget_days;
        let number = day_number(day.date);
        if days <= 1 || self.inputs.series.network_on(number).is_some() {
            return None;
        }
        let left = days - number.rem_euclid(days);
        let NetworkState { hashrate_eh, difficulty, .. } = day.network;
        let factor = hashrate_eh.to_f64() / self.inputs.implied_hashrate_eh(difficulty as f64);
        Some((day.date.checked_add(left.days()).ok()?, nearest_whole(difficulty as f64 * factor)))
    }

    /// All data of a UTC day.
    pub fn day(&self, date: Date) -> Result<Day, NoFigures> {
        let network = self.network_day(date)?;
        let indices = 0..self.regions.len();
        let regions: Vec<Costs> =
            indices.clone().map(|index| self.region_costs(&network, index)).collect();
        let hashrate_shares_pct: Vec<Decimal> =
            indices.map(|index| self.share_pct(network.day, index)).collect();
        Ok(Day {
            date,
            network: self.network_state(&network),
            global: global(&regions, &hashrate_shares_pct),
            regions,
            hashrate_shares_pct,
        })
    }

    /// The costs of a scope on a UTC day. A single region takes far less time than [`Model::day`].
    pub fn costs(&self, scope: Scope, date: Date) -> Result<Costs, NoFigures> {
        match scope {
            Scope::Global => Ok(self.day(date)?.global),
            Scope::Region(region) => Ok(self.region_costs(&self.network_day(date)?, region.get())),
        }
    }

    /// The network's state on a UTC day.
    pub fn network(&self, date: Date) -> Result<NetworkState, NoFigures> {
        Ok(self.network_state(&self.network_day(date)?))
    }

    pub(crate) fn network_day(&self, date: Date) -> Result<NetworkDay, NoFigures> {
        self.check(date)?;
        let day = day_number(date);
        let network = &self.inputs.file.network;
        let row = self.inputs.series.network_on(day);
        let difficulty = row.map_or_else(|| self.difficulty(day), |row| row.difficulty as u64);
        let block_reward_coins = row
            .and_then(|row| row.block_reward_coins)
            .unwrap_or_else(|| self.inputs.reward_on(day));
        let hashes_per_coin =
            hashes_per_coin(difficulty as f64, network.hashes_per_difficulty, block_reward_coins);
        Ok(NetworkDay { day, difficulty, block_reward_coins, hashes_per_coin })
    }

    fn difficulty(&self, day: i64) -> u64 {
        // A difficulty that is adjusted with each block changes once a day here.
        let retarget_days = self.inputs.file.network.retarget_days.max(1);
        let factor = self.movement.difficulty(day, retarget_days);
        nearest_whole(self.inputs.base_difficulty() * factor)
    }

    fn network_state(&self, network: &NetworkDay) -> NetworkState {
        let InputsFile { network: base, decimals, .. } = &self.inputs.file;
        let day = network.day;
        let row = self.inputs.series.network_on(day);
        let implied_eh = || self.inputs.implied_hashrate_eh(network.difficulty as f64);
        let hashrate_eh = match row {
            None => base.hashrate_eh * self.movement.hashrate(day),
            Some(row) => {
                row.hashrate_eh.unwrap_or_else(|| implied_eh() * self.movement.scatter(day))
            }
        };
        let fee_usd = row.and_then(|row| row.fee_usd);
        let fee_usd = fee_usd.unwrap_or_else(|| base.fee_usd * self.movement.fee(day));
        let price_usd = row.and_then(|row| row.price_usd);
        let moving = || Some(base.price_usd? * self.movement.market_price(day));
        let price_usd = price_usd.or_else(moving);
        NetworkState {
            hashrate_eh: Decimal::nearest(hashrate_eh, decimals.hashrate_eh),
            difficulty: network.difficulty,
            avg_fee_usd: self.usd(fee_usd),
            price_usd: price_usd.map(|price_usd| self.usd(price_usd)),
        }
    }

    pub(crate) fn fleet(&self, network: &NetworkDay, index: usize) -> Fleet {
        let base = self.inputs.file.regions[index].electricity_usd_per_kwh;
        let row = self.inputs.series.region_on(index, network.day);
        let moved = self.regions[index].prices(&self.movement, network.day, base);
        let given = row.map_or([None; 3], |row| row.electricity_usd_per_kwh);
        let [low, mean, high] = override_levels(moved, given);
        // A row may have only some of the prices. The others move, but do not cross the mean.
        let electricity_usd_per_kwh = [low.min(mean), mean, high.max(mean)];
        Fleet { electricity_usd_per_kwh, ..self.inputs.fleet(index, row) }
    }

    fn region_costs(&self, network: &NetworkDay, index: usize) -> Costs {
        let fleet = self.fleet(network, index);
        Costs::each(|kind| self.usd(fleet.cost_usd(network.hashes_per_coin, kind)))
    }

    pub(crate) fn share_pct(&self, day: i64, index: usize) -> Decimal {
        self.inputs.share_pct(index, self.inputs.series.region_on(index, day))
    }
}

pub(crate) fn global(regions: &[Costs], shares_pct: &[Decimal]) -> Costs {
    let first = regions[0];
    Costs {
        min_usd: regions.iter().fold(first.min_usd, |min, costs| min.min(costs.min_usd)),
        avg_usd: weighted_average(regions.iter().map(|costs| costs.avg_usd), shares_pct),
        max_usd: regions.iter().fold(first.max_usd, |max, costs| max.max(costs.max_usd)),
    }
}

/// The average of the regions, weighted by share. It is computed from published numbers, in integers, so
/// that everyone gets the same last digit.
fn weighted_average(averages: impl Iterator<Item = Decimal>, shares_pct: &[Decimal]) -> Decimal {
    let (mut weighted, mut decimals) = (0, 0);
    for (average, share) in averages.zip(shares_pct) {
        weighted += u128::from(share.count()) * u128::from(average.count());
        decimals = average.decimals();
    }
    let whole = u128::from(WHOLE_NETWORK_PCT.count());
    Decimal::new(((weighted + whole / 2) / whole) as u64, decimals)
}

fn nearest_whole(value: f64) -> u64 {
    (value + 0.5) as u64
}
