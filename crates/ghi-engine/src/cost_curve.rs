//! The cost curve: how the cost of a coin is spread over the hashrate.

use std::iter::zip;

use crate::calendar::NoFigures;
use crate::day::{CostKind, Costs, Day};
use crate::decimal::Decimal;
use crate::model::Model;
use crate::registry::{RegionIndex, SHARE_DECIMALS, WHOLE_NETWORK_PCT};

/// The worldwide distribution of the cost on a day, from its published costs and shares.
///
/// Within a region, cost rises linearly over its hashrate from the minimum to the median and from there to
/// the maximum. The median is 2 x average - (minimum + maximum) / 2, limited to the range from minimum to
/// maximum, so that the mean is the published average.
#[derive(Clone, Debug)]
pub struct CostCurve {
    halves: Vec<RegionHalf>,
    /// The ends of all halves, ascending.
    ends: Vec<f64>,
    decimals: u8,
}

/// Half the hashrate of a region, whose cost rises linearly. Costs are in units of the last decimal.
#[derive(Clone, Copy, Debug)]
struct RegionHalf {
    from: f64,
    to: f64,
    /// Its share of the network in hundredths of a percent.
    share: f64,
}

impl RegionHalf {
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

    /// The curve of a day.
    pub fn new(day: &Day) -> Self {
        let regions = zip(&day.regions, day.hashrate_shares_pct.iter());
        let regions = regions.filter(|(_, share)| share.count() > 0);
        let halves: Vec<RegionHalf> =
            regions.flat_map(|(costs, share)| halves(costs, *share)).collect();
        let mut ends: Vec<f64> = halves.iter().flat_map(|half| [half.from, half.to]).collect();
        ends.sort_unstable_by(f64::total_cmp);
        Self { halves, ends, decimals: day.global.avg_usd.decimals() }
    }

    /// The share of the hashrate that mines at or below a cost, in percent with two decimals.
    pub fn share_below_pct(&self, cost_usd: Decimal) -> Decimal {
        let share = self.share_up_to(cost_usd.count() as f64);
        Decimal::new((share + 0.5) as u64, SHARE_DECIMALS)
    }

    /// The lowest costs at which [`CostCurve::PERCENTILES`] of the hashrate are reached.
    pub fn percentiles_usd(&self) -> [Decimal; 7] {
        Self::PERCENTILES.map(|percent| self.percentile_usd(percent))
    }

    /// The lowest cost at which a percentage of the hashrate is reached. More than 100 counts as 100.
    pub fn percentile_usd(&self, percent: u8) -> Decimal {
        let cost = self.cost_at(f64::from(percent.min(100)) * 100.0);
        Decimal::new((cost + 0.5) as u64, self.decimals)
    }

    fn share_up_to(&self, cost: f64) -> f64 {
        self.halves.iter().map(|half| half.share_up_to(cost)).sum()
    }

    fn cost_at(&self, share: f64) -> f64 {
        let reached = self.ends.partition_point(|end| self.share_up_to(*end) < share);
        let end = self.ends[reached.min(self.ends.len() - 1)];
        let Some(start) = reached.checked_sub(1).map(|before| self.ends[before]) else {
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

fn halves(costs: &Costs, share: Decimal) -> [RegionHalf; 2] {
    let [min, avg, max] = CostKind::ALL.map(|kind| costs.get(kind).count() as f64);
    let median = (2.0 * avg - (min + max) / 2.0).max(min).min(max);
    let share = share.count() as f64 / 2.0;
    [RegionHalf { from: min, to: median, share }, RegionHalf { from: median, to: max, share }]
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
}
