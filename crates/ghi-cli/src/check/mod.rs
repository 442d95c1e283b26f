//! `ghi check`: judges a server by the rules of the contract.
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

use crate::flag_values::{request_rate, time};
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

    /// Check only this rule, even if it is a strict one; repeatable
    #[arg(long = "rule", value_name = "ID", value_parser = rule)]
    rules: Vec<&'static Rule>,

    /// Report format; junit is JUnit XML, for CI systems
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,

    /// Maximum requests per second
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = request_rate)]
    rate: u32,

    /// Maximum time for one request
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = timeout)]
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

/// Parses a timeout of at most five minutes.
fn timeout(text: &str) -> Result<Duration, &'static str> {
    let bounds = Duration::from_millis(10)..=Duration::from_secs(300);
    let parsed = time(text).ok().filter(|time| bounds.contains(time));
    parsed.ok_or("must be a time from 10ms to 5m, such as 5s; a plain number means seconds")
}

/// Judges a server and prints the report.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let mut client = RecordingClient::new(args.base_url.clone(), args.rate, args.timeout)?;
    probe::probe_deployment(&mut client)
        .map_err(|why| format!("cannot check {}: {why}", args.base_url))?;
    let mut judge = Judge::new(client);
    let rules = RULES.iter().filter(|rule| args.selects(rule));
    let judged = rules.map(|rule| judge.apply(rule)).collect();
    let report = Report::new(args.strict, &judge.client, judged);
    let (is_incomplete, rate_limits) = (judge.client.is_incomplete, judge.client.rate_limits);
    // Clears the progress line before the report is printed.
    drop(judge);
    print(&report.formatted(args.format)?)?;
    if report.has_broken_rules() {
        return Ok(ExitCode::FAILURE);
    }
    if is_incomplete {
        let advice = if rate_limits > 0 { "; for a rate limit, try a lower --rate" } else { "" };
        return Err(format!(
            "not all rules could be judged; see the report for the reasons{advice}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}
