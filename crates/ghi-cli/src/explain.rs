//! `ghi explain`.

use std::process::ExitCode;

use ghi_client::with_query;
use ghi_contract::GLOBAL;
use ghi_display::STEPS;
use ghi_engine::visible;
use serde_json::{Map, Value};

use crate::flag_values::date;
use crate::output::{Format, print};
use crate::show::costs::{decimals, plain};
use crate::signals::runtime;
use crate::source::{
    DocumentSource, EXPLAIN_CSV, EXPLAIN_JSON, SourceArgs, in_time, parse_document,
};
use crate::text_table::{aligned, row};

/// The arguments of `ghi explain`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Region id, or global for worldwide
    #[arg(value_name = "ID", default_value = GLOBAL)]
    region_id: String,

    /// UTC date, such as 2026-11-15 [default: today]
    #[arg(long, value_name = "DATE", value_parser = date)]
    date: Option<String>,

    /// Also explain why the average has changed since this UTC date
    #[arg(long, value_name = "DATE", value_parser = date)]
    since: Option<String>,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,

    #[command(flatten)]
    source: SourceArgs,
}

/// Prints how a day's costs are calculated.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let source = DocumentSource::open(&args.source)?;
    print(&runtime()?.block_on(in_time(explained(args, &source)))?)
}

async fn explained(args: &Args, source: &DocumentSource) -> Result<String, String> {
    if args.date.is_some() && args.since > args.date {
        return Err("--since must not be after --date".into());
    }
    let path = match args.format {
        Format::Csv if args.since.is_some() => {
            return Err("--since is not available as CSV; use --format json".into());
        }
        Format::Csv => EXPLAIN_CSV,
        Format::Json | Format::Table => EXPLAIN_JSON,
    };
    let (id, date, since) = (args.region_id.clone(), args.date.clone(), args.since.clone());
    let target = with_query(path, [("region_id", Some(id)), ("date", date), ("since", since)]);
    let text = source.file(&target).await?;
    if matches!(args.format, Format::Table) { explanation_table(&text, source) } else { Ok(text) }
}

/// The maximum length of a text of the document, in characters.
const TEXT_MAX: usize = 100;

/// The formulas of the steps.
const FORMULAS: &str = "\
hashes per coin  = difficulty x hashes per difficulty / block reward
kWh per coin     = hashes per coin x J/TH / 10^12 / 3,600,000
energy, USD      = kWh per coin x USD/kWh
cost, USD        = energy, USD x overhead, rounded
";

/// The formula of the capital cost.
const CAPITAL_FORMULA: &str =
    "capital, USD     = hashes per coin / (10^12 x years x 31,557,600) x USD per TH/s\n";

/// The capital cost: fields and their labels.
const CAPITAL: [[&str; 2]; 4] = [
    ["usd_per_th", "machines, USD per TH/s"],
    ["years", "years"],
    ["capital_usd", "capital, USD"],
    ["full_cost_usd", "full cost (average + capital), USD"],
];

/// The figures that miners compare, at the mean efficiency and price: fields and their labels.
const MINING: [[&str; 2]; 4] = [
    ["hashrate_eh", "implied hashrate, EH/s"],
    ["power_gw", "power, GW"],
    ["energy_twh_per_year", "energy, TWh per year"],
    ["usd_per_ph_and_day", "USD per PH/s per day"],
];

/// Formats the calculation with its numbers, from the JSON of an explanation.
fn explanation_table(json: &str, source: &DocumentSource) -> Result<String, String> {
    let document: Value = parse_document::<Map<_, _>>(json)?.into();
    let [id, date] = ["region_id", "date"].map(|field| text(&document[field]));
    let (data, coin) = (source.kind_of_data(&id, &date), source.coin().name);
    let title = format!("Cost of mining one {coin}, {id}, {date}\n{data}, {}\n", source.name());
    let mut sections = vec![title];
    if id == GLOBAL {
        sections.push(contributions(&document));
    }
    sections.push(steps(&document));
    let mut formulas = FORMULAS.to_owned();
    if document["capital"].is_object() {
        formulas += CAPITAL_FORMULA;
        sections.push(figures(&document["capital"], CAPITAL));
    }
    sections.push(formulas);
    if document["mining"].is_object() {
        sections.push(figures(&document["mining"], MINING));
    }
    if document["changes"].is_array() {
        sections.push(changes(&document));
    }
    let [inputs, engine] =
        ["fingerprint", "engine_sandbox_version"].map(|field| text(&document[field]));
    sections.push(format!("inputs {inputs}\nengine {engine}\n"));
    Ok(sections.join("\n"))
}

/// Returns a text without control characters, whatever a server sends.
fn text(value: &Value) -> String {
    visible(value.as_str().unwrap_or_default(), TEXT_MAX)
}

fn entries(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// Formats one line per field: its label and its number.
fn figures(of: &Value, fields: [[&str; 2]; 4]) -> String {
    aligned(&fields.map(|[field, label]| row([label, &number(&of[field])])))
}

/// Formats a number with the digits of the explanation.
fn number(value: &Value) -> String {
    match value.as_f64() {
        None => "-".into(),
        Some(value) if value == 0.0 || (1e-6..1e15).contains(&value.abs()) => value.to_string(),
        Some(value) => format!("{value:e}"),
    }
}

/// Formats costs, all with the same number of decimals.
fn usd<'a>(costs: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let costs: Vec<Option<f64>> = costs.map(Value::as_f64).collect();
    let decimals = decimals(costs.iter().flatten().copied());
    costs.iter().map(|cost| cost.map_or("-".into(), |cost| plain(cost, decimals))).collect()
}

/// Formats each region's contribution to the worldwide average.
fn contributions(document: &Value) -> String {
    let whole = Value::from(100.0);
    let fields = ["region_id", "hashrate_share_pct", "costs", "contribution_usd"];
    let regions = entries(&document["parts"]).map(|part| fields.map(|field| &part[field]));
    let sum =
        [&document["region_id"], &whole, &document["costs"], &document["sum_of_contributions_usd"]];
    let all: Vec<[&Value; 4]> = regions.chain([sum]).collect();
    let costs = usd(all.iter().flat_map(|[_, _, costs, _]| {
        ["min_cost_usd", "avg_cost_usd", "max_cost_usd"].map(|field| &costs[field])
    }));
    let sums = usd(all.iter().map(|[.., sum]| *sum));
    let mut rows = vec![row(["region", "share %", "min", "avg", "max", "share x avg"])];
    for (([id, share, ..], costs), sum) in all.iter().zip(costs.chunks(3)).zip(sums) {
        let share = share.as_f64().map_or("-".into(), |share| plain(share, 2));
        rows.push([&[text(id), share], costs, &[sum]].concat());
    }
    aligned(&rows)
}

/// Formats the steps from difficulty to costs. The worldwide average is the cost of the mean miner.
fn steps(document: &Value) -> String {
    let heading = |case: &Value| {
        let bound = match &*text(&case["bound"]) {
            "min" => "minimum",
            "avg" => "average",
            _ => "maximum",
        };
        match &*text(&document["region_id"]) {
            GLOBAL => format!("{bound}: {}", text(&case["region_id"])),
            _ => bound.into(),
        }
    };
    let cases = entries(&document["scenarios"]).map(|case| (heading(case), case));
    let mut columns: Vec<(String, &Value)> = cases.collect();
    if document["mean_miner"].is_object() {
        let mean = ("average: mean".into(), &document["mean_miner"]);
        columns.insert(columns.len().min(1), mean);
    }
    let costs = usd(columns.iter().map(|(_, case)| &case["cost_usd"]));
    let cells = |field: &str| -> Vec<String> {
        let cell = |(_, case): &(_, &Value)| match (field, document["difficulty"].as_f64()) {
            ("difficulty", Some(difficulty)) => format!("{difficulty:.0}"),
            _ if case[field].is_null() => number(&document[field]),
            _ => number(&case[field]),
        };
        if field == "cost_usd" { costs.clone() } else { columns.iter().map(cell).collect() }
    };
    let row = |label: &str, cells: Vec<String>| [vec![label.to_owned()], cells].concat();
    let headings = columns.iter().map(|(heading, _)| heading.clone()).collect();
    let steps = STEPS.iter().map(|step| row(step.short_label, cells(step.field)));
    let per_day = row("USD per PH/s per day", cells("usd_per_ph_and_day"));
    let rows: Vec<_> = [row("", headings)].into_iter().chain(steps).chain([per_day]).collect();
    aligned(&rows)
}

/// Formats the factors of a change in the average.
fn changes(document: &Value) -> String {
    let changes = || entries(&document["changes"]);
    let total = &document["total_change_usd"];
    let usd = usd(changes().map(|change| &change["change_usd"]).chain([total]));
    let since = format!("change since {}", text(&document["since"]));
    let mut rows = vec![row([&since, "from", "to", "effect %", "USD"])];
    for (change, usd) in changes().zip(&usd) {
        let [from, to, effect] = ["from", "to", "change_pct"].map(|field| number(&change[field]));
        let factor = text(&change["factor"]).replace('_', " ");
        rows.push(row([&factor, &from, &to, &effect, usd]));
    }
    rows.push(row(["average", "", "", "", usd.last().map_or("", |total| total)]));
    aligned(&rows)
}
