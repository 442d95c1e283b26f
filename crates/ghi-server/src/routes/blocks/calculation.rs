//! The calculation of the average with today's values, and a calculator for other values.

use std::num::NonZeroU16;

use askama::Template;
use ghi_contract::GLOBAL;
use ghi_display::{Amount, Delta, Quantity, TWO_TO_32, by_size, grouped, name_of, shown_regions};
use ghi_engine::{Decimal, MeanMiner, NoFigures, Registry, Scope, WhatIf};

use crate::edition::Edition;
use crate::http::site::Site;
use crate::routes::blocks::get_data::GetData;
use crate::routes::view::View;
use crate::routes::what_if::WhatIfInput;

/// Up to this many regions are all compared with the result. With more, only those that a chart shows are,
/// with a link to the others.
const ALL_COMPARED: usize = 40;

/// From this many averages, they are shown below the inputs, in columns.
const MANY: usize = 10;

/// The calculation of the average of the chosen scope, and the calculator.
#[derive(Template)]
#[template(path = "blocks/calculation.html")]
pub(crate) struct CalculationBlock<'a> {
    prefix: &'a str,
    pub(crate) name: &'a str,
    region_id: &'a str,
    is_worldwide: bool,
    miner: MeanMiner,
    /// Whether hashes per difficulty are written as 2^32.
    is_two_to_32: bool,
    /// The parameters of the rest of the view.
    hidden_fields: Vec<(&'static str, String)>,
    fields: Vec<CalculatorField>,
    is_changed: bool,
    /// The query of the view with today's values.
    query_of_today: String,
    /// None if the result is too large to display.
    pub(crate) cost: Option<Decimal>,
    /// Today's averages, and how each compares with the result.
    averages: Vec<(&'a str, Amount, String)>,
    /// The number of all regions, and the query that shows them, if not all are compared.
    more_link: Option<(String, String)>,
    get_data: GetData,
}

/// A value that can be changed.
struct CalculatorField {
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    value: f64,
    today: f64,
    range: [f64; 2],
    slider: [String; 3],
}

impl<'a> CalculationBlock<'a> {
    pub(crate) fn new(
        edition: &'a Edition,
        view: &View,
        site: &'a Site,
    ) -> Result<Self, NoFigures> {
        let (model, today) = (edition.model(), edition.days().today()?);
        let registry = model.registry();
        let miner = model.mean_miner(view.scope, today)?;
        let what_if = view.what_if.or(&miner.what_if());
        let per_difficulty = miner.hashes_per_difficulty.value();
        let cost = what_if.cost_usd(miner.difficulty, per_difficulty, miner.cost_usd.decimals());
        let (shown, hidden) = match by_size(model, today) {
            all if all.len() <= ALL_COMPARED => (all, 0),
            _ => shown_regions(model, today),
        };
        let scopes = std::iter::once(Scope::Global).chain(shown.into_iter().map(Scope::Region));
        let averages = scopes.map(|scope| {
            let average = scope.costs(today).avg_usd;
            let versus_yours = cost.map(|yours| versus_yours(yours, average)).unwrap_or_default();
            (name_of(scope, model), Amount(average), versus_yours)
        });
        let of_today = View { what_if: WhatIfInput::NONE, ..view.clone() };
        let region_id = view.scope.region_id(registry);
        Ok(Self {
            prefix: site.prefix(),
            name: name_of(view.scope, model),
            region_id,
            is_worldwide: region_id == GLOBAL,
            is_two_to_32: per_difficulty == TWO_TO_32,
            hidden_fields: of_today.fields(registry),
            fields: fields(&miner, &what_if),
            miner,
            is_changed: !view.what_if.is_none(),
            query_of_today: of_today.query(registry),
            cost,
            averages: averages.collect(),
            more_link: (hidden > 0).then(|| more_link(view, &what_if, registry)),
            get_data: GetData::derivation(site, "the calculation", region_id),
        })
    }

    /// Returns the result, if the view has values other than today's.
    pub(crate) fn yours(&self) -> Option<Decimal> {
        self.cost.filter(|_| self.is_changed)
    }

    /// Describes the values that aren't today's.
    pub(crate) fn changed(&self) -> String {
        let changed = self.fields.iter().filter(|field| field.value != field.today);
        let words = changed.map(|CalculatorField { label, unit, value, .. }| {
            format!("{} {value} {unit}", label.to_lowercase())
        });
        let words = words.collect::<Vec<_>>().join(", ");
        if words.is_empty() { "no value changed".into() } else { words }
    }

    /// Converts a number for the template.
    fn quantity(&self, number: impl Into<Quantity>) -> Quantity {
        number.into()
    }

    fn difficulty(&self) -> Quantity {
        Decimal::new(self.miner.difficulty, 0).into()
    }
}

/// Describes how an average compares with the reader's own cost.
pub(crate) fn versus_yours(yours: Decimal, average: Decimal) -> String {
    Delta { from: yours, to: average }.in_words("below", "the same", "above")
}

/// Returns the number of regions, and the query that shows all of them. It includes all values, so that the
/// table of regions compares averages with the result even if no value is changed.
fn more_link(view: &View, numbers: &WhatIf, registry: &Registry) -> (String, String) {
    let all = View {
        find: String::new(),
        page: Some(NonZeroU16::MIN),
        what_if: WhatIfInput::all(numbers),
        ..view.clone()
    };
    (grouped(registry.regions().len()), all.query(registry))
}

/// Returns the values that can be changed, in the order in which people think of them.
fn fields(miner: &MeanMiner, what_if: &WhatIf) -> Vec<CalculatorField> {
    let labels = [
        ("Electricity", "USD/kWh"),
        ("Efficiency", "J/TH"),
        ("Overhead", "× energy cost"),
        ("Block reward", "coins"),
    ];
    let [all_today, values] = [miner.what_if().values(), what_if.values()];
    let fields = WhatIf::VARIABLES.into_iter().zip(labels).enumerate();
    let field = |(index, (variable, (label, unit))): (usize, (ghi_engine::Variable, _))| {
        let (range, today) = (variable.range(), all_today[index]);
        let (name, value, slider) = (variable.name, values[index], slider(today, range));
        CalculatorField { name, label, unit, value, today, range, slider }
    };
    fields.map(field).collect()
}

/// Returns minimum, maximum and step of a slider from almost zero to three times a value, within bounds.
/// Its values have at most four significant digits.
fn slider(value: f64, [least, most]: [f64; 2]) -> [String; 3] {
    let max = (3.0 * value).min(most);
    let power = max.log10().floor() as i32 - 3;
    let unit = 10_f64.powi(power);
    let decimals = usize::try_from(-power).unwrap_or(0);
    [(least / unit).ceil().max(1.0), (max / unit).round(), 1.0]
        .map(|units| format!("{:.decimals$}", units * unit))
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
        let noon = "2026-11-15T12:00:00Z".parse().unwrap();
        RequestDay::new(noon, noon, &editions)
    }

    fn view(now: &RequestDay, query: &str) -> View {
        let query = Query::parse(Some(query)).unwrap();
        View::parse(&query, now.edition().model().registry()).unwrap()
    }

    fn calculation<'a>(now: &'a RequestDay, site: &'a Site, query: &str) -> CalculationBlock<'a> {
        CalculationBlock::new(now.edition(), &view(now, query), site).unwrap()
    }

    #[test]
    fn the_calculator_starts_with_the_published_average_of_the_scope() {
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
                assert_eq!(calculation.miner.cost_usd, scope.costs(today).avg_usd);
                for (name, average, _) in calculation.averages {
                    let scope = std::iter::once(Scope::Global)
                        .chain(model.registry().indices().map(Scope::Region))
                        .find(|scope| name_of(*scope, model) == name)
                        .unwrap();
                    assert_eq!(average.0, scope.costs(today).avg_usd);
                }
            }
        }
    }

    #[test]
    fn numbers_in_the_url_replace_todays() {
        let (now, site) = (now(DEFAULT_INPUTS), Site::new(None));
        let twice = calculation(&now, &site, "region_id=us&overhead=2.48&range=7d");
        let us = twice.miner.cost_usd.count();
        // The published cost is rounded, twice the cost is rounded after it is doubled.
        assert!(twice.cost.unwrap().count().abs_diff(2 * us) <= 1);
        let html = twice.render().unwrap();
        assert!(html.contains("</data><td>50.0% below"), "{html}");
        assert!(html.contains("href=\"/?range=7d&#38;region_id=us#what-if\""), "{html}");
        assert!(html.contains("name=\"range\" value=\"7d\""), "{html}");
    }

    #[test]
    fn numbers_without_a_result_have_a_message() {
        let (now, site) = (now(DEFAULT_INPUTS), Site::new(None));
        let query = "efficiency_j_per_th=1e13&block_reward_coins=1e-6";
        let calculation = calculation(&now, &site, query);
        assert_eq!(calculation.cost, None);
        let html = calculation.render().unwrap();
        assert!(html.contains("<p class=\"problem\">"), "{html}");
        assert!(!html.contains("% below") && !html.contains("% above"), "{html}");
    }

    #[test]
    fn a_slider_has_four_digits_and_stays_within_bounds() {
        for (value, bounds, expected) in [
            (0.0551, [1e-4, 10.0], ["0.0001", "0.1653", "0.0001"]),
            (20.1, [1e-3, 1e13], ["0.01", "60.30", "0.01"]),
            (1.24, [1.0, 10.0], ["1.000", "3.720", "0.001"]),
            (9.0, [1.0, 10.0], ["1.00", "10.00", "0.01"]),
            (10_000.0, [1e-6, 1e9], ["10", "30000", "10"]),
            (1e13, [1e-3, 1e13], ["10000000000", "10000000000000", "10000000000"]),
        ] {
            assert_eq!(slider(value, bounds), expected);
        }
    }
}
