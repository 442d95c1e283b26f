//! The report on a deployment, in three formats.

mod text;
mod json;
mod junit;
#[cfg(test)]
mod conformance;

use crate::check::case::Verdict;
use crate::check::rule::Judged;

/// All verdicts on a deployment.
pub(crate) struct Report {
    pub(crate) base_url: String,
    pub(crate) strict: bool,
    /// How many requests it took.
    pub(crate) requests: usize,
    /// What was asked no more, each in a sentence.
    pub(crate) given_up: Vec<String>,
    pub(crate) judged: Vec<Judged>,
}

/// A format of the report.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum ReportFormat {
    Text,
    Json,
    Junit,
}

impl Report {
    /// The report in a format.
    pub(crate) fn text(&self, format: ReportFormat) -> Result<String, String> {
        match format {
            ReportFormat::Text => Ok(text::report(self)),
            ReportFormat::Json => json::report(self),
            ReportFormat::Junit => junit::report(self),
        }
    }

    /// How many rules got this verdict.
    pub(crate) fn count(&self, verdict: Verdict) -> usize {
        self.judged.iter().filter(|judged| judged.findings.verdict == verdict).count()
    }

    /// The verdicts in a sentence.
    fn summary(&self) -> String {
        let count = |verdict| self.count(verdict);
        let holds = count(Verdict::Holds);
        let hold = if holds == 1 { "rule holds" } else { "rules hold" };
        let (broken, not_judged) = (count(Verdict::Broken), count(Verdict::NotJudged));
        format!("{holds} {hold}, {broken} broken, {not_judged} not judged")
    }
}
