//! The report on a server, in three formats.

use askama::Template;
use serde::Serialize;

use crate::check::judge::{JudgedRule, RuleSource, RuleVerdict};
use crate::check::recording_client::RecordingClient;

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
            ReportFormat::Text => self.text(),
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

    /// One line per rule, with the evidence below those that are broken, and a summary.
    fn text(&self) -> String {
        let section = self.rules.iter().map(|judged| judged.rule.section.len()).max();
        let id = self.rules.iter().map(|judged| judged.rule.id.len()).max();
        let (section, id) = (section.unwrap_or_default(), id.unwrap_or_default());
        let mut text = String::new();
        for judged in &self.rules {
            text += &format!("{:<section$}  {:<id$}  ", judged.rule.section, judged.rule.id);
            match judged.verdict {
                RuleVerdict::Holds => text += "holds\n",
                RuleVerdict::Broken => text += &format!("broken{}", evidence(judged, section + 2)),
                RuleVerdict::Note => text += &format!("note{}", evidence(judged, section + 2)),
                RuleVerdict::NotJudged => {
                    let reason = judged.reason.as_deref().unwrap_or_default();
                    text += &format!("not judged: {reason}\n");
                }
            }
        }
        text += "\n";
        for sentence in &self.given_up {
            text += &format!("{sentence}\n");
        }
        let Summary { holds, broken, not_judged, requests, .. } = self.summary;
        let hold = if holds == 1 { "rule holds" } else { "rules hold" };
        let notes = self.notes();
        text + &format!(
            "{holds} {hold}, {broken} broken, {not_judged} not judged ({requests} requests){notes}\n"
        )
    }

    /// Counts the notes, and those among them that break a rule of `--strict`.
    fn notes(&self) -> String {
        let is_strict = |judged: &&JudgedRule| {
            judged.verdict == RuleVerdict::Note && judged.rule.source == RuleSource::Agreement
        };
        let strict = self.rules.iter().filter(is_strict).count();
        let notes = match self.summary.notes {
            0 => return String::new(),
            1 => "1 note".into(),
            count => format!("{count} notes"),
        };
        match (self.summary.notes, strict) {
            (_, 0) => format!("; {notes}"),
            (1, 1) => format!("; {notes}, --strict fails on it"),
            _ => format!("; {notes}, --strict fails on {strict} of them"),
        }
    }
}

fn count(rules: &[JudgedRule], verdict: RuleVerdict) -> usize {
    rules.iter().filter(|rule| rule.verdict == verdict).count()
}

fn evidence(judged: &JudgedRule, indent: usize) -> String {
    let source = match judged.rule.source {
        RuleSource::Contract | RuleSource::Note => "",
        RuleSource::Strict | RuleSource::Agreement => " (strict)",
    };
    let indent = " ".repeat(indent);
    let mut text = format!("{source}\n{indent}{}\n", judged.rule.title);
    for evidence in &judged.evidence {
        text += &format!("{indent}  request   {}\n", evidence.request);
        text += &format!("{indent}  expected  {}\n", evidence.expected);
        text += &format!("{indent}  got       {}\n", evidence.got);
    }
    if judged.evidence_omitted > 0 {
        text += &format!("{indent}  and {} more\n", judged.evidence_omitted);
    }
    text
}
