//! Hostile requests.

use crate::html::elements;
use crate::support::{NOON, TestServer, many_regions};

#[test]
fn hostile_paths_are_rejected_and_never_echoed_unescaped() {
    let server = TestServer::at(NOON);
    let long = "a".repeat(4096);
    for id in [
        "..",
        "%2e%2e%2f",
        "%2e%2e%2fmetadata",
        "%252e",
        "%252e%252e%252f",
        "%2f",
        "%2fetc%2fpasswd",
        "%00",
        "us%00",
        "%ff",
        "%c0%ae",
        ";x",
        "us;x",
        "us%3Bx",
        "%0d%0aX:%20y",
        "<script>",
        "\"><script>",
        "'",
        "{id}",
        "%7Bid%7D",
        "*",
        "~",
        "%",
        "%u0075s",
        "%zz",
        &long,
    ] {
        let answer = server.get(&format!("/v1/ghi/regions/{id}"));
        if answer.status == 400 && answer.body.is_empty() {
            // Not a valid request target, so it is rejected by the parser.
            assert!(id.contains('<'), "{id}");
            continue;
        }
        answer.assert_problem(404, "unknown_region");
        for raw in ["<", "'", "{id}", "\\\"", "\r", "\0"] {
            let inner = answer.body.trim_start_matches('{');
            assert!(!inner.contains(raw), "{id}: {inner}");
        }
        assert!(answer.headers.iter().all(|(name, _)| name != "x"), "{id}");
    }
    // Dot segments are ordinary names here.
    server.get("/v1/ghi/regions/../metadata").assert_problem(404, "not_found");
    server.get("/v1/ghi/../ghi/metadata").assert_problem(404, "not_found");
}

#[test]
fn a_long_path_is_never_cut_inside_an_escape() {
    let server = TestServer::at(NOON);
    for pad in 0..6 {
        let path = format!("/{}{}", "a".repeat(pad), "%C3%A9".repeat(1000));
        let answer = server.get(&path);
        answer.assert_problem(404, "not_found");
        let problem = answer.json();
        let instance = problem["instance"].as_str().unwrap().strip_suffix("...").unwrap();
        assert!(path.starts_with(instance) && instance.len() > 250);
        let after_last_escape = &instance[instance.rfind('%').unwrap()..];
        assert_eq!(after_last_escape.len(), 3, "{after_last_escape}");
    }
}

#[test]
fn parameter_values_are_never_echoed() {
    let server = TestServer::at(NOON);
    for target in [
        "/v1/ghi/history?region_id=evil\u{e9}",
        "/v1/ghi/history?region_id=evil%0d%0a",
        "/v1/ghi/forecast?forecast_days=evil",
        "/v1/ghi/forecast?forecast_days=7&forecast_days=evil",
        "/v1/ghi/snapshot?evil=%ff",
    ] {
        let answer = server.get(target);
        assert!((400..500).contains(&answer.status), "{target}");
        assert!(!answer.body.contains("evil"), "{}", answer.body);
    }
}

/// All pages, by example.
const PAGES: [&str; 8] = [
    "/",
    "/regions/us",
    "/explain",
    "/methodology",
    "/docs",
    "/feed.xml",
    "/problems",
    "/problems/internal",
];

/// Characters that could change a page, encoded and decoded.
const HOSTILE: [(&str, &str); 11] = [
    ("%00", "\0"),
    ("%1B[31m", "\u{1b}"),
    ("%08", "\u{8}"),
    ("%7F", "\u{7f}"),
    ("%C2%85", "\u{85}"),
    ("%E2%80%A8", "\u{2028}"),
    ("%E2%80%AE", "\u{202e}"),
    ("%3Cq%3E", "<q>"),
    ("%22%3E%3Cq", "\"><q"),
    ("%27%20onclick%3D", "' onclick="),
    ("%26lt%3Bq%26gt%3B", "&lt;q&gt;"),
];

/// Returns the parameters that a page says it has.
fn parameters_of(server: &TestServer, page: &str) -> Vec<String> {
    let refused = server.get(&format!("{page}?no-such-parameter=1"));
    refused.assert_problem(400, "unknown_parameter");
    let detail = refused.json()["detail"].as_str().unwrap().to_owned();
    let accepted = detail.split_once("It accepts ").unwrap().1.trim_end_matches('.');
    let names = accepted.strip_prefix("only ").unwrap_or_default().split(", ");
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns the names of the elements of a page in order.
fn names(html: &str) -> Vec<String> {
    elements(html, "*", |element| element.value().name().to_owned())
}

#[test]
fn hostile_characters_in_any_parameter_of_any_page_are_harmless() {
    let server = TestServer::when_it_is(NOON);
    let page = |target: &str| server.request("GET", target, "Accept: text/html\r\n");
    let is_invisible = |char: char| ghi_engine::is_invisible(char) && char != '\n';
    let mut tested = 0;
    for path in PAGES {
        for name in parameters_of(&server, path) {
            tested += 1;
            let plain = page(&format!("{path}?{name}=aQQc"));
            for (encoded, decoded) in HOSTILE {
                let target = format!("{path}?{name}=a{encoded}c");
                // Any visible text may be searched for.
                let is_valid = name == "find" && !decoded.contains(is_invisible);
                let answers = [page(&target), server.get(&target)];
                for answer in &answers {
                    assert_eq!(answer.status < 400, is_valid, "{target}: {}", answer.status);
                    assert!(!answer.body.contains(decoded), "{target}");
                    assert!(!answer.body.contains(is_invisible), "{target}");
                }
                let html = &answers[0].body;
                let is_seen = !decoded.contains(is_invisible);
                assert!(!is_seen || names(html) == names(&plain.body), "{target}");
                // The only part of a page that is filled in for each request stays in its place.
                let notice = html.matches("Updated daily").count();
                let in_place = html.matches("<div class=\"updated note\"><p>Updated daily").count();
                assert_eq!([notice, in_place], [usize::from(path == "/"); 2], "{target}");
            }
        }
        for (encoded, decoded) in HOSTILE {
            let target = format!("{path}?a{encoded}=1");
            for answer in [page(&target), server.get(&target)] {
                assert_eq!(answer.status, 400, "{target}");
                assert!(!answer.body.contains(decoded), "{target}");
                assert!(!answer.body.contains(is_invisible), "{target}");
            }
        }
    }
    assert_eq!(tested, 16 + 1 + 3, "each parameter of each page");
}

#[test]
fn a_control_character_in_a_field_is_an_error_next_to_it() {
    let server = TestServer::at(NOON);
    for query in ["find=a%00b", "find=%1B[2J", "find=a%E2%80%A8b"] {
        let page = server.request("GET", &format!("/?{query}"), "Accept: text/html\r\n");
        let message = "find must not contain control or other invisible characters.";
        assert!(page.status == 400 && page.body.contains(message), "{query}");
        assert!(page.body.contains("<title>Cost of mining one bitcoin: $"), "{query}");
    }
    let problem = server.get("/?region_id=us%00");
    problem.assert_problem(400, "invalid_parameter");
}

#[test]
fn an_unknown_id_among_hundreds_lists_only_some_known_ids() {
    let inputs = ghi_server::Inputs::parse(&many_regions(250)).unwrap();
    let server = TestServer::start(ghi_server::Config { inputs, ..Default::default() });
    let answer = server.get("/v1/ghi/regions/xx");
    answer.assert_problem(404, "unknown_region");
    assert!(answer.body.contains("r19 and 230 more") && answer.body.len() < 600);
    assert_eq!(server.json("/v1/ghi/regions/r249")["hashrate_share_pct"], 0.4);
    assert_eq!(server.json("/v1/ghi/snapshot")["region_count"], 250);
}
