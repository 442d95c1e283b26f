//! The report for a terminal.

use std::io::IsTerminal;

use crate::check::case::Verdict;
use crate::check::report::Report;
use crate::check::rule::{Judged, Source};

/// A line a rule, sorted by section; evidence below what is broken; what was given up; a summary.
pub(super) fn report(report: &Report) -> String {
    let has_colors = has_colors();
    let width = |cell: fn(&Judged) -> &str| {
        report.judged.iter().map(|judged| cell(judged).len()).max().unwrap_or_default()
    };
    let section = width(|judged| judged.rule.section);
    let id = width(|judged| judged.rule.id);
    let mut text = String::new();
    for judged in &report.judged {
        let rule = judged.rule;
        let word = word(judged.findings.verdict, has_colors);
        let reason = judged.findings.reason.as_ref().map(|reason| format!(": {reason}"));
        let source = if rule.source == Source::Strict { " (strict)" } else { "" };
        text += &format!(
            "{:<section$}  {:<id$}  {word}{}{}\n",
            rule.section,
            rule.id,
            reason.unwrap_or_default(),
            if judged.findings.verdict == Verdict::Broken { source } else { "" },
        );
        if judged.findings.verdict == Verdict::Broken {
            text += &evidence(judged, section + 2);
        }
    }
    let given_up: String = report.given_up.iter().map(|sentence| format!("{sentence}\n")).collect();
    format!("{text}\n{given_up}{} ({} requests)\n", report.summary(), report.requests)
}

fn evidence(judged: &Judged, indent: usize) -> String {
    let mut text = format!("{:indent$}{}\n", "", judged.rule.title);
    for evidence in &judged.findings.evidence {
        for (name, value) in [
            ("request ", &evidence.request),
            ("expected", &evidence.expected),
            ("got     ", &evidence.got),
        ] {
            text += &format!("{:indent$}  {name}  {value}\n", "");
        }
    }
    if judged.findings.more > 0 {
        text += &format!("{:indent$}  and {} more\n", "", judged.findings.more);
    }
    text
}

fn word(verdict: Verdict, has_colors: bool) -> String {
    let (word, color) = match verdict {
        Verdict::Holds => ("holds", 32),
        Verdict::Broken => ("broken", 31),
        Verdict::NotJudged => ("not judged", 33),
    };
    match has_colors {
        true => format!("\x1b[{color}m{word}\x1b[0m"),
        false => word.into(),
    }
}

/// Whether the output is a terminal whose user has nothing against colors.
fn has_colors() -> bool {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let is_dumb = variable("TERM").is_some_and(|term| term == "dumb");
    std::io::stdout().is_terminal() && variable("NO_COLOR").is_none() && !is_dumb
}
