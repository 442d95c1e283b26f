//! The regions of a network, and the scope of a cost: one region, or worldwide.

use std::ops::Index;

use ghi_contract::GLOBAL;
pub use ghi_contract::Region as RegisteredRegion;

use crate::day::{Costs, Day};
use crate::decimal::Decimal;

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
pub struct Registry {
    regions: Vec<RegisteredRegion>,
}

impl Registry {
    pub(crate) fn new(regions: Vec<RegisteredRegion>) -> Self {
        Self { regions }
    }

    /// The regions.
    pub fn regions(&self) -> &[RegisteredRegion] {
        &self.regions
    }

    /// The index of each region.
    pub fn indices(&self) -> impl Iterator<Item = RegionIndex> + use<> {
        (0..self.regions.len()).map(RegionIndex)
    }

    pub(crate) fn in_scope(&self, scope: Scope) -> impl Iterator<Item = RegionIndex> + use<> {
        self.indices()
            .filter(move |region| [Scope::Global, Scope::Region(*region)].contains(&scope))
    }

    /// Finds a region by its id, which is case-sensitive.
    pub fn find(&self, id: &str) -> Option<RegionIndex> {
        self.regions.iter().position(|region| region.id == id).map(RegionIndex)
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
        &self.regions[region.0]
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
