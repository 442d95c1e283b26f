//! Runs the command.

use std::collections::BTreeSet;
use std::process::{Command, Output};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{GHI, program};

/// The command.
pub(crate) fn command(base_url: &str, args: &[&str]) -> Command {
    let mut command = program(GHI);
    command.arg("check").arg(base_url).args(args);
    command
}

pub(crate) fn check(base_url: &str, args: &[&str]) -> Output {
    command(base_url, args).output().unwrap()
}

/// The exit code and the JSON report of a run.
pub(crate) struct CheckRun {
    pub(crate) code: Option<i32>,
    pub(crate) report: Value,
}

impl CheckRun {
    fn rules(&self, verdict: &str) -> impl Iterator<Item = &Value> {
        let rules = self.report["rules"].as_array().unwrap().iter();
        rules.filter(move |rule| rule["verdict"] == verdict)
    }

    /// The ids of the rules with this verdict.
    pub(crate) fn with(&self, verdict: &str) -> BTreeSet<String> {
        self.rules(verdict).map(|rule| rule["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The rules with this verdict and their evidence, for the message of a failing test.
    pub(crate) fn shown(&self, verdict: &str) -> String {
        self.rules(verdict).map(|rule| format!("{rule:#}\n")).collect()
    }

    /// The expected and the actual response in the first evidence against a rule.
    pub(crate) fn evidence(&self, rule: &str) -> [&str; 2] {
        let rule = self.rules("broken").find(|broken| broken["id"] == rule).unwrap();
        ["expected", "got"].map(|name| rule["evidence"][0][name].as_str().unwrap())
    }
}

/// Runs the command at full speed for a JSON report.
#[track_caller]
pub(crate) fn judge(base_url: &str, args: &[&str]) -> CheckRun {
    let (run, message) = judge_with_message(base_url, args);
    assert_eq!(message, "", "{base_url}");
    run
}

/// Like `judge`, but also returns stderr.
pub(crate) fn judge_with_message(base_url: &str, args: &[&str]) -> (CheckRun, String) {
    let output = check(base_url, &[&["--format", "json", "--rate", "10000"], args].concat());
    let report = serde_json::from_slice(&output.stdout).unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    let run = CheckRun { code: output.status.code(), report };
    for rule in run.rules("not_judged") {
        assert_ne!(rule["reason"], "no response to compare", "{rule}");
    }
    (run, message)
}

/// Asserts that all rules hold, but for those that cannot be judged.
#[track_caller]
pub(crate) fn assert_holds(base_url: &str, args: &[&str], not_judged: &[&str]) {
    let run = judge(base_url, args);
    assert_eq!(run.with("broken"), BTreeSet::new(), "{}", run.shown("broken"));
    let expected: BTreeSet<_> = not_judged.iter().map(|id| (*id).to_owned()).collect();
    assert_eq!(run.with("not_judged"), expected, "{}", run.shown("not_judged"));
    assert_eq!(run.code, Some(0));
}

/// Asserts that nothing could be judged, and that one sentence says so in time.
#[track_caller]
pub(crate) fn assert_refused(base_url: &str, args: &[&str], words: &str, within: Duration) {
    let started = Instant::now();
    let output = check(base_url, args);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(output.stdout.is_empty());
    assert!(message.starts_with("ghi: ") && message.lines().count() == 1, "{message}");
    assert!(message.contains(words), "{message}");
    assert!(started.elapsed() < within, "{:?}", started.elapsed());
}

/// Does the work for each item on a few threads, and returns the problems.
pub(crate) fn in_parallel<T: Send + Sync>(
    items: &[T],
    work: impl Fn(usize, &T) -> Result<(), String> + Sync,
) -> Vec<String> {
    let (sender, problems) = mpsc::channel();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (sender, work) = (sender.clone(), &work);
            scope.spawn(move || {
                for (index, item) in items.iter().enumerate().filter(|(i, _)| i % 4 == thread) {
                    if let Err(problem) = work(index, item) {
                        sender.send(problem).unwrap();
                    }
                }
            });
        }
    });
    drop(sender);
    problems.iter().collect()
}
