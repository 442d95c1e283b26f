//! How the costs moved: lines over a range of days, from minimum to maximum, and a table.

use askama::Template;
use ghi_contract::paths as contract;
use ghi_engine::{Costs, NoFigures, Scope};
use jiff::civil::Date;

use crate::charts::amounts::{Relative, Rounded};
use crate::charts::{self, Form, Line, Role, finding, line_regions, name_of};
use crate::edition::{Edition, Past, Range};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::blocks::get_data::GetData;
use crate::routes::charts::forecast;
use crate::routes::view::View;

/// The movement of a scope among others.
#[derive(Template)]
#[template(path = "blocks/history.html")]
pub(crate) struct History<'a> {
    heading: String,
    name: &'a str,
    ranges: Vec<Link<'static>>,
    /// None on the page of one region.
    scopes: Vec<Link<'a>>,
    /// Where the region that is chosen has a page of its own.
    details: Option<String>,
    lines_wide: String,
    lines_narrow: String,
    spread_wide: String,
    spread_narrow: String,
    first: String,
    last: String,
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
    min: Rounded,
    avg: Rounded,
    max: Rounded,
    /// Since the day before.
    change: Option<Relative>,
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
        let scope = view.scope;
        let own = edition.past(scope, view.range)?;
        let shown = line_regions(model, today, scope);
        let scopes: Vec<Scope> =
            std::iter::once(Scope::Global).chain(shown.into_iter().map(Scope::Region)).collect();
        let pasts: Vec<Past> = scopes
            .iter()
            .map(|other| match other {
                other if *other == scope => Ok(own.clone()),
                other => edition.past(*other, view.range),
            })
            .collect::<Result<_, _>>()?;
        let lines = || {
            let lines = std::iter::zip(&scopes, &pasts);
            lines.map(|(other, past)| Line {
                name: name_of(*other, model),
                days: &past.days,
                role: match other {
                    Scope::Global => Role::Worldwide,
                    other if *other == scope => Role::Chosen,
                    Scope::Region(_) => Role::Other,
                },
            })
        };
        let name = name_of(scope, model);
        let heading = finding(name, view.range, &own);
        let drawn = |form| {
            let (heading, forecast) = (&*heading, Some(forecast(edition, view.range)?));
            let history = charts::History { heading, lines: lines().collect(), forecast };
            Ok(charts::history(&history, form))
        };
        let spread = |form| charts::spread(name, &own.days, form);
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
        let choices = scopes.iter().map(|scope| Link {
            label: name_of(*scope, model),
            url: url(&View { scope: *scope, ..view.clone() }),
            is_current: *scope == view.scope,
        });
        let id = scope.region_id(registry);
        let of_scope = |path| format!("{path}?range={}&region_id={id}", view.range.name());
        let details = match (place, scope) {
            (Place::Dashboard, Scope::Region(_)) => Some(format!("{}/regions/{id}", site.prefix())),
            _ => None,
        };
        Ok(Self {
            name,
            ranges: ranges.into(),
            scopes: if place == Place::Dashboard { choices.collect() } else { Vec::new() },
            details,
            lines_wide: drawn(Form::Wide)?,
            lines_narrow: drawn(Form::Narrow)?,
            spread_wide: spread(Form::Wide),
            spread_narrow: spread(Form::Narrow),
            first: own.days[0].0.strftime("%-d %B %Y").to_string(),
            last: own.last().0.strftime("%-d %B %Y").to_string(),
            rows: rows(&own),
            get_data: GetData::new(
                site,
                "the history",
                // The document has seven days.
                (view.range == Range::Week)
                    .then(|| format!("{}?region_id={id}", contract::HISTORY)),
                Some(of_scope(paths::HISTORY_CSV)),
                Some(of_scope(paths::HISTORY_CHART)),
            ),
            heading,
        })
    }
}

/// The days of a table, the newest first, each with its change from the day before.
fn rows(past: &Past) -> Vec<Row> {
    let days: Vec<&(Date, Costs)> = past.before.iter().chain(&past.days).collect();
    let row = |place: usize| {
        let (date, costs) = *days[place];
        let before = place.checked_sub(1).map(|place| days[place].1.avg_usd);
        Row {
            // The year stands where it begins.
            date: date.strftime(if date.day_of_year() == 1 { "%-d %b %Y" } else { "%-d %b" }).to_string(),
            min: Rounded(costs.min_usd),
            avg: Rounded(costs.avg_usd),
            max: Rounded(costs.max_usd),
            change: before.map(|from| Relative { from, to: costs.avg_usd }),
        }
    };
    let first = days.len() - past.days.len();
    (first..days.len()).rev().map(row).collect()
}
