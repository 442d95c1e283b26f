//! The documents of any server.

use ghi_client::{Client, ErrorKind, InvalidBaseUrl, Resource, Snapshot, http_client};
use ghi_contract::{ForecastDays, GLOBAL};
use ghi_server::{Config, SnapshotForm};
use serde_json::{Value, json};

use crate::scripted::{NETWORK, Scripted, ok};
use crate::support::{client, resources, sandbox, start};

#[tokio::test]
async fn each_method_returns_its_document() {
    let sandbox = sandbox();
    let client = client(sandbox.url());
    assert_eq!(client.metadata().await.unwrap().api_supported, ["1.1", "1.0"]);
    let regions = client.regions().await.unwrap();
    assert_eq!(regions.regions.len(), regions.region_count);
    for region in &regions.regions {
        let detail = client.region_detail(&region.id).await.unwrap();
        assert_eq!((&detail.region_id, &detail.name), (&region.id, &region.name));
        assert_eq!(client.history(&region.id).await.unwrap().region_id, region.id);
    }
    let history = client.history(GLOBAL).await.unwrap();
    let today = history.points.last().unwrap();
    assert_eq!((&*history.region_id, &*today.date), (GLOBAL, "2026-11-15"));
    let snapshot = client.snapshot().await.unwrap();
    assert_eq!(snapshot.global_avg_cost_usd, Some(today.avg_cost_usd));
    assert!(client.network().await.unwrap().difficulty > 0.0);
    let days = ForecastDays::new(30).unwrap();
    assert_eq!(client.forecast(days).await.unwrap().forecast_days, 30);
    let indicator = client.indicator().await.unwrap();
    assert_eq!((&*indicator.version, indicator.avg_cost_usd), ("1.0", today.avg_cost_usd));
}

#[tokio::test]
async fn both_forms_of_the_snapshot_are_accepted() {
    let sandbox = sandbox();
    let client_of_full = client(sandbox.url());
    let full = client_of_full.snapshot().await.unwrap();
    assert_eq!(full.regions.as_ref().unwrap().len(), full.region_count.unwrap());
    let reduced = client_of_full.reduced_snapshot().await.unwrap();
    assert_eq!(reduced, Snapshot { region_count: None, regions: None, ..full });
    let other = start(Config { snapshot_form: SnapshotForm::Reduced, ..Config::default() });
    assert_eq!(client(other.url()).snapshot().await.unwrap(), reduced);
}

#[tokio::test]
async fn text_returns_the_document_as_received() {
    let sandbox = sandbox();
    let http = http_client(&sandbox.url().parse().unwrap());
    for resource in resources() {
        let text = client(sandbox.url()).text(&resource).await.unwrap();
        let url = format!("{}{}", sandbox.url(), resource.target());
        assert_eq!(text, http.get(url).send().await.unwrap().text().await.unwrap());
    }
    let not_ours = Scripted::responses([ok("{}")]);
    for resource in resources() {
        let error = client(&not_ours.url).text(&resource).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotTheDocument, "{resource:?}");
    }
}

/// Adds a field to each object, and changes the version.
fn of_a_later_release(document: &mut Value) {
    match document {
        Value::Object(fields) => {
            fields.values_mut().for_each(of_a_later_release);
            fields.insert("added".into(), json!({"deep": [1, null, "x"]}));
            fields.entry("version").and_modify(|version| *version = "1.7".into());
        }
        Value::Array(items) => items.iter_mut().for_each(of_a_later_release),
        _ => {}
    }
}

#[tokio::test]
async fn unknown_fields_and_versions_are_accepted() {
    let sandbox = sandbox();
    let client_of_ours = client(sandbox.url());
    for resource in resources() {
        let mut document = client_of_ours.text(&resource).await.unwrap().parse().unwrap();
        of_a_later_release(&mut document);
        let text = document.to_string();
        let later = Scripted::responses([ok(&text)]);
        assert_eq!(client(&later.url).text(&resource).await.unwrap(), text);
    }
}

#[tokio::test]
async fn a_v1_0_snapshot_has_no_global_costs() {
    let sandbox = sandbox();
    let current = client(sandbox.url()).snapshot().await.unwrap();
    let mut document = serde_json::to_value(&current).unwrap();
    let fields = document.as_object_mut().unwrap();
    fields.retain(|name, _| !name.starts_with("global_"));
    fields.insert("version".into(), "1.0".into());
    let old = Scripted::responses([ok(&document.to_string())]);
    let snapshot = client(&old.url).snapshot().await.unwrap();
    assert_eq!((&*snapshot.version, snapshot.global_avg_cost_usd), ("1.0", None));
    assert_eq!(snapshot.regions, current.regions);
}

#[tokio::test]
async fn an_id_is_one_path_segment_or_rejected() {
    let sandbox = sandbox();
    let client = client(sandbox.url());
    for id in ["us/..", "../regions", "us?x", "a b", "ü", "%75s", "US"] {
        let error = client.region_detail(id).await.unwrap_err();
        assert_eq!(error.code.as_deref(), Some("unknown_region"), "{id}: {error}");
        let error = client.history(id).await.unwrap_err();
        assert_eq!(error.code.as_deref(), Some("unknown_region"), "{id}: {error}");
    }
    for id in ["", ".", ".."] {
        let error = client.region_detail(id).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidRegionId, "{id}: {error}");
        let target = Resource::RegionDetail(id.into()).target();
        let error = client.text_at(&target).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidRegionId, "{id}: {error}");
    }
}

#[tokio::test]
async fn paths_are_appended_to_the_base_url() {
    let server = Scripted::responses([ok(NETWORK)]);
    for base in ["", "/", "/sandbox", "/sandbox/", "/a/b//"] {
        client(&format!("{}{base}", server.url)).network().await.unwrap();
    }
    let requests = server.requests();
    let targets: Vec<&str> = requests.iter().map(|head| head.split(' ').nth(1).unwrap()).collect();
    let below = |prefix: &str| format!("{prefix}/v1/ghi/network");
    assert_eq!(targets, ["", "", "/sandbox", "/sandbox", "/a/b"].map(below));
}

#[tokio::test]
async fn requests_have_a_user_agent_and_accept_json() {
    let server = Scripted::responses([ok(NETWORK)]);
    client(&server.url).network().await.unwrap();
    let mut lines: Vec<String> = server.requests()[0].lines().map(str::to_owned).collect();
    lines.retain(|line| !line.starts_with("host:"));
    let user_agent = concat!("user-agent: ghi-client/", env!("CARGO_PKG_VERSION"));
    assert_eq!(lines, ["get /v1/ghi/network http/1.1", "accept: application/json", user_agent]);
}

#[test]
fn a_base_url_is_an_http_url_without_user_query_or_fragment() {
    for base in ["http://127.0.0.1:8000", "https://example.org/a/", "HTTP://[::1]"] {
        assert!(Client::new(base).is_ok(), "{base}");
    }
    for base in [
        "",
        "example.org",
        "localhost:8000",
        "/v1",
        "http://",
        "ftp://example.org",
        "http://user@example.org",
        "http://:password@example.org",
        "http://example.org/?a",
        "http://example.org/#a",
        "http://example.org:99999",
    ] {
        assert_eq!(Client::new(base).err(), Some(InvalidBaseUrl), "{base}");
    }
}

#[test]
fn clients_and_their_futures_are_send() {
    fn is_shared<T: Send + Sync + Clone + 'static>(_: &T) {}
    fn is_sent<T: Send>(_: T) {}
    let client = client("http://127.0.0.1:1");
    is_shared(&client);
    is_sent(client.snapshot());
    is_sent(client.text(&resources()[0]));
}
