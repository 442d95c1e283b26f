//! The report on a server, in three formats.

use askama::Template;
use serde::Serialize;

use crate::check::judge::{JudgedRule, RuleSource, RuleVerdict};
use crate::check::recording_client::RecordingClient;

/// The report. As a template, it is JUnit XML with one test suite per chapter of the contract.
#[derive(Serialize, Template)]
#[template(path = "junit.xml")]
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
        let given_up = client.given_up.iter().cloned().collect();
        Self { base_url: client.base_url.to_string(), strict, summary, given_up, rules }
    }

    pub(crate) fn formatted(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Text => self.text(),
            ReportFormat::Json => {
                serde_json::to_string_pretty(self).expect("a report is plain JSON") + "\n"
            }
            ReportFormat::Junit => self.render().expect("writing to a string does not fail") + "\n",
        }
    }

    /// Returns the rules by chapter of the contract.
    fn suites(&self) -> impl Iterator<Item = &[JudgedRule]> {
        self.rules.chunk_by(|a, b| a.rule.heading() == b.rule.heading())
    }

    /// One line per rule, with the evidence below those that are broken, and a summary.
    fn text(&self) -> String {
        let section_width = self.rules.iter().map(|judged| judged.rule.section.len()).max();
        let section_width = section_width.unwrap_or_default();
        let id_width = self.rules.iter().map(|judged| judged.rule.id.len()).max();
        let id_width = id_width.unwrap_or_default();
        let mut text = String::new();
        for judged in &self.rules {
            let (section, id) = (judged.rule.section, judged.rule.id);
            let verdict = match judged.verdict {
                RuleVerdict::Holds => "holds".into(),
                RuleVerdict::Broken => format!("broken{}", evidence(judged, section_width + 2)),
                RuleVerdict::Note => format!("note{}", evidence(judged, section_width + 2)),
                RuleVerdict::NotJudged => {
                    format!("not judged: {}", judged.reason.as_deref().unwrap_or_default())
                }
            };
            text += &format!("{section:<section_width$}  {id:<id_width$}  {verdict}\n");
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
        let notes = self.rules.iter().filter(|judged| judged.verdict == RuleVerdict::Note);
        let strict = notes.filter(|note| note.rule.source == RuleSource::Agreement).count();
        match (self.summary.notes, strict) {
            (0, _) => String::new(),
            (1, 0) => "; 1 note".into(),
            (1, _) => "; 1 note, --strict fails on it".into(),
            (notes, 0) => format!("; {notes} notes"),
            (notes, _) => format!("; {notes} notes, --strict fails on {strict} of them"),
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
    let indent = format!("\n{:indent$}", "");
    let mut text = format!("{source}{indent}{}", judged.rule.title);
    for evidence in &judged.evidence {
        text += &format!("{indent}  request   {}", evidence.request);
        text += &format!("{indent}  expected  {}", evidence.expected);
        text += &format!("{indent}  got       {}", evidence.got);
    }
    if judged.evidence_omitted > 0 {
        text += &format!("{indent}  and {} more", judged.evidence_omitted);
    }
    text
}
