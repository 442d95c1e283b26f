//! Two scopes beside each other, with the gap between them.

use askama::Template;
use ghi_display::{self as charts, Amount, Difference, Line, Role, Rounded, name_of};
use ghi_engine::{Decimal, NoFigures, Scope};

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
    shown: [Rounded; 2],
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
                Rounded(averages[0].0),
                Rounded(averages[1].0)
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
    let names = both.map(|scope| name_of(scope, edition.model()));
    let [first, second] = both.map(|scope| edition.past(scope, view.range));
    let pasts = [first?, second?];
    let averages = [0, 1].map(|place| pasts[place].last().1.avg_usd);
    let gap = averages[0].count().abs_diff(averages[1].count());
    let gap = Decimal::new(gap, averages[0].decimals());
    let difference = Difference { from: averages[1], to: averages[0] };
    let (percent, gap_shown) = (difference.percent(), difference.size_usd());
    let finding = match averages[0].cmp(&averages[1]) {
        std::cmp::Ordering::Less => {
            format!("{} costs {gap_shown} less than {} ({percent})", names[0], names[1])
        }
        std::cmp::Ordering::Equal => format!("{} costs as much as {}", names[0], names[1]),
        std::cmp::Ordering::Greater => {
            format!("{} costs {gap_shown} more than {} ({percent})", names[0], names[1])
        }
    };
    let line = |place: usize| Line {
        name: names[place],
        days: &pasts[place].days,
        role: match both[place] {
            Scope::Global => Role::Worldwide,
            Scope::Region(region) => Role::Region { place: region.get(), is_chosen: false },
        },
    };
    let tables = [0, 1].map(|place: usize| {
        let region_id = both[place].region_id(edition.model().registry());
        let range = view.range.name();
        let table = format!("{}?range={range}&region_id={region_id}", paths::HISTORY_CSV);
        (names[place], table)
    });
    Ok(Compared {
        names,
        averages: averages.map(Amount),
        shown: averages.map(Rounded),
        gap: Amount(gap),
        gap_shown,
        first: pasts[0].first().0.strftime("%-d %B %Y").to_string(),
        last: pasts[0].last().0.strftime("%-d %B %Y").to_string(),
        chart: charts::comparison(&finding, [line(0), line(1)]),
        get_data: GetData::of_two(site, "the comparison", tables),
        finding,
    })
}
