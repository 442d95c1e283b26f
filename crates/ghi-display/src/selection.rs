//! What pages, charts and tables show: days, regions, and the names of scopes.

use std::cmp::Reverse;

use ghi_engine::{
    About, Costs, Day, Decimal, Model, NoFigures, Provenance, RegionIndex, Registry, Scope,
    SourceKind, listed,
};
use jiff::ToSpan;
use jiff::civil::Date;

/// A range of days that ends on a given day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Range {
    /// 7 days.
    Week,
    /// 30 days.
    Month,
    /// 90 days.
    Quarter,
    /// 365 days.
    Year,
    /// 1,826 days.
    FiveYears,
    /// All days with data, at most 11,000.
    All,
}

/// The most days × regions for which a range with a point per week has seven-day averages, which need the days between.
const MEANS_REGION_DAYS_MAX: usize = 400_000;
const MEAN_DAYS: usize = 7;

/// The number of days that tell whether costs change often.
const RECENT_DAYS: usize = 90;

impl Range {
    /// All ranges, the shortest first.
    pub const ALL: [Self; 6] =
        [Self::Week, Self::Month, Self::Quarter, Self::Year, Self::FiveYears, Self::All];

    /// Returns its name in requests.
    pub const fn name(self) -> &'static str {
        ["7d", "30d", "90d", "1y", "5y", "all"][self as usize]
    }

    /// Returns its name on a page.
    pub fn label(self) -> &'static str {
        ["7 days", "30 days", "90 days", "1 year", "5 years", "All"][self as usize]
    }

    /// Returns how many days it has.
    pub fn days(self) -> u16 {
        [7, 30, 90, 365, 1_826, 11_000][self as usize]
    }

    /// Returns whether charts and pages show one day per week.
    pub fn is_weekly(self) -> bool {
        self.days() > Self::Year.days()
    }

    /// Returns whether charts of a network with this many regions have seven-day averages.
    pub(crate) fn has_means(self, regions: usize) -> bool {
        let is_affordable = usize::from(self.days()) * regions <= MEANS_REGION_DAYS_MAX;
        self.days() >= Self::Quarter.days() && (is_affordable || !self.is_weekly())
    }
}

/// The costs of a scope on each day of a range, or on one day per week of a long range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// The days of the range that have data, the oldest first, after the point before it if that has data: at least one.
    pub points: Vec<(Date, Costs)>,
    pub(crate) has_before: bool,
}

impl Past {
    /// Computes the days of a range up to a date.
    pub fn new(model: &Model, scope: Scope, range: Range, last: Date) -> Result<Self, NoFigures> {
        let before = i64::from(range.days()) - 1;
        let (first, last) = model.overlap(last.saturating_sub(before.days()), last)?;
        let costs = |date: Date| Some((date, model.costs(scope, date).ok()?));
        let step = if range.is_weekly() { 7 } else { 1 };
        let back = last.series((-step).days()).take_while(|date| *date >= first);
        let mut dates: Vec<Date> = back.collect();
        dates.extend(dates[dates.len() - 1].checked_sub(step.days()));
        dates.reverse();
        let points: Vec<_> = dates.into_iter().filter_map(costs).collect();
        Ok(Self { has_before: points[0].0 < first, points })
    }

    /// Returns the days of the range that have data, the oldest first.
    pub fn days(&self) -> &[(Date, Costs)] {
        &self.points[usize::from(self.has_before)..]
    }

    /// Returns the costs of a date, which need not be one of the days.
    fn costs(&self, date: Date, model: &Model, scope: Scope) -> Option<Costs> {
        match self.points.binary_search_by_key(&date, |day| day.0) {
            Ok(index) => Some(self.points[index].1),
            Err(_) => model.costs(scope, date).ok(),
        }
    }

    /// Returns whether costs change on at least a third of the last days. A mean would only blur a series of steps.
    pub(crate) fn changes_often(&self, model: &Model, scope: Scope) -> bool {
        let recent = self.last().0.series((-1).day()).take(RECENT_DAYS);
        let recent = recent.take_while(|date| *date >= self.days()[0].0);
        let costs: Vec<Costs> = recent.filter_map(|date| self.costs(date, model, scope)).collect();
        let changes = costs.windows(2).filter(|pair| pair[0] != pair[1]).count();
        3 * changes >= costs.len()
    }

    /// Returns the means of the averages of seven days with data, for the point before the first and for each day.
    pub(crate) fn means(&self, model: &Model, scope: Scope) -> Vec<(Date, Decimal)> {
        let average = |date| Some(self.costs(date, model, scope)?.avg_usd);
        let mean = |(last, _): &(Date, Costs)| {
            let week: Vec<Decimal> =
                last.series((-1).day()).take(MEAN_DAYS).filter_map(average).collect();
            let sum: u128 = week.iter().map(|cost| u128::from(cost.count())).sum();
            let (known, decimals) = (week.len() as u128, week.first()?.decimals());
            let count = u64::try_from((sum + known / 2) / known).ok()?;
            Some((*last, Decimal::new(count, decimals)))
        };
        self.points.iter().filter_map(mean).collect()
    }

    /// Returns the point that the last one is compared with: the one before the range or, if that has no data, the first.
    pub fn base(&self) -> (Date, Costs) {
        self.points[0]
    }

    /// Returns the point before the range, if it has data.
    pub fn before(&self) -> Option<(Date, Costs)> {
        self.has_before.then(|| self.base())
    }

    /// Returns the last day.
    pub fn last(&self) -> (Date, Costs) {
        self.points[self.points.len() - 1]
    }
}

/// The numbers of regions that a chart shows, that are drawn as lines in one chart, and that a message names.
const REGIONS_SHOWN: usize = 12;
const LINES: usize = 5;
const IDS_NAMED: usize = 20;

/// The name of all regions together.
pub const WORLDWIDE: &str = "Worldwide";

/// Returns the regions that a chart shows: the largest, and those with the lowest minimum and the highest maximum.
pub(crate) fn shown_regions(model: &Model, day: &Day) -> Vec<RegionIndex> {
    first_with(&extremes(model, day), &by_size(model, day), REGIONS_SHOWN)
}

/// Returns the scopes in the history of a scope: worldwide, then the scope, the extremes and the largest, by average cost.
pub fn line_scopes(model: &Model, day: &Day, scope: Scope) -> Vec<Scope> {
    let mut must = match scope {
        // A single region is the same as worldwide.
        Scope::Global if day.regions.len() == 1 => return vec![Scope::Global],
        Scope::Global => Vec::new(),
        Scope::Region(region) => vec![region],
    };
    must.extend(extremes(model, day));
    let mut regions = first_with(&must, &by_size(model, day), LINES);
    regions.sort_by_key(|region| day.regions[region.get()].avg_usd);
    std::iter::once(Scope::Global).chain(regions.into_iter().map(Scope::Region)).collect()
}

/// Returns all regions, the largest by hashrate first.
pub fn by_size(model: &Model, day: &Day) -> Vec<RegionIndex> {
    let mut regions: Vec<RegionIndex> = model.registry().indices().collect();
    regions.sort_by_key(|index| Reverse(day.hashrate_shares_pct[index.get()]));
    regions
}

/// Returns the regions with the lowest minimum and the highest maximum. If several tie, the first one counts.
pub fn extremes(model: &Model, day: &Day) -> [RegionIndex; 2] {
    let bounds: [fn(&Costs) -> Decimal; 2] = [|costs| costs.min_usd, |costs| costs.max_usd];
    bounds.map(|pick| {
        let matches = |region: &RegionIndex| pick(&day.regions[region.get()]) == pick(&day.global);
        model.registry().indices().find(matches).expect("a region sets each bound")
    })
}

/// Returns up to `count` of the ordered regions, in the same order: the required ones, and the first others.
pub fn first_with(must: &[RegionIndex], ordered: &[RegionIndex], count: usize) -> Vec<RegionIndex> {
    let mut picked: Vec<RegionIndex> = Vec::with_capacity(count);
    for region in must.iter().chain(ordered) {
        if picked.len() < count && !picked.contains(region) {
            picked.push(*region);
        }
    }
    ordered.iter().filter(|region| picked.contains(region)).copied().collect()
}

/// Describes the kind of a day's data in a few words, with the title of the edition.
pub fn kind_of_data(about: &About, provenance: &Provenance) -> String {
    let mut kind = about.title.clone().unwrap_or_else(|| "Operator's data".into());
    if !about.known(SourceKind::Estimated).is_empty() {
        kind += ", partly estimated";
    }
    match provenance {
        Provenance::Synthetic => "Synthetic data".into(),
        Provenance::OperatorData => kind,
        Provenance::Mixed(generated) => format!("{kind}, with synthetic {}", listed(generated)),
    }
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
        let shown = shown_regions(&model, &day);
        assert_eq!(indices(&shown), [&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9][..], &[28, 29]].concat());
        let (model, day) = network(3);
        assert_eq!(indices(&shown_regions(&model, &day)), [0, 1, 2]);
    }

    #[test]
    fn lines_are_in_the_order_of_cost_whichever_region_is_chosen() {
        let (model, day) = network(30);
        let lines = |scope| {
            let scopes = line_scopes(&model, &day, scope).into_iter();
            scopes.map(|scope| scope.region_id(model.registry()).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(lines(Scope::Global), ["global", "r28", "r0", "r2", "r1", "r29"]);
        let chosen = model.registry().find("r20").unwrap();
        assert_eq!(lines(Scope::Region(chosen)), ["global", "r28", "r20", "r0", "r1", "r29"]);
        let most_expensive = model.registry().find("r29").unwrap();
        assert_eq!(
            lines(Scope::Region(most_expensive)),
            ["global", "r28", "r0", "r2", "r1", "r29"]
        );
    }

    #[test]
    fn a_single_region_has_a_line_only_if_it_is_chosen() {
        let (model, day) = network(1);
        assert_eq!(line_scopes(&model, &day, Scope::Global), [Scope::Global]);
        assert_eq!(shown_regions(&model, &day).len(), 1);
        let chosen = Scope::Region(model.registry().find("r0").unwrap());
        assert_eq!(line_scopes(&model, &day, chosen), [Scope::Global, chosen]);
    }

    #[test]
    fn data_is_the_operators_or_synthetic_or_says_which_is() {
        let about = About { title: Some("Coin, 2026".into()), ..About::default() };
        let kind = |about: &About, words: &[&'static str]| match words {
            [] => kind_of_data(about, &Provenance::OperatorData),
            words => kind_of_data(about, &Provenance::Mixed(words.to_vec())),
        };
        assert_eq!(kind_of_data(&about, &Provenance::Synthetic), "Synthetic data");
        assert_eq!(kind(&About::default(), &[]), "Operator's data");
        assert_eq!(kind(&about, &[]), "Coin, 2026");
        let all = ["hashrate", "fee", "price"];
        assert_eq!(kind(&about, &all), "Coin, 2026, with synthetic hashrate, fee and price");
        assert_eq!(kind(&About::default(), &["fee"]), "Operator's data, with synthetic fee");
    }

    const LAST: Date = date(2026, 11, 16);

    #[test]
    fn a_range_has_its_days_and_the_day_before() {
        let model = Model::new(Inputs::default());
        for (range, points, step) in [
            (Range::Week, 7, 1),
            (Range::Month, 30, 1),
            (Range::Quarter, 90, 1),
            (Range::Year, 365, 1),
            (Range::FiveYears, 261, 7),
            (Range::All, 1_572, 7),
        ] {
            let past = Past::new(&model, Scope::Global, range, LAST).unwrap();
            assert_eq!(past.days().len(), points);
            assert_eq!(past.last(), (LAST, model.day(LAST).unwrap().global));
            let ago = LAST.saturating_sub(((points as i64 - 1) * step).days());
            assert_eq!(past.days()[0], (ago, model.day(ago).unwrap().global));
            let before = ago.saturating_sub(step.days());
            assert_eq!(past.before(), Some((before, model.day(before).unwrap().global)));
        }
    }

    #[test]
    fn a_mean_covers_the_week_that_ends_on_its_day() {
        let model = Model::new(Inputs::default());
        for (regions, weekly) in [(3, true), (256, false)] {
            let has_means = Range::ALL.map(|range| range.has_means(regions));
            assert_eq!(has_means, [false, false, true, true, weekly, weekly]);
        }
        for range in [Range::Quarter, Range::Year, Range::FiveYears, Range::All] {
            let past = Past::new(&model, Scope::Global, range, LAST).unwrap();
            let means = past.means(&model, Scope::Global);
            assert_eq!(means.len(), 1 + past.days().len());
            let days = past.points.iter();
            for ((day, _), (date, mean)) in days.zip(&means).step_by(25) {
                assert_eq!(date, day);
                let week = (0..7).map(|ago| model.day(*date - ago.days()).unwrap().global.avg_usd);
                let sum: f64 = week.map(Decimal::to_f64).sum();
                assert!((mean.to_f64() - sum / 7.0).abs() < 0.006, "{range:?} {date}");
            }
        }
    }

    #[test]
    fn every_scope_has_the_same_points() {
        let regions = (0..256).map(|index| {
            let share = if index == 0 { "74.5" } else { "0.1" };
            format!("[[region]]\nid = \"r{index}\"\nname = \"R{index}\"\nhashrate_share_pct = {share}\nefficiency_j_per_th = {{ best = 16, mean = 18, worst = 20 }}\nelectricity_usd_per_kwh = {{ low = 0.04, mean = 0.05, high = 0.06 }}\n")
        });
        let head = ghi_engine::DEFAULT_INPUTS.split("[[region]]").next().unwrap();
        let inputs = head.to_owned() + &regions.collect::<String>();
        let model = Model::new(Inputs::parse(&inputs).unwrap());
        let region = Scope::Region(model.registry().indices().next().unwrap());
        let dates = [Scope::Global, region].map(|scope| {
            let past = Past::new(&model, scope, Range::All, LAST).unwrap();
            past.days().iter().map(|day| day.0).collect::<Vec<_>>()
        });
        assert_eq!(dates[0], dates[1]);
    }

    #[test]
    fn a_range_begins_no_earlier_than_the_calendar() {
        let model = Model::new(Inputs::default());
        let day = date(1, 1, 3);
        let past = Past::new(&model, Scope::Global, Range::Month, day).unwrap();
        assert_eq!((past.days().len(), past.before()), (3, None));
        assert_eq!(past.days()[0].0, date(1, 1, 1));
        let past = Past::new(&model, Scope::Global, Range::Year, day).unwrap();
        // The first day is its own mean.
        let first = past.days()[0];
        assert_eq!(past.means(&model, Scope::Global)[0], (first.0, first.1.avg_usd));
    }
}
