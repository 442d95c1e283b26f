//! `ghi check`: judges a deployment by the rules of the contract.
//!
//! A rule requests the documents it needs and compares them; each request is sent once. Responses are
//! not trusted: their size, the time they take and the characters in them are bounded.

mod probe;
mod rules;
mod judge;
mod objects;
mod json_object;
mod schema;
mod request;
mod response;
mod recording_client;
mod report;

use std::process::ExitCode;
use std::time::Duration;

use ghi_client::{BaseUrl, InvalidBaseUrl};
use ghi_contract::paths;

use judge::Judge;
use judge::{Rule, RuleSource};
use recording_client::RecordingClient;
use report::{Report, ReportFormat};
use rules::RULES;

use crate::flag_values::{time_between, whole_number};
use crate::output::print;

/// The arguments of `ghi check`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Base URL of the API, without /v1/ghi, such as http://127.0.0.1:8000
    #[arg(value_name = "BASE_URL", value_parser = base_url)]
    base_url: BaseUrl,

    /// Also apply this implementation's rules where the contract is silent
    #[arg(long)]
    strict: bool,

    /// Judge only this rule, strict or not; repeatable
    #[arg(long = "rule", value_name = "ID", value_parser = rule)]
    rules: Vec<&'static Rule>,

    /// Report format; junit is JUnit XML, for CI systems
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,

    /// Maximum requests per second
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole_number::<u32>(1..=10_000))]
    rate: u32,

    /// Maximum time for one request
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time_between("10ms", "5m"))]
    timeout: Duration,
}

impl Args {
    fn selects(&self, rule: &Rule) -> bool {
        match self.rules.is_empty() {
            true => self.strict || rule.source == RuleSource::Contract,
            false => self.rules.iter().any(|selected| selected.id == rule.id),
        }
    }
}

fn base_url(text: &str) -> Result<BaseUrl, String> {
    let url: BaseUrl = text.parse().map_err(|invalid: InvalidBaseUrl| invalid.to_string())?;
    match format!("{url}/").contains(paths::PREFIX) {
        true => Err("must be the URL without /v1/ghi, such as http://127.0.0.1:8000".into()),
        false => Ok(url),
    }
}

fn rule(id: &str) -> Result<&'static Rule, &'static str> {
    let rule = RULES.iter().find(|rule| rule.id == id);
    rule.ok_or("no such rule; run ghi check BASE_URL --strict to list the ids of all rules")
}

/// Judges a deployment and prints the report.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let mut client = RecordingClient::new(args.base_url.clone(), args.rate, args.timeout)?;
    probe::probe_deployment(&mut client)
        .map_err(|why| format!("cannot judge {}: {why}", args.base_url))?;
    let mut judge = Judge::new(client);
    let rules = RULES.iter().filter(|rule| args.selects(rule));
    let judged = rules.map(|rule| judge.apply(rule)).collect();
    let report = Report::new(args.strict, &judge.client, judged);
    judge.client.progress.finish_and_clear();
    print(&report.formatted(args.format)?)?;
    if report.has_broken_rules() {
        return Ok(ExitCode::FAILURE);
    }
    if judge.client.is_incomplete {
        let advice = if judge.client.rate_limits > 0 {
            "; for a rate limit, try a lower --rate"
        } else {
            ""
        };
        return Err(format!(
            "not all rules could be judged; see the report for the reasons{advice}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}
