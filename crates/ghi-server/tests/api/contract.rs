//! The rules of the contract, one by one.

use crate::support::{NOON, PATHS, TestServer};
use ghi_contract::{ForecastDays, GLOBAL, paths};
use serde_json::Value;

/// The names of a document's fields, in order.
fn keys(document: &Value) -> Vec<String> {
    document.as_object().unwrap().keys().cloned().collect()
}

#[track_caller]
fn check_fields(path: &str, expected: &[&str]) {
    assert_eq!(keys(&TestServer::at(NOON).json(path)), expected, "{path}");
}

#[test]
fn responses_are_json() {
    let server = TestServer::at(NOON);
    for path in PATHS {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), Some("application/json"), "{path}");
        answer.json();
    }
}

#[test]
fn timestamps_are_utc_with_microseconds_and_z() {
    let server = TestServer::at("2026-11-15T01:02:03.000405Z");
    for path in PATHS {
        assert_eq!(server.json(path)["timestamp_utc"], "2026-11-15T01:02:03.000405Z", "{path}");
    }
}

#[test]
fn floats_have_a_decimal_point_and_integers_have_none() {
    /// Every number in a document with the name of its field.
    fn numbers(body: &str) -> Vec<(String, String)> {
        let starts_number =
            |value: &str| value.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        let pairs = body.split('"').collect::<Vec<_>>();
        let pairs = pairs.windows(2).filter_map(|pair| Some((pair[0], pair[1].strip_prefix(':')?)));
        pairs
            .filter(|(_, value)| starts_number(value))
            .map(|(name, value)| {
                let end = value.find([',', '}', ']']).unwrap();
                (name.to_owned(), value[..end].to_owned())
            })
            .collect()
    }
    let server = TestServer::at(NOON);
    let mut seen = 0;
    for path in PATHS {
        for (name, value) in numbers(&server.get(path).body) {
            let integer = name == "region_count" || name == "forecast_days";
            assert_eq!(value.contains('.'), !integer, "{path}: {name} is {value}");
            assert!(!value.contains(['e', 'E']), "{path}: {name} is {value}");
            seen += 1;
        }
    }
    assert_eq!(seen, 47);
}

#[test]
fn metadata_has_exactly_its_fields() {
    check_fields(
        "/v1/ghi/metadata",
        &[
            "version",
            "timestamp_utc",
            "engine_sandbox_version",
            "environment",
            "api_current",
            "api_supported",
            "available_endpoints",
        ],
    );
}

#[test]
fn regions_has_exactly_its_fields() {
    check_fields(
        "/v1/ghi/regions",
        &["version", "timestamp_utc", "engine_sandbox_version", "regions", "region_count"],
    );
    let region = &TestServer::at(NOON).json("/v1/ghi/regions")["regions"][0];
    assert_eq!(keys(region), ["id", "name"]);
}

#[test]
fn region_detail_has_exactly_its_fields_and_no_engine_version() {
    check_fields(
        "/v1/ghi/regions/us",
        &[
            "version",
            "timestamp_utc",
            "region_id",
            "name",
            "min_cost_usd",
            "avg_cost_usd",
            "max_cost_usd",
            "hashrate_share_pct",
        ],
    );
}

#[test]
fn snapshot_has_exactly_its_fields() {
    check_fields(
        "/v1/ghi/snapshot",
        &[
            "version",
            "timestamp_utc",
            "engine_sandbox_version",
            "region_count",
            "regions",
            "global_min_cost_usd",
            "global_avg_cost_usd",
            "global_max_cost_usd",
        ],
    );
    let snapshot = TestServer::at(NOON).json("/v1/ghi/snapshot");
    for region in snapshot["regions"].as_array().unwrap() {
        assert_eq!(
            keys(region),
            ["id", "name", "region_id", "currency", "min_cost_usd", "avg_cost_usd", "max_cost_usd"]
        );
        assert_eq!(region["id"], region["region_id"]);
        assert_eq!(region["currency"], "USD");
    }
}

#[test]
fn history_has_exactly_its_fields() {
    check_fields(
        "/v1/ghi/history",
        &["version", "timestamp_utc", "engine_sandbox_version", "region_id", "points"],
    );
    let history = TestServer::at(NOON).json("/v1/ghi/history");
    for point in history["points"].as_array().unwrap() {
        assert_eq!(
            keys(point),
            ["date", "currency", "min_cost_usd", "avg_cost_usd", "max_cost_usd"]
        );
        assert_eq!(point["currency"], "USD");
    }
}

#[test]
fn network_has_exactly_its_fields() {
    check_fields(
        "/v1/ghi/network",
        &[
            "version",
            "timestamp_utc",
            "engine_sandbox_version",
            "hashrate_eh",
            "difficulty",
            "avg_fee_usd",
        ],
    );
}

#[test]
fn forecast_has_exactly_its_fields() {
    check_fields(
        "/v1/ghi/forecast",
        &[
            "version",
            "timestamp_utc",
            "engine_sandbox_version",
            "forecast_days",
            "predicted_avg_cost_usd",
        ],
    );
}

#[test]
fn every_v1_1_document_says_version_1_1() {
    let server = TestServer::at(NOON);
    for path in PATHS.into_iter().filter(|path| *path != paths::INDICATOR) {
        assert_eq!(server.json(path)["version"], "1.1", "{path}");
    }
}

#[test]
fn the_engine_version_has_the_form_of_the_sandbox() {
    let server = TestServer::at(NOON);
    for path in PATHS.into_iter().filter(|path| *path != "/v1/ghi/regions/us") {
        let document = server.json(path);
        let version = document["engine_sandbox_version"].as_str().unwrap();
        let version = version.strip_suffix("-sandbox").unwrap();
        assert_eq!(version.split('.').filter(|part| part.parse::<u32>().is_ok()).count(), 3);
    }
}

#[test]
fn metadata_is_authoritative_for_versions_and_environment() {
    let metadata = TestServer::at(NOON).json("/v1/ghi/metadata");
    assert_eq!(metadata["environment"], "sandbox");
    assert_eq!(metadata["api_current"], "1.1");
    assert_eq!(metadata["api_supported"], serde_json::json!(["1.1", "1.0"]));
}

#[test]
fn available_endpoints_are_the_six_without_an_id_and_all_return_200() {
    let server = TestServer::at(NOON);
    let metadata = server.json("/v1/ghi/metadata");
    let endpoints: Vec<&str> = metadata["available_endpoints"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let names = ["snapshot", "history", "regions", "metadata", "network", "forecast"];
    assert_eq!(endpoints, names.map(|name| format!("/v1/ghi/{name}")));
    endpoints.iter().for_each(|endpoint| assert!(server.json(endpoint).is_object()));
}

#[test]
fn the_registry_holds_three_regions_and_counts_them() {
    let regions = TestServer::at(NOON).json("/v1/ghi/regions");
    assert_eq!(regions["region_count"], 3);
    assert_eq!(regions["regions"].as_array().unwrap().len(), 3);
}

#[test]
fn every_listed_region_has_its_detail_and_its_history() {
    let server = TestServer::at(NOON);
    for region in server.json("/v1/ghi/regions")["regions"].as_array().unwrap() {
        let id = region["id"].as_str().unwrap();
        let detail = server.json(&format!("/v1/ghi/regions/{id}"));
        assert_eq!((&detail["region_id"], &detail["name"]), (&region["id"], &region["name"]));
        let history = server.json(&format!("/v1/ghi/history?region_id={id}"));
        assert_eq!(history["region_id"], region["id"]);
    }
}

#[test]
fn the_global_history_says_global() {
    let server = TestServer::at(NOON);
    assert_eq!(server.json("/v1/ghi/history?region_id=global")["region_id"], GLOBAL);
}

#[test]
fn history_has_seven_points_in_strictly_increasing_date_order_up_to_today() {
    let server = TestServer::at(NOON);
    for region_id in ["global", "us", "eu", "cn"] {
        let history = server.json(&format!("/v1/ghi/history?region_id={region_id}"));
        let dates = history["points"].as_array().unwrap().iter().map(|point| &point["date"]);
        let dates: Vec<&str> = dates.filter_map(Value::as_str).collect();
        assert_eq!(
            dates,
            [
                "2026-11-09",
                "2026-11-10",
                "2026-11-11",
                "2026-11-12",
                "2026-11-13",
                "2026-11-14",
                "2026-11-15"
            ]
        );
    }
}

#[test]
fn the_forecast_echoes_the_horizon_and_is_constant() {
    let server = TestServer::at(NOON);
    let predicted = server.json("/v1/ghi/forecast")["predicted_avg_cost_usd"].clone();
    for days in [ForecastDays::MIN, 2, 30, 364, ForecastDays::MAX] {
        let forecast = server.json(&format!("/v1/ghi/forecast?forecast_days={days}"));
        assert_eq!(forecast["forecast_days"], days);
        assert_eq!(forecast["predicted_avg_cost_usd"], predicted);
    }
    let years_later = TestServer::at("2050-06-01T00:00:00Z").json("/v1/ghi/forecast");
    assert_eq!(years_later["predicted_avg_cost_usd"], predicted);
}

#[test]
fn no_credentials_are_needed_and_any_are_ignored() {
    let server = TestServer::at(NOON);
    let with = server.request("GET", "/v1/ghi/snapshot", "Authorization: Bearer x\r\n");
    assert_eq!(with.body, server.get("/v1/ghi/snapshot").body);
}

#[test]
fn a_reduced_snapshot_has_exactly_its_fields() {
    let reduced =
        TestServer::at(NOON).request("GET", "/v1/ghi/snapshot", "Prefer: return=minimal\r\n");
    assert_eq!(
        keys(&reduced.json()),
        [
            "version",
            "timestamp_utc",
            "engine_sandbox_version",
            "global_min_cost_usd",
            "global_avg_cost_usd",
            "global_max_cost_usd"
        ]
    );
}
