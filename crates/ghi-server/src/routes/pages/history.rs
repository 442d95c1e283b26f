//! Costs over a range of days: the history, as a chart and a table, and the comparison of two scopes.

use askama::Template;
use ghi_contract::paths as contract;
use ghi_display::{
    ComparisonChart, Delta, HistoryChart, Range, ScopeLine, Unit, line_scopes, name_of,
    outlook_in_words, region_colour, rounded, short_date,
};
use ghi_engine::{Costs, Decimal, ForecastScore, NoFigures, Scope};

use crate::http::paths;
use crate::routes::pages::general::{GetData, Preview};
use crate::routes::pages::view::{PageInput, View};

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
    get_data: GetData<'a>,
    outlook: String,
    /// How good forecasts were, if the chart shows any that differ by day.
    scores: &'a [ForecastScore],
}

/// A link that chooses a range, a scope or a unit: its label, URL, whether it is chosen, and the class of its colour.
type ChoiceLink<'a> = (&'a str, String, bool, &'static str);

struct DayRow {
    date: String,
    costs: [String; 3],
    change: Option<Delta>,
    /// The seven-day average, on long ranges.
    mean: Option<String>,
}

impl<'a> HistoryBlock<'a> {
    /// Builds the history for the dashboard, or for a region's own page.
    pub(crate) fn new(input: &PageInput<'a>, is_region_page: bool) -> Result<Self, NoFigures> {
        let PageInput { edition, model, registry, today, site, view, .. } = *input;
        let (scope, range) = (view.scope, view.range);
        let mut lines = vec![Scope::Global, scope];
        lines.dedup();
        let mut chart = HistoryChart::new(model, today, (scope, range), lines)?;
        let can_overlay = !is_region_page
            && !view.is_change
            && range.days() >= Range::Year.days()
            && !model.inputs().published().is_empty();
        if can_overlay && view.has_published {
            chart = chart.with_published(model);
        }
        let outlook = model.outlook(today.date);
        if view.is_change {
            chart = chart.as_change();
        } else if !is_region_page {
            chart = chart.with_forecasts(&edition.forecasts().coming, &outlook);
        }
        let (has_forecasts, has_level) = (!chart.forecasts.is_empty(), chart.level.is_some());
        let (prefix, id) = (site.prefix(), scope.region_id(registry));
        let link = |label, view: View, is_current, colour| {
            let url = match is_region_page {
                true => format!("{prefix}/regions/{id}?range={}#history", view.range.name()),
                false => format!("{prefix}/{}#history", view.query(registry)),
            };
            (label, url, is_current, colour)
        };
        let ranges = Range::ALL.map(|range| (range, View { range, ..view.clone() }));
        let ranges = ranges.map(|(it, view)| link(it.label(), view, it == range, ""));
        let mut choices = vec![("Range", ranges.into())];
        if !is_region_page {
            let other_unit = View { is_change: !view.is_change, ..view.clone() };
            let change = link("Change since start, %", other_unit, view.is_change, "");
            let scopes = line_scopes(model, today, scope).into_iter().map(|other| {
                let colour = match other {
                    Scope::Global => "spark",
                    Scope::Region(region) => region_colour(region),
                };
                let view = View { scope: other, ..view.clone() };
                link(name_of(other, model), view, other == scope, colour)
            });
            choices.extend([("Unit", vec![change]), ("Region", scopes.collect())]);
            let has_published = !view.has_published;
            let other = View { has_published, ..view.clone() };
            let published = link("Published estimates", other, view.has_published, "");
            choices.extend(can_overlay.then(|| ("Overlay", vec![published])));
        }
        Ok(Self {
            prefix,
            choices,
            step: if range.is_weekly() { "previous point" } else { "day before" },
            rows: rows(&chart.own),
            get_data: GetData { site, of: "the history", files: files(id, range) },
            outlook: if has_forecasts { outlook_in_words(&outlook) } else { String::new() },
            scores: if has_forecasts && !has_level { &edition.forecasts().scores } else { &[] },
            chart,
        })
    }

    /// Returns the preview of a link to the history, followed by a sentence about the rest of the page.
    pub(crate) fn preview(&self, more: &str) -> Preview {
        let (date, Costs { min_usd, avg_usd, max_usd }) = self.chart.own.past.last();
        let [min, avg, max] = [min_usd, avg_usd, max_usd].map(rounded);
        let (heading, date) = (self.chart.title(), short_date(date));
        // The heading of a single day includes its cost.
        let title = match self.rows.len() {
            1 => heading.clone(),
            _ => format!("{heading}; ${avg} on {date}"),
        };
        let description =
            format!("{heading}. On {date}: average ${avg}, minimum ${min}, maximum ${max}. {more}");
        Preview { title, description }
    }
}

/// Returns the formats and the URLs of the history of a scope.
fn files(id: &str, range: Range) -> Vec<(&'static str, String)> {
    let json = format!("{}?region_id={id}", contract::HISTORY);
    let of_range = |path| format!("{path}?range={}&region_id={id}", range.name());
    let [csv, svg] = [paths::HISTORY_CSV, paths::HISTORY_CHART].map(of_range);
    let files = [("JSON", json), ("CSV", csv), ("SVG", svg)].into_iter();
    // The document has seven days.
    files.skip(usize::from(range != Range::Week)).collect()
}

fn rows(line: &ScopeLine<'_>) -> Vec<DayRow> {
    let (past, means) = (&line.past, &line.means);
    let picks: [fn(&Costs) -> Decimal; 3] =
        [|costs| costs.min_usd, |costs| costs.avg_usd, |costs| costs.max_usd];
    let units = picks.map(|pick| Unit::of(past.days().iter().map(|day| pick(&day.1))));
    let (first, last) = (past.days()[0].0, past.last().0);
    let format = if first.year() == last.year() { "%-d %b" } else { "%-d %b %Y" };
    let mut before = past.before();
    let rows = past.days().iter().map(|(date, costs)| {
        let mean = means.binary_search_by_key(date, |mean| mean.0).ok().map(|at| means[at].1);
        let before = before.replace((*date, *costs));
        DayRow {
            date: date.strftime(format).to_string(),
            costs: std::array::from_fn(|at| units[at].written(picks[at](costs))),
            change: before.map(|(_, from)| Delta { from: from.avg_usd, to: costs.avg_usd }),
            mean: mean.map(|mean| units[1].written(mean)),
        }
    });
    let mut rows: Vec<DayRow> = rows.collect();
    rows.reverse();
    rows
}

#[derive(Template)]
#[template(path = "blocks/comparison.html")]
pub(crate) struct ComparisonBlock<'a> {
    input: PageInput<'a>,
    fields: Vec<(&'static str, String)>,
    chosen: [Scope; 2],
    /// The comparison, and the URLs of the tables of both.
    compared: Option<(ComparisonChart<'a>, [String; 2])>,
}

impl<'a> ComparisonBlock<'a> {
    pub(crate) fn new(input: &PageInput<'a>) -> Result<Self, NoFigures> {
        let PageInput { model, registry, today, site, view, .. } = *input;
        let first = registry.indices().next().map_or(Scope::Global, Scope::Region);
        let compared = |both: [Scope; 2]| {
            let [one, other] =
                both.map(|scope| ScopeLine::new(model, scope, view.range, today.date));
            let tables = both.map(|scope| {
                let (path, range) = (paths::HISTORY_CSV, view.range.name());
                let id = scope.region_id(registry);
                format!("{}{path}?range={range}&region_id={id}", site.prefix())
            });
            Ok((ComparisonChart::new([one?, other?]), tables))
        };
        Ok(Self {
            input: *input,
            fields: View { compare: None, ..view.clone() }.fields(registry),
            chosen: view.compare.unwrap_or([first, Scope::Global]),
            compared: view.compare.map(compared).transpose()?,
        })
    }

    /// Returns ids and names to choose from for one of the two, and whether each is chosen.
    fn options(&self, place: usize) -> impl Iterator<Item = (&str, &str, bool)> {
        let PageInput { model, registry, .. } = self.input;
        let option = move |scope: Scope| {
            (scope.region_id(registry), name_of(scope, model), scope == self.chosen[place])
        };
        std::iter::once(Scope::Global).chain(registry.indices().map(Scope::Region)).map(option)
    }

    pub(crate) fn heading(&self) -> Option<&str> {
        self.compared.as_ref().map(|(chart, _)| &*chart.heading)
    }
}
