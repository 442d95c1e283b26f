//! Runs the command.

use std::collections::BTreeSet;
use std::process::{Command, Output};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Judges a base address, without the proxies of whoever runs the test.
pub(crate) fn check(base_url: &str, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ghi"));
    command.arg("check").arg(base_url).args(args);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        command.env_remove(name);
    }
    command.output().unwrap()
}

/// What a run found.
pub(crate) struct Found {
    pub(crate) code: Option<i32>,
    pub(crate) report: Value,
}

impl Found {
    /// The ids of the rules with this verdict.
    pub(crate) fn with(&self, verdict: &str) -> BTreeSet<String> {
        let rules = self.report["rules"].as_array().unwrap().iter();
        let rules = rules.filter(|rule| rule["verdict"] == verdict);
        rules.map(|rule| rule["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The rules with this verdict, with their evidence, for the message of a test that fails.
    pub(crate) fn shown(&self, verdict: &str) -> String {
        let rules = self.report["rules"].as_array().unwrap().iter();
        let rules = rules.filter(|rule| rule["verdict"] == verdict);
        rules.map(|rule| format!("{rule:#}\n")).collect()
    }
}

/// The report as JSON, at full speed.
#[track_caller]
pub(crate) fn judge(base_url: &str, args: &[&str]) -> Found {
    let output = check(base_url, &[&["--format", "json", "--rate", "10000"], args].concat());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{base_url}");
    let report = serde_json::from_slice(&output.stdout).unwrap();
    Found { code: output.status.code(), report }
}

/// That all rules hold and were judged, but for those that cannot be.
#[track_caller]
pub(crate) fn assert_holds(base_url: &str, args: &[&str], not_judged: &[&str]) {
    let found = judge(base_url, args);
    assert_eq!(found.with("broken"), BTreeSet::new(), "{}", found.shown("broken"));
    let expected: BTreeSet<_> = not_judged.iter().map(|id| (*id).to_owned()).collect();
    assert_eq!(found.with("not_judged"), expected, "{}", found.shown("not_judged"));
    assert_eq!(found.code, Some(0));
}

/// That nothing could be judged, in a sentence and within some seconds.
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

/// Does the work for each item on some threads, and gives back what went wrong.
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
