//! Two scopes beside each other, with the gap between them.

use askama::Template;
use ghi_display::{Amount, ComparisonChart, ScopeLine, long_date, name_of};
use ghi_engine::{NoFigures, Scope};

use crate::edition::Edition;
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::blocks::get_data::GetData;
use crate::routes::parameters::named_scope;
use crate::routes::preview::Preview;
use crate::routes::view::{FIND_MAX, View};

/// How many regions each of the two is chosen from in a list of its own. Of more, names or ids are typed.
const LISTED_MAX: usize = 12;

/// How many regions are suggested to who types.
const SUGGESTED_MAX: usize = 60;

/// A form that asks for two scopes, and what it asked for.
#[derive(Template)]
#[template(path = "blocks/comparison.html")]
pub(crate) struct Comparison<'a> {
    prefix: &'a str,
    fields: Vec<(&'static str, String)>,
    /// Empty where there are too many.
    choices: Vec<Choice<'a>>,
    is_typed: bool,
    chosen: [&'a str; 2],
    name_max: usize,
    compared: Option<Compared<'a>>,
}

/// A scope that can be chosen.
struct Choice<'a> {
    id: &'a str,
    name: &'a str,
    /// Whether its name leads to it, where names are typed.
    is_known_by_name: bool,
}

impl Choice<'_> {
    fn is(&self, id: &str) -> bool {
        self.id == id
    }
}

/// What a comparison found.
struct Compared<'a> {
    finding: String,
    names: [&'a str; 2],
    averages: [Amount; 2],
    shown: [String; 2],
    gap: Amount,
    gap_shown: String,
    chart: String,
    first: String,
    last: String,
    get_data: GetData,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(
        edition: &'a Edition,
        view: &View,
        site: &'a Site,
    ) -> Result<Self, NoFigures> {
        let model = edition.model();
        let registry = model.registry();
        let regions = registry.regions();
        let choice = |scope: Scope| {
            let name = name_of(scope, model);
            let is_known_by_name = named_scope(name, registry) == Some(scope);
            Choice { id: scope.region_id(registry), name, is_known_by_name }
        };
        let scopes = std::iter::once(Scope::Global).chain(registry.indices().map(Scope::Region));
        let has_choices = regions.len() <= SUGGESTED_MAX;
        // What the first look shall compare: the whole with its first region.
        let first = registry.indices().next().map_or(Scope::Global, Scope::Region);
        let both = view.compare.unwrap_or([first, Scope::Global]);
        let compared = view.compare.map(|both| compared(edition, view, both, site)).transpose()?;
        Ok(Self {
            prefix: site.prefix(),
            fields: View { compare: None, ..view.clone() }.fields(registry),
            choices: if has_choices { scopes.map(choice).collect() } else { Vec::new() },
            is_typed: regions.len() > LISTED_MAX,
            chosen: both.map(|scope| scope.region_id(registry)),
            name_max: FIND_MAX,
            compared,
        })
    }
}

impl Comparison<'_> {
    /// What a link to the comparison says, if there is one.
    pub(crate) fn preview(&self, date: &str) -> Option<Preview> {
        let Compared { finding, names, averages, .. } = self.compared.as_ref()?;
        Some(Preview {
            title: format!("{finding}, {date}"),
            description: format!(
                "{finding}: ${} and ${} on average to mine one coin on {date}. Both on one axis, with the \
                 gap between them.",
                averages[0].rounded(),
                averages[1].rounded()
            ),
            names: names.map(String::from).into(),
        })
    }
}

fn compared<'a>(
    edition: &'a Edition,
    view: &View,
    both: [Scope; 2],
    site: &Site,
) -> Result<Compared<'a>, NoFigures> {
    let [first, second] = both.map(|scope| {
        let days = edition.past(scope, view.range)?.days;
        Ok(ScopeLine { scope, name: name_of(scope, edition.model()), days })
    });
    let chart = ComparisonChart::new([first?, second?]);
    let names = chart.lines.each_ref().map(|line| line.name);
    let averages = [chart.delta.to, chart.delta.from];
    let tables = [0, 1].map(|place: usize| {
        let region_id = both[place].region_id(edition.model().registry());
        let range = view.range.name();
        let table = format!("{}?range={range}&region_id={region_id}", paths::HISTORY_CSV);
        (names[place], table)
    });
    Ok(Compared {
        names,
        averages: averages.map(Amount),
        shown: averages.map(|cost| Amount(cost).rounded()),
        gap: Amount(chart.delta.size()),
        gap_shown: chart.delta.usd_size(),
        first: long_date(chart.lines[0].days[0].0),
        last: long_date(chart.lines[0].days[chart.lines[0].days.len() - 1].0),
        chart: chart.on_page(),
        get_data: GetData::of_two(site, "the comparison", tables),
        finding: chart.heading,
    })
}
