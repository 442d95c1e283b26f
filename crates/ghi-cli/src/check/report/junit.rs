//! The report for CI systems.

use askama::Template;

use crate::check::case::Verdict;
use crate::check::report::Report;
use crate::check::rule::Judged;
use crate::check::rules::{chapter, heading};

/// JUnit's XML. A suite is a section of the contract.
#[derive(Template)]
#[template(path = "junit.xml")]
struct Junit<'a> {
    base_url: &'a str,
    suites: Vec<Suite<'a>>,
}

struct Suite<'a> {
    chapter: &'a str,
    heading: &'a str,
    judged: Vec<&'a Judged>,
}

impl Junit<'_> {
    fn tests(&self) -> usize {
        self.suites.iter().map(|suite| suite.judged.len()).sum()
    }

    fn failures(&self) -> usize {
        self.suites.iter().map(Suite::failures).sum()
    }

    fn skipped(&self) -> usize {
        self.suites.iter().map(Suite::skipped).sum()
    }
}

impl Suite<'_> {
    fn count(&self, verdict: Verdict) -> usize {
        self.judged.iter().filter(|judged| judged.findings.verdict == verdict).count()
    }

    fn failures(&self) -> usize {
        self.count(Verdict::Broken)
    }

    fn skipped(&self) -> usize {
        self.count(Verdict::NotJudged)
    }
}

pub(super) fn report(report: &Report) -> Result<String, String> {
    let mut suites: Vec<Suite<'_>> = Vec::new();
    for judged in &report.judged {
        let chapter = chapter(judged.rule.section);
        match suites.last_mut().filter(|suite| suite.chapter == chapter) {
            Some(suite) => suite.judged.push(judged),
            None => suites.push(Suite { chapter, heading: heading(chapter), judged: vec![judged] }),
        }
    }
    let junit = Junit { base_url: &report.base_url, suites };
    junit.render().map_err(|error| format!("cannot write the report: {error}"))
}
