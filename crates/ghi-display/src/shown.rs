//! What of a network is shown, and under which name.

use ghi_engine::{Costs, Day, Decimal, Model, RegionIndex, Scope};

/// How many regions a chart or a page shows; the files have all.
const REGIONS_SHOWN: usize = 12;

/// How many regions are lines of one chart.
const LINES: usize = 5;

/// The regions that a chart or a page shows, and how many it leaves out: the largest by hashrate, and
/// among them those that set the minimum and the maximum.
pub fn shown_regions(model: &Model, day: &Day) -> (Vec<RegionIndex>, usize) {
    let regions = by_size(model, day);
    let hidden = regions.len().saturating_sub(REGIONS_SHOWN);
    (first_of(&extremes(model, day), &regions, REGIONS_SHOWN), hidden)
}

/// The regions that are lines beside those of the whole: the chosen one, those that set the minimum and
/// the maximum, then the largest by hashrate.
pub(crate) fn line_regions(model: &Model, day: &Day, scope: Scope) -> Vec<RegionIndex> {
    let chosen = match scope {
        Scope::Global => None,
        Scope::Region(region) => Some(region),
    };
    if chosen.is_none() && day.regions.len() == 1 {
        // The one region is the whole.
        return Vec::new();
    }
    let first: Vec<RegionIndex> = chosen.into_iter().chain(extremes(model, day)).collect();
    let mut regions = first_of(&first, &by_size(model, day), LINES);
    regions.sort_by_key(|region| Some(*region) != chosen);
    regions
}

/// All regions, the largest by hashrate first.
pub fn by_size(model: &Model, day: &Day) -> Vec<RegionIndex> {
    let mut regions: Vec<RegionIndex> = model.registry().indices().collect();
    regions.sort_by_key(|index| std::cmp::Reverse(day.hashrate_shares_pct[index.get()]));
    regions
}

/// The regions that set the minimum and the maximum: of several, the first.
pub fn extremes(model: &Model, day: &Day) -> [RegionIndex; 2] {
    let bounds: [fn(&Costs) -> Decimal; 2] = [|costs| costs.min_usd, |costs| costs.max_usd];
    bounds.map(|pick| {
        let is_it = |region: &RegionIndex| pick(&day.regions[region.get()]) == pick(&day.global);
        model.registry().indices().find(is_it).expect("a region sets each bound")
    })
}

/// So many of all regions, in their order: some that must be among them, and the first of the others.
fn first_of(must: &[RegionIndex], all: &[RegionIndex], count: usize) -> Vec<RegionIndex> {
    let mut picked: Vec<RegionIndex> = Vec::with_capacity(count);
    for region in must.iter().chain(all) {
        if picked.len() < count && !picked.contains(region) {
            picked.push(*region);
        }
    }
    all.iter().filter(|region| picked.contains(region)).copied().collect()
}

/// What all regions together are called.
pub const WORLDWIDE: &str = "Worldwide";

/// What every network's data are: the model gives what series leave out.
pub const SYNTHETIC: &str = "Synthetic data";

/// What people are told of a network's data.
pub fn kind_of_data(model: &Model) -> &'static str {
    if model.has_series() { "Synthetic data on the operator's series" } else { SYNTHETIC }
}

/// The name of a scope, for people.
pub fn name_of(scope: Scope, model: &Model) -> &str {
    match scope {
        Scope::Global => WORLDWIDE,
        Scope::Region(region) => &model.registry()[region].name,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use ghi_engine::{DEFAULT_INPUTS, Inputs};
    use jiff::civil::date;

    use super::*;

    /// A network of some regions, the largest first; the dearest is the last, the cheapest the one
    /// before it.
    fn network(regions: usize) -> (Model, Day) {
        let mut inputs = DEFAULT_INPUTS.split("[[region]]").next().unwrap().to_owned();
        let first = 100 - (regions - 1);
        for place in 0..regions {
            let share = if place == 0 { first } else { 1 };
            let price = match regions - place {
                1 => "{ low = 0.04, mean = 0.2, high = 0.9 }",
                2 => "{ low = 0.01, mean = 0.02, high = 0.03 }",
                _ => "{ low = 0.04, mean = 0.05, high = 0.06 }",
            };
            write!(
                inputs,
                "[[region]]\nid = \"r{place}\"\nname = \"Region {place}\"\nhashrate_share_pct = {share}\n\
                 efficiency_j_per_th = {{ best = 18, mean = 20, worst = 22 }}\nelectricity_usd_per_kwh = {price}\n"
            )
            .unwrap();
        }
        let model = Model::new(Inputs::parse(&inputs).unwrap());
        let day = model.day(date(2026, 11, 16)).unwrap();
        (model, day)
    }

    fn places(regions: &[RegionIndex]) -> Vec<usize> {
        regions.iter().map(|region| region.get()).collect()
    }

    #[test]
    fn the_regions_that_set_minimum_and_maximum_are_always_shown() {
        let (model, day) = network(30);
        let (shown, hidden) = shown_regions(&model, &day);
        assert_eq!(
            (places(&shown), hidden),
            ([&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9][..], &[28, 29]].concat(), 18)
        );
        let (model, day) = network(3);
        let (shown, hidden) = shown_regions(&model, &day);
        assert_eq!((places(&shown), hidden), (vec![0, 1, 2], 0));
    }

    #[test]
    fn the_chosen_region_is_the_first_line() {
        let (model, day) = network(30);
        let lines = |scope| places(&line_regions(&model, &day, scope));
        assert_eq!(lines(Scope::Global), [0, 1, 2, 28, 29]);
        let chosen = model.registry().find("r20").unwrap();
        assert_eq!(lines(Scope::Region(chosen)), [20, 0, 1, 28, 29]);
        let dearest = model.registry().find("r29").unwrap();
        assert_eq!(lines(Scope::Region(dearest)), [29, 0, 1, 2, 28]);
    }

    #[test]
    fn one_region_is_the_whole_and_no_line_beside_it() {
        let (model, day) = network(1);
        assert_eq!(line_regions(&model, &day, Scope::Global), []);
        assert_eq!(shown_regions(&model, &day).0.len(), 1);
        let chosen = model.registry().find("r0").unwrap();
        assert_eq!(line_regions(&model, &day, Scope::Region(chosen)), [chosen]);
    }
}
