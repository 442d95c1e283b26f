//! Caching by `ETag`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use ghi_client::{Settings, http_client};
use ghi_contract::GLOBAL;
use ghi_engine::{DEFAULT_INPUTS, Inputs};
use ghi_server::{Clock, Config, Sandbox};

use crate::scripted::{NETWORK, Scripted, response};
use crate::support::{client, client_with, resources, sandbox};

/// Returns the number of API responses with this status.
async fn count(sandbox: &Sandbox, status: u16) -> usize {
    let http = http_client(&sandbox.url().parse().unwrap());
    let metrics = http.get(format!("{}/metrics", sandbox.url())).send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    let status = format!("status=\"{status}\"");
    let lines = metrics.lines().filter(|line| {
        line.starts_with("ghi_http_requests_total{route=\"/v1/") && line.contains(&status)
    });
    lines.map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap()).sum()
}

#[tokio::test]
async fn an_unchanged_document_is_not_sent_again() {
    let sandbox = sandbox();
    let client = client(sandbox.url());
    let mut texts = Vec::new();
    for resource in resources() {
        texts.push(client.text(&resource).await.unwrap());
    }
    assert_eq!((count(&sandbox, 200).await, count(&sandbox, 304).await), (8, 0));
    let clone = client.clone();
    for (resource, text) in resources().iter().zip(texts) {
        assert_eq!(clone.text(resource).await.unwrap(), text);
    }
    clone.history("us").await.unwrap();
    assert_eq!((count(&sandbox, 200).await, count(&sandbox, 304).await), (8, 9));
}

#[tokio::test]
async fn a_cached_document_keeps_its_timestamp() {
    let readings = AtomicU64::new(0);
    let noon = Duration::from_secs(1_794_744_000);
    let clock = Clock::from_fn(move || {
        UNIX_EPOCH + noon + Duration::from_secs(readings.fetch_add(1, Ordering::Relaxed))
    });
    let sandbox = Sandbox::start(Config { clock, ..Config::default() }).unwrap();
    let client = client(sandbox.url());
    let first = client.network().await.unwrap();
    assert_eq!(client.network().await.unwrap(), first);
    let without_cache =
        client_with(sandbox.url(), Settings { cache_bytes: 0, ..Settings::default() });
    let later = [without_cache.network().await.unwrap(), without_cache.network().await.unwrap()];
    let times = [&first, &later[0], &later[1]].map(|network| &network.timestamp_utc);
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
}

#[tokio::test]
async fn a_changed_document_is_returned() {
    let sandbox = sandbox();
    let client = client(sandbox.url());
    let before = client.history(GLOBAL).await.unwrap();
    let other = DEFAULT_INPUTS.replacen("seed = ", "seed = 1", 1);
    sandbox.reload_handle().reload(Inputs::parse(&other).unwrap());
    let after = client.history(GLOBAL).await.unwrap();
    assert_ne!(before, after);
    assert_eq!(client.history(GLOBAL).await.unwrap(), after);
}

#[tokio::test]
async fn both_forms_of_the_snapshot_are_cached() {
    let sandbox = sandbox();
    let client = client(sandbox.url());
    for _ in 0..2 {
        assert!(client.snapshot().await.unwrap().regions.is_some());
        assert!(client.reduced_snapshot().await.unwrap().regions.is_none());
    }
    assert_eq!((count(&sandbox, 200).await, count(&sandbox, 304).await), (2, 2));
}

#[tokio::test]
async fn documents_without_an_etag_or_with_no_store_are_not_cached() {
    for headers in ["", "ETag: \"a\"\r\nCache-Control: max-age=0, no-store\r\n"] {
        let server = Scripted::responses([response("200 OK", headers, NETWORK)]);
        let client = client(&server.url);
        for _ in 0..2 {
            client.network().await.unwrap();
        }
        assert!(!server.requests()[1].contains("if-none-match"), "{headers}");
    }
}

#[tokio::test]
async fn the_etag_is_sent_back_unchanged() {
    for tag in ["\"a\"", "W/\"b, c\"", "no-quotes"] {
        let document = response("200 OK", &format!("ETag: {tag}\r\n"), NETWORK);
        let server = Scripted::responses([document, response("304 Not Modified", "", "")]);
        let client = client(&server.url);
        let first = client.network().await.unwrap();
        assert_eq!(client.network().await.unwrap(), first);
        let line = format!("if-none-match: {}\n", tag.to_lowercase());
        assert!(server.requests()[1].contains(&line), "{tag}");
    }
}
