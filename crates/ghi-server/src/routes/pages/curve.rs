//! The cost curve with a price, and the reader's own cost on it.

use askama::Template;
use ghi_display::{
    CostCurveChart, CurvePrice, Delta, J_PER_MH_FROM, efficiency, rounded, rounded_to_four_digits,
    share_in_words, signed_percent,
};
use ghi_engine::{CostCurve, Costs, Decimal, MeanMiner, NoFigures, Variable, WhatIf};

use crate::routes::pages::view::{PageInput, View};

/// Antminer models and their J/TH, offered if the network's average efficiency is like theirs.
const MACHINES: [(&str, f64); 5] =
    [("S23", 11.0), ("S21 XP", 13.5), ("S21", 17.5), ("S19 XP", 21.5), ("S19j Pro", 30.5)];

/// The labels and units of [`WhatIf::VARIABLES`].
const LABELS: [(&str, &str); 4] = [
    ("Electricity", "USD/kWh"),
    ("Efficiency", "J/TH"),
    ("Overhead", "× energy cost"),
    ("Block reward", "coins"),
];

#[derive(Template)]
#[template(path = "blocks/curve.html")]
pub(crate) struct CurveBlock<'a> {
    input: PageInput<'a>,
    heading: String,
    svg: String,
    /// Whether the curve is by cost, and its parts are machines.
    is_by_machine: bool,
    price: NumberField,
    has_price: bool,
    /// The shares of the hashrate below and above it in percent.
    shares: [String; 2],
    query_without_price: String,
    /// The orders of the curve, if there is a fleet: each with its query, and whether it is shown.
    orders: Vec<(&'static str, String, bool)>,
    hidden_fields: Vec<(&'static str, String)>,
    fields: [NumberField; 4],
    /// Whether numbers that few readers change are given.
    has_more: bool,
    machines: Vec<Machine>,
    query_of_today: String,
    /// The reader's cost, if there is one and it isn't too large to display.
    pub(crate) cost: Option<Decimal>,
    /// Where it is on the curve, if the reader has entered numbers.
    yours: Option<String>,
}

/// A machine that a reader can choose: its name and J/TH, the query of the view with it, and whether it is chosen.
type Machine = (&'static str, f64, String, bool);

struct NumberField {
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    given: Option<f64>,
    /// Today's value with four significant digits.
    shown: f64,
    slider: [String; 3],
}

impl<'a> CurveBlock<'a> {
    pub(crate) fn new(input: &PageInput<'a>) -> Result<Self, NoFigures> {
        let PageInput { model, registry, today, site, view, .. } = *input;
        let price = CurvePrice::new(model, today, view.price)?;
        let default = today.network.price_usd.unwrap_or(today.global.avg_usd);
        let Costs { min_usd, max_usd, .. } = today.global;
        let prices = [0.8 * min_usd.min(default).to_f64(), 1.2 * max_usd.max(default).to_f64()];
        let given = (view.price.map(Decimal::to_f64), default.to_f64());
        let miner = model.mean_miner(view.scope, today)?;
        let numbers = view.numbers(&miner.what_if());
        let per_difficulty = miner.hashes_per_difficulty.value();
        let decimals = miner.steps.cost_usd.decimals();
        let cost = numbers.cost_usd(miner.difficulty, per_difficulty, decimals);
        let fields = fields(&miner, view.what_if);
        let is_valid = fields.iter().all(|field| input.invalid(field.name).is_none());
        let is_changed = view.what_if != View::DEFAULT.what_if && is_valid;
        let cost = cost.filter(|_| is_changed);
        let revenue = (!price.is_average).then_some(price.break_even_usd);
        let curve = model.cost_curve(today)?;
        let chart = CostCurveChart::new(model, today, (price, view.is_by_cost), cost)?;
        let shares = [chart.share_below_pct.count(), 10_000 - chart.share_below_pct.count()];
        let of_today = View { what_if: View::DEFAULT.what_if, ..view.clone() };
        let is_given =
            |field: &NumberField| field.given.is_some() || input.invalid(field.name).is_some();
        let order = |(name, is_by_cost)| {
            let query = View { is_by_cost, ..view.clone() }.query(registry);
            (name, query, is_by_cost == view.is_by_cost)
        };
        let orders = [("By region", false), ("By cost", true)].into_iter();
        Ok(Self {
            input: *input,
            orders: orders.filter(|_| model.has_fleet(today)).map(order).collect(),
            heading: chart.heading.clone(),
            is_by_machine: view.is_by_cost && model.has_fleet(today),
            svg: chart.on_page(site.prefix()),
            price: NumberField::new(("Price", "USD"), model.readers_price(), given, prices),
            has_price: !price.is_average,
            shares: shares.map(|share| share_in_words(Decimal::new(share, 2), "100%", "0%")),
            query_without_price: View { price: None, ..view.clone() }.query(registry),
            hidden_fields: View { price: None, ..of_today.clone() }.fields(registry),
            has_more: fields[2..].iter().any(is_given),
            fields,
            machines: machines(&miner, input),
            query_of_today: of_today.query(registry),
            yours: is_changed.then(|| yours(&numbers, cost, revenue, &curve)),
            cost,
        })
    }

    pub(crate) fn finding(&self) -> Option<&str> {
        self.yours.as_deref().or(self.input.view.price.map(|_| &*self.heading))
    }

    pub(crate) fn has_field(&self, name: &str) -> bool {
        self.fields.iter().chain([&self.price]).any(|field| field.name == name)
    }
}

fn machines(miner: &MeanMiner, input: &PageInput<'_>) -> Vec<Machine> {
    let is_like_them = (5.0..=100.0).contains(&miner.steps.efficiency_j_per_th.value());
    let machine = |(name, j_per_th)| {
        let mut what_if = input.view.what_if;
        what_if[1] = Some(j_per_th);
        let query = View { what_if, ..input.view.clone() }.query(input.registry);
        (name, j_per_th, query, what_if == input.view.what_if)
    };
    MACHINES.into_iter().filter(|_| is_like_them).map(machine).collect()
}

/// Describes a cost: `At $0.05/kWh and 17.5 J/TH: $41,200, cheaper than 93% of the hashrate; margin 70%`.
fn yours(
    numbers: &WhatIf,
    cost: Option<Decimal>,
    revenue: Option<Decimal>,
    curve: &CostCurve,
) -> String {
    let [electricity_usd_per_kwh, efficiency_j_per_th, ..] = numbers.0;
    let Some(cost) = cost else { return "The result is too large to display".into() };
    let above = Decimal::new(10_000 - curve.share_below_pct(cost).count(), 2);
    let margin = revenue.filter(|_| cost.count() > 0).map_or(String::new(), |revenue| {
        let margin = signed_percent(Delta { from: cost, to: revenue }.percent(), 0);
        format!("; margin {}", margin.trim_start_matches('+'))
    });
    format!(
        "At ${}/kWh and {}: ${}, {} of the hashrate{margin}",
        (electricity_usd_per_kwh * 1e4).round() / 1e4,
        efficiency(efficiency_j_per_th),
        rounded(cost),
        match above.count() {
            0 => "more expensive than all".into(),
            _ => format!("cheaper than {}", share_in_words(above, "all", "none")),
        }
    )
}

impl NumberField {
    fn new(
        (label, unit): (&'static str, &'static str),
        variable: Variable,
        (given, today): (Option<f64>, f64),
        ends: [f64; 2],
    ) -> Self {
        let (shown, slider) = (rounded_to_four_digits(today), slider(ends, variable.range()));
        Self { name: variable.name, label, unit, given, shown, slider }
    }
}

fn fields(miner: &MeanMiner, given: [Option<f64>; 4]) -> [NumberField; 4] {
    let today = miner.what_if().0;
    std::array::from_fn(|index| {
        let (mut variable, mut label) = (WhatIf::VARIABLES[index], LABELS[index]);
        let (mut given, mut value) = (given[index], today[index]);
        if label.1 == "J/TH" && value >= J_PER_MH_FROM {
            (variable, label.1) = (WhatIf::J_PER_MH, "J/MH");
            (given, value) = (given.map(|j_per_th| j_per_th / 1e6), value / 1e6);
        }
        NumberField::new(label, variable, (given, value), [0.0, 3.0 * value])
    })
}

/// Returns minimum, maximum and step of a slider between two values, within bounds, with at most four significant digits.
fn slider([low, high]: [f64; 2], [least, most]: [f64; 2]) -> [String; 3] {
    let max = high.min(most);
    let power = max.log10().floor() as i32 - 3;
    let unit = 10_f64.powi(power);
    let decimals = usize::try_from(-power).unwrap_or(0);
    [(low.max(least) / unit).ceil().max(1.0), (max / unit).round(), 1.0]
        .map(|units| format!("{:.decimals$}", units * unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slider_has_four_digits_and_stays_within_bounds() {
        for (ends, bounds, expected) in [
            ([0.0, 0.1653], [1e-4, 10.0], ["0.0001", "0.1653", "0.0001"]),
            ([0.0, 60.3], [1e-3, 1e13], ["0.01", "60.30", "0.01"]),
            ([0.0, 3.72], [1.0, 10.0], ["1.000", "3.720", "0.001"]),
            ([0.0, 27.0], [1.0, 10.0], ["1.00", "10.00", "0.01"]),
            ([31_410.0, 96_870.0], [1e-6, 1e9], ["31410", "96870", "10"]),
            ([0.0, 3e13], [1e-3, 1e13], ["10000000000", "10000000000000", "10000000000"]),
        ] {
            assert_eq!(slider(ends, bounds), expected);
        }
    }
}
