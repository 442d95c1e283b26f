//! Each rule has a server that breaks it, and it alone.

use std::collections::BTreeSet;
use std::sync::Mutex;

use ghi_contract::paths::{HISTORY, INDICATOR};
use serde_json::{Value, json};

use crate::runner::{CheckRun, check, in_parallel, judge};
use crate::scripted::{Script, ScriptedServer, changed_target, edited, script, set};
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

/// A server whose costs at a path are a hundred times as high as in the other documents.
fn a_hundred_times(path: &'static str) -> impl Script {
    fn multiply(value: &mut Value) {
        match value {
            Value::Object(fields) => fields.values_mut().for_each(multiply),
            Value::Array(entries) => entries.iter_mut().for_each(multiply),
            Value::Number(number) => *value = json!(number.as_f64().unwrap() * 100.0),
            _ => {}
        }
    }
    edited(path, multiply)
}

#[test]
fn without_strict_disagreement_is_a_note() {
    let server = ScriptedServer::start();
    let history_ends = edited("/v1/ghi/history", |history| {
        for (day, point) in history["points"].as_array_mut().unwrap().iter_mut().enumerate() {
            point["date"] = format!("2026-11-{:02}", 4 + day).into();
        }
    });
    for (base_url, rule) in [
        (server.with(a_hundred_times(INDICATOR)), "indicator-agrees-with-the-snapshot"),
        (server.with(a_hundred_times(HISTORY)), "history-agrees-with-the-snapshot"),
        (server.with(history_ends), "history-ends-today"),
        (server.with(edited(INDICATOR, set("/date", "2026-11-14"))), "indicator-is-for-today"),
    ] {
        let run = judge(&base_url, &[]);
        // The clock of the server is stopped.
        let notes = [rule, "timestamps-are-near-the-date"].map(str::to_owned);
        assert_eq!((run.code, run.with("note")), (Some(0), notes.into()), "{rule}");
        assert_eq!(run.report["summary"]["notes"], 2);
        assert_eq!(judge(&base_url, &["--rule", rule]).with("broken"), [rule.to_owned()].into());
        let text = check(&base_url, &["--rate", "10000"]).stdout;
        let text = String::from_utf8(text).unwrap();
        assert!(text.ends_with("requests); 2 notes, --strict fails on 1 of them\n"), "{text}");
        let junit = check(&base_url, &["--rate", "10000", "--format", "junit"]).stdout;
        let junit = String::from_utf8(junit).unwrap();
        let junit = roxmltree::Document::parse(&junit).unwrap();
        let note = junit.descendants().find(|node| node.attribute("name") == Some(rule)).unwrap();
        assert!(note.first_element_child().unwrap().text().unwrap().contains("curl -si "));
        assert_eq!(junit.root_element().attribute("failures"), Some("0"));
    }
}

#[test]
fn a_note_says_that_the_time_is_far_from_the_date() {
    let server = ScriptedServer::start();
    let date = |date: &'static str| server.with(script(move |_, reply| reply.set("date", date)));
    for args in [&[][..], &["--strict"]] {
        let near = judge(&date("Sun, 15 Nov 2026 13:00:00 GMT"), args);
        assert_eq!((near.code, near.with("note")), (Some(0), [].into()));
        let far = judge(&date("Tue, 17 Nov 2026 12:00:00 GMT"), args);
        let note = ["timestamps-are-near-the-date".to_owned()];
        assert_eq!((far.code, far.with("note")), (Some(0), note.into()));
    }
}

#[test]
fn a_note_says_that_the_forecast_depends_on_the_horizon() {
    let server = ScriptedServer::start();
    let target = "/v1/ghi/forecast?forecast_days=30";
    let rising = changed_target(target, |reply| reply.edit(set("/predicted_avg_cost_usd", 1.0)));
    let run = judge(&server.with(rising), &["--strict"]);
    let notes = ["forecast-is-constant", "timestamps-are-near-the-date"].map(str::to_owned);
    assert_eq!((run.code, run.with("note")), (Some(0), notes.into()));
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
