//! The report on a server, in three formats.

use askama::Template;
use serde::Serialize;

use crate::check::judge::{JudgedRule, RuleSource, RuleVerdict};
use crate::check::recording_client::RecordingClient;

/// All verdicts on a server, as in the JSON format.
#[derive(Serialize)]
pub(crate) struct Report {
    base_url: String,
    strict: bool,
    pub(crate) summary: Summary,
    /// A sentence for each endpoint that got no more requests.
    given_up: Vec<String>,
    rules: Vec<JudgedRule>,
}

#[derive(Serialize)]
pub(crate) struct Summary {
    holds: usize,
    pub(crate) broken: usize,
    not_judged: usize,
    /// Findings that do not count as broken in this run.
    notes: usize,
    requests: u64,
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
            notes: count(&rules, RuleVerdict::Note),
            requests: client.progress.position(),
        };
        let (base_url, given_up) = (client.base_url.to_string(), client.given_up());
        Self { base_url, strict, summary, given_up, rules }
    }

    pub(crate) fn formatted(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Text => text_report(self),
            ReportFormat::Json => {
                serde_json::to_string_pretty(self).expect("a report is plain JSON") + "\n"
            }
            ReportFormat::Junit => {
                let suites =
                    self.rules.chunk_by(|a, b| a.rule.chapter() == b.rule.chapter()).collect();
                let junit = JunitReport { report: self, suites };
                junit.render().expect("writing to a string does not fail") + "\n"
            }
        }
    }
}

fn count(rules: &[JudgedRule], verdict: RuleVerdict) -> usize {
    rules.iter().filter(|rule| rule.verdict == verdict).count()
}

/// One line per rule, with the evidence below those that are broken, and a summary.
fn text_report(report: &Report) -> String {
    let width = |cell: fn(&JudgedRule) -> &str| {
        report.rules.iter().map(|judged| cell(judged).len()).max().unwrap_or_default()
    };
    let section = width(|judged| judged.rule.section);
    let id = width(|judged| judged.rule.id);
    let mut text = String::new();
    for judged in &report.rules {
        let rule = judged.rule;
        let verdict = match judged.verdict {
            RuleVerdict::Holds => "holds",
            RuleVerdict::Broken => "broken",
            RuleVerdict::Note => "note",
            RuleVerdict::NotJudged => "not judged",
        };
        text += &format!("{:<section$}  {:<id$}  {verdict}", rule.section, rule.id);
        match judged.verdict {
            RuleVerdict::Broken | RuleVerdict::Note => text += &evidence(judged, section + 2),
            _ => text += &judged.reason.as_ref().map_or("\n".into(), |why| format!(": {why}\n")),
        }
    }
    let given_up: String = report.given_up.iter().map(|sentence| format!("{sentence}\n")).collect();
    let summary = &report.summary;
    let hold = if summary.holds == 1 { "rule holds" } else { "rules hold" };
    let summary = format!(
        "{} {hold}, {} broken, {} not judged ({} requests){}",
        summary.holds,
        summary.broken,
        summary.not_judged,
        summary.requests,
        notes(&report.rules)
    );
    format!("{text}\n{given_up}{summary}\n")
}

/// Counts the notes, and those among them that break a rule of `--strict`.
fn notes(rules: &[JudgedRule]) -> String {
    let count = count(rules, RuleVerdict::Note);
    let is_strict = |judged: &&JudgedRule| {
        judged.verdict == RuleVerdict::Note && judged.rule.source == RuleSource::Agreement
    };
    let strict = rules.iter().filter(is_strict).count();
    let notes = if count == 1 { "1 note".into() } else { format!("{count} notes") };
    match (count, strict) {
        (0, _) => String::new(),
        (_, 0) => format!("; {notes}"),
        (1, 1) => format!("; {notes}, --strict fails on it"),
        _ if strict == count => format!("; {notes}, --strict fails on them"),
        _ => format!("; {notes}, --strict fails on {strict} of them"),
    }
}

fn evidence(judged: &JudgedRule, indent: usize) -> String {
    let source = match judged.rule.source {
        RuleSource::Contract | RuleSource::Note => "",
        RuleSource::Strict | RuleSource::Agreement => " (strict)",
    };
    let mut text = format!("{source}\n{:indent$}{}\n", "", judged.rule.title);
    for evidence in &judged.evidence {
        for (name, value) in [
            ("request ", &evidence.request),
            ("expected", &evidence.expected),
            ("got     ", &evidence.got),
        ] {
            text += &format!("{:indent$}  {name}  {value}\n", "");
        }
    }
    if judged.evidence_omitted > 0 {
        text += &format!("{:indent$}  and {} more\n", "", judged.evidence_omitted);
    }
    text
}
