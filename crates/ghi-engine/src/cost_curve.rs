//! How the cost of a coin is spread over the hashrate: by region, and by machine in order of its cost.

use std::iter::zip;

use crate::calendar::{NoFigures, day_number};
use crate::cost::{Fleet, cost_usd_per_coin};
use crate::day::{CostKind, Costs, Day, RegionIndex, SHARE_DECIMALS, WHOLE_NETWORK_PCT};
use crate::model::Model;
use crate::numbers::{Decimal, DisplayNumber, power_of_ten};

/// The decimals of a part's share. The shares of thousands of parts still sum to nearly 100.
const PART_SHARE_DECIMALS: u8 = 6;
/// The significant digits of a part's efficiency: enough to reproduce its costs.
const EFFICIENCY_DIGITS: usize = 9;
/// Hundredths of a percent per percent.
const HUNDREDTHS: f64 = 100.0;

impl Model {
    /// The regions on a day of this model, sorted by average, then by id.
    pub fn curve_rows(&self, day: &Day) -> Result<Vec<CurveRow>, NoFigures> {
        let capital = self.capital(day.date)?;
        let mut regions: Vec<RegionIndex> = self.registry().indices().collect();
        let average = |region: RegionIndex| day.regions[region.get()].avg_usd;
        regions.sort_by_key(|region| (average(*region), &self.registry()[*region].id));
        let mut cumulative = 0;
        let row = |region: RegionIndex| {
            let hashrate_share_pct = day.hashrate_shares_pct[region.get()];
            cumulative += hashrate_share_pct.count();
            CurveRow {
                region,
                hashrate_share_pct,
                cumulative_share_pct: Decimal::new(cumulative, WHOLE_NETWORK_PCT.decimals()),
                costs: day.regions[region.get()],
                full_cost_usd: capital.map(|capital| capital.full_cost_usd(average(region))),
            }
        };
        Ok(regions.into_iter().map(row).collect())
    }

    /// The parts of the hashrate on a day of this model, sorted by average, then by region id, then by
    /// efficiency. Without a fleet, each region is one part.
    pub fn merit_order(&self, day: &Day) -> Result<Vec<MeritPart>, NoFigures> {
        let part = |part: &MachinePart| MeritPart {
            region: part.region,
            efficiency_j_per_th: DisplayNumber::new(part.efficiency_j_per_th, EFFICIENCY_DIGITS),
            hashrate_share_pct: Decimal::nearest(part.share_pct, PART_SHARE_DECIMALS),
            costs: Costs::each(|kind| self.usd(part.costs_usd[kind as usize])),
        };
        let mut parts: Vec<MeritPart> = self.machine_parts(day)?.iter().map(part).collect();
        parts.sort_by(|a, b| {
            let key = |part: &MeritPart| (part.costs.avg_usd, &self.registry()[part.region].id);
            let efficiency = |part: &MeritPart| part.efficiency_j_per_th.value();
            key(a).cmp(&key(b)).then(efficiency(a).total_cmp(&efficiency(b)))
        });
        Ok(parts)
    }

    /// Whether the inputs have a fleet on a day.
    pub fn has_fleet(&self, day: &Day) -> bool {
        !self.inputs.series.fleet_on(day_number(day.date)).is_empty()
    }

    /// The cost curve of a day of this model.
    pub fn cost_curve(&self, day: &Day) -> Result<CostCurve, NoFigures> {
        if !self.has_fleet(day) {
            return Ok(CostCurve::of_regions(day));
        }
        let unit = power_of_ten(day.global.avg_usd.decimals());
        let halves = self.machine_parts(day)?.into_iter().flat_map(|part| {
            halves(part.costs_usd.map(|cost| cost * unit), part.share_pct * HUNDREDTHS)
        });
        Ok(CostCurve::of_halves(halves, day))
    }

    /// Each machine of the fleet in each region, in the order of the inputs. Without a fleet, one part per region.
    fn machine_parts(&self, day: &Day) -> Result<Vec<MachinePart>, NoFigures> {
        let network = self.network_day(day.date)?;
        let machines = self.inputs.series.fleet_on(network.day);
        let sum: f64 = machines.iter().map(|machine| machine.share_pct).sum();
        let mean =
            machines.iter().map(|row| row.share_pct * row.efficiency_j_per_th).sum::<f64>() / sum;
        let mut parts = Vec::with_capacity(day.regions.len() * machines.len().max(1));
        for region in self.registry().indices() {
            let fleet = self.fleet(&network, region.get());
            let Fleet { electricity_usd_per_kwh, overhead, .. } = fleet;
            let (efficiency_j_per_th, _) = fleet.at(CostKind::Avg);
            let share_pct = day.hashrate_shares_pct[region.get()].to_f64();
            parts.extend(machines.iter().map(|machine| {
                let efficiency_j_per_th =
                    machine.efficiency_j_per_th * (efficiency_j_per_th / mean);
                let cost = |price| {
                    cost_usd_per_coin(network.hashes_per_coin, efficiency_j_per_th, price, overhead)
                };
                let costs_usd = electricity_usd_per_kwh.map(cost);
                let share_pct = share_pct * (machine.share_pct / sum);
                MachinePart { region, efficiency_j_per_th, share_pct, costs_usd }
            }));
            if machines.is_empty() {
                let costs = day.regions[region.get()];
                let costs_usd = CostKind::ALL.map(|kind| costs.get(kind).to_f64());
                parts.push(MachinePart { region, efficiency_j_per_th, share_pct, costs_usd });
            }
        }
        Ok(parts)
    }
}

/// A machine of the fleet in a region, unrounded.
struct MachinePart {
    region: RegionIndex,
    efficiency_j_per_th: f64,
    share_pct: f64,
    /// By [`CostKind`].
    costs_usd: [f64; 3],
}

/// A part of the hashrate: one machine in one region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeritPart {
    /// The region.
    pub region: RegionIndex,
    /// The machine's efficiency, scaled so that the mean of the fleet is the region's.
    pub efficiency_j_per_th: DisplayNumber,
    /// The part's share of the world's hashrate in percent.
    pub hashrate_share_pct: Decimal,
    /// Its costs at the region's low, mean and high power price.
    pub costs: Costs,
}

/// The worldwide distribution of the cost on a day.
///
/// It consists of parts: the machines of the fleet in each region or, without a fleet, the regions with their
/// published costs. Within a part, cost rises linearly over its hashrate from the minimum to the median and from
/// there to the maximum. The median is 2 x average - (minimum + maximum) / 2, limited to the range from minimum to
/// maximum, so that the mean is the average.
#[derive(Clone, Debug)]
pub struct CostCurve {
    halves: Vec<PartHalf>,
    decimals: u8,
}

/// Half the hashrate of a part, whose cost rises linearly. Costs are in units of the last decimal.
#[derive(Clone, Copy, Debug)]
struct PartHalf {
    from: f64,
    to: f64,
    /// Its share of the network in hundredths of a percent.
    share: f64,
}

impl PartHalf {
    fn share_up_to(&self, cost: f64) -> f64 {
        if cost >= self.to {
            self.share
        } else if cost <= self.from {
            0.0
        } else {
            self.share * ((cost - self.from) / (self.to - self.from))
        }
    }
}

impl CostCurve {
    /// The published percentiles.
    pub const PERCENTILES: [u8; 7] = [5, 10, 25, 50, 75, 90, 95];

    /// The curve of a day without a fleet, from its published costs and shares.
    pub fn of_regions(day: &Day) -> Self {
        let regions = zip(&day.regions, &day.hashrate_shares_pct);
        let halves = regions.flat_map(|(costs, share)| {
            let costs = CostKind::ALL.map(|kind| costs.get(kind).count() as f64);
            halves(costs, share.count() as f64)
        });
        Self::of_halves(halves, day)
    }

    fn of_halves(halves: impl Iterator<Item = PartHalf>, day: &Day) -> Self {
        let halves = halves.filter(|half| half.share > 0.0).collect();
        Self { halves, decimals: day.global.avg_usd.decimals() }
    }

    /// The share of the hashrate that mines at or below a cost, in percent with two decimals.
    pub fn share_below_pct(&self, cost_usd: Decimal) -> Decimal {
        let share = self.share_up_to(cost_usd.count() as f64);
        Decimal::new((share + 0.5) as u64, SHARE_DECIMALS)
    }

    /// The lowest costs at which these percentages of the hashrate are reached, from 0 to 100.
    pub fn percentiles_usd<const N: usize>(&self, percentages: [u8; N]) -> [Decimal; N] {
        let mut ends: Vec<f64> = self.halves.iter().flat_map(|half| [half.from, half.to]).collect();
        ends.sort_unstable_by(f64::total_cmp);
        percentages.map(|percent| {
            let cost = self.cost_at(f64::from(percent) * HUNDREDTHS, &ends);
            Decimal::new((cost + 0.5) as u64, self.decimals)
        })
    }

    fn share_up_to(&self, cost: f64) -> f64 {
        self.halves.iter().map(|half| half.share_up_to(cost)).sum()
    }

    /// The lowest cost at which a share is reached, given the ends of all halves, ascending.
    fn cost_at(&self, share: f64, ends: &[f64]) -> f64 {
        let reached = ends.partition_point(|end| self.share_up_to(*end) < share);
        let end = ends[reached.min(ends.len() - 1)];
        let Some(start) = reached.checked_sub(1).map(|before| ends[before]) else {
            return end;
        };
        // Halves with equal ends are reached all at once, at the end.
        let at_once = self.halves.iter().filter(|half| half.from == end && half.to == end);
        let before_end = self.share_up_to(end) - at_once.map(|half| half.share).sum::<f64>();
        if share > before_end {
            return end;
        }
        let at_start = self.share_up_to(start);
        (start + (end - start) * (share - at_start) / (before_end - at_start)).min(end)
    }
}

/// The halves of a part with these costs, and a share in hundredths of a percent.
fn halves([min, avg, max]: [f64; 3], share: f64) -> [PartHalf; 2] {
    let median = (2.0 * avg - (min + max) / 2.0).max(min).min(max);
    let share = share / 2.0;
    [PartHalf { from: min, to: median, share }, PartHalf { from: median, to: max, share }]
}

/// A region on the cost curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveRow {
    /// The region.
    pub region: RegionIndex,
    /// Its share of the hashrate in percent.
    pub hashrate_share_pct: Decimal,
    /// Its share plus the shares of all cheaper regions.
    pub cumulative_share_pct: Decimal,
    /// Its published costs.
    pub costs: Costs,
    /// Its average with capital, if the inputs have `[capital]`.
    pub full_cost_usd: Option<Decimal>,
}
