//! Servers that break a rule of the contract.

use ghi_contract::paths::{FORECAST, HISTORY, INDICATOR, METADATA, NETWORK, REGIONS, SNAPSHOT};
use serde_json::{Value, json};

use crate::broken_servers::{Mutation, breaks, breaks_all};
use crate::scripted::{Script, ScriptedReply, changed, changed_target, edited, script, set};

fn without(field: &'static str) -> impl Fn(&mut Value) + Send + Sync {
    move |document| _ = document.as_object_mut().unwrap().remove(field).unwrap()
}

fn add(document: &mut Value, pointer: &str, amount: f64) {
    let number = document.pointer_mut(pointer).unwrap();
    *number = json!(number.as_f64().unwrap() + amount);
}

const DETAILS: &str = "/v1/ghi/regions/";

pub(crate) fn mutations() -> Vec<Mutation> {
    [envelope(), fields(), figures(), lists(), answers()].into_iter().flatten().collect()
}

fn stamped_days_behind(path: &'static str) -> impl Script {
    edited(path, set("/timestamp_utc", "2026-11-10T12:00:00.000000Z"))
}

fn envelope() -> Vec<Mutation> {
    let stamp = |text: &'static str| edited(NETWORK, set("/timestamp_utc", text));
    let engine = |text: &'static str| edited(HISTORY, set("/engine_sandbox_version", text));
    vec![
        breaks("timestamps-are-utc", stamp("2026-11-15T12:00:00.000000+00:00")),
        breaks("timestamps-are-utc", stamp("2026-11-15T12:00:00.000000")),
        breaks("timestamps-are-utc", stamp("2026-11-31T12:00:00.000000Z")),
        breaks("timestamps-are-utc", stamp("Sun, 15 Nov 2026 12:00:00 GMT")),
        breaks(
            "timestamps-are-utc",
            edited(INDICATOR, set("/timestamp_utc", "2026-11-15T12:00:00.000000+00:00")),
        ),
        breaks("timestamps-agree", stamp("2026-11-10T12:00:00.000000Z")),
        breaks("timestamps-agree", stamp("2026-11-20T12:00:00.000000Z")),
        breaks("timestamps-agree", stamped_days_behind(HISTORY)),
        breaks("timestamps-agree", stamped_days_behind(FORECAST)),
        breaks("timestamps-agree", stamped_days_behind(SNAPSHOT)),
        breaks("timestamps-agree", stamped_days_behind(METADATA)),
        breaks("timestamps-agree", stamped_days_behind(INDICATOR)),
        breaks("engine-version-is-of-a-sandbox", engine("0.2.0")),
        breaks("engine-version-is-of-a-sandbox", engine("-sandbox")),
        breaks("version-is-1-1", edited(FORECAST, set("/version", "1.0"))),
        breaks("version-is-1-1", edited(DETAILS, set("/version", "v1.1"))),
        breaks(
            "region-detail-has-no-engine-version",
            edited(DETAILS, |detail| detail["engine_sandbox_version"] = "0.2.0-sandbox".into()),
        ),
        breaks(
            "structure-is-stable",
            script(|request, reply| {
                if request.path() == NETWORK && request.before == 1 {
                    reply.edit(|network| network["more"] = 1.into());
                }
            }),
        ),
    ]
}

fn fields() -> Vec<Mutation> {
    vec![
        breaks("metadata-fields", edited(METADATA, without("environment"))),
        breaks("metadata-fields", edited(METADATA, set("/version", 1.1))),
        breaks("metadata-fields", edited(METADATA, set("/api_supported", "1.1, 1.0"))),
        breaks("regions-fields", edited(REGIONS, without("region_count"))),
        breaks("regions-fields", edited(REGIONS, set("/region_count", Value::Null))),
        breaks("regions-fields", edited(REGIONS, set("/region_count", 2.5))),
        breaks("regions-fields", edited(REGIONS, set("/regions", json!({"us": {}})))),
        breaks(
            "region-fields",
            edited(REGIONS, |regions| {
                _ = regions["regions"][1].as_object_mut().unwrap().remove("name");
            }),
        ),
        breaks("region-fields", edited(REGIONS, set("/regions/2", "cn"))),
        breaks("region-fields", edited(REGIONS, set("/regions/2/id", 7))),
        breaks("region-detail-fields", edited(DETAILS, without("hashrate_share_pct"))),
        breaks("region-detail-fields", edited(DETAILS, without("timestamp_utc"))),
        breaks("snapshot-fields", edited(SNAPSHOT, without("global_avg_cost_usd"))),
        breaks("snapshot-form", edited(SNAPSHOT, without("region_count"))),
        breaks("snapshot-form", edited(SNAPSHOT, set("/regions", json!({})))),
        breaks("snapshot-form", edited(SNAPSHOT, set("/regions", Value::Null))),
        breaks(
            "snapshot-region-fields",
            edited(SNAPSHOT, |snapshot| {
                _ = snapshot["regions"][2].as_object_mut().unwrap().remove("avg_cost_usd");
            }),
        ),
        breaks("history-fields", edited(HISTORY, without("engine_sandbox_version"))),
        breaks("history-fields", edited(HISTORY, set("/points", json!({})))),
        breaks(
            "history-point-fields",
            edited(HISTORY, |history| {
                _ = history["points"][6].as_object_mut().unwrap().remove("currency");
            }),
        ),
        breaks("history-point-fields", edited(HISTORY, set("/points/3", Value::Null))),
        breaks("network-fields", edited(NETWORK, without("avg_fee_usd"))),
        breaks("network-fields", edited(NETWORK, set("/version", Value::Null))),
        breaks("forecast-fields", edited(FORECAST, without("predicted_avg_cost_usd"))),
        breaks("forecast-fields", edited(FORECAST, set("/forecast_days", 1.5))),
    ]
}

fn figures() -> Vec<Mutation> {
    let higher = |document: &mut Value, low: &str, high: &str| {
        let value = document.pointer(high).unwrap().as_f64().unwrap() + 1.0;
        *document.pointer_mut(low).unwrap() = json!(value);
    };
    vec![
        breaks("figures-are-numbers", edited(NETWORK, set("/difficulty", "1.2e14"))),
        breaks("figures-are-numbers", edited(REGIONS, set("/region_count", "3"))),
        breaks("figures-are-numbers", edited(SNAPSHOT, set("/region_count", "3"))),
        breaks("figures-are-numbers", edited(FORECAST, set("/forecast_days", "7"))),
        breaks("figures-are-numbers", edited(HISTORY, set("/points/0/avg_cost_usd", "6"))),
        breaks("figures-are-numbers", edited(DETAILS, set("/hashrate_share_pct", true))),
        breaks("figures-are-numbers", edited(SNAPSHOT, set("/regions/1/avg_cost_usd", json!([1])))),
        breaks(
            "region-detail-costs-are-in-order",
            edited(DETAILS, move |detail| {
                higher(detail, "/min_cost_usd", "/avg_cost_usd");
            }),
        ),
        breaks(
            "snapshot-costs-are-in-order",
            edited(SNAPSHOT, move |snapshot| {
                higher(snapshot, "/regions/0/avg_cost_usd", "/regions/0/max_cost_usd");
            }),
        ),
        breaks(
            "history-costs-are-in-order",
            edited(HISTORY, move |history| {
                higher(history, "/points/2/min_cost_usd", "/points/2/avg_cost_usd");
            }),
        ),
        breaks(
            "global-minimum-is-the-lowest",
            edited(SNAPSHOT, |snapshot| {
                add(snapshot, "/global_min_cost_usd", -0.01);
            }),
        ),
        breaks(
            "global-maximum-is-the-highest",
            edited(SNAPSHOT, |snapshot| {
                add(snapshot, "/global_max_cost_usd", 0.01);
            }),
        ),
        breaks(
            "global-average-is-between",
            edited(SNAPSHOT, move |snapshot| {
                higher(snapshot, "/global_avg_cost_usd", "/global_max_cost_usd");
            }),
        ),
        // The reduced form is judged by the details of the regions.
        breaks(
            "global-minimum-is-the-lowest",
            edited(SNAPSHOT, |snapshot| {
                without("regions")(snapshot);
                without("region_count")(snapshot);
                add(snapshot, "/global_min_cost_usd", 1.0);
            }),
        ),
        breaks("snapshot-currency-is-usd", edited(SNAPSHOT, set("/regions/1/currency", "EUR"))),
        breaks("history-currency-is-usd", edited(HISTORY, set("/points/1/currency", "usd"))),
    ]
}

fn lists() -> Vec<Mutation> {
    vec![
        breaks("environment-is-sandbox", edited(METADATA, set("/environment", "production"))),
        breaks("current-api-is-1-1", edited(METADATA, set("/api_current", "1.2"))),
        breaks(
            "supported-versions-are-listed",
            edited(METADATA, set("/api_supported", json!(["1.1"]))),
        ),
        breaks(
            "supported-versions-are-listed",
            edited(METADATA, set("/api_supported", json!(["1.0"]))),
        ),
        breaks(
            "endpoints-are-listed",
            edited(METADATA, |metadata| {
                metadata["available_endpoints"].as_array_mut().unwrap().remove(1);
            }),
        ),
        breaks(
            "endpoints-are-below-the-prefix",
            edited(METADATA, |metadata| {
                metadata["available_endpoints"].as_array_mut().unwrap().push("/healthz".into());
            }),
        ),
        breaks("region-ids-are-unique", edited(REGIONS, set("/regions/1/id", "us"))),
        breaks("region-ids-are-unique", edited(REGIONS, set("/regions/1/id", ""))),
        breaks("region-ids-are-unique", edited(REGIONS, set("/regions/1/id", "global"))),
        breaks(
            "region-ids-are-unique",
            edited(SNAPSHOT, |snapshot| {
                for field in ["id", "region_id"] {
                    snapshot["regions"][1][field] = "us".into();
                }
            }),
        ),
        breaks("region-count-is-the-number-of-regions", edited(REGIONS, set("/region_count", 4))),
        breaks(
            "snapshot-count-is-the-number-of-regions",
            edited(SNAPSHOT, set("/region_count", 2)),
        ),
        breaks("snapshot-region-id-is-the-id", edited(SNAPSHOT, set("/regions/1/region_id", "us"))),
        breaks("region-detail-is-of-the-region", edited(DETAILS, set("/region_id", "global"))),
        breaks(
            "history-of-global",
            changed_target("/v1/ghi/history?region_id=global", |reply| {
                reply.edit(set("/region_id", "us"));
            }),
        ),
        breaks(
            "history-of-a-region",
            changed_target("/v1/ghi/history?region_id=cn", |reply| {
                reply.edit(set("/region_id", "global"));
            }),
        ),
        breaks(
            "history-has-seven-points",
            edited(HISTORY, |history| {
                history["points"].as_array_mut().unwrap().remove(0);
            }),
        ),
        breaks("history-has-seven-points", edited(HISTORY, set("/points", json!([])))),
        breaks(
            "history-dates-increase",
            edited(HISTORY, |history| {
                history["points"].as_array_mut().unwrap().reverse();
            }),
        ),
        breaks(
            "history-dates-increase",
            edited(HISTORY, |history| {
                history["points"][3]["date"] = history["points"][2]["date"].clone();
            }),
        ),
        breaks("history-dates-are-days", edited(HISTORY, set("/points/0/date", "2026-02-29"))),
        breaks(
            "history-dates-are-days",
            edited(HISTORY, set("/points/0/date", "2026-11-09T00:00:00Z")),
        ),
        breaks("forecast-echoes-the-days", edited(FORECAST, set("/forecast_days", 7))),
    ]
}

fn answers() -> Vec<Mutation> {
    let fails = |path| changed(path, |reply: &mut ScriptedReply| reply.status = 500);
    let body = |text: &'static str| {
        changed(NETWORK, move |reply: &mut ScriptedReply| reply.body = text.into())
    };
    vec![
        breaks("responses-are-json", body("<!doctype html><p>It works.")),
        breaks("responses-are-json", body("")),
        breaks("responses-are-json", body("[1, 2, 3]")),
        breaks("responses-are-json", body("{\"difficulty\": NaN}")),
        breaks("responses-are-json", body("\u{feff}{}")),
        breaks(
            "responses-are-json",
            changed(NETWORK, |reply| reply.body = b"{\"x\": \"\xff\"}".into()),
        ),
        breaks("responses-are-json", changed(INDICATOR, |reply| reply.body = b"nothing".into())),
        breaks("metadata-answers", fails(METADATA)),
        breaks("regions-answer", fails(REGIONS)),
        breaks("region-detail-answers", fails("/v1/ghi/regions/eu")),
        breaks("snapshot-answers", fails(SNAPSHOT)),
        breaks("history-answers", fails(HISTORY)),
        breaks("network-answers", fails(NETWORK)),
        breaks("forecast-answers", fails(FORECAST)),
        breaks("indicator-answers", fails(INDICATOR)),
        breaks(
            "network-answers",
            changed(NETWORK, |reply| {
                reply.status = 302;
                reply.set("location", "/v1/ghi/network/");
            }),
        ),
        breaks("network-answers", changed(NETWORK, |reply| reply.status = 204)),
        breaks(
            "responses-are-json",
            changed(NETWORK, |reply| {
                reply.set("content-encoding", "br");
                reply.body = b"\x0b\x02\x80".into();
            }),
        ),
        // Neither 401 nor 403 is 200.
        breaks_all(
            &["no-credentials-are-needed", "network-answers"],
            changed(NETWORK, |reply| reply.status = 401),
        ),
        breaks_all(
            &["no-credentials-are-needed", "history-answers"],
            changed(HISTORY, |reply| reply.status = 403),
        ),
        breaks_all(
            &["no-credentials-are-needed", "indicator-answers"],
            changed(INDICATOR, |reply| reply.status = 401),
        ),
    ]
}
