//! `ghi explain`.

use std::process::ExitCode;

use ghi_client::with_query;
use ghi_contract::GLOBAL;
use ghi_contract::explanation::{
    ExplainedChange, ExplainedPart, ExplainedScenario, ExplanationDocument,
};
use ghi_display::STEPS;
use ghi_engine::{WHOLE_NETWORK_PCT, visible};

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
    match args.format {
        Format::Table => Ok(explanation_table(&parse_document(&text)?, source)),
        Format::Json | Format::Csv => Ok(text),
    }
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

/// Formats the calculation with its numbers.
fn explanation_table(document: &ExplanationDocument, source: &DocumentSource) -> String {
    let [id, date] = [&document.region_id, &document.date].map(|field| text(field));
    let (data, coin) = (source.kind_of_data(&id, &date), source.coin().name);
    let title = format!("Cost of mining one {coin}, {id}, {date}\n{data}, {}\n", source.name());
    let mut sections = vec![title];
    if id == GLOBAL {
        sections.push(contributions(document));
    }
    sections.push(steps(document));
    let mut formulas = FORMULAS.to_owned();
    if let Some(capital) = &document.capital {
        formulas += CAPITAL_FORMULA;
        sections.push(figures([
            ("machines, USD per TH/s", capital.usd_per_th),
            ("years", capital.years),
            ("capital, USD", capital.capital_usd),
            ("full cost (average + capital), USD", capital.full_cost_usd),
        ]));
    }
    sections.push(formulas);
    // At the mean efficiency and price.
    let mining = &document.mining;
    sections.push(figures([
        ("implied hashrate, EH/s", mining.hashrate_eh),
        ("power, GW", mining.power_gw),
        ("energy, TWh per year", mining.energy_twh_per_year),
        ("USD per PH/s per day", mining.usd_per_ph_and_day),
    ]));
    sections.extend(document.changes.as_ref().map(|changes| change_table(document, changes)));
    let [inputs, engine] =
        [&document.fingerprint, &document.engine_sandbox_version].map(|field| text(field));
    sections.push(format!("inputs {inputs}\nengine {engine}\n"));
    sections.join("\n")
}

/// Returns a text without control characters, whatever a server sends.
fn text(text: &str) -> String {
    visible(text, TEXT_MAX)
}

/// Formats one line per field: its label and its number.
fn figures(fields: [(&str, f64); 4]) -> String {
    aligned(&fields.map(|(label, value)| row([label, &number(value)])))
}

/// Formats a number with the digits of the explanation.
fn number(value: f64) -> String {
    let is_plain = value == 0.0 || (1e-6..1e15).contains(&value.abs());
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

/// Formats costs, all with the same number of decimals.
fn usd(costs: &[f64]) -> Vec<String> {
    let decimals = decimals(costs.iter().copied());
    costs.iter().map(|cost| plain(*cost, decimals)).collect()
}

/// Formats each region's contribution to the worldwide average.
fn contributions(document: &ExplanationDocument) -> String {
    let part = |part: &ExplainedPart| {
        (text(&part.region_id), part.hashrate_share_pct, part.costs.clone(), part.contribution_usd)
    };
    let sum = document.sum_of_contributions_usd;
    let sum = (text(&document.region_id), WHOLE_NETWORK_PCT.to_f64(), document.costs.clone(), sum);
    let all: Vec<_> = document.parts.iter().map(part).chain([sum]).collect();
    let costs = all
        .iter()
        .flat_map(|(_, _, costs, _)| [costs.min_cost_usd, costs.avg_cost_usd, costs.max_cost_usd]);
    let costs = usd(&costs.collect::<Vec<_>>());
    let sums = usd(&all.iter().map(|(.., sum)| *sum).collect::<Vec<_>>());
    let mut rows = vec![row(["region", "share %", "min", "avg", "max", "share x avg"])];
    for (((id, share, ..), costs), sum) in all.iter().zip(costs.chunks(3)).zip(sums) {
        rows.push([&[id.clone(), plain(*share, 2)], costs, &[sum]].concat());
    }
    aligned(&rows)
}

/// Formats the steps from difficulty to costs. The worldwide average is the cost of the mean miner.
fn steps(document: &ExplanationDocument) -> String {
    let heading = |case: &ExplainedScenario| {
        let bound = match &*case.bound {
            "min" => "minimum",
            "avg" => "average",
            _ => "maximum",
        };
        match &*document.region_id {
            GLOBAL => format!("{bound}: {}", text(&case.region_id)),
            _ => bound.into(),
        }
    };
    let cases = document.scenarios.iter().map(|case| (heading(case), case));
    let mut columns: Vec<(String, &ExplainedScenario)> = cases.collect();
    if let Some(mean) = &document.mean_miner {
        columns.insert(columns.len().min(1), ("average: mean".into(), mean));
    }
    let costs = usd(&columns.iter().map(|(_, case)| case.cost_usd).collect::<Vec<_>>());
    let cells = |field: &str| -> Vec<String> {
        let cell = |(_, case): &(_, &ExplainedScenario)| match field {
            "difficulty" => format!("{:.0}", document.difficulty),
            "hashes_per_difficulty" => number(document.hashes_per_difficulty),
            "block_reward_coins" => number(document.block_reward_coins),
            "hashes_per_coin" => number(document.hashes_per_coin),
            "efficiency_j_per_th" => number(case.efficiency_j_per_th),
            "energy_kwh_per_coin" => number(case.energy_kwh_per_coin),
            "electricity_usd_per_kwh" => number(case.electricity_usd_per_kwh),
            "energy_usd_per_coin" => number(case.energy_usd_per_coin),
            "overhead" => number(case.overhead),
            _ => number(case.usd_per_ph_and_day),
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
fn change_table(document: &ExplanationDocument, changes: &[ExplainedChange]) -> String {
    let total = document.total_change_usd.unwrap_or_default();
    let usd =
        usd(&changes.iter().map(|change| change.change_usd).chain([total]).collect::<Vec<_>>());
    let since = format!("change since {}", text(document.since.as_deref().unwrap_or_default()));
    let mut rows = vec![row([&since, "from", "to", "effect %", "USD"])];
    for (change, usd) in changes.iter().zip(&usd) {
        let [from, to] = [change.from, change.to].map(|value| value.map_or("-".into(), number));
        let factor = text(&change.factor).replace('_', " ");
        rows.push(row([&factor, &from, &to, &number(change.change_pct), usd]));
    }
    rows.push(row(["average", "", "", "", usd.last().map_or("", |total| total)]));
    aligned(&rows)
}
