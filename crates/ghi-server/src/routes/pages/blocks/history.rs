//! The history: averages over a range of days, as a chart and a table.

use askama::Template;
use ghi_contract::paths as contract;
use ghi_display::{
    Amount, Delta, HistoryChart, Past, Range, Unit, line_scopes, name_of, region_colour, short_date,
};
use ghi_engine::{Costs, Decimal, NoFigures, Scope};
use jiff::civil::Date;

use crate::edition::Edition;
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::pages::blocks::get_data::GetData;
use crate::routes::pages::frame::Preview;
use crate::routes::pages::view::View;

#[derive(Template)]
#[template(path = "blocks/history.html")]
pub(crate) struct HistoryBlock<'a> {
    prefix: &'a str,
    pub(crate) chart: HistoryChart<'a>,
    /// Ranges and, on the dashboard, units and regions.
    choices: Vec<(&'static str, Vec<ChoiceLink<'a>>)>,
    /// A name for the row before, such as `day before`.
    step: &'static str,
    /// The newest first.
    rows: Vec<DayRow>,
    get_data: GetData,
}

/// A link that chooses a range, a scope or a unit.
struct ChoiceLink<'a> {
    label: &'a str,
    url: String,
    is_current: bool,
    /// The class of its colour in the chart, if it has one.
    colour: &'static str,
}

struct DayRow {
    date: String,
    costs: [String; 3],
    change: Option<Delta>,
    /// The seven-day average, on long ranges.
    mean: Option<String>,
}

impl<'a> HistoryBlock<'a> {
    /// Builds the history for the dashboard, or for a region's own page.
    pub(crate) fn new(
        edition: &'a Edition,
        view: &View,
        site: &'a Site,
        is_region_page: bool,
    ) -> Result<Self, NoFigures> {
        let (model, today) = (edition.model(), edition.days().today()?);
        let View { scope, range, .. } = *view;
        let mut lines = vec![Scope::Global, scope];
        lines.dedup();
        let past_of = |scope| edition.past(scope, range);
        let mut chart = HistoryChart::new(model, today, (scope, range), lines, past_of)?;
        if view.is_change {
            chart = chart.as_change();
        }
        let (prefix, id) = (site.prefix(), scope.region_id(model.registry()));
        let url = |view: View| match is_region_page {
            true => format!("{prefix}/regions/{id}?range={}#history", view.range.name()),
            false => format!("{prefix}/{}#history", view.query(model.registry())),
        };
        let link = |label, view, is_current, colour| ChoiceLink {
            label,
            url: url(view),
            is_current,
            colour,
        };
        let ranges = Range::ALL.map(|other| {
            link(other.label(), View { range: other, ..view.clone() }, other == range, "")
        });
        let scopes = line_scopes(model, today, scope).into_iter().map(|other| {
            let colour = match other {
                Scope::Global => "spark",
                Scope::Region(region) => region_colour(region),
            };
            let view = View { scope: other, ..view.clone() };
            link(name_of(other, model), view, other == scope, colour)
        });
        let other_unit = View { is_change: !view.is_change, ..view.clone() };
        let change = link("Change since start, %", other_unit, view.is_change, "");
        let mut choices = vec![("Range", ranges.into())];
        if !is_region_page {
            choices.extend([("Unit", vec![change]), ("Region", scopes.collect())]);
        }
        Ok(Self {
            prefix,
            choices,
            step: if range.is_weekly() { "previous point" } else { "day before" },
            rows: rows(&chart.own.past, &chart.own.means),
            get_data: get_data(site, range, id),
            chart,
        })
    }

    /// Returns the preview of a link to the history, followed by a sentence about the rest of the page.
    pub(crate) fn preview(&self, more: &str) -> Preview {
        let (date, Costs { min_usd, avg_usd, max_usd }) = self.chart.own.past.last();
        let [min, avg, max] = [min_usd, avg_usd, max_usd].map(|cost| Amount(cost).rounded());
        let (heading, date) = (self.chart.heading(), short_date(date));
        // The heading of a single day includes its cost.
        let title = match self.rows.len() {
            1 => heading.clone(),
            _ => format!("{heading}; ${avg} on {date}"),
        };
        let description =
            format!("{heading}. On {date}: average ${avg}, minimum ${min}, maximum ${max}. {more}");
        Preview { title, description, names: vec![self.chart.short_name()] }
    }
}

fn get_data(site: &Site, range: Range, id: &str) -> GetData {
    let of_scope = |path| format!("{path}?range={}&region_id={id}", range.name());
    let json = format!("{}?region_id={id}", contract::HISTORY);
    let (csv, svg) = (of_scope(paths::HISTORY_CSV), of_scope(paths::HISTORY_CHART));
    let files = [("JSON", &*json), ("CSV", &csv), ("SVG", &svg)];
    // The document has seven days.
    GetData::new(site, "the history", &files[usize::from(range != Range::Week)..])
}

/// Returns the rows of the table, the newest first.
fn rows(past: &Past, means: &[(Date, Decimal)]) -> Vec<DayRow> {
    let picks: [fn(&Costs) -> Decimal; 3] =
        [|costs| costs.min_usd, |costs| costs.avg_usd, |costs| costs.max_usd];
    let units = picks.map(|pick| Unit::of(past.days.iter().map(|day| pick(&day.1))));
    let (first, last) = (past.days[0].0, past.last().0);
    let format = if first.year() == last.year() { "%-d %b" } else { "%-d %b %Y" };
    let mut before = past.before;
    let row = |day: &(Date, Costs)| {
        let mean = means.binary_search_by_key(&day.0, |mean| mean.0).ok().map(|at| means[at]);
        let before = before.replace(*day);
        DayRow {
            date: day.0.strftime(format).to_string(),
            costs: std::array::from_fn(|at| units[at].written(picks[at](&day.1))),
            change: before.map(|from| Delta { from: from.1.avg_usd, to: day.1.avg_usd }),
            mean: mean.map(|mean| units[1].written(mean.1)),
        }
    };
    let mut rows: Vec<DayRow> = past.days.iter().map(row).collect();
    rows.reverse();
    rows
}
