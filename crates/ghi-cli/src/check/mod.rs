//! `ghi check`: every rule of the contract against any deployment.
//!
//! A rule asks the deployment for what it needs and compares; an answer that came once is asked for
//! once. What comes back is untrusted: its size, its time and its characters are bounded.

mod opening;
mod rules;
mod rule;
mod case;
mod parts;
mod fields;
mod evidence;
mod recording_client;
mod silence;
mod exchange;
mod request;
mod progress;
mod report;

use std::process::ExitCode;
use std::time::Duration;

use ghi_client::{BaseUrl, InvalidBaseUrl};
use ghi_contract::paths;

use recording_client::{Bounds, RecordingClient};
use report::{Report, ReportFormat};

use crate::flag_values::{request_rate, time};
use crate::output::print;

/// What `ghi check` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where the API is served: what comes before /v1/ghi, such as http://127.0.0.1:8000
    #[arg(value_name = "BASE_URL", value_parser = base_url)]
    base_url: BaseUrl,

    /// Judge also what the contract leaves open, by the decisions of this implementation
    #[arg(long)]
    strict: bool,

    /// The report: text for people, json for programs, or junit (JUnit's XML) for CI systems
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,

    /// Requests per second, at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = request_rate)]
    rate: u32,

    /// How long a request may take as a whole
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = timeout)]
    timeout: Duration,
}

fn base_url(text: &str) -> Result<BaseUrl, String> {
    let url: BaseUrl = text.parse().map_err(|invalid: InvalidBaseUrl| invalid.to_string())?;
    match format!("{url}/").contains(paths::PREFIX) {
        true => Err("must be what comes before /v1/ghi, such as http://127.0.0.1:8000".into()),
        false => Ok(url),
    }
}

/// Of a request. What takes longer than five minutes is not waited for by anybody.
fn timeout(text: &str) -> Result<Duration, &'static str> {
    let bounds = Duration::from_millis(10)..=Duration::from_secs(300);
    let parsed = time(text).ok().filter(|time| bounds.contains(time));
    parsed.ok_or("must be a time from 10ms to 5m, such as 5s; a number alone counts seconds")
}

/// Judges a deployment and prints the report.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let bounds = Bounds { rate: args.rate, timeout: args.timeout };
    let mut client = RecordingClient::new(args.base_url.clone(), bounds)?;
    opening::look(&mut client).map_err(|why| format!("cannot judge {}: {why}", args.base_url))?;
    let rules = rules::all(args.strict);
    let judged = rules.iter().map(|rule| rule.judge(&mut client)).collect();
    let (requests, unjudged) = (client.requests(), client.unjudged());
    let given_up = client.given_up();
    // Its line on the terminal goes before the report comes.
    drop(client);
    let base_url = args.base_url.to_string();
    let report = Report { base_url, strict: args.strict, requests, given_up, judged };
    print(&report.text(args.format)?)?;
    match (report.count(case::Verdict::Broken), unjudged) {
        (0, 0) => Ok(ExitCode::SUCCESS),
        (0, _) => Err(format!(
            "not all rules could be judged: {unjudged} of the requests met a rate limit (429), got more than can be judged, or came after the deployment had stopped answering; the report says which; where it was a rate limit, try a lower --rate"
        )),
        _ => Ok(ExitCode::FAILURE),
    }
}
