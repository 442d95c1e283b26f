//! `ghi check`: every rule of the contract against any deployment.
//!
//! A rule asks the deployment for what it needs and compares; an answer that came once is asked for
//! once. What comes back is untrusted: its size, its time and its characters are bounded.

mod base_url;
mod opening;
mod rules;
mod rule;
mod case;
mod parts;
mod fields;
mod evidence;
mod deployment;
mod exchange;
mod request;
mod progress;
mod report;

use std::process::ExitCode;
use std::time::Duration;

use base_url::BaseUrl;
use deployment::{Bounds, Deployment};
use report::{Report, ReportFormat};

use crate::flag_values::request_rate;
use crate::output::print;

/// What `ghi check` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where the API is served: what comes before /v1/ghi, such as http://127.0.0.1:8000
    #[arg(value_name = "BASE_URL")]
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

    /// How long a request may take, from the first byte to the last
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    timeout: Duration,
}

/// The longest timeout of a request, seconds: what takes longer is not waited for by anybody.
const TIMEOUT_MAX: f64 = 300.0;

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    let seconds = number.filter(|seconds| (0.01..=TIMEOUT_MAX).contains(seconds));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("it takes seconds from 0.01 to {TIMEOUT_MAX}, such as 5 or 0.5"))
}

/// Judges a deployment and prints the report.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let bounds = Bounds { rate: args.rate, timeout: args.timeout };
    let mut deployment = Deployment::new(args.base_url.clone(), bounds)?;
    opening::look(&mut deployment)
        .map_err(|why| format!("cannot judge {}: {why}", args.base_url))?;
    let rules = rules::all(args.strict);
    let judged = rules.iter().map(|rule| rule.judge(&mut deployment)).collect();
    let requests = deployment.requests();
    // Its line on the terminal goes before the report comes.
    drop(deployment);
    let base_url = args.base_url.to_string();
    let report = Report { base_url, strict: args.strict, requests, judged };
    print(&report.text(args.format)?)?;
    Ok(ExitCode::from(u8::from(report.count(case::Verdict::Broken) > 0)))
}
