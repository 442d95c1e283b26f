//! The data published for one day.

use jiff::civil::Date;

use crate::decimal::Decimal;

/// One of the three costs of a region. As a number, it is an index into arrays from the best to the worst
/// case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostKind {
    /// The most efficient machines on the cheapest power.
    Min,
    /// Average machines on power at the average price.
    Avg,
    /// The least efficient machines on the most expensive power.
    Max,
}

impl CostKind {
    pub(crate) const ALL: [Self; 3] = [Self::Min, Self::Avg, Self::Max];

    /// The kind as in field names: `min`, `avg` or `max`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Avg => "avg",
            Self::Max => "max",
        }
    }
}

/// The cost of one coin in USD: minimum <= average <= maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// The most efficient machines on the cheapest power.
    pub min_usd: Decimal,
    /// Average machines on power at the average price.
    pub avg_usd: Decimal,
    /// The least efficient machines on the most expensive power.
    pub max_usd: Decimal,
}

impl Costs {
    /// Computes each cost.
    pub(crate) fn each(mut cost: impl FnMut(CostKind) -> Decimal) -> Self {
        let [min_usd, avg_usd, max_usd] = CostKind::ALL.map(&mut cost);
        Self { min_usd, avg_usd, max_usd }
    }

    pub(crate) fn get(&self, kind: CostKind) -> Decimal {
        match kind {
            CostKind::Min => self.min_usd,
            CostKind::Avg => self.avg_usd,
            CostKind::Max => self.max_usd,
        }
    }
}

/// The network's state on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkState {
    /// In EH/s, as estimated from the day's blocks.
    pub hashrate_eh: Decimal,
    /// A whole number, set by the hashrate of the previous epoch.
    pub difficulty: u64,
    /// Mean transaction fee in USD.
    pub avg_fee_usd: Decimal,
    /// Market price of a coin in USD. `None` if the inputs have no price.
    pub price_usd: Option<Decimal>,
}

/// All data of one UTC day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    /// The day.
    pub date: Date,
    /// The network's state.
    pub network: NetworkState,
    /// The costs worldwide.
    pub global: Costs,
    /// Each region's costs, in the order of the inputs.
    pub regions: Vec<Costs>,
    /// Each region's share of the network's hashrate in percent, in the same order. They sum to 100.
    pub hashrate_shares_pct: Vec<Decimal>,
}
