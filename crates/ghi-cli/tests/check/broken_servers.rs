//! Each rule has a server that breaks it, and it alone.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::runner::{CheckRun, in_parallel, judge};
use crate::scripted::{Script, ScriptedServer};
use crate::{contract_mutations, strict_mutations};

/// A server that is broken in one place, and the rules that this breaks.
pub(crate) struct Mutation {
    breaks: BTreeSet<String>,
    script: Mutex<Option<Box<dyn Script>>>,
}

/// A server that breaks one rule.
pub(crate) fn breaks(rule: &str, script: impl Script + 'static) -> Mutation {
    breaks_all(&[rule], script)
}

/// A server that cannot break one rule without the others.
pub(crate) fn breaks_all(rules: &[&str], script: impl Script + 'static) -> Mutation {
    let breaks = rules.iter().map(|rule| (*rule).to_owned()).collect();
    Mutation { breaks, script: Mutex::new(Some(Box::new(script))) }
}

/// Judges each server, and asserts that the run is as expected.
#[track_caller]
fn assert_all(
    mutations: &[Mutation],
    args: &[&str],
    is_expected: fn(&CheckRun, &BTreeSet<String>) -> bool,
) {
    let server = ScriptedServer::start();
    let problems = in_parallel(mutations, |index, mutation| {
        let base_url = server.with_boxed(mutation.script.lock().unwrap().take().unwrap());
        let run = judge(&base_url, args);
        match is_expected(&run, &mutation.breaks) {
            true => Ok(()),
            false => Err(format!("{index}: {:?}, but\n{}", mutation.breaks, run.shown("broken"))),
        }
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn breaks_exactly(run: &CheckRun, rules: &BTreeSet<String>) -> bool {
    run.with("broken") == *rules && run.code == Some(1)
}

#[test]
fn every_broken_rule_of_the_contract_is_named() {
    assert_all(&contract_mutations::mutations(), &[], breaks_exactly);
}

#[test]
fn every_broken_decision_is_named() {
    assert_all(&strict_mutations::mutations(), &["--strict"], breaks_exactly);
    assert_all(&[strict_mutations::reversed_history()], &["--strict"], breaks_exactly);
}

#[test]
fn without_strict_no_broken_decision_is_named() {
    assert_all(&strict_mutations::mutations(), &[], |run, _| run.code == Some(0));
}

#[test]
fn every_rule_has_a_server_that_breaks_it() {
    let server = ScriptedServer::start();
    let correct = server.with(|_: &_, _: &mut _| {});
    for (args, source, mutations) in [
        (&[][..], "contract", contract_mutations::mutations()),
        (&["--strict"], "strict", strict_mutations::mutations()),
    ] {
        let report = judge(&correct, args).report;
        let rules = report["rules"].as_array().unwrap().iter();
        let rules = rules.filter(|rule| rule["source"] == source);
        let rules: BTreeSet<_> =
            rules.map(|rule| rule["id"].as_str().unwrap().to_owned()).collect();
        let broken: BTreeSet<_> =
            mutations.into_iter().flat_map(|mutation| mutation.breaks).collect();
        assert_eq!(rules, broken);
        assert!(rules.len() >= 52, "{}", rules.len());
    }
}
