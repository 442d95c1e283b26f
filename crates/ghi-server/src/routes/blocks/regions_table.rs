//! The regions as a table that can be sorted and searched.

use std::num::NonZeroU16;

use askama::Template;
use ghi_display::{Amount, Delta, Percent, extremes, first_with, grouped, sparkline};
use ghi_engine::{Day, Decimal, NoFigures, RegionIndex, Registry, Scope};

use crate::edition::{Edition, Range};
use crate::http::site::Site;
use crate::routes::blocks::regions_shown::{found, sort};
use crate::routes::view::{Column, FIND_MAX, Order, View};

/// How many regions are shown at the first look.
const FIRST_SHOWN: usize = 6;

/// How many regions a page has, of all or of those that were searched for.
const PAGE: usize = 50;

/// What the column is called that has the averages beside a reader's own cost.
const BESIDE_YOURS: &str = "Beside your cost";

/// The table and its search, without a heading: a page puts it into a section whose heading has the id
/// `regions`.
#[derive(Template)]
#[template(path = "blocks/regions_table.html")]
pub(crate) struct RegionsTable<'a> {
    prefix: &'a str,
    columns: Vec<Header>,
    rows: Vec<Row<'a>>,
    /// Where there are more regions than rows, or some are searched for.
    search: Option<Search>,
    /// Which regions these are, where that is to be said.
    note: String,
    /// What leads to others.
    links: Vec<Link>,
}

/// Another choice of rows.
struct Link {
    label: String,
    query: String,
}

/// The head of a column, which sorts by it.
struct Header {
    label: &'static str,
    /// What the sorted page is called, where there is something to sort by.
    query: Option<String>,
    /// Which way round it is sorted, if it is.
    direction: Option<&'static str>,
}

/// The search for regions by name.
struct Search {
    find: String,
    max: usize,
    /// The rest of the view.
    fields: Vec<(&'static str, String)>,
    /// What shows all regions again.
    query_of_all: String,
}

struct Row<'a> {
    id: &'a str,
    name: &'a str,
    /// What shows the region in the history.
    query: String,
    is_chosen: bool,
    /// What it sets worldwide, if it does.
    sets: &'static str,
    sparkline: String,
    average: Cost,
    beside_yours: Option<Delta>,
    change: Option<Delta>,
    difference: Delta,
    minimum: Cost,
    maximum: Cost,
    share: Percent,
}

/// A cost as people and as programs read it.
struct Cost(Decimal);

impl Cost {
    fn rounded(&self) -> String {
        Amount(self.0).rounded()
    }

    fn plain(&self) -> String {
        Amount(self.0).plain()
    }
}

impl<'a> RegionsTable<'a> {
    pub(crate) fn new(
        edition: &'a Edition,
        view: &View,
        yours: Option<Decimal>,
        site: &'a Site,
    ) -> Result<Self, NoFigures> {
        let (registry, days) = (edition.model().registry(), edition.days());
        let (today, week_ago) = (days.today()?, days.week_ago().ok());
        let count = registry.regions().len();
        let mut regions = found(registry, &view.find);
        sort(&mut regions, view.order, registry, today, week_ago);
        let extremes = extremes(edition.model(), today);
        let is_paged = !view.find.is_empty() || view.page.is_some() && count > FIRST_SHOWN;
        let Choice { shown, note, links } = match is_paged {
            true => page(&regions, view, registry),
            false => first_look(&regions, &extremes, view, registry),
        };
        let row = |region: RegionIndex| {
            let (costs, scope) = (today.regions[region.get()], Scope::Region(region));
            let change =
                |day: &Day| Delta { from: day.regions[region.get()].avg_usd, to: costs.avg_usd };
            let past = edition.past(scope, Range::Month)?;
            let averages: Vec<Decimal> = past.days.iter().map(|day| day.1.avg_usd).collect();
            Ok(Row {
                id: &registry[region].id,
                name: &registry[region].name,
                query: View { scope, ..view.clone() }.query(registry),
                is_chosen: view.scope == scope,
                // One region alone sets both, which says nothing.
                sets: words(extremes.map(|setter| setter == region && count > 1)),
                sparkline: sparkline(&averages),
                average: Cost(costs.avg_usd),
                beside_yours: yours.map(|yours| Delta { from: yours, to: costs.avg_usd }),
                change: week_ago.map(change),
                difference: Delta { from: today.global.avg_usd, to: costs.avg_usd },
                minimum: Cost(costs.min_usd),
                maximum: Cost(costs.max_usd),
                share: Percent(today.hashrate_shares_pct[region.get()]),
            })
        };
        Ok(Self {
            prefix: site.prefix(),
            columns: headers(view, yours, registry),
            rows: shown.into_iter().map(row).collect::<Result<_, NoFigures>>()?,
            search: (count > FIRST_SHOWN || is_paged).then(|| search(view, registry)),
            note,
            links,
        })
    }
}

/// The columns from left to right.
fn headers(view: &View, yours: Option<Decimal>, registry: &Registry) -> Vec<Header> {
    let sorted_by = |label, column: Column| {
        let is_current = view.order.column == column;
        let reversed = is_current && !view.order.reversed;
        let order = Order { column, reversed };
        let view_of = View { order, page: view.page.and(Some(NonZeroU16::MIN)), ..view.clone() };
        let is_ascending = (column == Column::Name) != view.order.reversed;
        let direction = if is_ascending { "ascending" } else { "descending" };
        let query = Some(view_of.query(registry));
        Header { label, query, direction: is_current.then_some(direction) }
    };
    let plain = |label| Header { label, query: None, direction: None };
    let mut headers = vec![
        sorted_by("Region", Column::Name),
        plain("30 days"),
        sorted_by("Average", Column::Average),
    ];
    // In the order of the averages, whose column sorts it.
    headers.extend(yours.map(|_| plain(BESIDE_YOURS)));
    headers.extend([
        sorted_by("7 days", Column::Change),
        sorted_by("From worldwide", Column::Difference),
        sorted_by("Minimum", Column::Minimum),
        sorted_by("Maximum", Column::Maximum),
        sorted_by("Hashrate", Column::Share),
    ]);
    headers
}

fn search(view: &View, registry: &Registry) -> Search {
    let all = View { find: String::new(), page: None, ..view.clone() };
    Search {
        find: view.find.clone(),
        max: FIND_MAX,
        fields: all.fields(registry),
        query_of_all: all.query(registry),
    }
}

fn words(sets: [bool; 2]) -> &'static str {
    match sets {
        [true, true] => "sets the minimum and the maximum",
        [true, false] => "sets the minimum",
        [false, true] => "sets the maximum",
        [false, false] => "",
    }
}

/// Which regions are shown, in words too, and what leads to others.
struct Choice {
    shown: Vec<RegionIndex>,
    note: String,
    links: Vec<Link>,
}

/// What is shown of all regions, in their order, until somebody asks for more.
fn first_look(
    regions: &[RegionIndex],
    extremes: &[RegionIndex],
    view: &View,
    registry: &Registry,
) -> Choice {
    let count = regions.len();
    if count <= FIRST_SHOWN {
        return Choice { shown: regions.to_vec(), note: String::new(), links: Vec::new() };
    }
    let first = match (view.order.column, view.order.reversed) {
        (Column::Share, false) => "The largest",
        (Column::Share, true) => "The smallest",
        _ => "The first",
    };
    let all = grouped(count as u64);
    let query = View { page: Some(NonZeroU16::MIN), ..view.clone() }.query(registry);
    Choice {
        shown: first_with(extremes, regions, FIRST_SHOWN),
        note: format!(
            "{first} of {all} regions, and always those that set the minimum and the maximum."
        ),
        links: vec![Link { label: format!("All {all} regions"), query }],
    }
}

/// A page of the regions that were found, in their order. One behind the last is the last.
fn page(found: &[RegionIndex], view: &View, registry: &Registry) -> Choice {
    let pages = found.len().div_ceil(PAGE).max(1);
    let number = view.page.map_or(1, |page| usize::from(page.get())).min(pages);
    let first = (number - 1) * PAGE;
    let shown: Vec<RegionIndex> = found.iter().copied().skip(first).take(PAGE).collect();
    let counts = [registry.regions().len(), first + 1, first + shown.len(), found.len()];
    let [all, from, to, matches] = counts.map(|count| grouped(count as u64));
    let note = match (view.find.is_empty(), found.len()) {
        (_, 0) => format!("None of {all} regions has that in its name or id."),
        (true, 1..=PAGE) => format!("All {all} regions."),
        (true, _) => format!("Regions {from} to {to} of {all}."),
        (false, 1..=PAGE) => format!("{matches} of {all} regions match."),
        (false, _) => format!("{matches} of {all} regions match; these are {from} to {to}."),
    };
    let link =
        |label: String, page| Link { label, query: View { page, ..view.clone() }.query(registry) };
    let turned = |label, number: usize| {
        let number = u16::try_from(number).ok().and_then(NonZeroU16::new);
        link(format!("{label} {PAGE}"), number)
    };
    let next = (number < pages).then(|| turned("Next", number + 1));
    let previous = (number > 1).then(|| turned("Previous", number - 1));
    let fewer = view.find.is_empty().then(|| link("Show fewer".into(), None));
    // The next stands first, so that it keeps its place, and the focus, from page to page.
    let links = [next, previous, fewer].into_iter().flatten().collect();
    Choice { shown, note, links }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ghi_engine::{DEFAULT_INPUTS, Inputs, Model};

    use crate::edition::{Editions, RequestDay};

    use super::*;

    /// The text of inputs with regions of these names and shares in hundredths of a percent. The first
    /// pays least, the last most.
    fn inputs(regions: &[(&str, usize)]) -> String {
        let mut text = DEFAULT_INPUTS.split("[[region]]").next().unwrap().to_owned();
        for (place, (name, share)) in regions.iter().enumerate() {
            let price = 0.04 + 0.02 * place as f64 / regions.len() as f64;
            text += &format!(
                "[[region]]\nid = \"r{place}\"\nname = \"{name}\"\n\
                 hashrate_share_pct = {}.{:02}\n\
                 efficiency_j_per_th = {{ best = 18, mean = 20, worst = 22 }}\n\
                 electricity_usd_per_kwh = {{ low = {price}, mean = {price}, high = {price} }}\n",
                share / 100,
                share % 100,
            );
        }
        // So that each costs what its price says.
        text.replace("electricity_pct = ", "electricity_pct = 0 #")
    }

    fn now(inputs: &str) -> RequestDay {
        let model = Model::new(Inputs::parse(inputs).unwrap());
        let editions = Editions::new(model, Arc::new(Site::new(None)), |_, _| {});
        RequestDay::new("2026-11-15T12:00:00Z".parse().unwrap(), &editions)
    }

    fn table<'a>(now: &'a RequestDay, site: &'a Site, view: &View) -> RegionsTable<'a> {
        RegionsTable::new(now.edition(), view, None, site).unwrap()
    }

    fn names(rows: &[Row<'_>]) -> Vec<String> {
        rows.iter().map(|row| row.name.to_owned()).collect()
    }

    /// Thirty regions, the larger the later, but for one in the middle that is the largest.
    fn thirty() -> String {
        let names: Vec<String> = (0..30).map(|place| format!("N{place:02}")).collect();
        let share = |place: usize| if place == 15 { 2_900 } else { 100 + 10 * place };
        let rest = 10_000 - (0..29).map(share).sum::<usize>();
        let share = |place: usize| if place == 29 { rest } else { share(place) };
        let regions: Vec<_> =
            names.iter().enumerate().map(|(place, name)| (&**name, share(place))).collect();
        inputs(&regions)
    }

    fn order(column: Column, reversed: bool) -> View {
        View { order: Order { column, reversed }, ..View::DEFAULT }
    }

    #[test]
    fn the_regions_that_set_minimum_and_maximum_are_always_shown() {
        let (now, site) = (now(&thirty()), Site::new(None));
        let shown = |view: &View| names(&table(&now, &site, view).rows);
        let by_share = shown(&View::DEFAULT);
        assert_eq!(by_share.len(), 6);
        assert_eq!(by_share[..3], ["N15", "N29", "N28"]);
        assert_eq!(by_share[4..], ["N26", "N00"], "the cheapest comes last");
        let by_name = shown(&order(Column::Name, false));
        assert_eq!(by_name[..2], ["N00", "N01"]);
        assert_eq!(by_name[4..], ["N04", "N29"]);
        let marked = table(&now, &site, &View::DEFAULT);
        let sets = |name: &str| marked.rows.iter().find(|row| row.name == name).unwrap().sets;
        assert_eq!(
            [sets("N00"), sets("N29"), sets("N28")],
            ["sets the minimum", "sets the maximum", ""]
        );
    }

    #[test]
    fn each_column_sorts_both_ways() {
        let (now, site) = (now(&thirty()), Site::new(None));
        let first = |column, reversed| table(&now, &site, &order(column, reversed)).rows[0].name;
        for (column, usual, reversed) in [
            (Column::Name, "N00", "N29"),
            (Column::Share, "N15", "N00"),
            (Column::Minimum, "N29", "N00"),
            (Column::Average, "N29", "N00"),
            (Column::Maximum, "N29", "N00"),
            (Column::Difference, "N29", "N00"),
        ] {
            assert_eq!(
                [first(column, false), first(column, true)],
                [usual, reversed],
                "{column:?}"
            );
        }
        let change = table(&now, &site, &order(Column::Change, false));
        let percents: Vec<f64> =
            change.rows[..4].iter().map(|row| row.change.unwrap().percent()).collect();
        assert!(percents.is_sorted_by(|one, other| one >= other), "{percents:?}");
    }

    #[test]
    fn the_head_of_the_current_column_turns_it_round() {
        let (now, site) = (now(&thirty()), Site::new(None));
        let of = |view: &View, label: &str| {
            let table = table(&now, &site, view);
            let header = table.columns.into_iter().find(|header| header.label == label).unwrap();
            (header.query.unwrap(), header.direction)
        };
        assert_eq!(of(&View::DEFAULT, "Hashrate"), ("?sort=-share".into(), Some("descending")));
        assert_eq!(of(&View::DEFAULT, "Region"), ("?sort=name".into(), None));
        assert_eq!(
            of(&order(Column::Name, false), "Region"),
            ("?sort=-name".into(), Some("ascending"))
        );
        assert_eq!(
            of(&order(Column::Name, true), "Region"),
            ("?sort=name".into(), Some("descending"))
        );
        assert_eq!(of(&order(Column::Share, true), "Hashrate"), (String::new(), Some("ascending")));
    }

    #[test]
    fn regions_are_found_by_name_or_id_in_capitals_or_not() {
        let regions = [("Ödland", 4_000), ("STRASSE <b>&$1", 3_000), ("אזור", 3_000)];
        let (now, site) = (now(&inputs(&regions)), Site::new(None));
        let find = |text: &str| {
            let table = table(&now, &site, &View { find: text.into(), ..View::DEFAULT });
            (names(&table.rows), table.note)
        };
        assert_eq!(find("öd"), (vec!["Ödland".into()], "1 of 3 regions match.".into()));
        assert_eq!(find("strasse").0, ["STRASSE <b>&$1"]);
        assert_eq!(find("זו").0, ["אזור"]);
        assert_eq!(find("R2").0, ["אזור"]);
        let none = "None of 3 regions has that in its name or id.";
        assert_eq!(find("xyz"), (vec![], none.into()));
        let all = table(&now, &site, &View::DEFAULT);
        assert!(all.search.is_none() && all.note.is_empty());
        let html = all.render().unwrap();
        assert!(!html.contains("<b>") && html.contains("STRASSE &#60;b&#62;&#38;$1"), "{html}");
    }

    #[test]
    fn links_keep_the_rest_of_the_view() {
        let (now, site) = (now(&thirty()), Site::new(None));
        let view = View { range: Range::Year, find: "N2".into(), ..View::DEFAULT };
        let table = table(&now, &site, &view);
        assert_eq!(table.rows[0].query, "?range=1y&region_id=r29&find=N2");
        let search = table.search.unwrap();
        assert_eq!(search.query_of_all, "?range=1y");
        assert_eq!(search.fields, [("range", "1y".to_owned())]);
    }

    #[test]
    fn pages_have_all_regions_in_their_order() {
        let names: Vec<String> = (0..120).map(|place| format!("N{place:03}")).collect();
        let regions: Vec<_> =
            names.iter().map(|name| (&**name, if *name == "N119" { 480 } else { 80 })).collect();
        let (now, site) = (now(&inputs(&regions)), Site::new(None));
        let page = |number, find: &str| {
            let view = View {
                page: NonZeroU16::new(number),
                find: find.into(),
                ..order(Column::Name, false)
            };
            let table = table(&now, &site, &view);
            let links = table.links.into_iter().map(|link| (link.label, link.query));
            (self::names(&table.rows), table.note, links.collect::<Vec<_>>())
        };
        let link = |label: &str, query: &str| (label.to_owned(), query.to_owned());
        let (rows, note, links) = page(0, "");
        assert_eq!((rows.len(), links), (6, vec![link("All 120 regions", "?sort=name&page=1")]));
        assert!(note.starts_with("The first of 120 regions,"), "{note}");
        let [next, fewer] =
            [link("Next 50", "?sort=name&page=2"), link("Show fewer", "?sort=name")];
        let first =
            (names[..50].to_vec(), "Regions 1 to 50 of 120.".into(), vec![next, fewer.clone()]);
        assert_eq!(page(1, ""), first);
        let previous = link("Previous 50", "?sort=name&page=2");
        let last =
            (names[100..].to_vec(), "Regions 101 to 120 of 120.".into(), vec![previous, fewer]);
        assert_eq!([page(3, ""), page(4, "")], [last.clone(), last]);
        let (rows, note, links) = page(2, "N0");
        assert_eq!(
            (rows.as_slice(), &*note),
            (&names[50..100], "100 of 120 regions match; these are 51 to 100.")
        );
        assert_eq!(links, [link("Previous 50", "?sort=name&find=N0&page=1")]);
        assert_eq!(page(9, "N11").0, names[110..]);
    }

    #[test]
    fn a_cost_of_ones_own_has_a_column_with_the_averages_beside_it() {
        for text in [DEFAULT_INPUTS.to_owned(), thirty()] {
            let (now, site) = (now(&text), Site::new(None));
            let day = now.edition().days().today().unwrap();
            let yours = Decimal::new(day.global.avg_usd.count() / 2, 2);
            let table =
                RegionsTable::new(now.edition(), &View::DEFAULT, Some(yours), &site).unwrap();
            assert!(table.columns.iter().any(|header| header.label == "Beside your cost"));
            for row in &table.rows {
                let region = now.edition().model().registry().find(row.id).unwrap();
                let other = day.regions[region.get()].avg_usd;
                assert_eq!(row.beside_yours, Some(Delta { from: yours, to: other }));
            }
            assert!(table.render().unwrap().contains("% above\n"));
        }
    }

    #[test]
    fn figures_are_those_of_the_day() {
        for text in [DEFAULT_INPUTS.to_owned(), thirty(), inputs(&[("Alone", 10_000)])] {
            let (now, site) = (now(&text), Site::new(None));
            let model = now.edition().model();
            let day = model.day("2026-11-15".parse().unwrap()).unwrap();
            let before = model.day("2026-11-08".parse().unwrap()).unwrap();
            for row in table(&now, &site, &View::DEFAULT).rows {
                let region = model.registry().find(row.id).unwrap().get();
                let costs = day.regions[region];
                assert_eq!(row.minimum.plain(), costs.min_usd.to_string());
                assert_eq!(row.average.plain(), costs.avg_usd.to_string());
                assert_eq!(row.maximum.plain(), costs.max_usd.to_string());
                assert_eq!(row.share.0, day.hashrate_shares_pct[region]);
                assert_eq!(row.change.unwrap().from, before.regions[region].avg_usd);
                assert_eq!(row.difference.from, day.global.avg_usd);
                assert!(row.sets.is_empty() || day.regions.len() > 1);
            }
        }
    }
}
