//! The three formats of the report.

use std::time::Duration;

use expect_test::expect;
use serde_json::Value;

use crate::contract_mutations::{answered, edited};
use crate::judge::{check, judge};
use crate::scripted::{Asked, Reply, Scripted};

/// What a hostile server puts into everything that it sends.
const HOSTILE: &str = "\u{1b}[31m<b a=\"1\">&amp;]]>\u{202e}\r\n'; $(reboot) \u{0}\u{ffff}";

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_text_has_a_line_for_each_rule_and_the_evidence_of_what_is_broken() {
    let server = Scripted::start();
    let base_url = server.with(edited("/v1/ghi/history", |history| {
        history["points"].as_array_mut().unwrap().remove(0);
    }));
    let output = check(&base_url, &["--rate", "10000"]);
    let report = text(output.stdout).replace(&base_url, "http://x");
    assert_eq!((output.status.code(), &*text(output.stderr)), (Some(1), ""));
    let start = report.find("4.1 ").unwrap();
    expect![[r#"
        4.1  history-has-seven-points                 broken
             A history has seven points.
               request   curl -si 'http://x/v1/ghi/history?region_id=global'
               expected  points: 7
               got       points: 6
               request   curl -si 'http://x/v1/ghi/history?region_id=us'
               expected  points: 7
               got       points: 6
               request   curl -si 'http://x/v1/ghi/history?region_id=cn'
               expected  points: 7
               got       points: 6
               request   curl -si 'http://x/v1/ghi/history?region_id=eu'
               expected  points: 7
               got       points: 6
        4.2  history-of-global                        holds
        4.3  forecast-echoes-the-days                 holds
        4.4  region-count-is-the-number-of-regions    holds
        4.5  endpoints-are-listed                     holds
        5    no-credentials-are-needed                holds
        9.2  supported-versions-are-listed            holds
        9.4  indicator-answers                        holds

        51 rules hold, 1 broken, 0 not judged (18 requests)
    "#]]
    .assert_eq(&report[start..]);
    // Nobody reads it in a terminal here.
    assert!(!report.contains('\u{1b}'));
}

#[test]
fn what_was_not_judged_says_why() {
    let server = Scripted::start();
    let base_url = server.with(answered("/v1/ghi/network", |reply| reply.status = 500));
    let report = text(check(&base_url, &["--rate", "10000"]).stdout);
    let line = report.lines().find(|line| line.contains("network-fields")).unwrap();
    assert!(line.ends_with("not judged: /v1/ghi/network gave no document"), "{line}");
}

#[test]
fn the_text_says_in_a_line_what_was_given_up() {
    let server = Scripted::start();
    let base_url = server.with(answered("/v1/ghi/history", |reply| {
        reply.delay = Duration::from_secs(60);
    }));
    let report = text(check(&base_url, &["--rate", "10000", "--timeout", "1"]).stdout);
    let line = "\n\ngave up on GET /v1/ghi/history: 2 requests in a row got no answer\n";
    assert!(report.contains(line), "{report}");
}

#[test]
fn the_json_has_what_the_page_says() {
    let server = Scripted::start();
    let base_url = server.with(edited("/v1/ghi/network", |network| network["version"] = 1.into()));
    let found = judge(&base_url, &["--strict"]);
    let Value::Object(report) = &found.report else { panic!("{}", found.report) };
    assert_eq!(
        report.keys().collect::<Vec<_>>(),
        ["base_url", "strict", "summary", "given_up", "rules"]
    );
    assert_eq!((&report["base_url"], &report["strict"]), (&base_url.into(), &true.into()));
    let count = |verdict| Value::from(found.with(verdict).len());
    for verdict in ["holds", "broken", "not_judged"] {
        assert_eq!(report["summary"][verdict], count(verdict));
    }
    let rules = report["rules"].as_array().unwrap();
    let broken = rules.iter().find(|rule| rule["verdict"] == "broken").unwrap();
    let evidence = &broken["evidence"][0];
    assert_eq!(
        (&broken["id"], &broken["section"], &broken["source"], &broken["evidence_omitted"]),
        (&"network-fields".into(), &"2".into(), &"contract".into(), &0.into())
    );
    assert!(evidence["request"].as_str().unwrap().starts_with("curl -si http://127.0.0.1:"));
    assert_eq!(
        (&evidence["expected"], &evidence["got"]),
        (&"version: a string".into(), &"version: 1".into())
    );
}

#[test]
fn much_evidence_is_cut() {
    let server = Scripted::start();
    let base_url = server.with(edited("/v1/ghi/history", |history| {
        for point in history["points"].as_array_mut().unwrap() {
            point["currency"] = "x".repeat(100_000).into();
        }
    }));
    let output = check(&base_url, &["--rate", "10000"]);
    let report = text(output.stdout);
    // Four histories of seven points each.
    assert!(report.contains("  and 23 more\n"), "{report}");
    assert!(report.len() < 10_000 && report.lines().all(|line| line.len() < 800));
}

/// A server that puts hostile text wherever it can.
fn hostile(server: &Scripted) -> String {
    let into = |path, pointer: &'static str| {
        edited(path, move |document| *document.pointer_mut(pointer).unwrap() = HOSTILE.into())
    };
    let network = into("/v1/ghi/network", "/version");
    let regions = into("/v1/ghi/regions", "/regions/1/id");
    server.with(move |asked: &Asked, reply: &mut Reply| {
        network(asked, reply);
        regions(asked, reply);
        match asked.path() {
            "/v1/ghi/forecast" => reply.body = HOSTILE.into(),
            "/v1/ghi/metadata" => reply.set("etag", "W/\"\u{9b}31m';$(reboot)\""),
            _ => {}
        }
    })
}

#[test]
fn hostile_text_is_never_raw() {
    let server = Scripted::start();
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
fn junit_is_xml_with_the_same_verdicts() {
    let server = Scripted::start();
    let base_url = hostile(&server);
    let found = judge(&base_url, &["--strict"]);
    let output = check(&base_url, &["--strict", "--rate", "10000", "--format", "junit"]);
    let report = text(output.stdout);
    let xml = roxmltree::Document::parse(&report).unwrap();
    let elements =
        |name: &'static str| xml.descendants().filter(move |node| node.has_tag_name(name));
    let rules = found.report["rules"].as_array().unwrap().len();
    let cases = || elements("testcase");
    assert_eq!(cases().count(), rules);
    let with = |child: &'static str| {
        let cases =
            cases().filter(move |case| case.children().any(|node| node.has_tag_name(child)));
        cases.map(|case| case.attribute("name").unwrap().to_owned()).collect()
    };
    assert_eq!(found.with("broken"), with("failure"));
    assert_eq!(found.with("not_judged"), with("skipped"));
    // Each suite counts its own, and the whole all of them.
    let root = xml.root_element();
    for (attribute, count) in [
        ("tests", rules),
        ("failures", found.with("broken").len()),
        ("skipped", found.with("not_judged").len()),
    ] {
        assert_eq!(root.attribute(attribute), Some(&*count.to_string()));
        let suites = elements("testsuite")
            .map(|suite| suite.attribute(attribute).unwrap().parse::<usize>().unwrap());
        assert_eq!(suites.sum::<usize>(), count);
    }
    let failure = elements("failure").find(|node| node.text().unwrap().contains("[31m<b a="));
    assert!(failure.unwrap().text().unwrap().contains("request   curl -si "), "{report}");
}
