//! The report on a server, in three formats.

mod text;
#[cfg(test)]
mod conformance;

use askama::Template;
use serde::Serialize;

use crate::check::judge::{JudgedRule, RuleVerdict};
use crate::check::recording_client::RecordingClient;

/// All verdicts on a server, as in the JSON format.
#[derive(Serialize)]
pub(crate) struct Report {
    base_url: String,
    strict: bool,
    summary: Summary,
    /// A sentence for each endpoint that got no more requests.
    given_up: Vec<String>,
    rules: Vec<JudgedRule>,
}

#[derive(Serialize)]
struct Summary {
    holds: usize,
    broken: usize,
    not_judged: usize,
    requests: usize,
}

/// JUnit XML, with one test suite per section of the contract.
#[derive(Template)]
#[template(path = "junit.xml")]
struct JunitReport<'a> {
    report: &'a Report,
    suites: Vec<&'a [JudgedRule]>,
}

/// A format of the report.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum ReportFormat {
    Text,
    Json,
    Junit,
}

impl Report {
    pub(crate) fn new(strict: bool, client: &RecordingClient, rules: Vec<JudgedRule>) -> Self {
        let summary = Summary {
            holds: count(&rules, RuleVerdict::Holds),
            broken: count(&rules, RuleVerdict::Broken),
            not_judged: count(&rules, RuleVerdict::NotJudged),
            requests: client.requests,
        };
        let (base_url, given_up) = (client.base_url.to_string(), client.given_up());
        Self { base_url, strict, summary, given_up, rules }
    }

    pub(crate) fn has_broken_rules(&self) -> bool {
        self.summary.broken > 0
    }

    pub(crate) fn formatted(&self, format: ReportFormat) -> Result<String, String> {
        let formatted = match format {
            ReportFormat::Text => return Ok(text::report(self)),
            ReportFormat::Json => {
                serde_json::to_string_pretty(self).map_err(|error| error.to_string())
            }
            ReportFormat::Junit => {
                let suites =
                    self.rules.chunk_by(|a, b| a.rule.chapter() == b.rule.chapter()).collect();
                let junit = JunitReport { report: self, suites };
                junit.render().map_err(|error| error.to_string())
            }
        };
        formatted
            .map(|text| text + "\n")
            .map_err(|error| format!("cannot write the report: {error}"))
    }
}

fn count(rules: &[JudgedRule], verdict: RuleVerdict) -> usize {
    rules.iter().filter(|rule| rule.verdict == verdict).count()
}
