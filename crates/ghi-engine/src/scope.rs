//! What a figure is of: worldwide, or of one region.

use ghi_contract::GLOBAL;

use crate::figures::{Costs, Day};
use crate::registry::{RegionIndex, Registry};

/// What a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Worldwide: all regions together.
    Global,
    /// One region.
    Region(RegionIndex),
}

impl Scope {
    /// The scope that a `region_id` names: [`GLOBAL`], or the id of a region.
    ///
    /// ```
    /// use ghi_engine::{Inputs, Model, Scope};
    ///
    /// let model = Model::new(Inputs::default());
    /// assert_eq!(Scope::find("global", model.registry()), Some(Scope::Global));
    /// assert_eq!(Scope::find("us", model.registry()).unwrap().region_id(model.registry()), "us");
    /// assert_eq!(Scope::find("xx", model.registry()), None);
    /// ```
    pub fn find(region_id: &str, registry: &Registry) -> Option<Self> {
        match region_id {
            GLOBAL => Some(Self::Global),
            id => registry.find(id).map(Self::Region),
        }
    }

    /// The `region_id` that names it.
    pub fn region_id(self, registry: &Registry) -> &str {
        match self {
            Self::Global => GLOBAL,
            Self::Region(region) => &registry[region].id,
        }
    }

    /// Its costs on a day.
    pub fn costs(self, day: &Day) -> Costs {
        match self {
            Self::Global => day.global,
            Self::Region(region) => day.regions[region.get()],
        }
    }
}
