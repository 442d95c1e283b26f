//! `ghi check`: judges a server by the rules of the contract.
//!
//! A rule requests the documents it needs and compares them; each request is sent once. Responses are
//! not trusted: their size, the time they take and the characters in them are bounded.

mod rules;
mod judge;
mod json_object;
mod response;
mod recording_client;
mod report;

use std::process::ExitCode;
use std::time::Duration;

use ghi_client::{BaseUrl, InvalidBaseUrl, reports_tls_port};
use ghi_contract::{GLOBAL, paths};
use ghi_engine::{suggestion, visible};

use judge::{Rule, RuleSource, RuleVerdict, forecast, history};
use recording_client::RecordingClient;
use report::{Report, ReportFormat};
use response::EXCERPT_MAX;
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

    /// Check only this rule, even if it is a strict one; repeatable
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

fn base_url(text: &str) -> Result<BaseUrl, String> {
    let url: BaseUrl = text.parse().map_err(|invalid: InvalidBaseUrl| invalid.to_string())?;
    match format!("{url}/").contains(paths::PREFIX) {
        true => Err("must be the URL without /v1/ghi, such as http://127.0.0.1:8000".into()),
        false => Ok(url),
    }
}

fn rule(id: &str) -> Result<&'static Rule, String> {
    let ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    let advice = || match suggestion(id, &ids) {
        Some(meant) => format!("did you mean {meant}?"),
        None => "run ghi check BASE_URL --strict to list the ids of all rules".into(),
    };
    let rule = RULES.iter().find(|rule| rule.id == id);
    rule.ok_or_else(|| format!("no such rule; {}", advice()))
}

/// Judges a server and prints the report.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let mut client = RecordingClient::new(args.base_url.clone(), args.rate, args.timeout)?;
    probe_deployment(&mut client)
        .map_err(|why| format!("cannot check {}: {why}", args.base_url))?;
    let is_named = !args.rules.is_empty();
    let mut judged = Vec::new();
    for rule in RULES {
        let is_selected = match is_named {
            true => args.rules.iter().any(|named| named.id == rule.id),
            false => args.strict || rule.source != RuleSource::Strict,
        };
        if !is_selected {
            continue;
        }
        let mut result = rule.apply(&mut client);
        let counts = match rule.source {
            RuleSource::Contract | RuleSource::Strict => true,
            RuleSource::Agreement => args.strict || is_named,
            RuleSource::Note => false,
        };
        if result.verdict == RuleVerdict::Broken && !counts {
            result.verdict = RuleVerdict::Note;
        }
        // A rule that only leads to notes is not reported without one.
        if counts || is_named || result.verdict == RuleVerdict::Note {
            judged.push(result);
        }
    }
    let report = Report::new(args.strict, &client, judged);
    client.progress.finish_and_clear();
    print(&report.formatted(args.format))?;
    if report.summary.broken > 0 {
        return Ok(ExitCode::FAILURE);
    }
    if client.is_incomplete {
        let limited = client.rate_limits > 0;
        let advice = if limited { "; for a rate limit, try a lower --rate" } else { "" };
        return Err(format!(
            "some rules could not be judged; see the report for the reasons{advice}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Requests documents until one is returned. Fails with the reason if none is.
fn probe_deployment(client: &mut RecordingClient) -> Result<(), String> {
    // Sends two at once, so that a server that never responds costs a single timeout.
    client.prefetch([paths::METADATA.into(), paths::SNAPSHOT.into()]);
    let others =
        [paths::REGIONS.into(), history(GLOBAL.into()), paths::NETWORK.into(), forecast(7)];
    let mut responses = Vec::new();
    for target in [paths::METADATA.into(), paths::SNAPSHOT.into()].into_iter().chain(others) {
        let response = client.fetch(target.into());
        if response.is_document() {
            return Ok(());
        }
        responses.push(response);
        if let [first, second] = &responses[..]
            && first.status == 0
            && second.status == 0
            && let Some(failure) = &first.failure
        {
            return Err(failure.cause.clone());
        }
    }
    responses.retain(|response| response.status != 0);
    // Such a deployment can be judged: it breaks the rule that no credentials are needed.
    if responses.iter().all(|response| response.requires_credentials()) {
        return Ok(());
    }
    if responses.iter().any(|response| reports_tls_port(response.status, &response.body)) {
        return Err("the server expects TLS on this port; use https:// instead of http://".into());
    }
    let first = &responses[0];
    let excerpt = visible(&first.excerpt(), EXCERPT_MAX);
    Err(format!(
        "no document of the API was found ({} returned {excerpt}); is the base URL right?",
        first.request.target
    ))
}
