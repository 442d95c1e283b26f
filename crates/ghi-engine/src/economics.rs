//! The price of a coin compared with its cost, what a cost includes, and how uncertain it is.

use jiff::civil::Date;

use crate::calendar::NoFigures;
use crate::cost::{capital_usd_per_coin, energy_kwh};
use crate::day::{CostKind, Day, WHOLE_NETWORK_PCT};
use crate::fields::{PRICE_USD, Variable};
use crate::inputs::{CapitalInputs, UncertaintyInputs};
use crate::model::{Model, NetworkDay};
use crate::numbers::{Decimal, DisplayNumber, Interval, power_of_ten};

const RATIO_DECIMALS: u8 = 4;
const POWER_DECIMALS: u8 = 2;
const SECONDS_PER_DAY: f64 = 86_400.0;
const HASHES_PER_PH: f64 = 1e15;
/// The standard errors on each side of the mean between which a normal distribution has 80% of its values.
const INTERVAL_ERRORS: f64 = 1.281_551_6;
pub(crate) const HOURS_PER_YEAR: f64 = 8_766.0;
/// MW per GW, and GWh per TWh.
pub(crate) const THOUSAND: f64 = 1_000.0;

/// A price of a coin compared with its worldwide cost on a day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Economics {
    /// Price divided by cost, with four decimals, or six significant digits below 0.1.
    pub price_to_cost: Decimal,
    /// The revenue of a coin divided by its cost, with as many digits.
    pub revenue_to_cost: Decimal,
    /// The daily revenue of 1 PH/s. Below 0.1, it has six significant digits.
    pub hashprice_usd_per_ph_day: Decimal,
    /// The power price at which the average cost equals the revenue, with everything else at the mean.
    pub break_even_usd_per_kwh: DisplayNumber,
    /// The efficiency at which the average cost equals the revenue, with everything else at the mean.
    pub break_even_j_per_th: DisplayNumber,
    /// The share of the hashrate whose cost is at or below the revenue, in percent with two decimals.
    pub hashrate_below_price_pct: Decimal,
}

/// The worldwide average of a day with less and with more in it, how uncertain it is, and the power of the network at the
/// hashrate that the difficulty implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostLevels {
    /// Electricity alone.
    pub energy_cost_usd: Decimal,
    /// Operating costs and machines, if the inputs have `[capital]`.
    pub all_in_cost_usd: Option<Decimal>,
    /// The 80% interval of the published average, if the inputs have `[uncertainty]`.
    pub interval_usd: Option<[Decimal; 2]>,
    /// In GW, with two decimals, or six significant digits below 0.1. It is without overhead, which is money.
    pub power_gw: Decimal,
    /// In TWh, in a year of 8,766 hours, with as many digits.
    pub energy_twh_per_year: Decimal,
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
        let revenue = self.block_revenue_usd(&network, price);
        let per_coin = revenue / network.block_reward_coins;
        let hashprice = revenue * SECONDS_PER_DAY * HASHES_PER_PH / hashes_per_block;
        let digits = Decimal::SIGNIFICANT_DIGITS.into();
        let break_even = |mean| DisplayNumber::new(mean * per_coin / avg, digits);
        let significant = Decimal::nearest_significant;
        Ok(Economics {
            price_to_cost: significant(price / avg, RATIO_DECIMALS),
            revenue_to_cost: significant(per_coin / avg, RATIO_DECIMALS),
            hashprice_usd_per_ph_day: significant(hashprice, self.inputs.file.decimals.usd),
            break_even_usd_per_kwh: break_even(avg / overhead / energy),
            break_even_j_per_th: break_even(efficiency),
            hashrate_below_price_pct: self.cost_curve(day)?.share_below_pct(self.usd(per_coin)),
        })
    }

    fn block_revenue_usd(&self, network: &NetworkDay, price_usd: f64) -> f64 {
        let row = self.inputs.series.network_on(network.day);
        self.inputs.block_revenue_usd(row, network.block_reward_coins, price_usd)
    }

    /// The revenue per mined coin on a day of this model, at a price of the coin: the cost at which mining breaks
    /// even. It is the price itself if the inputs have no other revenue and no pool fee.
    pub fn revenue_usd_per_coin(
        &self,
        day: &Day,
        price_usd: Decimal,
    ) -> Result<Decimal, NoFigures> {
        let network = self.network_day(day.date)?;
        let revenue = self.block_revenue_usd(&network, price_usd.to_f64());
        Ok(self.usd(revenue / network.block_reward_coins))
    }

    /// What the worldwide average of a day of this model includes, how uncertain it is, and the power of the network.
    pub fn levels(&self, day: &Day) -> Result<CostLevels, NoFigures> {
        let network = self.network_day(day.date)?;
        let [mut energy, mut efficiencies] = [0.0; 2];
        for (index, share) in day.hashrate_shares_pct.iter().enumerate() {
            // Efficiency and overhead don't move, unlike power prices, which take longer to compute.
            let fleet = self.inputs.fleet(index, self.inputs.series.region_on(index, network.day));
            let average = day.regions[index].avg_usd.to_f64();
            energy += share.count() as f64 * (average / fleet.overhead);
            efficiencies += share.count() as f64 * fleet.at(CostKind::Avg).0;
        }
        let whole = WHOLE_NETWORK_PCT.count() as f64;
        // J/TH is W per TH/s, so EH/s x J/TH is MW.
        let hashrate_eh = self.inputs.implied_hashrate_eh(network.difficulty as f64);
        let power_gw = hashrate_eh * (efficiencies / whole) / THOUSAND;
        let energy_twh = power_gw * HOURS_PER_YEAR / THOUSAND;
        let [power_gw, energy_twh_per_year] =
            [power_gw, energy_twh].map(|value| Decimal::nearest_significant(value, POWER_DECIMALS));
        let avg_cost_usd = day.global.avg_usd;
        let capital = self.capital(day.date)?;
        Ok(CostLevels {
            energy_cost_usd: self.usd(energy / whole),
            all_in_cost_usd: capital.map(|capital| capital.full_cost_usd(avg_cost_usd)),
            interval_usd: self.interval_usd(avg_cost_usd),
            power_gw,
            energy_twh_per_year,
        })
    }

    /// The 80% interval of a worldwide average. `None` if the inputs have no `[uncertainty]`.
    pub fn interval_usd(&self, avg_cost_usd: Decimal) -> Option<[Decimal; 2]> {
        let UncertaintyInputs { electricity_pct, efficiency_pct, overhead_pct } =
            self.inputs.file.uncertainty.as_ref()?;
        let squares = [electricity_pct, efficiency_pct, overhead_pct].map(|pct| pct * pct);
        let sigma = (squares[0] + squares[1] + squares[2]).sqrt() / 100.0;
        let end = |errors| self.usd(avg_cost_usd.to_f64() * libm::exp(errors * sigma));
        Some([-INTERVAL_ERRORS, INTERVAL_ERRORS].map(end))
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
}
