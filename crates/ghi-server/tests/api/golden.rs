//! Golden files: every document, and one page or file of each kind, at one instant.
//!
//! `UPDATE_EXPECT=1 cargo test` updates the files; review the diff before you commit it.

use expect_test::expect_file;

use crate::support::{NOON, TestServer};

#[test]
fn every_document_matches_its_golden_file() {
    let server = TestServer::at(NOON);
    let get = |target: &str| server.get(target).body;
    expect_file!["golden/metadata.json"].assert_eq(&get("/v1/ghi/metadata"));
    expect_file!["golden/regions.json"].assert_eq(&get("/v1/ghi/regions"));
    expect_file!["golden/region_detail.json"].assert_eq(&get("/v1/ghi/regions/eu"));
    expect_file!["golden/snapshot.json"].assert_eq(&get("/v1/ghi/snapshot"));
    expect_file!["golden/history.json"].assert_eq(&get("/v1/ghi/history"));
    expect_file!["golden/history_of_region.json"].assert_eq(&get("/v1/ghi/history?region_id=cn"));
    expect_file!["golden/network.json"].assert_eq(&get("/v1/ghi/network"));
    expect_file!["golden/forecast.json"].assert_eq(&get("/v1/ghi/forecast?forecast_days=30"));
    expect_file!["golden/indicator.json"].assert_eq(&get("/v1/ghi/indicator"));
    let reduced = server.request("GET", "/v1/ghi/snapshot", "Prefer: return=minimal\r\n");
    expect_file!["golden/reduced_snapshot.json"].assert_eq(&reduced.body);
    expect_file!["golden/problem.json"].assert_eq(&get("/v1/ghi/forecast?forecast_days=0"));
}

/// The first element of a page whose class starts with this word.
fn element<'a>(html: &'a str, tag: &str, class: &str) -> &'a str {
    let start = html.find(&format!("<{tag} class=\"{class}")).unwrap();
    let end = format!("</{tag}>");
    &html[start..start + html[start..].find(&end).unwrap() + end.len()]
}

/// The main content of a page. Only one page is compared as a whole, since the frame is the same for all.
fn main(html: &str) -> &str {
    let start = html.find("<main").unwrap();
    &html[start..html.find("</main>").unwrap()]
}

#[test]
fn every_page_and_file_matches_its_golden_file() {
    let server = TestServer::at(NOON);
    // With normalised line endings, and as if the server listened on the default port.
    let own = server.address().to_string();
    let get = |target: &str| {
        server.get(target).body.replace("\r\n", "\n").replace(&own, "127.0.0.1:8000")
    };
    expect_file!["golden/dashboard.html"].assert_eq(&get("/?range=7d&region_id=cn&compare=us,eu"));
    let region = get("/regions/us?range=7d");
    let sections = ["headline", "cost-drivers"].map(|class| element(&region, "section", class));
    expect_file!["golden/region.html"].assert_eq(&sections.join("\n"));
    expect_file!["golden/feed.xml"].assert_eq(&get("/feed.xml"));
    expect_file!["golden/problem.html"].assert_eq(main(&get("/problems/unknown_region")));
    expect_file!["golden/history.svg"].assert_eq(&get("/charts/history.svg"));
    expect_file!["golden/regions.svg"].assert_eq(&get("/charts/regions.svg?theme=dark"));
    expect_file!["golden/history.csv"].assert_eq(&get("/export/history.csv?region_id=eu"));
    expect_file!["golden/network.csv"].assert_eq(&get("/export/network.csv"));
    expect_file!["golden/snapshot.csv"].assert_eq(&get("/export/snapshot.csv"));
    expect_file!["golden/cost_curve.svg"].assert_eq(&get("/charts/cost-curve.svg?price=60000"));
    expect_file!["golden/cost_curve.csv"].assert_eq(&get("/export/cost-curve.csv"));
    expect_file!["golden/distribution.csv"].assert_eq(&get("/export/distribution.csv"));
    expect_file!["golden/economics.csv"].assert_eq(&get("/export/economics.csv"));
    expect_file!["golden/inputs.csv"].assert_eq(&get("/export/inputs.csv?date=2026-11-15"));
    expect_file!["golden/forecast.csv"]
        .assert_eq(&get("/export/forecast.csv?from=2026-11-07&to=2026-11-09"));
    expect_file!["golden/forecast_score.csv"].assert_eq(&get("/export/forecast-score.csv"));
    expect_file!["golden/explain_since.json"]
        .assert_eq(&get("/export/explain.json?since=2026-10-15"));
    expect_file!["golden/explain.html"].assert_eq(main(&get("/explain")));
    expect_file!["golden/explain.csv"].assert_eq(&get("/export/explain.csv?region_id=eu"));
    expect_file!["golden/explain.json"].assert_eq(&get("/export/explain.json?region_id=eu"));
    expect_file!["golden/llms.txt"].assert_eq(&get("/llms.txt"));
}
