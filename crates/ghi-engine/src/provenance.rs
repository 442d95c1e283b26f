//! Where the data of a day comes from, and what the model computes it from.

use jiff::civil::Date;

use crate::calendar::NoFigures;
use crate::decimal::Decimal;
use crate::model::{Fleet, Model};
use crate::registry::{RegionIndex, Scope};

/// Where the data of a scope comes from on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// All from the model: the inputs name no series.
    Synthetic,
    /// From dated series, except for these, which the model generates: `difficulty`, `hashrate`, `fee`,
    /// `price`, `electricity`.
    Mixed(Vec<&'static str>),
    /// All that moves is from dated series.
    OperatorData,
}

/// What the costs of a region on a day are computed from, in all digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DayInputs {
    /// The network's difficulty.
    pub difficulty: u64,
    /// Coins per block.
    pub block_reward_coins: f64,
    /// The region's share of the hashrate, percent.
    pub hashrate_share_pct: Decimal,
    /// Best, mean, worst.
    pub efficiency_j_per_th: [f64; 3],
    /// Low, mean, high.
    pub electricity_usd_per_kwh: [f64; 3],
    /// Total cost divided by energy cost.
    pub overhead: f64,
}

impl Model {
    /// Where the data of a scope comes from on a UTC day.
    pub fn provenance(&self, scope: Scope, date: Date) -> Result<Provenance, NoFigures> {
        let day = self.network_day(date)?.day;
        if !self.has_series() {
            return Ok(Provenance::Synthetic);
        }
        let series = &self.inputs.series;
        let row = series.network_on(day);
        let has_own_prices = |index| {
            let row = series.region_on(index, day);
            row.is_some_and(|row| row.electricity_usd_per_kwh.iter().all(Option::is_some))
        };
        let electricity = match scope {
            Scope::Global => (0..self.registry().regions().len()).all(has_own_prices),
            Scope::Region(region) => has_own_prices(region.get()),
        };
        let has_price = self.inputs.network.price_usd.is_none()
            || row.is_some_and(|row| row.price_usd.is_some());
        let figures = [
            ("difficulty", row.is_some()),
            ("hashrate", row.is_some_and(|row| row.hashrate_eh.is_some())),
            ("fee", row.is_some_and(|row| row.fee_usd.is_some())),
            ("price", has_price),
            ("electricity", electricity),
        ];
        let generated = figures.iter().filter(|(_, is_given)| !is_given).map(|(name, _)| *name);
        let generated: Vec<&'static str> = generated.collect();
        Ok(match generated.is_empty() {
            true => Provenance::OperatorData,
            false => Provenance::Mixed(generated),
        })
    }

    /// What the costs of a region on a UTC day are computed from.
    pub fn day_inputs(&self, region: RegionIndex, date: Date) -> Result<DayInputs, NoFigures> {
        let network = self.network_day(date)?;
        let Fleet { efficiency_j_per_th, electricity_usd_per_kwh, overhead } =
            self.fleet(&network, region.get());
        Ok(DayInputs {
            difficulty: network.difficulty,
            block_reward_coins: network.block_reward_coins,
            hashrate_share_pct: self.share_pct(network.day, region.get()),
            efficiency_j_per_th,
            electricity_usd_per_kwh,
            overhead,
        })
    }
}
