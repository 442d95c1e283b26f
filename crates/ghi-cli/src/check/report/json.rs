//! The report for programs.

use serde::Serialize;

use crate::check::case::Verdict;
use crate::check::evidence::Evidence;
use crate::check::report::Report;
use crate::check::rule::Source;

#[derive(Serialize)]
struct Document<'a> {
    base_url: &'a str,
    strict: bool,
    summary: Summary,
    given_up: &'a [String],
    rules: Vec<JudgedRule<'a>>,
}

#[derive(Serialize)]
struct Summary {
    holds: usize,
    broken: usize,
    not_judged: usize,
    requests: usize,
}

#[derive(Serialize)]
struct JudgedRule<'a> {
    id: &'a str,
    section: &'a str,
    title: &'a str,
    source: Source,
    verdict: Verdict,
    /// Why it was not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    evidence: &'a [Evidence],
    /// How much more evidence there was.
    evidence_omitted: usize,
}

pub(super) fn report(report: &Report) -> Result<String, String> {
    let document = Document {
        base_url: &report.base_url,
        strict: report.strict,
        summary: Summary {
            holds: report.count(Verdict::Holds),
            broken: report.count(Verdict::Broken),
            not_judged: report.count(Verdict::NotJudged),
            requests: report.requests,
        },
        given_up: &report.given_up,
        rules: report
            .judged
            .iter()
            .map(|judged| JudgedRule {
                id: judged.rule.id,
                section: judged.rule.section,
                title: judged.rule.title,
                source: judged.rule.source,
                verdict: judged.findings.verdict,
                reason: judged.findings.reason.as_deref(),
                evidence: &judged.findings.evidence,
                evidence_omitted: judged.findings.more,
            })
            .collect(),
    };
    let text = serde_json::to_string_pretty(&document);
    text.map(|text| text + "\n").map_err(|error| format!("cannot write the report: {error}"))
}
