//! An explanation as a table for the terminal.

use ghi_contract::GLOBAL;
use ghi_display::STEPS;
use serde_json::{Map, Value};

use crate::show::costs::{decimals, plain};
use crate::source::{DocumentSource, parse_document};
use crate::text_table::{aligned, row};

/// The formulas of the steps.
const FORMULAS: &str = "\
hashes per coin  = difficulty x hashes per difficulty / block reward
kWh per coin     = hashes per coin x J/TH / 10^12 / 3,600,000
energy, USD      = kWh per coin x USD/kWh
cost, USD        = energy, USD x overhead, rounded
";

/// The formula of the capital cost.
const CAPITAL: &str =
    "capital, USD     = hashes per coin / (10^12 x years x 31,557,600) x USD per TH/s\n";

/// Formats the calculation with its numbers, from the JSON of an explanation.
pub(crate) fn explanation_table(json: &str, source: &DocumentSource) -> Result<String, String> {
    let document: Map<String, Value> = parse_document(json)?;
    let (id, date) = (text(&document, "region_id"), text(&document, "date"));
    let (data, coin) = (source.kind_of_data(id, date), source.coin().name);
    let title = format!("Cost of mining one {coin}, {id}, {date}\n{data}, {}\n", source.name());
    let mut sections = vec![title];
    if id == GLOBAL {
        sections.push(contributions(&document));
    }
    sections.push(steps(&document));
    let mut formulas = FORMULAS.to_owned();
    if let Some(capital) = object(&document, "capital") {
        formulas += CAPITAL;
        sections.push(aligned(&figures(
            capital,
            &[
                "usd_per_th:machines, USD per TH/s",
                "years:years",
                "capital_usd:capital, USD",
                "full_cost_usd:full cost (average + capital), USD",
            ],
        )));
    }
    sections.push(formulas);
    if let Some(mining) = object(&document, "mining") {
        sections.push(aligned(&figures(mining, &MINING)));
    }
    if document.contains_key("changes") {
        sections.push(changes(&document));
    }
    sections.push(format!(
        "inputs {}\nengine {}\n",
        text(&document, "fingerprint"),
        text(&document, "engine_sandbox_version")
    ));
    Ok(sections.join("\n"))
}

/// Statistics that miners compare, at the mean efficiency and price: fields and their labels.
const MINING: [&str; 4] = [
    "hashrate_eh:implied hashrate, EH/s",
    "power_gw:power, GW",
    "energy_twh_per_year:energy, TWh per year",
    "usd_per_ph_and_day:USD per PH/s per day",
];

fn text<'a>(document: &'a Map<String, Value>, field: &str) -> &'a str {
    document.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn object<'a>(document: &'a Map<String, Value>, field: &str) -> Option<&'a Map<String, Value>> {
    document.get(field).and_then(Value::as_object)
}

fn objects<'a>(
    document: &'a Map<String, Value>,
    field: &str,
) -> impl Iterator<Item = &'a Map<String, Value>> {
    document.get(field).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

/// Returns one row per field: its label and its number.
fn figures(of: &Map<String, Value>, fields: &[&str]) -> Vec<Vec<String>> {
    let row = |field: &&str| {
        let (name, label) = field.split_once(':').unwrap_or((field, field));
        row([label, &number(of.get(name))])
    };
    fields.iter().map(row).collect()
}

/// Formats a number with the digits of the explanation.
fn number(value: Option<&Value>) -> String {
    match value.and_then(Value::as_f64) {
        None => "-".into(),
        Some(value) if value == 0.0 || (1e-6..1e15).contains(&value.abs()) => value.to_string(),
        Some(value) => format!("{value:e}"),
    }
}

/// Formats costs, all with the same number of decimals.
fn usd(costs: &[Option<f64>]) -> Vec<String> {
    let decimals = decimals(costs.iter().flatten().copied());
    costs.iter().map(|cost| cost.map_or("-".into(), |cost| plain(cost, decimals))).collect()
}

/// Formats each region's contribution to the worldwide average.
fn contributions(document: &Map<String, Value>) -> String {
    let number = |of: &Map<String, Value>, field| of.get(field).and_then(Value::as_f64);
    let regions = objects(document, "parts").map(|part| {
        (text(part, "region_id"), number(part, "hashrate_share_pct"), part, "contribution_usd")
    });
    let sum = (GLOBAL, Some(100.0), document, "sum_of_contributions_usd");
    let all: Vec<_> = regions.chain([sum]).collect();
    let costs = all.iter().flat_map(|(_, _, of, _)| {
        let costs = object(of, "costs");
        ["min_cost_usd", "avg_cost_usd", "max_cost_usd"].map(|field| number(costs?, field))
    });
    let costs = usd(&costs.collect::<Vec<_>>());
    let sums = usd(&all.iter().map(|(_, _, of, field)| number(of, field)).collect::<Vec<_>>());
    let mut rows = vec![row(["region", "share %", "min", "avg", "max", "share x avg"])];
    for (((id, share, ..), costs), sum) in all.iter().zip(costs.chunks(3)).zip(sums) {
        let share = share.map_or("-".into(), |share| plain(share, 2));
        let first = [(*id).to_owned(), share].into_iter();
        rows.push(first.chain(costs.iter().cloned()).chain([sum]).collect());
    }
    aligned(&rows)
}

/// Formats the steps from difficulty to costs; for worldwide costs, the average column is the
/// average miner.
fn steps(document: &Map<String, Value>) -> String {
    let mut columns: Vec<(String, &Map<String, Value>)> = objects(document, "scenarios")
        .map(|case| {
            let bound = match text(case, "bound") {
                "min" => "minimum",
                "avg" => "average",
                _ => "maximum",
            };
            let heading = match text(document, "region_id") {
                GLOBAL => format!("{bound}: {}", text(case, "region_id")),
                _ => bound.into(),
            };
            (heading, case)
        })
        .collect();
    if let Some(miner) = object(document, "mean_miner") {
        columns.insert(columns.len().min(1), ("average: mean".into(), miner));
    }
    let costs: Vec<Option<f64>> =
        columns.iter().map(|(_, case)| case.get("cost_usd").and_then(Value::as_f64)).collect();
    let costs = usd(&costs);
    let row = |label: &str, field: &str| -> Vec<String> {
        let cell = |(index, (_, case)): (usize, &(String, &Map<String, Value>))| match field {
            "cost_usd" => costs[index].clone(),
            "difficulty" => {
                let difficulty = document.get(field).and_then(Value::as_f64);
                difficulty.map_or("-".into(), |difficulty| format!("{difficulty:.0}"))
            }
            field => number(case.get(field).or(document.get(field))),
        };
        std::iter::once(label.to_owned()).chain(columns.iter().enumerate().map(cell)).collect()
    };
    let headings = columns.iter().map(|(heading, _)| heading.clone());
    let headings = std::iter::once(String::new()).chain(headings).collect();
    let steps = STEPS.iter().map(|step| row(step.short_label, step.field));
    let per_day = row("USD per PH/s per day", "usd_per_ph_and_day");
    aligned(&std::iter::once(headings).chain(steps).chain([per_day]).collect::<Vec<_>>())
}

/// Formats the factors of a change in the average.
fn changes(document: &Map<String, Value>) -> String {
    let usd_of = |change: &Map<String, Value>| change.get("change_usd").and_then(Value::as_f64);
    let total = document.get("total_change_usd").and_then(Value::as_f64);
    let figures: Vec<Option<f64>> =
        objects(document, "changes").map(usd_of).chain([total]).collect();
    let figures = usd(&figures);
    let since = format!("change since {}", text(document, "since"));
    let mut rows = vec![row([&since, "from", "to", "effect %", "USD"])];
    for (change, usd) in objects(document, "changes").zip(&figures) {
        let [from, to] = ["from", "to"].map(|field| number(change.get(field)));
        let effect = number(change.get("change_pct"));
        rows.push(row([&text(change, "factor").replace('_', " "), &from, &to, &effect, usd]));
    }
    let total = figures.last().map_or("", |total| total);
    rows.push(row(["average", "", "", "", total]));
    aligned(&rows)
}
