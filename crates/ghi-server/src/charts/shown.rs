//! What of a network is shown, and under which name.

use ghi_engine::{Day, Model, RegionIndex, Scope};

/// How many regions a chart or a page shows; the files have all.
const REGIONS_SHOWN: usize = 12;

/// The regions that a chart or a page shows: the largest by hashrate, and how many it leaves out.
pub(crate) fn shown_regions(model: &Model, day: &Day) -> (Vec<RegionIndex>, usize) {
    let mut regions: Vec<RegionIndex> = model.registry().indices().collect();
    regions.sort_by_key(|index| std::cmp::Reverse(day.hashrate_shares_pct[index.get()]));
    let hidden = regions.len().saturating_sub(REGIONS_SHOWN);
    regions.truncate(REGIONS_SHOWN);
    (regions, hidden)
}

/// The name of a scope, for people.
pub(crate) fn name_of(scope: Scope, model: &Model) -> &str {
    match scope {
        Scope::Global => "World",
        Scope::Region(region) => &model.registry()[region].name,
    }
}
