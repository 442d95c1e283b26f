//! gzip: when it is used, and that it decompresses to the plain content.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use flate2::read::GzDecoder;
use ghi_engine::DEFAULT_INPUTS;
use ghi_server::{Clock, Config, Inputs};

use crate::support::{Answer, NOON, PATHS, TestServer};

/// Pages and files outside the contract.
const OTHERS: [&str; 15] = [
    "/",
    "/?region_id=r7",
    "/docs",
    "/problems/not_found",
    "/openapi.json",
    "/openapi-3.0.json",
    "/llms.txt",
    "/robots.txt",
    "/assets/style.css",
    "/assets/reference.js",
    "/charts/history.svg",
    "/charts/regions.svg?theme=dark",
    "/export/history.csv",
    "/export/network.csv",
    "/export/snapshot.csv",
];

/// Enough regions to make the snapshot and the list of regions worth compressing.
fn inputs() -> Inputs {
    let mut text = DEFAULT_INPUTS.split("[[region]]").next().unwrap().to_owned();
    for region in 0..50 {
        text += &format!(
            "[[region]]\nid = \"r{region}\"\nname = \"Région {region}\"\nhashrate_share_pct = 2\n\
             efficiency_j_per_th = {{ best = 18, mean = 20, worst = 22 }}\n\
             electricity_usd_per_kwh = {{ low = 0.05, mean = 0.06, high = 0.07 }}\n"
        );
    }
    Inputs::parse(&text).unwrap()
}

fn server(clock: Clock) -> TestServer {
    TestServer::start(Config { clock, inputs: inputs(), ..Config::default() })
}

fn at(moment: &str) -> TestServer {
    server(Clock::at(moment.parse().unwrap()))
}

/// The head and the raw body of a response.
fn ask(server: &TestServer, method: &str, target: &str, headers: &str) -> (Answer, Vec<u8>) {
    let target = target.replace("/us", "/r1");
    server.request_raw(method, &target, headers)
}

fn decoded(body: &[u8]) -> Vec<u8> {
    let mut decoder = GzDecoder::new(body);
    let mut content = Vec::new();
    decoder.read_to_end(&mut content).unwrap();
    assert!(decoder.into_inner().is_empty(), "trailing bytes after the stream");
    content
}

#[test]
fn gzip_is_used_when_the_client_accepts_it() {
    let server = at(NOON);
    let mut compressed = 0;
    for target in PATHS.into_iter().chain(OTHERS) {
        let (plain, plain_body) = ask(&server, "GET", target, "");
        let (answer, body) = ask(&server, "GET", target, "Accept-Encoding: br, gzip\r\n");
        assert_eq!((plain.status, answer.status), (200, 200), "{target}");
        assert_eq!(plain.header("content-encoding"), None, "{target}");
        let is_long = plain_body.len() > 1400;
        let varies = answer.header("vary").is_some_and(|vary| vary.contains("accept-encoding"));
        assert_eq!(varies, is_long, "{target}");
        assert_eq!(answer.header("vary"), plain.header("vary"), "{target}");
        assert_eq!(answer.header("content-encoding"), is_long.then_some("gzip"), "{target}");
        if is_long {
            assert!(body.len() < plain_body.len(), "{target}");
            assert!(decoded(&body) == plain_body, "{target}");
            compressed += 1;
        } else {
            assert!(body == plain_body, "{target}");
        }
    }
    assert!(compressed > 10);
}

#[test]
fn plain_and_gzip_share_one_entity_tag_also_for_head_and_304() {
    let server = at(NOON);
    let gzip = "Accept-Encoding: gzip\r\n";
    for target in PATHS.into_iter().chain(OTHERS) {
        let (plain, _) = ask(&server, "GET", target, "");
        let (answer, body) = ask(&server, "GET", target, gzip);
        let tag = answer.header("etag").unwrap();
        assert_eq!(plain.header("etag"), Some(tag), "{target}");
        let (head, nothing) = ask(&server, "HEAD", target, gzip);
        let without_date = |answer: &Answer| {
            let headers = answer.headers.iter().filter(|header| header.0 != "date");
            headers.cloned().collect::<Vec<_>>()
        };
        assert_eq!(without_date(&head), without_date(&answer), "{target}");
        assert_eq!(head.header("content-length"), Some(&*body.len().to_string()), "{target}");
        assert!(nothing.is_empty());
        for encoding in ["", gzip] {
            let known = format!("{encoding}If-None-Match: {tag}\r\n");
            let (known, nothing) = ask(&server, "GET", target, &known);
            assert_eq!((known.status, nothing.len()), (304, 0), "{target}");
            assert_eq!(known.header("content-encoding"), None, "{target}");
            for name in ["etag", "cache-control", "vary"] {
                assert_eq!(known.header(name), plain.header(name), "{name} of {target}");
            }
        }
    }
}

#[test]
fn gzip_is_not_used_when_the_client_prefers_identity() {
    let server = at(NOON);
    for (accepted, expected) in [
        ("identity", None),
        ("gzip;q=0", None),
        ("gzip;q=0, *", None),
        ("gzip;q=0.5, identity", None),
        ("deflate, br", None),
        ("gzip;q=0.001", Some("gzip")),
        ("*", Some("gzip")),
        ("identity;q=0.1, gzip;q=0.2", Some("gzip")),
    ] {
        let header = format!("Accept-Encoding: {accepted}\r\n");
        let (answer, _) = ask(&server, "GET", "/v1/ghi/snapshot", &header);
        assert_eq!(answer.header("content-encoding"), expected, "{accepted}");
    }
}

#[test]
fn long_error_pages_and_metrics_are_compressed_too() {
    let server = at(NOON);
    let gzip = "Accept-Encoding: gzip\r\n";
    let (metrics, body) = ask(&server, "GET", "/metrics", gzip);
    assert_eq!(metrics.header("content-encoding"), Some("gzip"));
    let text = String::from_utf8(decoded(&body)).unwrap();
    assert!(text.contains("ghi_cost_usd{region=\"r49\",bound=\"max\"} "), "{text}");
    let (page, body) =
        ask(&server, "GET", "/?region_id=xx", "Accept-Encoding: gzip\r\nAccept: text/html\r\n");
    assert_eq!((page.status, page.header("content-encoding")), (404, Some("gzip")));
    assert!(String::from_utf8(decoded(&body)).unwrap().contains("No region has this region_id."));
}

#[test]
fn a_compressed_document_has_the_timestamp_of_its_response() {
    // In steps of about two minutes, so that the requests span three days.
    let reads = Arc::new(AtomicU64::new(0));
    let step = Duration::from_micros(137_111_113);
    let count = Arc::clone(&reads);
    let clock = Clock::from_fn(move || {
        let reads = u32::try_from(count.load(Ordering::Relaxed)).unwrap();
        UNIX_EPOCH + Duration::from_secs(1_794_744_000) + step * reads
    });
    let server = server(clock);
    let mut days = std::collections::BTreeSet::new();
    for _ in 0..1_000 {
        reads.fetch_add(1, Ordering::Relaxed);
        let (answer, body) = ask(&server, "GET", "/v1/ghi/snapshot", "Accept-Encoding: gzip\r\n");
        assert_eq!(answer.header("content-encoding"), Some("gzip"));
        let document: serde_json::Value = serde_json::from_slice(&decoded(&body)).unwrap();
        let stamp = document["timestamp_utc"].as_str().unwrap();
        assert_eq!(document["regions"].as_array().unwrap().len(), 50);
        days.insert(stamp[..10].to_owned());
    }
    assert_eq!(days.len(), 3, "{days:?}");
}
