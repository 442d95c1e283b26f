//! The documents match the server.
//!
//! `UPDATE_EXPECT=1 cargo test` rewrites the examples; review the diff before you commit it.

use std::fs;
use std::path::Path;

use expect_test::expect_file;

use ghi_server::internals::preference_values;

use crate::support::{NOON, TestServer};

const DOCS: &str = include_str!("../../../../docs/contract.md");
const GUIDE: &str = include_str!("../../../../docs/testing-your-client.md");
const PAGES: &str = include_str!("../../../../docs/pages.md");
const RELIABILITY: &str = include_str!("../../../../docs/reliability.md");
const ARCHITECTURE: &str = include_str!("../../../../ARCHITECTURE.md");

/// The start of a request in an example.
const REQUEST: &str = "$ curl -s ";

/// Returns the response to a request of an example, formatted on several lines.
fn answer(server: &TestServer, request: &str) -> String {
    let url = request.split(' ').next_back().unwrap().trim_matches('\'');
    let target = url.strip_prefix("http://127.0.0.1:8000").unwrap();
    let header = request.split_once("-H '").and_then(|(_, rest)| rest.split_once('\''));
    let header = header.map(|(header, _)| format!("{header}\r\n")).unwrap_or_default();
    let document = server.request("GET", target, &header).json();
    serde_json::to_string_pretty(&document).unwrap()
}

#[test]
fn every_example_is_a_real_response() {
    let server = TestServer::at(NOON);
    let mut rebuilt = String::new();
    let mut examples = 0;
    for (index, part) in DOCS.split("```").enumerate() {
        if index > 0 {
            rebuilt += "```";
        }
        match part.strip_prefix("console\n").and_then(|block| block.strip_prefix(REQUEST)) {
            Some(block) => {
                let request = block.lines().next().unwrap();
                rebuilt += &format!("console\n{REQUEST}{request}\n{}\n", answer(&server, request));
                examples += 1;
            }
            None => rebuilt += part,
        }
    }
    assert!(examples >= 9, "{examples}");
    let snapshot = server.get("/v1/ghi/snapshot");
    for name in ["etag", "cache-control", "vary"] {
        let start = rebuilt.find(&format!("\n{name}: ")).expect(name) + 1;
        let length = rebuilt[start..].find('\n').unwrap();
        let line = format!("{name}: {}", snapshot.header(name).unwrap());
        rebuilt.replace_range(start..start + length, &line);
    }
    expect_file!["../../../../docs/contract.md"].assert_eq(&rebuilt);
}

#[test]
fn every_scenario_is_documented() {
    for (document, text) in [("contract.md", DOCS), ("testing-your-client.md", GUIDE)] {
        let words: Vec<&str> = text.split([' ', '`', ',', '\'', '\n']).collect();
        for preference in preference_values() {
            let is_it = |word: &&&str| {
                **word == preference || preference.ends_with('=') && word.starts_with(&preference)
            };
            assert!(words.iter().any(|word| is_it(&word)), "{preference} in {document}");
        }
    }
}

#[test]
fn every_problem_is_listed() {
    let server = TestServer::at(NOON);
    let rows =
        DOCS.split("| status | `code` | when |").nth(1).unwrap().split("\n\n").next().unwrap();
    let codes = rows.lines().filter_map(|row| row.split('`').nth(1));
    let mut codes: Vec<&str> = codes.collect();
    for code in &codes {
        assert_eq!(server.get(&format!("/problems/{code}")).status, 200, "{code}");
    }
    let mut expected: Vec<&str> = ghi_server::internals::codes().collect();
    codes.sort_unstable();
    expected.sort_unstable();
    assert_eq!(codes, expected);
}

#[test]
fn every_page_path_is_listed_and_exists() {
    let server = TestServer::at(NOON);
    let rows = PAGES.split("| path | what |").nth(1).unwrap().split("\n\n").next().unwrap();
    let cells = rows.lines().filter_map(|row| row.split('|').nth(1));
    let paths: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    for path in &paths {
        let target = path.replace("{code}", "internal").replace("{id}", "us");
        assert_eq!(server.get(&target).status, 200, "{path}");
    }
    assert_eq!(paths.len(), 28);
}

/// Returns all Rust code in a directory.
fn sources(directory: &Path) -> String {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let texts = entries.map(|path| match path.extension() {
        _ if path.is_dir() => sources(&path),
        Some(extension) if extension == "rs" => fs::read_to_string(&path).unwrap(),
        _ => String::new(),
    });
    texts.collect()
}

#[test]
fn every_test_that_the_docs_name_exists() {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    // The documents name tests in parentheses.
    let names = [DOCS, PAGES, RELIABILITY, ARCHITECTURE]
        .into_iter()
        .flat_map(|text| text.split('(').skip(1))
        .filter_map(|rest| rest.split(')').next())
        .flat_map(|text| text.split('`').skip(1).step_by(2))
        .filter(|name| name.matches('_').count() >= 2 && !name.contains(['*', '.', ' ']));
    let names: Vec<&str> = names.collect();
    for name in &names {
        assert!(sources.contains(&format!("fn {name}(")), "no test is named {name}");
    }
    assert!(names.len() >= 150, "{}", names.len());
}
