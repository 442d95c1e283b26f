//! The three formats of the report.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use expect_test::expect;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

use crate::runner::{check, command, judge};
use crate::scripted::{Script, ScriptedServer, changed, edited, script, set};

/// Text that a hostile server sends wherever it can.
const HOSTILE: &str = "\u{1b}[31m<b a=\"1\">&amp;]]>\u{202e}\r\n'; $(reboot) \u{0}\u{ffff}";

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_text_has_one_line_per_rule_and_the_evidence_for_broken_ones() {
    let server = ScriptedServer::start();
    let short = edited("/v1/ghi/history", |history| {
        history["points"].as_array_mut().unwrap().remove(0);
    });
    let base_url = server.with(script(move |request, reply| {
        short.replied(request, reply);
        reply.set("date", "Sun, 15 Nov 2026 12:00:00 GMT");
        if request.path() == "/v1/ghi/indicator" {
            reply.edit(set("/min_cost_usd", 1.0));
        }
    }));
    let output = check(&base_url, &["--rate", "10000"]);
    let report = text(output.stdout).replace(&base_url, "http://x");
    assert_eq!((output.status.code(), &*text(output.stderr)), (Some(1), ""));
    let start = report.find("4.1 ").unwrap();
    expect![[r#"
        4.1  history-has-seven-points                 broken
             A history has seven points.
               request   curl -si 'http://x/v1/ghi/history?region_id=global'
               expected  7 points
               got       6 points
               request   curl -si 'http://x/v1/ghi/history?region_id=us'
               expected  7 points
               got       6 points
               request   curl -si 'http://x/v1/ghi/history?region_id=eu'
               expected  7 points
               got       6 points
               request   curl -si 'http://x/v1/ghi/history?region_id=cn'
               expected  7 points
               got       6 points
        4.2  history-of-global                        holds
        4.3  forecast-echoes-the-days                 holds
        4.4  region-count-is-the-number-of-regions    holds
        4.5  endpoints-are-listed                     holds
        5    no-credentials-are-needed                holds
        9.2  supported-versions-are-listed            holds
        9.4  indicator-answers                        holds
        9.4  indicator-agrees-with-the-snapshot       note (strict)
             The indicator has the global costs of the same day's snapshot.
               request   curl -si 'http://x/v1/ghi/indicator'
               expected  min_cost_usd: 39082.7, as in the snapshot
               got       min_cost_usd: 1.0

        51 rules hold, 1 broken, 0 not judged (18 requests); 1 note, --strict fails on it
    "#]]
    .assert_eq(&report[start..]);
}

#[test]
fn a_terminal_shows_the_same_text() {
    let server = ScriptedServer::start();
    let base_url = server.with(changed("/v1/ghi/network", |reply| reply.status = 500));
    let args = ["--rate", "10000", "--rule", "network-answers"];
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
    let terminal = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut command = command(&base_url, &args);
    let mut child = command.stdout(terminal).stderr(Stdio::null()).spawn().unwrap();
    drop(command);
    let lines = BufReader::new(File::from(controller)).lines().map_while(Result::ok);
    let shown: String = lines.map(|line| line + "\n").collect();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(shown.replace('\r', ""), text(check(&base_url, &args).stdout));
}

#[test]
fn a_rule_that_is_not_judged_has_a_reason() {
    let server = ScriptedServer::start();
    let base_url = server.with(changed("/v1/ghi/network", |reply| reply.status = 500));
    let report = text(check(&base_url, &["--rate", "10000"]).stdout);
    let line = report.lines().find(|line| line.contains("network-fields")).unwrap();
    assert!(line.contains("not judged: no document from /v1/ghi/network: 500 {"), "{line}");
}

#[test]
fn the_text_names_unresponsive_endpoints() {
    let server = ScriptedServer::start();
    let base_url = server.with(changed("/v1/ghi/history", |reply| {
        reply.delay = Duration::from_secs(60);
    }));
    let report = text(check(&base_url, &["--rate", "10000", "--timeout", "1"]).stdout);
    let reason = "/v1/ghi/history?region_id=global did not respond within 1s\n";
    assert!(report.contains(reason), "{report}");
}

#[test]
fn the_json_has_the_documented_fields() {
    let server = ScriptedServer::start();
    let base_url = server.with(edited("/v1/ghi/network", |network| network["version"] = 1.into()));
    let run = judge(&base_url, &["--strict"]);
    let Value::Object(report) = &run.report else { panic!("{}", run.report) };
    assert_eq!(
        report.keys().collect::<Vec<_>>(),
        ["base_url", "strict", "summary", "given_up", "rules"]
    );
    assert_eq!((&report["base_url"], &report["strict"]), (&base_url.into(), &true.into()));
    let count = |verdict| Value::from(run.with(verdict).len());
    assert_eq!(report["summary"]["notes"], count("note"));
    for verdict in ["holds", "broken", "not_judged"] {
        assert_eq!(report["summary"][verdict], count(verdict));
    }
    let rules = report["rules"].as_array().unwrap();
    let broken = rules.iter().find(|rule| rule["verdict"] == "broken").unwrap();
    assert_eq!(
        (&broken["id"], &broken["section"], &broken["source"], &broken["evidence_omitted"]),
        (&"network-fields".into(), &"2".into(), &"contract".into(), &0.into())
    );
    let request = broken["evidence"][0]["request"].as_str().unwrap();
    assert!(request.starts_with("curl -si 'http://127.0.0.1:"));
    assert_eq!(run.evidence("network-fields"), ["version: a string", "version: 1"]);
}

#[test]
fn evidence_names_the_field_and_its_value() {
    let server = ScriptedServer::start();
    for (value, rule, got) in [
        (json!("3"), "figures-are-numbers", "region_count: \"3\""),
        (Value::Null, "regions-fields", "region_count: null"),
        (json!(2.5), "regions-fields", "region_count: 2.5"),
    ] {
        let base_url = server.with(edited("/v1/ghi/regions", set("/region_count", value)));
        assert_eq!(judge(&base_url, &[]).evidence(rule), ["region_count: an integer", got]);
    }
}

#[test]
fn only_the_selected_rules_are_judged() {
    let server = ScriptedServer::start();
    let base_url = server.with(changed("/v1/ghi/network", |reply| reply.status = 500));
    let selected = ["--rule", "errors-are-not-stored", "--rule", "regions-answer"];
    let run = judge(&base_url, &selected);
    let ids = ["errors-are-not-stored", "regions-answer"].map(str::to_owned);
    assert_eq!((run.code, run.with("holds")), (Some(0), ids.into()));
    assert_eq!(run.report["rules"].as_array().unwrap().len(), 2);
    assert_eq!(judge(&base_url, &["--rule", "network-answers"]).code, Some(1));
}

#[test]
fn long_evidence_is_shortened() {
    let server = ScriptedServer::start();
    let base_url = server.with(edited("/v1/ghi/history", |history| {
        for point in history["points"].as_array_mut().unwrap() {
            point["currency"] = "x".repeat(10_000).into();
        }
    }));
    let output = check(&base_url, &["--rate", "10000"]);
    let report = text(output.stdout);
    // Four histories of seven points each.
    assert!(report.contains("  and 23 more\n"), "{report}");
    assert!(report.len() < 10_000 && report.lines().all(|line| line.len() < 800));
}

/// A server that sends hostile text wherever it can.
fn hostile(server: &ScriptedServer) -> String {
    let into = |path, pointer: &'static str| {
        edited(path, move |document| *document.pointer_mut(pointer).unwrap() = HOSTILE.into())
    };
    let network = into("/v1/ghi/network", "/version");
    let regions = into("/v1/ghi/regions", "/regions/1/id");
    server.with(script(move |request, reply| {
        network.replied(request, reply);
        regions.replied(request, reply);
        match request.path() {
            "/v1/ghi/forecast" => reply.body = HOSTILE.into(),
            "/v1/ghi/metadata" => reply.set("etag", "W/\"\u{9b}31m';$(reboot)\""),
            _ => {}
        }
    }))
}

#[test]
fn hostile_text_is_escaped() {
    let server = ScriptedServer::start();
    for format in ["text", "json", "junit"] {
        let output = check(&hostile(&server), &["--strict", "--rate", "10000", "--format", format]);
        assert_eq!(output.status.code(), Some(1));
        let report = text(output.stdout);
        assert!(report.contains(r"\u{1b}[31m") || report.contains(r"\\u{1b}[31m"), "{report}");
        let is_raw =
            |char: char| char.is_control() && char != '\n' || "\u{202e}\u{ffff}".contains(char);
        assert!(!report.contains(is_raw), "{report}");
    }
}

#[test]
fn junit_has_the_same_verdicts() {
    let server = ScriptedServer::start();
    let base_url = hostile(&server);
    let run = judge(&base_url, &["--strict"]);
    let output = check(&base_url, &["--strict", "--rate", "10000", "--format", "junit"]);
    let report = text(output.stdout);
    let xml = roxmltree::Document::parse(&report).unwrap();
    let elements =
        |name: &'static str| xml.descendants().filter(move |node| node.has_tag_name(name));
    let rules = run.report["rules"].as_array().unwrap().len();
    let cases = || elements("testcase");
    assert_eq!(cases().count(), rules);
    let with = |child: &'static str| {
        let cases =
            cases().filter(move |case| case.children().any(|node| node.has_tag_name(child)));
        cases.map(|case| case.attribute("name").unwrap().to_owned()).collect()
    };
    assert_eq!(run.with("broken"), with("failure"));
    assert_eq!(run.with("not_judged"), with("skipped"));
    // Each suite counts its own, and the whole all of them.
    let root = xml.root_element();
    for (attribute, count) in [
        ("tests", rules),
        ("failures", run.with("broken").len()),
        ("skipped", run.with("not_judged").len()),
    ] {
        assert_eq!(root.attribute(attribute), Some(&*count.to_string()));
        let suites = elements("testsuite")
            .map(|suite| suite.attribute(attribute).unwrap().parse::<usize>().unwrap());
        assert_eq!(suites.sum::<usize>(), count);
    }
    let failure = elements("failure").find(|node| node.text().unwrap().contains("[31m<b a="));
    assert!(failure.unwrap().text().unwrap().contains("request   curl -si "), "{report}");
}
