//! How the average is calculated, with today's numbers, and what it would be with others.

use ghi_display::{Amount, Delta, Quantity, TWO_TO_32, by_size, grouped, name_of, shown_regions};
use std::num::NonZeroU16;

use askama::Template;
use ghi_contract::GLOBAL;
use ghi_engine::{Decimal, MeanMiner, NoFigures, Registry, Scope, WhatIf};

use crate::edition::Edition;
use crate::http::site::Site;
use crate::routes::blocks::get_data::GetData;
use crate::routes::blocks::slider::Slider;
use crate::routes::view::View;
use crate::routes::what_if::WhatIfInput;

/// Up to so many regions all stand beside the result. Of more, those that a chart shows do, and a link
/// leads to the others.
const ALL_BESIDE: usize = 40;

/// From so many averages on, they stand below the numbers instead of beside them, in columns.
const MANY: usize = 10;

/// The derivation of the average of the chosen scope, and the calculator: a section with a heading.
#[derive(Template)]
#[template(path = "blocks/calculation.html")]
pub(crate) struct Calculation<'a> {
    prefix: &'a str,
    pub(crate) name: &'a str,
    region_id: &'a str,
    is_worldwide: bool,
    difficulty: Quantity,
    /// Absent where everybody knows it as 2^32.
    hashes_per_difficulty: Option<Quantity>,
    block_reward_coins: Quantity,
    hashes_per_coin: Quantity,
    efficiency_j_per_th: Quantity,
    energy_kwh_per_coin: Quantity,
    electricity_usd_per_kwh: Quantity,
    overhead: Quantity,
    average: Amount,
    /// The rest of the view.
    hidden_fields: Vec<(&'static str, String)>,
    fields: Vec<Field>,
    /// What the script computes with.
    difficulty_plain: u64,
    hashes_per_difficulty_plain: f64,
    decimals: u8,
    is_changed: bool,
    /// What shows today's numbers again.
    query_of_today: String,
    /// None where the numbers give more than a figure can be.
    pub(crate) cost: Option<Decimal>,
    others: Vec<Other<'a>>,
    /// Where not all regions are among them.
    further: Option<Further>,
    get_data: GetData,
}

/// A number that can be changed.
struct Field {
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    value: f64,
    today: f64,
    min: f64,
    max: f64,
    slider: Slider,
}

/// The way to all regions beside the result.
struct Further {
    shown: usize,
    count: String,
    query: String,
}

/// An average that the result is compared with.
struct Other<'a> {
    name: &'a str,
    average: Decimal,
    beside_yours: Option<Delta>,
}

impl Other<'_> {
    fn plain(&self) -> String {
        self.average.to_string()
    }

    fn rounded(&self) -> String {
        Amount(self.average).rounded()
    }
}

impl<'a> Calculation<'a> {
    pub(crate) fn new(
        edition: &'a Edition,
        view: &View,
        site: &'a Site,
    ) -> Result<Self, NoFigures> {
        let (model, today) = (edition.model(), edition.days().today()?);
        let miner = model.mean_miner(view.scope, today)?;
        let what_if = view.what_if.or(&miner.what_if());
        let per_difficulty = miner.hashes_per_difficulty.value();
        let decimals = miner.cost_usd.decimals();
        let cost = what_if.cost_usd(miner.difficulty, per_difficulty, decimals);
        let (shown, hidden) = match by_size(model, today) {
            all if all.len() <= ALL_BESIDE => (all, 0),
            _ => shown_regions(model, today),
        };
        let further =
            (hidden > 0).then(|| further(view, &what_if, [shown.len(), hidden], model.registry()));
        let scopes = std::iter::once(Scope::Global).chain(shown.into_iter().map(Scope::Region));
        let other = |scope: Scope| {
            let average = scope.costs(today).avg_usd;
            let beside_yours = cost.map(|yours| Delta { from: yours, to: average });
            Other { name: name_of(scope, model), average, beside_yours }
        };
        let of_today = View { what_if: WhatIfInput::NONE, ..view.clone() };
        let region_id = view.scope.region_id(model.registry());
        Ok(Self {
            prefix: site.prefix(),
            name: name_of(view.scope, model),
            region_id,
            is_worldwide: region_id == GLOBAL,
            difficulty: Decimal::new(miner.difficulty, 0).into(),
            hashes_per_difficulty: (per_difficulty != TWO_TO_32)
                .then(|| miner.hashes_per_difficulty.into()),
            block_reward_coins: miner.block_reward_coins.into(),
            hashes_per_coin: miner.hashes_per_coin.into(),
            efficiency_j_per_th: miner.efficiency_j_per_th.into(),
            energy_kwh_per_coin: miner.energy_kwh_per_coin.into(),
            electricity_usd_per_kwh: miner.electricity_usd_per_kwh.into(),
            overhead: miner.overhead.into(),
            average: Amount(miner.cost_usd),
            hidden_fields: of_today.fields(model.registry()),
            fields: fields(&miner, &what_if),
            difficulty_plain: miner.difficulty,
            hashes_per_difficulty_plain: per_difficulty,
            decimals,
            is_changed: !view.what_if.is_none(),
            query_of_today: of_today.query(model.registry()),
            cost,
            others: scopes.map(other).collect(),
            further,
            get_data: GetData::of_derivation(site, "the calculation", region_id),
        })
    }

    /// The result where the view has numbers for it.
    pub(crate) fn yours(&self) -> Option<Decimal> {
        self.cost.filter(|_| self.is_changed)
    }

    /// The numbers that are not those of today, in words.
    pub(crate) fn changed(&self) -> String {
        let changed = self.fields.iter().filter(|field| field.value != field.today);
        let words = changed.map(|Field { label, unit, value, .. }| {
            format!("{} {value} {unit}", label.to_lowercase())
        });
        let words = words.collect::<Vec<_>>().join(", ");
        if words.is_empty() { "no number changed".into() } else { words }
    }

    /// The result as people read it.
    fn rounded(&self) -> String {
        self.cost.map_or_else(|| "–".into(), |cost| format!("${}", Amount(cost).rounded()))
    }

    /// The result as programs read it.
    fn plain(&self) -> String {
        self.cost.map_or_else(String::new, |cost| cost.to_string())
    }
}

/// The way to all regions from those that are shown, beside those that are hidden. It has all numbers, so
/// that the table of regions knows what to put beside them, also where none is changed.
fn further(
    view: &View,
    numbers: &WhatIf,
    [shown, hidden]: [usize; 2],
    registry: &Registry,
) -> Further {
    let all = View {
        find: String::new(),
        page: Some(NonZeroU16::MIN),
        what_if: WhatIfInput::all(numbers),
        ..view.clone()
    };
    Further { shown, count: grouped((shown + hidden) as u64), query: all.query(registry) }
}

/// The numbers that can be changed, in the order in which people think of them.
fn fields(miner: &MeanMiner, what_if: &WhatIf) -> Vec<Field> {
    let labels = [
        ("Electricity", "USD/kWh"),
        ("Efficiency", "J/TH"),
        ("Overhead", "× cost of energy"),
        ("Block reward", "coins"),
    ];
    let values = std::iter::zip(miner.what_if().values(), what_if.values());
    let fields = std::iter::zip(WhatIf::VARIABLES, labels).zip(values);
    let field = |((variable, (label, unit)), (today, value)): ((ghi_engine::Variable, _), _)| {
        let [min, max] = variable.range();
        let slider = Slider::around(today, [min, max]);
        Field { name: variable.name, label, unit, value, today, min, max, slider }
    };
    fields.map(field).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ghi_engine::{DEFAULT_INPUTS, Inputs, Model};

    use crate::edition::{Editions, RequestDay};
    use crate::http::query::Query;

    use super::*;

    fn now(inputs: &str) -> RequestDay {
        let model = Model::new(Inputs::parse(inputs).unwrap());
        let editions = Editions::new(model, Arc::new(Site::new(None)), |_, _| {});
        RequestDay::new("2026-11-15T12:00:00Z".parse().unwrap(), &editions)
    }

    fn view(now: &RequestDay, query: &str) -> View {
        let query = Query::parse(Some(query)).unwrap();
        View::parse(&query, now.edition().model().registry()).unwrap()
    }

    fn calculation<'a>(now: &'a RequestDay, site: &'a Site, query: &str) -> Calculation<'a> {
        Calculation::new(now.edition(), &view(now, query), site).unwrap()
    }

    #[test]
    fn it_starts_with_the_published_average_of_the_scope() {
        for text in [
            DEFAULT_INPUTS,
            include_str!("../../../../../examples/dogecoin.toml"),
            include_str!("../../../../../examples/monero.toml"),
        ] {
            let (now, site) = (now(text), Site::new(None));
            let model = now.edition().model();
            let today = now.edition().days().today().unwrap();
            let scopes = model.registry().indices().map(Scope::Region).chain([Scope::Global]);
            for scope in scopes {
                let query = format!("region_id={}", scope.region_id(model.registry()));
                let calculation = calculation(&now, &site, &query);
                assert_eq!(calculation.cost, Some(scope.costs(today).avg_usd));
                assert_eq!(calculation.average.0, scope.costs(today).avg_usd);
                for other in calculation.others {
                    let scope = std::iter::once(Scope::Global)
                        .chain(model.registry().indices().map(Scope::Region))
                        .find(|scope| name_of(*scope, model) == other.name)
                        .unwrap();
                    assert_eq!(other.average, scope.costs(today).avg_usd);
                }
            }
        }
    }

    #[test]
    fn numbers_of_the_url_replace_those_of_today() {
        let (now, site) = (now(DEFAULT_INPUTS), Site::new(None));
        let twice = calculation(&now, &site, "region_id=us&overhead=2.48&range=7d");
        let us = twice.average.0.count();
        // The published cost is rounded, twice the cost is rounded after it is doubled.
        assert!(twice.cost.unwrap().count().abs_diff(2 * us) <= 1);
        let html = twice.render().unwrap();
        assert!(html.contains("</data><td>50.0% below"), "{html}");
        assert!(html.contains("href=\"/?range=7d&#38;region_id=us#what-if\""), "{html}");
        assert!(html.contains("name=\"range\" value=\"7d\""), "{html}");
    }

    #[test]
    fn numbers_that_give_no_figure_are_told() {
        let (now, site) = (now(DEFAULT_INPUTS), Site::new(None));
        let query = "efficiency_j_per_th=1e13&block_reward_coins=1e-6";
        let calculation = calculation(&now, &site, query);
        assert_eq!(calculation.cost, None);
        let html = calculation.render().unwrap();
        assert!(html.contains("<p class=\"problem\">"), "{html}");
        assert!(!html.contains("% below") && !html.contains("% above"), "{html}");
    }
}
