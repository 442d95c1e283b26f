//! The comparison of two scopes.

use askama::Template;
use ghi_display::{Amount, ComparisonChart, ScopeLine, name_of};
use ghi_engine::{NoFigures, Scope};

use crate::edition::Edition;
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::pages::frame::Preview;
use crate::routes::pages::view::{FIND_MAX, InvalidChoice, View};
use crate::routes::parameters::named_scope;

/// Up to this many regions are in drop-down lists. With more, readers type names or ids.
const LISTED_MAX: usize = 12;

/// Up to this many regions are suggested while typing.
const SUGGESTED_MAX: usize = 24;

/// A form to choose two scopes, and their comparison if both are chosen.
#[derive(Template)]
#[template(path = "blocks/comparison.html")]
pub(crate) struct ComparisonBlock<'a> {
    prefix: &'a str,
    fields: Vec<(&'static str, String)>,
    /// Empty if there are too many.
    options: Vec<ScopeOption<'a>>,
    is_typed: bool,
    /// The ids of both, or the text that was typed.
    chosen: [&'a str; 2],
    invalid: Option<&'a InvalidChoice>,
    compared: Option<Compared<'a>>,
}

struct ScopeOption<'a> {
    id: &'a str,
    name: &'a str,
    /// Whether typing its name selects it.
    is_known_by_name: bool,
}

struct Compared<'a> {
    chart: ComparisonChart<'a>,
    /// The URLs of the tables of both.
    tables: [String; 2],
}

impl<'a> ComparisonBlock<'a> {
    pub(crate) fn new(
        edition: &'a Edition,
        view: &View,
        invalid: &'a [InvalidChoice],
        site: &'a Site,
    ) -> Result<Self, NoFigures> {
        let model = edition.model();
        let registry = model.registry();
        let option = |scope: Scope| {
            let name = name_of(scope, model);
            let is_known_by_name = named_scope(name, registry) == Some(scope);
            ScopeOption { id: scope.region_id(registry), name, is_known_by_name }
        };
        let regions = || registry.indices().map(Scope::Region);
        let count = registry.regions().len();
        let options = std::iter::once(Scope::Global).chain(regions()).map(option);
        let first = regions().next().unwrap_or(Scope::Global);
        let chosen = view.compare.unwrap_or([first, Scope::Global]);
        let chosen = chosen.map(|scope| scope.region_id(registry));
        let invalid = InvalidChoice::of(invalid, "compare");
        let given = invalid.and_then(|choice| choice.given.split_once(','));
        Ok(Self {
            prefix: site.prefix(),
            fields: View { compare: None, ..view.clone() }.fields(registry),
            options: if count <= SUGGESTED_MAX { options.collect() } else { Vec::new() },
            is_typed: count > LISTED_MAX,
            chosen: given.map_or(chosen, |(one, other)| {
                let id = |text| named_scope(text, registry).map(|scope| scope.region_id(registry));
                [one, other].map(|text| id(text).unwrap_or(text))
            }),
            invalid,
            compared: view.compare.map(|both| compared(edition, view, both, site)).transpose()?,
        })
    }

    /// Returns the preview of a link to the comparison, if there is one.
    pub(crate) fn preview(&self, date: &str) -> Option<Preview> {
        let chart = &self.compared.as_ref()?.chart;
        let [one, other] = chart.averages().map(Amount::rounded);
        let heading = &chart.heading;
        Some(Preview {
            title: format!("{heading}, {date}"),
            description: format!(
                "{heading}. Averages on {date}: ${one} and ${other}. See both on one chart, with \
                 the gap between them."
            ),
            names: chart.lines.iter().map(|line| line.name.into()).collect(),
        })
    }
}

fn compared<'a>(
    edition: &'a Edition,
    view: &View,
    both: [Scope; 2],
    site: &Site,
) -> Result<Compared<'a>, NoFigures> {
    let (model, range) = (edition.model(), view.range);
    let [one, other] =
        both.map(|scope| Ok(ScopeLine::new(model, scope, edition.past(scope, range)?)));
    let chart = ComparisonChart::new([one?, other?]);
    let tables = both.map(|scope| {
        let id = scope.region_id(model.registry());
        let (path, range) = (paths::HISTORY_CSV, range.name());
        format!("{}{path}?range={range}&region_id={id}", site.prefix())
    });
    Ok(Compared { chart, tables })
}
