//! What `docs/contract.md` says is what the server does.
//!
//! `UPDATE_EXPECT=1 cargo test` writes the examples anew; read the difference before you commit it.

use std::fs;
use std::path::Path;

use expect_test::expect_file;

use crate::support::{NOON, Server};

const DOCS: &str = include_str!("../../../../docs/contract.md");

/// What an example's request starts with.
const REQUEST: &str = "$ curl -s ";

/// The answer to a request as it is written in an example, over many lines.
fn answer(server: &Server, request: &str) -> String {
    let url = request.split(' ').next_back().unwrap().trim_matches('\'');
    let target = url.strip_prefix("http://127.0.0.1:8000").unwrap();
    let header = request.split_once("-H '").and_then(|(_, rest)| rest.split_once('\''));
    let header = header.map(|(header, _)| format!("{header}\r\n")).unwrap_or_default();
    let document = server.request("GET", target, &header).json();
    serde_json::to_string_pretty(&document).unwrap()
}

#[test]
fn every_example_is_a_real_answer() {
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
fn every_test_that_the_docs_name_exists() {
    let sources = |directory: &str| {
        let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(directory)).unwrap();
        let files = files
            .map(|file| file.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "rs"));
        files.map(|path| fs::read_to_string(path).unwrap()).collect::<String>()
    };
    let sources =
        sources("tests/api") + &sources("../ghi-engine/tests") + &sources("../ghi-cli/tests");
    // Test names are the backticked words of several parts in the last cell of a row.
    let cells = DOCS
        .lines()
        .filter(|line| line.starts_with('|'))
        .filter_map(|line| line.rsplit('|').nth(1));
    let names = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .filter(|name| name.matches('_').count() >= 2);
    let names: Vec<&str> = names.collect();
    for name in &names {
        assert!(sources.contains(&format!("fn {name}()")), "there is no test {name}");
    }
    assert!(names.len() >= 20, "{names:?}");
}
