//! For each rule a server that breaks it, and it alone.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::judge::{in_parallel, judge};
use crate::scripted::{Script, Scripted};
use crate::{contract_mutations, strict_mutations};

/// A server that is broken in one thing, and the rules that this breaks.
pub(crate) struct Mutation {
    breaks: BTreeSet<String>,
    script: Mutex<Option<Box<dyn Script>>>,
}

impl Mutation {
    /// What breaks one rule.
    pub(crate) fn of(rule: &str, script: impl Script + 'static) -> Self {
        let breaks = [rule.to_owned()].into();
        Self { breaks, script: Mutex::new(Some(Box::new(script))) }
    }

    /// What cannot break one rule without the other.
    pub(crate) fn of_two(rule: &str, other: &str, script: impl Script + 'static) -> Self {
        let mut mutation = Self::of(rule, script);
        mutation.breaks.insert(other.to_owned());
        mutation
    }
}

/// Judges each of the servers: the rules that it breaks are named, and no others.
fn check(mutations: &[Mutation], args: &[&str]) -> Vec<String> {
    let server = Scripted::start();
    in_parallel(mutations, |index, mutation| {
        let base_url = server.with_boxed(mutation.script.lock().unwrap().take().unwrap());
        let found = judge(&base_url, args);
        let broken = found.with("broken");
        if broken == mutation.breaks && found.code == Some(1) {
            return Ok(());
        }
        let shown = found.shown("broken");
        Err(format!("{index}: {:?}, but found {broken:?}\n{shown}", mutation.breaks))
    })
}

#[test]
fn every_broken_rule_of_the_contract_is_named() {
    let problems = check(&contract_mutations::mutations(), &[]);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_broken_decision_is_named() {
    let problems = check(&strict_mutations::mutations(), &["--strict"]);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_contract_leaves_free_what_only_strict_judges() {
    let server = Scripted::start();
    let problems = in_parallel(&strict_mutations::mutations(), |index, mutation| {
        let base_url = server.with_boxed(mutation.script.lock().unwrap().take().unwrap());
        let found = judge(&base_url, &[]);
        match found.code {
            Some(0) => Ok(()),
            _ => Err(format!("{index}: {:?}\n{}", mutation.breaks, found.shown("broken"))),
        }
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_rule_has_a_server_that_breaks_it() {
    let server = Scripted::start();
    let truth = server.with(|_: &_, _: &mut _| {});
    for (args, source, mutations) in [
        (&[][..], "contract", contract_mutations::mutations()),
        (&["--strict"], "strict", strict_mutations::mutations()),
    ] {
        let report = judge(&truth, args).report;
        let rules = report["rules"].as_array().unwrap().iter();
        let rules = rules.filter(|rule| rule["source"] == source);
        let rules: BTreeSet<_> =
            rules.map(|rule| rule["id"].as_str().unwrap().to_owned()).collect();
        let broken: BTreeSet<_> =
            mutations.into_iter().flat_map(|mutation| mutation.breaks).collect();
        assert_eq!(rules, broken);
        assert!(rules.len() >= 40, "{}", rules.len());
    }
}
