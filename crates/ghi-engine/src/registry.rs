//! The regions of a network: what does not change from day to day.

use std::collections::HashMap;
use std::ops::Index;

use crate::decimal::Decimal;

/// The decimals of a share of the hashrate, percent.
pub(crate) const SHARE_DECIMALS: u8 = 2;

/// The share that all regions sum to, percent.
pub const WHOLE_NETWORK_PCT: Decimal = Decimal::new(10_000, SHARE_DECIMALS);

/// A region as the registry publishes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredRegion {
    /// The region's id.
    pub id: String,
    /// The region's display name.
    pub name: String,
}

/// The place of a region in the registry that gave it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegionIndex(usize);

impl RegionIndex {
    /// The place, counted from 0.
    pub fn get(self) -> usize {
        self.0
    }
}

/// Every region of a network, in the order of the inputs.
///
/// ```
/// use ghi_engine::{Inputs, Model};
///
/// let model = Model::new(Inputs::default());
/// let registry = model.registry();
/// let europe = registry.find("eu").unwrap();
/// assert_eq!(registry[europe].name, "Europe");
/// assert!(registry.find("EU").is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Registry {
    regions: Vec<RegisteredRegion>,
    index_of: HashMap<String, RegionIndex>,
    /// By name in lower case; `None` where several regions have it.
    by_name: HashMap<String, Option<RegionIndex>>,
}

impl Registry {
    pub(crate) fn new(regions: Vec<RegisteredRegion>) -> Self {
        let ids = regions.iter().map(|region| region.id.clone());
        let mut by_name = HashMap::new();
        for (index, region) in regions.iter().enumerate() {
            let entry = by_name.entry(region.name.to_lowercase());
            entry.and_modify(|found| *found = None).or_insert(Some(RegionIndex(index)));
        }
        Self { index_of: ids.zip((0..).map(RegionIndex)).collect(), by_name, regions }
    }

    /// The regions.
    pub fn regions(&self) -> &[RegisteredRegion] {
        &self.regions
    }

    /// The place of each region.
    pub fn indices(&self) -> impl Iterator<Item = RegionIndex> + use<> {
        (0..self.regions.len()).map(RegionIndex)
    }

    /// The region with this very id.
    pub fn find(&self, id: &str) -> Option<RegionIndex> {
        self.index_of.get(id).copied()
    }

    /// The only region with this name, case-insensitive.
    pub fn find_by_name(&self, name: &str) -> Option<RegionIndex> {
        self.by_name.get(&name.to_lowercase()).copied().flatten()
    }
}

impl Index<RegionIndex> for Registry {
    type Output = RegisteredRegion;

    fn index(&self, region: RegionIndex) -> &RegisteredRegion {
        &self.regions[region.0]
    }
}
