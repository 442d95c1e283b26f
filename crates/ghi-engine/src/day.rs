//! The regions of a network, and the data published for one day.

use std::ops::Index;

use ghi_contract::GLOBAL;
pub use ghi_contract::Region as RegisteredRegion;
use jiff::civil::Date;

use crate::numbers::Decimal;

pub(crate) const SHARE_DECIMALS: u8 = 2;
/// The sum of all regions' shares, in percent.
pub const WHOLE_NETWORK_PCT: Decimal = Decimal::new(10_000, SHARE_DECIMALS);

/// A share in percent, rounded to its decimals.
pub(crate) fn share_pct(value: f64) -> Decimal {
    Decimal::nearest(value, SHARE_DECIMALS)
}

/// The index of a region in its registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegionIndex(usize);

impl RegionIndex {
    /// The index, counted from 0.
    pub fn get(self) -> usize {
        self.0
    }
}

/// Every region of a network, in the order of the inputs.
#[derive(Clone, Debug)]
pub struct Registry(pub(crate) Vec<RegisteredRegion>);

impl Registry {
    /// The regions.
    pub fn regions(&self) -> &[RegisteredRegion] {
        &self.0
    }

    /// The index of each region.
    pub fn indices(&self) -> impl Iterator<Item = RegionIndex> + use<> {
        (0..self.0.len()).map(RegionIndex)
    }

    pub(crate) fn in_scope(&self, scope: Scope) -> impl Iterator<Item = RegionIndex> + use<> {
        self.indices()
            .filter(move |region| [Scope::Global, Scope::Region(*region)].contains(&scope))
    }

    /// Finds a region by its id, which is case-sensitive.
    pub fn find(&self, id: &str) -> Option<RegionIndex> {
        self.0.iter().position(|region| region.id == id).map(RegionIndex)
    }

    /// Finds a region by its name, which is case-insensitive. Returns `None` if several regions have it.
    pub fn find_by_name(&self, name: &str) -> Option<RegionIndex> {
        let name = name.to_lowercase();
        let mut found = self.indices().filter(|region| self[*region].name.to_lowercase() == name);
        found.next().filter(|_| found.next().is_none())
    }
}

impl Index<RegionIndex> for Registry {
    type Output = RegisteredRegion;

    fn index(&self, region: RegionIndex) -> &RegisteredRegion {
        &self.0[region.0]
    }
}

/// The scope of a cost: one region, or worldwide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Worldwide: all regions together.
    Global,
    /// One region.
    Region(RegionIndex),
}

impl Scope {
    /// Finds the scope that a `region_id` names: [`GLOBAL`], or the id of a region.
    pub fn find(region_id: &str, registry: &Registry) -> Option<Self> {
        match region_id {
            GLOBAL => Some(Self::Global),
            id => registry.find(id).map(Self::Region),
        }
    }

    /// The scope's `region_id`.
    pub fn region_id(self, registry: &Registry) -> &str {
        match self {
            Self::Global => GLOBAL,
            Self::Region(region) => &registry[region].id,
        }
    }

    /// The scope's costs on a day.
    pub fn costs(self, day: &Day) -> Costs {
        match self {
            Self::Global => day.global,
            Self::Region(region) => day.regions[region.get()],
        }
    }
}

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
        ["min", "avg", "max"][self as usize]
    }
}

/// The cost of one coin in USD, of each [`CostKind`]: minimum <= average <= maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// The minimum.
    pub min_usd: Decimal,
    /// The average.
    pub avg_usd: Decimal,
    /// The maximum.
    pub max_usd: Decimal,
}

impl Costs {
    /// Computes each cost.
    pub(crate) fn each(cost: impl FnMut(CostKind) -> Decimal) -> Self {
        let [min_usd, avg_usd, max_usd] = CostKind::ALL.map(cost);
        Self { min_usd, avg_usd, max_usd }
    }

    pub(crate) fn get(&self, kind: CostKind) -> Decimal {
        [self.min_usd, self.avg_usd, self.max_usd][kind as usize]
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
