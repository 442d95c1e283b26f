//! The table of regions, which can be sorted and searched.

use askama::Template;
use ghi_display::{Delta, Range, extremes, first_with, region_colour, share_percent, sparkline};
use ghi_engine::{Costs, Decimal, NoFigures, RegionIndex, Registry, Scope};

use crate::routes::pages::view::{COLUMNS, FIND_MAX, PageInput, VERSUS_YOURS, View};

/// With more than `ALL_SHOWN` regions, `FIRST_SHOWN` of them are shown at first.
const FIRST_SHOWN: usize = 6;
const ALL_SHOWN: usize = 10;

#[derive(Template)]
#[template(path = "blocks/regions.html")]
pub(crate) struct RegionsBlock<'a> {
    input: PageInput<'a>,
    /// Labels, the queries that sort by columns that can be sorted, and the direction in which a column is sorted.
    columns: Vec<(&'static str, Option<String>, Option<&'static str>)>,
    rows: Vec<RegionTableRow<'a>>,
    /// The other parameters of the view, and its query without a search, unless all regions fit and there is none.
    search: Option<(Vec<(&'static str, String)>, String)>,
    /// A sentence that says which regions are shown, and labels and queries of links to the others.
    note: String,
    links: Vec<(String, String)>,
}

struct RegionTableRow<'a> {
    id: &'a str,
    name: &'a str,
    is_chosen: bool,
    colour: &'static str,
    /// A label if the region has the lowest minimum or the highest maximum.
    extreme: String,
    sparkline: String,
    costs: [Decimal; 3],
    /// The positions of minimum and average, and the width from minimum to maximum, in percent of the worldwide range.
    range: [f64; 3],
    versus_yours: Option<String>,
    change: Option<Delta>,
    difference: Delta,
    share: String,
}

impl<'a> RegionsBlock<'a> {
    /// Builds the table, compared with the reader's own cost if there is one.
    pub(crate) fn new(input: &PageInput<'a>, yours: Option<Decimal>) -> Result<Self, NoFigures> {
        let PageInput { registry, view, .. } = *input;
        let mut regions = found(registry, &view.find);
        sort(&mut regions, input);
        let (regions, note, links) = shown(regions, input);
        let row = |region: &RegionIndex| RegionTableRow::new(input, *region, yours);
        let all = View { find: String::new(), lists_all: false, ..view.clone() };
        let is_searchable = registry.regions().len() > ALL_SHOWN || !view.find.is_empty();
        let (current, is_reversed) = view.order;
        let header = |(label, column): (&'static str, &'static str)| {
            let is_current = column == current;
            let order = (column, is_current && !is_reversed);
            let query =
                (!column.is_empty()).then(|| View { order, ..view.clone() }.query(registry));
            let is_ascending = (column == "name") != is_reversed;
            let direction = if is_ascending { "ascending" } else { "descending" };
            (label, query, is_current.then_some(direction))
        };
        let columns = COLUMNS.into_iter();
        let columns = columns.filter(|(label, _)| *label != VERSUS_YOURS || yours.is_some());
        Ok(Self {
            input: *input,
            columns: columns.map(header).collect(),
            rows: regions.iter().map(row).collect::<Result<_, NoFigures>>()?,
            search: is_searchable.then(|| (all.fields(registry), all.query(registry))),
            note,
            links,
        })
    }
}

impl<'a> RegionTableRow<'a> {
    fn new(
        input: &PageInput<'a>,
        region: RegionIndex,
        yours: Option<Decimal>,
    ) -> Result<Self, NoFigures> {
        let PageInput { edition, model, registry, today, view, .. } = *input;
        let Costs { min_usd, avg_usd, max_usd } = today.regions[region.get()];
        let past = edition.past(Scope::Region(region), Range::Month)?;
        let averages: Vec<Decimal> = past.points.iter().map(|day| day.1.avg_usd).collect();
        let (low, high) = (today.global.min_usd, today.global.max_usd);
        let span = (high.count() - low.count()).max(1) as f64;
        let part_of_range = |[to, from]: [Decimal; 2]| {
            (1_000.0 * (to.count() - from.count()) as f64 / span).round() / 10.0
        };
        let delta = |from: Decimal| Delta { from, to: avg_usd };
        let week_ago = edition.days().days_ago(7).ok();
        // A single region has both, which is not worth a label.
        let labels = std::iter::zip(["lowest minimum", "highest maximum"], extremes(model, today));
        let labels = labels.filter(|(_, extreme)| *extreme == region && today.regions.len() > 1);
        Ok(Self {
            id: &registry[region].id,
            name: &registry[region].name,
            is_chosen: view.scope == Scope::Region(region),
            colour: region_colour(region),
            extreme: labels.map(|label| label.0).collect::<Vec<_>>().join(", "),
            sparkline: sparkline(&averages),
            costs: [min_usd, avg_usd, max_usd],
            range: [[min_usd, low], [avg_usd, low], [max_usd, min_usd]].map(part_of_range),
            versus_yours: yours
                .map(|yours| delta(yours).in_words("below yours", "the same", "above yours")),
            change: week_ago.map(|day| delta(day.regions[region.get()].avg_usd)),
            difference: delta(today.global.avg_usd),
            share: share_percent(today.hashrate_shares_pct[region.get()]),
        })
    }
}

/// Returns the regions whose name or id contains a string, ignoring case. An empty string matches all.
pub(crate) fn found(registry: &Registry, text: &str) -> Vec<RegionIndex> {
    let text = text.to_lowercase();
    let contains = |region: &RegionIndex| {
        let region = &registry[*region];
        text.is_empty() || region.id.contains(&text) || region.name.to_lowercase().contains(&text)
    };
    registry.indices().filter(contains).collect()
}

/// Sorts regions: names from A, numbers from the largest. Equal ones stay in the registry's order.
fn sort(regions: &mut [RegionIndex], input: &PageInput<'_>) {
    let (today, (column, is_reversed)) = (input.today, input.view.order);
    // Reversed twice, so that equal ones stay in the registry's order.
    if is_reversed {
        regions.reverse();
    }
    let week_ago = input.edition.days().days_ago(7).ok();
    let key = |region: &RegionIndex| {
        let costs = &today.regions[region.get()];
        match column {
            "share" => today.hashrate_shares_pct[region.get()].to_f64(),
            "min" => costs.min_usd.to_f64(),
            "max" => costs.max_usd.to_f64(),
            "change" => week_ago.map_or(0.0, |day| {
                Delta { from: day.regions[region.get()].avg_usd, to: costs.avg_usd }.percent()
            }),
            _ => costs.avg_usd.to_f64(),
        }
    };
    match column {
        "name" => regions.sort_by_cached_key(|region| input.registry[*region].name.to_lowercase()),
        _ => regions.sort_by(|one, other| key(other).total_cmp(&key(one))),
    }
    if is_reversed {
        regions.reverse();
    }
}

/// Returns the regions that are shown of those found, a sentence about them, and labels and queries of links to others.
fn shown(
    found: Vec<RegionIndex>,
    input: &PageInput<'_>,
) -> (Vec<RegionIndex>, String, Vec<(String, String)>) {
    let PageInput { model, registry, today, view, .. } = *input;
    let all = registry.regions().len();
    if found.is_empty() {
        return (found, format!("No region matches \"{}\".", view.find), Vec::new());
    }
    if !view.find.is_empty() {
        let note = format!("{} of {all} regions match.", found.len());
        return (found, note, Vec::new());
    }
    if all <= ALL_SHOWN {
        return (found, String::new(), Vec::new());
    }
    let other = View { lists_all: !view.lists_all, ..view.clone() }.query(registry);
    if view.lists_all {
        return (found, format!("All {all} regions."), vec![("Show fewer".into(), other)]);
    }
    let note = format!(
        "{FIRST_SHOWN} of {all} regions: the first, and those with the lowest minimum and the highest maximum."
    );
    let regions = first_with(&extremes(model, today), &found, FIRST_SHOWN);
    (regions, note, vec![(format!("All {all} regions"), other)])
}

#[cfg(test)]
mod tests {
    use ghi_engine::{DEFAULT_INPUTS, Inputs, Model};

    use crate::edition::{Editions, RequestDay};
    use crate::http::site::Site;

    use super::*;

    /// Returns inputs with regions of these names and shares, in hundredths of a percent. The first pays
    /// the least for electricity, the last the most.
    fn inputs(regions: &[(&str, usize)]) -> String {
        let mut text = DEFAULT_INPUTS.split("[[region]]").next().unwrap().to_owned();
        for (index, (name, share)) in regions.iter().enumerate() {
            let price = 0.04 + 0.02 * index as f64 / regions.len() as f64;
            text += &format!(
                "[[region]]\nid = \"r{index}\"\nname = \"{name}\"\n\
                 hashrate_share_pct = {}.{:02}\n\
                 efficiency_j_per_th = {{ best = 18, mean = 20, worst = 22 }}\n\
                 electricity_usd_per_kwh = {{ low = {price}, mean = {price}, high = {price} }}\n",
                share / 100,
                share % 100,
            );
        }
        // Without movement, the costs follow the prices.
        text.replace("electricity_pct = ", "electricity_pct = 0 #")
    }

    fn now(inputs: &str) -> RequestDay {
        let model = Model::new(Inputs::parse(inputs).unwrap());
        let editions = Editions::new(model, &Site::new(None), 1);
        editions.day("2026-11-15T12:00:00Z".parse().unwrap())
    }

    fn table<'a>(now: &'a RequestDay, site: &'a Site, view: &'a View) -> RegionsBlock<'a> {
        let input = PageInput::new(&now.edition, site, view, &[]).unwrap();
        RegionsBlock::new(&input, None).unwrap()
    }

    fn names(rows: &[RegionTableRow<'_>]) -> Vec<String> {
        rows.iter().map(|row| row.name.to_owned()).collect()
    }

    /// Returns thirty regions in increasing size, except for one in the middle that is the largest.
    fn thirty() -> String {
        let names: Vec<String> = (0..30).map(|index| format!("N{index:02}")).collect();
        let share = |index: usize| if index == 15 { 2_900 } else { 100 + 10 * index };
        let rest = 10_000 - (0..29).map(share).sum::<usize>();
        let share = |index: usize| if index == 29 { rest } else { share(index) };
        let regions: Vec<_> =
            names.iter().enumerate().map(|(index, name)| (&**name, share(index))).collect();
        inputs(&regions)
    }

    fn order(column: &'static str, is_reversed: bool) -> View {
        View { order: (column, is_reversed), ..View::DEFAULT }
    }

    #[test]
    fn the_table_always_shows_the_lowest_minimum_and_the_highest_maximum() {
        let (now, site) = (now(&thirty()), Site::new(None));
        let shown = |view: &View| names(&table(&now, &site, view).rows);
        let by_share = shown(&order("share", false));
        assert_eq!(by_share.len(), 6);
        assert_eq!(by_share[..3], ["N15", "N29", "N28"]);
        assert_eq!(by_share[4..], ["N26", "N00"], "the cheapest comes last");
        let by_name = shown(&order("name", false));
        assert_eq!(by_name[..2], ["N00", "N01"]);
        assert_eq!(by_name[4..], ["N04", "N29"]);
        let view = order("share", false);
        let marked = table(&now, &site, &view);
        let extreme =
            |name: &str| &*marked.rows.iter().find(|row| row.name == name).unwrap().extreme;
        assert_eq!(
            [extreme("N00"), extreme("N29"), extreme("N28")],
            ["lowest minimum", "highest maximum", ""]
        );
    }

    #[test]
    fn each_column_sorts_both_ways() {
        let (now, site) = (now(&thirty()), Site::new(None));
        let first = |column, reversed| {
            let view = order(column, reversed);
            table(&now, &site, &view).rows[0].name.to_owned()
        };
        for (column, usual, reversed) in [
            ("name", "N00", "N29"),
            ("share", "N15", "N00"),
            ("min", "N29", "N00"),
            ("avg", "N29", "N00"),
            ("max", "N29", "N00"),
            ("difference", "N29", "N00"),
        ] {
            assert_eq!(
                [first(column, false), first(column, true)],
                [usual, reversed],
                "{column:?}"
            );
        }
        let view = order("change", false);
        let change = table(&now, &site, &view);
        let percents: Vec<f64> =
            change.rows[..4].iter().map(|row| row.change.unwrap().percent()).collect();
        assert!(percents.is_sorted_by(|one, other| one >= other), "{percents:?}");
    }

    #[test]
    fn the_header_of_the_sorted_column_reverses_it() {
        let (now, site) = (now(&thirty()), Site::new(None));
        let of = |view: &View, label: &str| {
            let table = table(&now, &site, view);
            let header = table.columns.into_iter().find(|header| header.0 == label).unwrap();
            (header.1.unwrap(), header.2)
        };
        assert_eq!(of(&View::DEFAULT, "Average"), ("?sort=avg".into(), Some("ascending")));
        assert_eq!(of(&View::DEFAULT, "Hashrate"), ("?sort=share".into(), None));
        assert_eq!(of(&View::DEFAULT, "Region"), ("?sort=name".into(), None));
        assert_eq!(of(&order("name", false), "Region"), ("?sort=-name".into(), Some("ascending")));
        assert_eq!(of(&order("name", true), "Region"), ("?sort=name".into(), Some("descending")));
        assert_eq!(of(&order("avg", false), "Average"), (String::new(), Some("descending")));
    }

    #[test]
    fn search_by_name_or_id_is_case_insensitive() {
        let regions = [("Ödland", 4_000), ("STRASSE <b>&$1", 3_000), ("אזור", 3_000)];
        let (now, site) = (now(&inputs(&regions)), Site::new(None));
        let find = |text: &str| {
            let view = View { find: text.into(), ..View::DEFAULT };
            let table = table(&now, &site, &view);
            (names(&table.rows), table.note)
        };
        assert_eq!(find("öd"), (vec!["Ödland".into()], "1 of 3 regions match.".into()));
        assert_eq!(find("strasse").0, ["STRASSE <b>&$1"]);
        assert_eq!(find("זו").0, ["אזור"]);
        assert_eq!(find("R2").0, ["אזור"]);
        assert_eq!(find("xyz"), (vec![], "No region matches \"xyz\".".into()));
        let view = View::DEFAULT;
        let all = table(&now, &site, &view);
        assert!(all.search.is_none() && all.note.is_empty());
        let html = all.render().unwrap();
        assert!(!html.contains("<b>") && html.contains("STRASSE &#60;b&#62;&#38;$1"), "{html}");
    }

    #[test]
    fn links_keep_the_rest_of_the_view() {
        let (now, site) = (now(&thirty()), Site::new(None));
        let view = View { range: Range::Year, find: "N2".into(), ..View::DEFAULT };
        let table = table(&now, &site, &view);
        assert_eq!(table.columns[0].1.as_deref(), Some("?range=1y&sort=name&find=N2"));
        let search = table.search.unwrap();
        assert_eq!(search.1, "?range=1y");
        assert_eq!(search.0, [("range", "1y".to_owned())]);
    }

    #[test]
    fn a_link_lists_all_regions_in_order() {
        let names: Vec<String> = (0..120).map(|index| format!("N{index:03}")).collect();
        let regions: Vec<_> =
            names.iter().map(|name| (&**name, if *name == "N119" { 480 } else { 80 })).collect();
        let (now, site) = (now(&inputs(&regions)), Site::new(None));
        let shown = |lists_all, find: &str| {
            let view = View { lists_all, find: find.into(), ..order("name", false) };
            let table = table(&now, &site, &view);
            (self::names(&table.rows), table.note, table.links)
        };
        let link = |label: &str, query: &str| vec![(label.to_owned(), query.to_owned())];
        let (rows, note, links) = shown(false, "");
        assert_eq!((rows.len(), links), (6, link("All 120 regions", "?sort=name&page=1")));
        assert!(note.starts_with("6 of 120 regions: the first,"), "{note}");
        let fewer = link("Show fewer", "?sort=name");
        assert_eq!(shown(true, ""), (names.clone(), "All 120 regions.".into(), fewer));
        let matches = (names[..100].to_vec(), "100 of 120 regions match.".into(), Vec::new());
        assert_eq!(shown(false, "N0"), matches);
    }

    #[test]
    fn the_readers_own_cost_has_a_column() {
        for text in [DEFAULT_INPUTS.to_owned(), thirty()] {
            let (now, site) = (now(&text), Site::new(None));
            let day = now.edition.days().today().unwrap();
            let yours = Decimal::new(day.global.avg_usd.count() / 2, 2);
            let view = View::DEFAULT;
            let input = PageInput::new(&now.edition, &site, &view, &[]).unwrap();
            let table = RegionsBlock::new(&input, Some(yours)).unwrap();
            assert!(table.columns.iter().any(|header| header.0 == VERSUS_YOURS));
            for row in &table.rows {
                let region = now.edition.model().registry().find(row.id).unwrap();
                let other = day.regions[region.get()].avg_usd;
                let expected = Delta { from: yours, to: other }.percent_size();
                assert!(row.versus_yours.as_ref().unwrap().starts_with(&expected));
            }
            assert!(table.render().unwrap().contains("% above yours\n"));
        }
    }

    #[test]
    fn rows_have_the_costs_of_the_day() {
        for text in [DEFAULT_INPUTS.to_owned(), thirty(), inputs(&[("Alone", 10_000)])] {
            let (now, site) = (now(&text), Site::new(None));
            let model = now.edition.model();
            let day = model.day("2026-11-15".parse().unwrap()).unwrap();
            let before = model.day("2026-11-08".parse().unwrap()).unwrap();
            for row in table(&now, &site, &View::DEFAULT).rows {
                let region = model.registry().find(row.id).unwrap().get();
                let costs = day.regions[region];
                let expected = [costs.min_usd, costs.avg_usd, costs.max_usd];
                assert_eq!(row.costs, expected);
                assert_eq!(row.share, share_percent(day.hashrate_shares_pct[region]));
                assert_eq!(row.change.unwrap().from, before.regions[region].avg_usd);
                assert_eq!(row.difference.from, day.global.avg_usd);
                assert!(row.extreme.is_empty() || day.regions.len() > 1);
            }
        }
    }
}
