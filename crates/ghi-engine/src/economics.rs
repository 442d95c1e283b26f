//! The price of a coin compared with its cost, the cost of machines, and how the cost is spread over the hashrate.

use std::iter::zip;

use jiff::civil::Date;

use crate::calendar::{NoFigures, day_number};
use crate::cost::{capital_usd_per_coin, energy_kwh};
use crate::day::{CostKind, Costs, Day, RegionIndex, SHARE_DECIMALS, WHOLE_NETWORK_PCT};
use crate::fields::{PRICE_USD, Variable};
use crate::inputs::CapitalInputs;
use crate::model::{Model, NetworkDay};
use crate::numbers::{Decimal, DisplayNumber, Interval, power_of_ten};

const RATIO_DECIMALS: u8 = 4;
const SECONDS_PER_DAY: f64 = 86_400.0;
const HASHES_PER_PH: f64 = 1e15;

/// A price of a coin compared with its worldwide cost on a day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Economics {
    /// The day.
    pub date: Date,
    /// The market price or a reader's price.
    pub price_usd: Decimal,
    /// The published worldwide average.
    pub avg_cost_usd: Decimal,
    /// Price divided by cost, with four decimals, or six significant digits below 0.1.
    pub price_to_cost: Decimal,
    /// The daily revenue of 1 PH/s from block rewards, without fees. Below 0.1, it has six significant
    /// digits.
    pub hashprice_usd_per_ph_day: Decimal,
    /// The power price at which the average cost equals the price, with everything else at the mean.
    pub break_even_usd_per_kwh: DisplayNumber,
    /// The efficiency at which the average cost equals the price, with everything else at the mean.
    pub break_even_j_per_th: DisplayNumber,
    /// The share of the hashrate that mines at or below this price, in percent with two decimals.
    pub hashrate_below_price_pct: Decimal,
}

/// The cost of machines per coin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapitalCost {
    /// The price of 1 TH/s.
    pub usd_per_th: f64,
    /// The number of years that machines are used.
    pub years: f64,
    /// hashes per coin / (10^12 x years x 31,557,600) x price, rounded. It is the same in all regions.
    pub capital_usd: Decimal,
}

impl CapitalCost {
    /// The full cost: a published cost plus the capital cost.
    pub fn full_cost_usd(&self, cost_usd: Decimal) -> Decimal {
        Decimal::new(cost_usd.count() + self.capital_usd.count(), cost_usd.decimals())
    }
}

impl Model {
    /// Whether any day of a range has a market price.
    pub fn has_price(&self, from: Date, to: Date) -> bool {
        let series = &self.inputs.series;
        let row_in_range_has_price = |(first, last)| {
            let [first, last] = [first, last].map(day_number);
            let days = series.change_days(&[]).into_iter().chain([first]);
            let days = days.filter(|day| (first..=last).contains(day));
            days.filter_map(|day| series.network_on(day)).any(|row| row.price_usd.is_some())
        };
        self.inputs.file.network.price_usd.is_some()
            || series.overlap(from, to).is_ok_and(row_in_range_has_price)
    }

    /// The price that a reader chooses: one that does not round to zero.
    pub fn readers_price(&self) -> Variable {
        let unit = 1.0 / power_of_ten(self.inputs.file.decimals.usd);
        let range = Interval { min: PRICE_USD.min.max(unit), ..PRICE_USD };
        Variable { name: "price", range }
    }

    /// Compares a price with the costs of a day of this model. The market price of the day is
    /// `day.network.price_usd`.
    pub fn economics(&self, day: &Day, price_usd: Decimal) -> Result<Economics, NoFigures> {
        let network = self.network_day(day.date)?;
        let (avg, price) = (day.global.avg_usd.to_f64(), price_usd.to_f64());
        let (efficiency, overhead) = self.global_means(&network, day);
        let energy = energy_kwh(network.hashes_per_coin, efficiency);
        let hashes_per_block =
            network.difficulty as f64 * self.inputs.file.network.hashes_per_difficulty;
        let revenue = price * network.block_reward_coins * SECONDS_PER_DAY * HASHES_PER_PH;
        let digits = Decimal::SIGNIFICANT_DIGITS.into();
        let break_even = |mean| DisplayNumber::new(mean * price / avg, digits);
        let significant = Decimal::nearest_significant;
        let decimals = self.inputs.file.decimals.usd;
        Ok(Economics {
            date: day.date,
            price_usd,
            avg_cost_usd: day.global.avg_usd,
            price_to_cost: significant(price / avg, RATIO_DECIMALS),
            hashprice_usd_per_ph_day: significant(revenue / hashes_per_block, decimals),
            break_even_usd_per_kwh: break_even(avg / overhead / energy),
            break_even_j_per_th: break_even(efficiency),
            hashrate_below_price_pct: CostCurve::new(day).share_below_pct(price_usd),
        })
    }

    /// The cost of machines per coin on a day. `None` if the inputs have no `[capital]`.
    pub fn capital(&self, date: Date) -> Result<Option<CapitalCost>, NoFigures> {
        let NetworkDay { day, hashes_per_coin, .. } = self.network_day(date)?;
        let capital = self.inputs.capital_on(self.inputs.series.network_on(day));
        Ok(capital.map(|CapitalInputs { usd_per_th, years }| CapitalCost {
            usd_per_th,
            years,
            capital_usd: self.usd(capital_usd_per_coin(hashes_per_coin, usd_per_th, years)),
        }))
    }

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
