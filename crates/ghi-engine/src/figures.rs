//! What a day publishes.

use std::sync::Arc;

use jiff::civil::Date;

use crate::decimal::Decimal;

/// The cost of one coin, USD: minimum, average and maximum, never out of that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// The best fleet on the cheapest power.
    pub min_usd: Decimal,
    /// The mean fleet on power at the mean price.
    pub avg_usd: Decimal,
    /// The worst fleet on the dearest power.
    pub max_usd: Decimal,
}

/// The network's state on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkFigures {
    /// EH/s, as an estimate from the day's blocks would have it.
    pub hashrate_eh: Decimal,
    /// Whole; what the hashrate of the epoch before demands.
    pub difficulty: u64,
    /// Mean fee of a transaction, USD.
    pub avg_fee_usd: Decimal,
}

/// Every figure of one UTC day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    /// The day.
    pub date: Date,
    /// The network's state.
    pub network: NetworkFigures,
    /// The costs over all regions.
    pub global: Costs,
    /// Each region's costs, in the order of the registry.
    pub regions: Vec<Costs>,
    /// Each region's share of the network's hashrate, percent, in the same order. They sum to 100.
    pub hashrate_shares_pct: Arc<[Decimal]>,
}
