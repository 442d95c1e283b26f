//! An explanation as a table for the terminal.

use ghi_contract::GLOBAL;
use ghi_display::STEPS;
use ghi_engine::{
    CostCase, CostKind, Costs, Decimal, ENGINE_SANDBOX_VERSION, Explanation, Registry, Scope,
    WHOLE_NETWORK_PCT,
};

use crate::text_table::{aligned, row};

/// The formula of each step.
const FORMULAS: &str = "\
hashes per coin  = difficulty x hashes per difficulty / block reward
kWh per coin     = hashes per coin x J/TH / 10^12 / 3,600,000
energy, USD      = kWh per coin x USD/kWh
cost, USD        = energy, USD x overhead, rounded
";

/// Formats the derivation with its numbers.
pub(crate) fn explanation_table(explanation: &Explanation, registry: &Registry) -> String {
    let id = explanation.scope.region_id(registry);
    let mut sections = vec![format!("Cost of mining one coin, {id}, {}\n", explanation.day.date)];
    if explanation.scope == Scope::Global {
        sections.push(contributions(explanation, registry));
    }
    sections.push(steps(explanation, registry));
    sections.push(FORMULAS.into());
    sections.push(aligned(&mining(explanation)));
    sections.push(sensitivities(explanation));
    sections.push(format!("inputs {}\nengine {ENGINE_SANDBOX_VERSION}\n", explanation.fingerprint));
    sections.join("\n")
}

/// Formats each region's contribution to the worldwide average.
fn contributions(explanation: &Explanation, registry: &Registry) -> String {
    let mut rows = vec![row(["region", "share %", "min", "avg", "max", "share x avg"])];
    rows.extend(explanation.contributions.iter().map(|part| {
        let id = &registry[part.region].id;
        cost_row(id, part.hashrate_share_pct, &part.costs, Some(part.contribution_usd))
    }));
    let sum = Some(explanation.sum_usd());
    rows.push(cost_row(GLOBAL, WHOLE_NETWORK_PCT, &explanation.costs, sum));
    aligned(&rows)
}

/// Builds a row with the share and the costs of a scope, and its contribution if it has one.
pub(crate) fn cost_row(
    id: &str,
    share: Decimal,
    costs: &Costs,
    contribution: Option<Decimal>,
) -> Vec<String> {
    let figures = [share, costs.min_usd, costs.avg_usd, costs.max_usd].into_iter();
    let figures = figures.chain(contribution).map(|figure| figure.to_string());
    std::iter::once(id.to_owned()).chain(figures).collect()
}

/// Formats the steps from difficulty to costs.
fn steps(explanation: &Explanation, registry: &Registry) -> String {
    let heading = |case: &CostCase| {
        let bound = match case.kind {
            CostKind::Min => "minimum",
            CostKind::Avg => "average",
            CostKind::Max => "maximum",
        };
        match explanation.scope {
            Scope::Global => format!("{bound}: {}", registry[case.region].id),
            Scope::Region(_) => bound.into(),
        }
    };
    let row = |name: &str, value: &dyn Fn(&CostCase) -> String| -> Vec<String> {
        std::iter::once(name.to_owned()).chain(explanation.cases.iter().map(value)).collect()
    };
    let steps = STEPS
        .iter()
        .map(|step| row(step.short_label, &|case| step.value(explanation, case).plain().into()));
    let per_day = row("USD per PH/s per day", &|case| case.usd_per_ph_and_day.to_string());
    let rows: Vec<_> = std::iter::once(row("", &heading)).chain(steps).chain([per_day]).collect();
    aligned(&rows)
}

/// Builds the rows of mining statistics at the mean efficiency and price.
pub(crate) fn mining(explanation: &Explanation) -> [Vec<String>; 4] {
    let mining = &explanation.mining;
    [
        row(["implied hashrate, EH/s", &mining.hashrate_eh.to_string()]),
        row(["power, GW", &mining.power_gw.to_string()]),
        row(["energy, TWh per year", &mining.energy_twh_per_year.to_string()]),
        row(["USD per PH/s per day", &mining.usd_per_ph_and_day.to_string()]),
    ]
}

fn sensitivities(explanation: &Explanation) -> String {
    let mut rows = vec![row(["1% increase in", "change %", "average, USD"])];
    rows.extend(
        explanation.sensitivities.iter().map(|one| {
            row([one.input, &format!("{:+}", one.change_pct), &one.avg_usd.to_string()])
        }),
    );
    aligned(&rows)
}
