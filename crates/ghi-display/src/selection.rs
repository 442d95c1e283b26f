//! The regions of a network that are shown, and the names of scopes.

use ghi_engine::{Costs, Day, Decimal, Model, RegionIndex, Registry, Scope};

use crate::svg::isolated;

/// The number of regions that a chart or page shows; the files have all.
const REGIONS_SHOWN: usize = 12;

/// The number of ids in a message.
const IDS_NAMED: usize = 20;

/// The number of regions drawn as lines in one chart.
const LINES: usize = 5;

/// Returns the regions that a chart or page shows, and how many it omits: the largest by hashrate,
/// including those with the lowest minimum and the highest maximum.
pub fn shown_regions(model: &Model, day: &Day) -> (Vec<RegionIndex>, usize) {
    let regions = by_size(model, day);
    let hidden = regions.len().saturating_sub(REGIONS_SHOWN);
    (first_with(&extremes(model, day), &regions, REGIONS_SHOWN), hidden)
}

/// Returns the scopes that are drawn as lines in the history of a scope: worldwide, the scope itself, the
/// regions with the lowest minimum and the highest maximum, then the largest by hashrate.
pub fn line_scopes(model: &Model, day: &Day, scope: Scope) -> Vec<Scope> {
    let chosen = match scope {
        Scope::Global => None,
        Scope::Region(region) => Some(region),
    };
    let mut regions = Vec::new();
    // A single region is the same as worldwide.
    if chosen.is_some() || day.regions.len() > 1 {
        let must: Vec<RegionIndex> = chosen.into_iter().chain(extremes(model, day)).collect();
        regions = first_with(&must, &by_size(model, day), LINES);
        regions.sort_by_key(|region| Some(*region) != chosen);
    }
    std::iter::once(Scope::Global).chain(regions.into_iter().map(Scope::Region)).collect()
}

/// Returns all regions, the largest by hashrate first.
pub fn by_size(model: &Model, day: &Day) -> Vec<RegionIndex> {
    let mut regions: Vec<RegionIndex> = model.registry().indices().collect();
    regions.sort_by_key(|index| std::cmp::Reverse(day.hashrate_shares_pct[index.get()]));
    regions
}

/// Returns the regions with the lowest minimum and the highest maximum. Of several, the first.
pub fn extremes(model: &Model, day: &Day) -> [RegionIndex; 2] {
    let bounds: [fn(&Costs) -> Decimal; 2] = [|costs| costs.min_usd, |costs| costs.max_usd];
    bounds.map(|pick| {
        let matches = |region: &RegionIndex| pick(&day.regions[region.get()]) == pick(&day.global);
        model.registry().indices().find(matches).expect("a region sets each bound")
    })
}

/// Returns up to `count` regions in their order: the required ones, and the first others.
pub fn first_with(must: &[RegionIndex], ordered: &[RegionIndex], count: usize) -> Vec<RegionIndex> {
    let mut picked: Vec<RegionIndex> = Vec::with_capacity(count);
    for region in must.iter().chain(ordered) {
        if picked.len() < count && !picked.contains(region) {
            picked.push(*region);
        }
    }
    ordered.iter().filter(|region| picked.contains(region)).copied().collect()
}

/// The name of all regions together.
pub const WORLDWIDE: &str = "Worldwide";

/// What all data are, at least in part: a model fills the gaps of an operator's data.
pub const SYNTHETIC: &str = "Synthetic data";

/// Returns what people are told about a network's data.
pub fn kind_of_data(model: &Model) -> &'static str {
    if model.has_series() { "Synthetic data on the operator's series" } else { SYNTHETIC }
}

/// Returns the name of a scope.
pub fn name_of(scope: Scope, model: &Model) -> &str {
    match scope {
        Scope::Global => WORLDWIDE,
        Scope::Region(region) => &model.registry()[region].name,
    }
}

/// Returns the ids of a network's regions for a message. If there are many, names the first.
pub fn known_ids(registry: &Registry) -> String {
    let regions = registry.regions();
    let named = regions.iter().take(IDS_NAMED).map(|region| &*region.id);
    let ids = named.collect::<Vec<_>>().join(", ");
    match regions.len().saturating_sub(IDS_NAMED) {
        0 => ids,
        more => format!("{ids} and {more} more"),
    }
}

/// Returns the average of a scope as the subject of a sentence: `Europe's average`.
pub(crate) fn average_of(scope: Scope, name: &str) -> String {
    match scope {
        Scope::Global => "The worldwide average".into(),
        Scope::Region(_) if name.ends_with('s') => format!("{}' average", isolated(name)),
        Scope::Region(_) => format!("{}'s average", isolated(name)),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use ghi_engine::{DEFAULT_INPUTS, Inputs};
    use jiff::civil::date;

    use super::*;

    /// Returns a network with some regions, the largest first. The last is the most expensive, the one
    /// before it the cheapest.
    fn network(regions: usize) -> (Model, Day) {
        let mut inputs = DEFAULT_INPUTS.split("[[region]]").next().unwrap().to_owned();
        let first = 100 - (regions - 1);
        for index in 0..regions {
            let share = if index == 0 { first } else { 1 };
            let price = match regions - index {
                1 => "{ low = 0.04, mean = 0.2, high = 0.9 }",
                2 => "{ low = 0.01, mean = 0.02, high = 0.03 }",
                _ => "{ low = 0.04, mean = 0.05, high = 0.06 }",
            };
            write!(
                inputs,
                "[[region]]\nid = \"r{index}\"\nname = \"Region {index}\"\nhashrate_share_pct = {share}\n\
                 efficiency_j_per_th = {{ best = 18, mean = 20, worst = 22 }}\nelectricity_usd_per_kwh = {price}\n"
            )
            .unwrap();
        }
        let model = Model::new(Inputs::parse(&inputs).unwrap());
        let day = model.day(date(2026, 11, 16)).unwrap();
        (model, day)
    }

    fn indices(regions: &[RegionIndex]) -> Vec<usize> {
        regions.iter().map(|region| region.get()).collect()
    }

    #[test]
    fn the_regions_with_the_lowest_minimum_and_the_highest_maximum_are_always_shown() {
        let (model, day) = network(30);
        let (shown, hidden) = shown_regions(&model, &day);
        assert_eq!(
            (indices(&shown), hidden),
            ([&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9][..], &[28, 29]].concat(), 18)
        );
        let (model, day) = network(3);
        let (shown, hidden) = shown_regions(&model, &day);
        assert_eq!((indices(&shown), hidden), (vec![0, 1, 2], 0));
    }

    #[test]
    fn the_chosen_region_is_the_first_line_after_worldwide() {
        let (model, day) = network(30);
        let lines = |scope| {
            let scopes = line_scopes(&model, &day, scope).into_iter();
            scopes.map(|scope| scope.region_id(model.registry()).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(lines(Scope::Global), ["global", "r0", "r1", "r2", "r28", "r29"]);
        let chosen = model.registry().find("r20").unwrap();
        assert_eq!(lines(Scope::Region(chosen)), ["global", "r20", "r0", "r1", "r28", "r29"]);
        let most_expensive = model.registry().find("r29").unwrap();
        assert_eq!(
            lines(Scope::Region(most_expensive)),
            ["global", "r29", "r0", "r1", "r2", "r28"]
        );
    }

    #[test]
    fn a_single_region_has_a_line_only_if_it_is_chosen() {
        let (model, day) = network(1);
        assert_eq!(line_scopes(&model, &day, Scope::Global), [Scope::Global]);
        assert_eq!(shown_regions(&model, &day).0.len(), 1);
        let chosen = Scope::Region(model.registry().find("r0").unwrap());
        assert_eq!(line_scopes(&model, &day, chosen), [Scope::Global, chosen]);
    }
}
