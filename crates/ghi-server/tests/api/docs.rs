//! The documentation matches the server.
//!
//! `UPDATE_EXPECT=1 cargo test` updates the examples; review the diff before you commit it.

use std::fs;
use std::path::Path;

use expect_test::expect_file;

use crate::support::{NOON, Server};

const DOCS: &str = include_str!("../../../../docs/contract.md");
const PAGES: &str = include_str!("../../../../docs/pages.md");
const RELIABILITY: &str = include_str!("../../../../docs/reliability.md");
const ARCHITECTURE: &str = include_str!("../../../../ARCHITECTURE.md");

/// The start of an example's request.
const REQUEST: &str = "$ curl -s ";

/// The response to an example's request, pretty-printed.
fn answer(server: &Server, request: &str) -> String {
    let url = request.split(' ').next_back().unwrap().trim_matches('\'');
    let target = url.strip_prefix("http://127.0.0.1:8000").unwrap();
    let header = request.split_once("-H '").and_then(|(_, rest)| rest.split_once('\''));
    let header = header.map(|(header, _)| format!("{header}\r\n")).unwrap_or_default();
    let document = server.request("GET", target, &header).json();
    serde_json::to_string_pretty(&document).unwrap()
}

#[test]
fn every_example_is_a_real_response() {
    let server = Server::at(NOON);
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
    expect_file!["../../../../docs/contract.md"].assert_eq(&rebuilt);
}

#[test]
fn the_short_examples_are_real_too() {
    let server = Server::at(NOON);
    let snapshot = server.get("/v1/ghi/snapshot");
    for name in ["etag", "cache-control", "vary"] {
        let line = format!("{name}: {}\n", snapshot.header(name).unwrap());
        assert!(DOCS.contains(&line), "{line}");
    }
}

#[test]
fn every_problem_is_listed() {
    let server = Server::at(NOON);
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
    let server = Server::at(NOON);
    let rows = PAGES.split("| path | what |").nth(1).unwrap().split("\n\n").next().unwrap();
    let cells = rows.lines().filter_map(|row| row.split('|').nth(1));
    let paths: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    for path in &paths {
        let target = path.replace("{code}", "internal").replace("{id}", "us");
        assert_eq!(server.get(&target).status, 200, "{path}");
    }
    assert_eq!(paths.len(), 20);
}

/// All Rust code below a directory.
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
    // Tests are named in the last cells of rows and in parentheses.
    let cells = DOCS
        .lines()
        .chain(PAGES.lines())
        .filter(|line| line.starts_with('|'))
        .filter_map(|line| line.rsplit('|').nth(1));
    // In this file, the last cell is the result.
    let of_reliability = RELIABILITY
        .lines()
        .filter(|line| line.starts_with('|'))
        .filter_map(|line| line.rsplit('|').nth(2));
    let parentheses = ARCHITECTURE.split('(').skip(1).filter_map(|rest| rest.split(')').next());
    let names = cells
        .chain(of_reliability)
        .chain(parentheses)
        .flat_map(|text| text.split('`').skip(1).step_by(2))
        .filter(|name| name.matches('_').count() >= 2 && !name.contains(['*', '.', ' ']));
    let names: Vec<&str> = names.collect();
    for name in &names {
        assert!(sources.contains(&format!("fn {name}(")), "no test is named {name}");
    }
    assert!(names.len() >= 50, "{}", names.len());
}
