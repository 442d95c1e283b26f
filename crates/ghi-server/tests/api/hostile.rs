//! Hostile requests.

use crate::support::{NOON, TestServer, ten_thousand_regions};

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

#[test]
fn an_unknown_id_among_thousands_lists_only_some_known_ids() {
    let inputs = ten_thousand_regions();
    let inputs = ghi_server::Inputs::parse(&inputs).unwrap();
    let server = TestServer::start(ghi_server::Config { inputs, ..Default::default() });
    let answer = server.get("/v1/ghi/regions/xx");
    answer.assert_problem(404, "unknown_region");
    assert!(answer.body.contains("r19 and 9980 more") && answer.body.len() < 600);
    assert_eq!(server.json("/v1/ghi/regions/r9999")["hashrate_share_pct"], 0.01);
    assert_eq!(server.json("/v1/ghi/snapshot")["region_count"], 10_000);
}
