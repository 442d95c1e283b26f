//! The price of a coin compared with its cost, and the cost of machines.

use jiff::civil::Date;

use crate::calendar::{NoFigures, day_number};
use crate::cost::{capital_usd_per_coin, energy_kwh};
use crate::cost_curve::CostCurve;
use crate::day::Day;
use crate::decimal::{Decimal, DisplayNumber, power_of_ten};
use crate::fields::{PRICE_USD, Variable};
use crate::interval::Interval;
use crate::model::Model;

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
        let (series, [from, to]) = (&self.inputs.series, [from, to].map(day_number));
        let days = series.change_days(&[]).into_iter().chain(series.covered_on_or_after(from));
        let mut rows =
            days.filter(|day| (from..=to).contains(day)).filter_map(|day| series.network_on(day));
        self.inputs.file.network.price_usd.is_some() || rows.any(|row| row.price_usd.is_some())
    }

    /// The price that a reader chooses: one that does not round to zero.
    pub fn readers_price(&self) -> Variable {
        let unit = 1.0 / power_of_ten(self.inputs.file.decimals.usd);
        let range = Interval { min: PRICE_USD.min.max(unit), ..PRICE_USD };
        Variable { name: "price", range }
    }

    /// Rounds a number in USD to the published decimals.
    pub fn usd(&self, value: f64) -> Decimal {
        Decimal::nearest(value, self.inputs.file.decimals.usd)
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
        let hashes = self.network_day(date)?.hashes_per_coin;
        Ok(self.inputs.file.capital.as_ref().map(|capital| CapitalCost {
            usd_per_th: capital.usd_per_th,
            years: capital.years,
            capital_usd: self.usd(capital_usd_per_coin(hashes, capital.usd_per_th, capital.years)),
        }))
    }
}
