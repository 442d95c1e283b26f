//! `ghi explain`.

use std::process::ExitCode;

use ghi_client::with_query;
use ghi_contract::GLOBAL;
use ghi_contract::explanation::{ExplainedChange, ExplainedScenario, ExplanationDocument};
use ghi_display::STEPS;
use ghi_engine::{WHOLE_NETWORK_PCT, visible};
use serde_json::{Value, json};

use crate::flag_values::date;
use crate::output::{Format, print};
use crate::signals::runtime;
use crate::source::{
    DocumentSource, EXPLAIN_CSV, EXPLAIN_JSON, SourceArgs, in_time, parse_document,
};
use crate::text_table::{aligned, decimals, plain, row};

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

pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let path = if args.format == Format::Csv { EXPLAIN_CSV } else { EXPLAIN_JSON };
    let (id, date, since) = (args.region_id.clone(), args.date.clone(), args.since.clone());
    let target = with_query(path, [("region_id", Some(id)), ("date", date), ("since", since)]);
    let source = DocumentSource::open(&args.source)?;
    let text = runtime()?.block_on(in_time(source.file(&target)))?;
    match args.format {
        Format::Table => print(&explanation_table(&parse_document(&text)?, &source)),
        Format::Json | Format::Csv => print(&text),
    }
}

const TEXT_MAX: usize = 100;

const FORMULAS: &str = "\
hashes per coin  = difficulty x hashes per difficulty / block reward
kWh per coin     = hashes per coin x J/TH / 10^12 / 3,600,000
energy, USD      = kWh per coin x USD/kWh
cost, USD        = energy, USD x overhead, rounded
";

const CAPITAL_FORMULA: &str =
    "capital, USD     = hashes per coin / (10^12 x years x 31,557,600) x USD per TH/s\n";

fn explanation_table(document: &ExplanationDocument, source: &DocumentSource) -> String {
    let [id, date] = [&document.region_id, &document.date].map(|field| text(field));
    let title = format!("Cost of mining one {}, {id}, {date}", source.coin().name);
    let mut sections = vec![source.heading(&title, &id, &date, "")];
    if id == GLOBAL {
        sections.push(contributions(document));
    }
    sections.push(steps(document));
    let mut formulas = FORMULAS.to_owned();
    if let Some(capital) = &document.capital {
        formulas += CAPITAL_FORMULA;
        sections.push(labelled([
            ("machines, USD per TH/s", capital.usd_per_th),
            ("years", capital.years),
            ("capital, USD", capital.capital_usd),
            ("full cost (average + capital), USD", capital.full_cost_usd),
        ]));
    }
    sections.push(formulas);
    // At the mean efficiency and price.
    let mining = &document.mining;
    sections.push(labelled([
        ("implied hashrate, EH/s", mining.hashrate_eh),
        ("power, GW", mining.power_gw),
        ("energy, TWh per year", mining.energy_twh_per_year),
        ("USD per PH/s per day", mining.usd_per_ph_and_day),
    ]));
    sections.extend(document.changes.as_ref().map(|changes| change_table(document, changes)));
    let [inputs, engine] = [&document.fingerprint, &document.engine_sandbox_version];
    sections.push(format!("inputs {}\nengine {}\n", text(inputs), text(engine)));
    sections.join("\n")
}

/// Returns a text without control characters, whatever a server sends.
fn text(text: &str) -> String {
    visible(text, TEXT_MAX)
}

fn labelled(numbers: [(&str, f64); 4]) -> String {
    aligned(&numbers.map(|(label, value)| row([label, &number(value)])))
}

fn number(value: f64) -> String {
    let is_plain = value == 0.0 || (1e-6..1e15).contains(&value.abs());
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

/// Formats costs, all with the same number of decimals.
fn usd(costs: impl Iterator<Item = f64> + Clone) -> Vec<String> {
    let decimals = decimals(costs.clone());
    costs.map(|cost| plain(cost, decimals)).collect()
}

/// Formats each region's contribution to the worldwide average.
fn contributions(document: &ExplanationDocument) -> String {
    let parts = document.parts.iter();
    let parts =
        parts.map(|it| (&*it.region_id, it.hashrate_share_pct, &it.costs, it.contribution_usd));
    let whole = WHOLE_NETWORK_PCT.to_f64();
    let worldwide = (GLOBAL, whole, &document.costs, document.sum_of_contributions_usd);
    let parts: Vec<_> = parts.chain([worldwide]).collect();
    let costs = parts.iter().map(|(_, _, costs, _)| costs);
    let costs = usd(costs.flat_map(|it| [it.min_cost_usd, it.avg_cost_usd, it.max_cost_usd]));
    let sums = usd(parts.iter().map(|(.., contribution)| *contribution));
    let mut rows = vec![row(["region", "share %", "min", "avg", "max", "share x avg"])];
    for (((id, share, ..), costs), sum) in parts.iter().zip(costs.chunks(3)).zip(sums) {
        rows.push([&[text(id), plain(*share, 2)], costs, &[sum]].concat());
    }
    aligned(&rows)
}

/// Formats the steps from difficulty to costs, by their names in the document. The worldwide average is the cost of
/// the mean miner.
fn steps(document: &ExplanationDocument) -> String {
    let heading = |case: &ExplainedScenario| match &*document.region_id {
        GLOBAL => format!("{}: {}", text(&case.bound), text(&case.region_id)),
        _ => text(&case.bound),
    };
    let cases = document.scenarios.iter().map(|case| (heading(case), case));
    let mut columns: Vec<(String, &ExplainedScenario)> = cases.collect();
    if let Some(mean) = &document.mean_miner {
        columns.insert(columns.len().min(1), ("avg: mean".into(), mean));
    }
    let shared = json!(document);
    let costs = usd(columns.iter().map(|(_, case)| case.cost_usd));
    let cases: Vec<Value> = columns.iter().map(|(_, case)| json!(case)).collect();
    let line = |(field, label): (&str, &str)| {
        let cell = |(case, cost): (&Value, &String)| match field {
            "cost_usd" => cost.clone(),
            "difficulty" => format!("{:.0}", document.difficulty),
            _ => number(case[field].as_f64().or(shared[field].as_f64()).unwrap_or_default()),
        };
        [label.into()].into_iter().chain(cases.iter().zip(&costs).map(cell)).collect()
    };
    let steps = STEPS.into_iter().map(|[field, _, label, _]| (field, label));
    let steps = steps.chain([("usd_per_ph_and_day", "USD per PH/s per day")]).map(line);
    let headings = [String::new()].into_iter().chain(columns.iter().map(|it| it.0.clone()));
    aligned(&[headings.collect()].into_iter().chain(steps).collect::<Vec<_>>())
}

/// Formats the factors of a change in the average.
fn change_table(document: &ExplanationDocument, changes: &[ExplainedChange]) -> String {
    let total = document.total_change_usd.unwrap_or_default();
    let usd = usd(changes.iter().map(|change| change.change_usd).chain([total]));
    let since = format!("change since {}", text(document.since.as_deref().unwrap_or_default()));
    let mut rows = vec![row([&since, "from", "to", "effect %", "USD"])];
    for (change, usd) in changes.iter().zip(&usd) {
        let [from, to] = [change.from, change.to].map(|value| value.map_or("-".into(), number));
        let factor = text(&change.factor).replace('_', " ");
        rows.push(row([&factor, &from, &to, &number(change.change_pct), usd]));
    }
    rows.push(row(["average", "", "", "", &usd[changes.len()]]));
    aligned(&rows)
}
