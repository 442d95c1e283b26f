//! How the costs moved: lines over a range of days, from minimum to maximum, and a table.

use askama::Template;
use ghi_contract::paths as contract;
use ghi_display::{Amount, Delta, HistoryChart, Unit, line_scopes};
use ghi_engine::{Costs, NoFigures, Scope};
use jiff::civil::Date;

use crate::edition::{Edition, Past, Range};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::blocks::get_data::GetData;
use crate::routes::preview::{Preview, short};
use crate::routes::view::View;

/// The movement of a scope among others.
#[derive(Template)]
#[template(path = "blocks/history.html")]
pub(crate) struct History<'a> {
    heading: String,
    /// The name as the heading has it.
    heading_name: String,
    name: &'a str,
    /// Of the last day.
    costs: Costs,
    last_date: Date,
    ranges: Vec<Link<'static>>,
    /// None on the page of one region.
    scopes: Vec<Link<'a>>,
    /// Where the region that is chosen has a page of its own.
    details: Option<String>,
    lines: String,
    spread: String,
    has_forecast: bool,
    first: String,
    last: String,
    /// How exact the costs of the table are.
    precision: &'static str,
    /// The newest first.
    rows: Vec<Row>,
    get_data: GetData,
}

/// A choice that a link makes.
struct Link<'a> {
    label: &'a str,
    url: String,
    is_current: bool,
}

/// A day of the table.
struct Row {
    date: String,
    min: String,
    avg: String,
    max: String,
    /// Since the day before.
    change: Option<Delta>,
}

/// The page that a history stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Dashboard,
    /// That of the scope.
    RegionPage,
}

impl<'a> History<'a> {
    pub(crate) fn new(
        edition: &'a Edition,
        view: &View,
        site: &'a Site,
        place: Place,
    ) -> Result<Self, NoFigures> {
        let (model, today) = (edition.model(), edition.days().today()?);
        let registry = model.registry();
        let (scope, shown) = (view.scope, (view.scope, view.range));
        let past = |scope| edition.past(scope, view.range);
        let lines = match place {
            Place::Dashboard => line_scopes(model, today, scope),
            Place::RegionPage => vec![Scope::Global, scope],
        };
        let chart = HistoryChart::new(model, today, shown, lines, past)?;
        let (name, past) = (chart.name, &chart.past);
        let url = |view: &View| match (place, view.scope) {
            (Place::RegionPage, Scope::Region(region)) => {
                let id = &registry[region].id;
                let range = view.range.name();
                format!("{}/regions/{id}?range={range}#history", site.prefix())
            }
            _ => format!("{}/{}#history", site.prefix(), view.query(registry)),
        };
        let ranges = Range::ALL.map(|range| Link {
            label: range.name(),
            url: url(&View { range, ..view.clone() }),
            is_current: range == view.range,
        });
        let scopes = chart.lines.iter().map(|line| Link {
            label: line.name,
            url: url(&View { scope: line.scope, ..view.clone() }),
            is_current: line.scope == view.scope,
        });
        let id = scope.region_id(registry);
        let of_scope = |path| format!("{path}?range={}&region_id={id}", view.range.name());
        let details = match (place, scope) {
            (Place::Dashboard, Scope::Region(_)) => Some(format!("{}/regions/{id}", site.prefix())),
            _ => None,
        };
        let [lines, spread] = chart.on_page();
        Ok(Self {
            name,
            heading_name: chart.short_name.clone(),
            costs: past.last().1,
            last_date: past.last().0,
            ranges: ranges.into(),
            scopes: if place == Place::Dashboard { scopes.collect() } else { Vec::new() },
            details,
            lines,
            spread,
            has_forecast: chart.forecast.is_some(),
            precision: precision(past),
            first: past.first().0.strftime("%-d %B %Y").to_string(),
            last: past.last().0.strftime("%-d %B %Y").to_string(),
            rows: rows(past),
            get_data: GetData::new(
                site,
                "the history",
                // The document has seven days.
                (view.range == Range::Week)
                    .then(|| format!("{}?region_id={id}", contract::HISTORY)),
                Some(of_scope(paths::HISTORY_CSV)),
                Some(of_scope(paths::HISTORY_CHART)),
            ),
            heading: chart.heading.clone(),
        })
    }

    /// What a link to the movement says, and what else there is behind it.
    pub(crate) fn preview(&self, more: &str) -> Preview {
        let Costs { min_usd, avg_usd, max_usd } = self.costs;
        let [min, avg, max] = [min_usd, avg_usd, max_usd].map(|cost| Amount(cost).rounded());
        let (heading, date) = (&self.heading, short(self.last_date));
        // One day alone is its own finding.
        let title = match self.rows.len() {
            1 => heading.clone(),
            _ => format!("{heading}: ${avg} on {date}"),
        };
        let description = format!("{heading}: ${avg} on {date}, from ${min} to ${max}. {more}");
        Preview { title, description, names: vec![self.heading_name.clone()] }
    }
}

/// The unit of a table.
fn unit(past: &Past) -> Unit {
    Unit::of(past.days.iter().map(|day| day.1.max_usd))
}

/// How exact the costs of a table are, behind their unit.
fn precision(past: &Past) -> &'static str {
    let unit = unit(past);
    let costs =
        past.days.iter().flat_map(|(_, costs)| [costs.min_usd, costs.avg_usd, costs.max_usd]);
    let [mut is_exact, mut is_whole] = [true; 2];
    for cost in costs {
        let shown = unit.written(cost);
        is_exact &= shown == Amount(cost).to_string();
        is_whole &= !shown.contains('.') && cost.decimals() == 2;
    }
    match (is_exact, is_whole) {
        (true, _) => ".",
        (false, true) => ", in whole dollars. The files have the cents.",
        (false, false) => ", rounded. The files have all digits.",
    }
}

/// The days of a table, the newest first, each with its change from the day before.
fn rows(past: &Past) -> Vec<Row> {
    let days: Vec<&(Date, Costs)> = past.before.iter().chain(&past.days).collect();
    let unit = unit(past);
    let row = |place: usize| {
        let (date, costs) = *days[place];
        let before = place.checked_sub(1).map(|place| days[place].1.avg_usd);
        Row {
            // The year stands where it begins.
            date: date
                .strftime(if date.day_of_year() == 1 { "%-d %b %Y" } else { "%-d %b" })
                .to_string(),
            min: unit.written(costs.min_usd),
            avg: unit.written(costs.avg_usd),
            max: unit.written(costs.max_usd),
            change: before.map(|from| Delta { from, to: costs.avg_usd }),
        }
    };
    let first = days.len() - past.days.len();
    (first..days.len()).rev().map(row).collect()
}
