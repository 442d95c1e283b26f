//! An explanation as a CSV table.

use ghi_contract::GLOBAL;
use ghi_display::{STEPS, WORLDWIDE};
use ghi_engine::{
    CostCase, Costs, Decimal, Explanation, RegisteredRegion, Registry, Scope, WHOLE_NETWORK_PCT,
};

use crate::routes::csv::csv_table;

const WORLDWIDE_COLUMNS: [&str; 9] = [
    "date",
    "region_id",
    "name",
    "hashrate_share_pct",
    "min_cost_usd",
    "avg_cost_usd",
    "max_cost_usd",
    "contribution_usd",
    "fingerprint",
];

/// Returns an explanation as the CSV that `/export/explain.csv` sends. The registry must be the one it was
/// made with.
///
/// ```
/// use ghi_engine::{Inputs, Model, Scope};
/// use ghi_server::explanation_csv;
///
/// let model = Model::new(Inputs::default());
/// let explanation = model.explain(Scope::Global, "2026-11-15".parse().unwrap())?;
/// let csv = explanation_csv(&explanation, model.registry());
/// assert!(csv.starts_with("date,region_id,name,hashrate_share_pct,"));
/// # Ok::<(), ghi_engine::NoFigures>(())
/// ```
pub fn explanation_csv(explanation: &Explanation, registry: &Registry) -> String {
    let text = match explanation.scope {
        Scope::Global => worldwide(explanation, registry),
        Scope::Region(_) => of_region(explanation, registry),
    };
    String::from_utf8(text).expect("CSV made from text is text")
}

/// Returns the additional columns of explanations if the inputs have `[capital]`.
fn capital_columns(explanation: &Explanation) -> impl Iterator<Item = &'static str> {
    explanation.capital.into_iter().flat_map(|_| ["capital_usd", "full_cost_usd"])
}

/// Returns the cells of a cost in these columns.
fn capital_cells(explanation: &Explanation, cost: Decimal) -> impl Iterator<Item = String> {
    let capital = explanation.capital.into_iter();
    let costs = capital.flat_map(move |capital| [capital.capital_usd, capital.full_cost_usd(cost)]);
    costs.map(|cost| cost.to_string())
}

fn of_region(explanation: &Explanation, registry: &Registry) -> Vec<u8> {
    let fields = STEPS.iter().map(|step| step.field);
    let columns = ["date", "region_id", "bound"].into_iter().chain(fields);
    let columns = columns.chain(["usd_per_ph_and_day", "fingerprint"]);
    let columns: Vec<&str> = columns.chain(capital_columns(explanation)).collect();
    let row = |case: &CostCase| -> Vec<String> {
        let region_id = registry[case.region].id.clone();
        let first = [explanation.day.date.to_string(), region_id, case.kind.name().into()];
        let steps = STEPS.iter().map(|step| step.value(explanation, case).plain().into());
        let last = [case.usd_per_ph_and_day.to_string(), explanation.fingerprint.to_string()];
        let capital = capital_cells(explanation, case.cost_usd);
        first.into_iter().chain(steps).chain(last).chain(capital).collect()
    };
    csv_table(&columns, explanation.cases.iter().map(row))
}

fn worldwide(explanation: &Explanation, registry: &Registry) -> Vec<u8> {
    let row = |id: &str, name: &str, share: Decimal, costs: &Costs, contribution: Decimal| {
        [
            explanation.day.date.to_string(),
            id.into(),
            name.into(),
            share.to_string(),
            costs.min_usd.to_string(),
            costs.avg_usd.to_string(),
            costs.max_usd.to_string(),
            contribution.to_string(),
            explanation.fingerprint.to_string(),
        ]
        .into_iter()
        .chain(capital_cells(explanation, costs.avg_usd))
    };
    let regions = explanation.contributions.iter().map(|part| {
        let RegisteredRegion { id, name } = &registry[part.region];
        row(id, name, part.hashrate_share_pct, &part.costs, part.contribution_usd)
    });
    let (costs, sum) = (&explanation.costs, explanation.sum_usd());
    let sum = row(GLOBAL, WORLDWIDE, WHOLE_NETWORK_PCT, costs, sum);
    let columns: Vec<&str> =
        WORLDWIDE_COLUMNS.into_iter().chain(capital_columns(explanation)).collect();
    csv_table(&columns, regions.chain([sum]))
}
