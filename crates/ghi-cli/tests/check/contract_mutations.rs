//! Servers that break a rule of the contract.

use serde_json::{Value, json};

use crate::scripted::{Asked, Reply};
use crate::teeth::Mutation;

/// A server whose documents at a path are changed. A path that ends in a slash stands for all below it.
pub(crate) fn edited(
    path: &'static str,
    edit: impl Fn(&mut Value) + Send + Sync + 'static,
) -> impl Fn(&Asked, &mut Reply) + Send + Sync {
    answered(path, move |reply| {
        if reply.status == 200 && !reply.body.is_empty() {
            reply.edit(&edit);
        }
    })
}

/// A server whose answers at a path are changed.
pub(crate) fn answered(
    path: &'static str,
    change: impl Fn(&mut Reply) + Send + Sync + 'static,
) -> impl Fn(&Asked, &mut Reply) + Send + Sync {
    move |asked, reply| {
        let is_below = path.ends_with('/') && asked.path().starts_with(path);
        if asked.path() == path || is_below {
            change(reply);
        }
    }
}

/// A server whose answers to a target, query included, are changed.
pub(crate) fn answered_to(
    target: &'static str,
    change: impl Fn(&mut Reply) + Send + Sync + 'static,
) -> impl Fn(&Asked, &mut Reply) + Send + Sync {
    move |asked, reply| {
        if asked.target == target {
            change(reply);
        }
    }
}

fn without(field: &'static str) -> impl Fn(&mut Value) + Send + Sync {
    move |document| _ = document.as_object_mut().unwrap().remove(field).unwrap()
}

fn with(pointer: &'static str, value: impl Into<Value>) -> impl Fn(&mut Value) + Send + Sync {
    let value = value.into();
    move |document| *document.pointer_mut(pointer).unwrap() = value.clone()
}

fn add(document: &mut Value, pointer: &str, amount: f64) {
    let number = document.pointer_mut(pointer).unwrap();
    *number = json!(number.as_f64().unwrap() + amount);
}

const METADATA: &str = "/v1/ghi/metadata";
const REGIONS: &str = "/v1/ghi/regions";
const DETAILS: &str = "/v1/ghi/regions/";
const SNAPSHOT: &str = "/v1/ghi/snapshot";
const HISTORY: &str = "/v1/ghi/history";
const NETWORK: &str = "/v1/ghi/network";
const FORECAST: &str = "/v1/ghi/forecast";
const INDICATOR: &str = "/v1/ghi/indicator";

pub(crate) fn mutations() -> Vec<Mutation> {
    [envelope(), fields(), figures(), lists(), answers()].into_iter().flatten().collect()
}

fn envelope() -> Vec<Mutation> {
    let stamp = |text: &'static str| edited(NETWORK, with("/timestamp_utc", text));
    let engine = |text: &'static str| edited(HISTORY, with("/engine_sandbox_version", text));
    vec![
        Mutation::of("timestamps-are-utc", stamp("2026-11-15T12:00:00.000000+00:00")),
        Mutation::of("timestamps-are-utc", stamp("2026-11-15T12:00:00.000000")),
        Mutation::of("timestamps-are-utc", stamp("2026-11-31T12:00:00.000000Z")),
        Mutation::of("timestamps-are-utc", stamp("Sun, 15 Nov 2026 12:00:00 GMT")),
        Mutation::of("engine-version-is-of-a-sandbox", engine("0.2.0")),
        Mutation::of("engine-version-is-of-a-sandbox", engine("-sandbox")),
        Mutation::of("version-is-1-1", edited(FORECAST, with("/version", "1.0"))),
        Mutation::of("version-is-1-1", edited(DETAILS, with("/version", "v1.1"))),
        Mutation::of(
            "region-detail-has-no-engine-version",
            edited(DETAILS, |detail| detail["engine_sandbox_version"] = "0.2.0-sandbox".into()),
        ),
        Mutation::of("structure-is-stable", |asked: &Asked, reply: &mut Reply| {
            if asked.path() == NETWORK && asked.before == 1 {
                reply.edit(|network| network["more"] = 1.into());
            }
        }),
    ]
}

fn fields() -> Vec<Mutation> {
    vec![
        Mutation::of("metadata-fields", edited(METADATA, without("environment"))),
        Mutation::of("metadata-fields", edited(METADATA, with("/version", 1.1))),
        Mutation::of("metadata-fields", edited(METADATA, with("/api_supported", "1.1, 1.0"))),
        Mutation::of("regions-fields", edited(REGIONS, without("region_count"))),
        Mutation::of("regions-fields", edited(REGIONS, with("/region_count", Value::Null))),
        Mutation::of("regions-fields", edited(REGIONS, with("/region_count", 2.5))),
        Mutation::of("regions-fields", edited(REGIONS, with("/regions", json!({"us": {}})))),
        Mutation::of(
            "region-fields",
            edited(REGIONS, |regions| {
                _ = regions["regions"][1].as_object_mut().unwrap().remove("name");
            }),
        ),
        Mutation::of("region-fields", edited(REGIONS, with("/regions/2", "cn"))),
        Mutation::of("region-fields", edited(REGIONS, with("/regions/2/id", 7))),
        Mutation::of("region-detail-fields", edited(DETAILS, without("hashrate_share_pct"))),
        Mutation::of("region-detail-fields", edited(DETAILS, without("timestamp_utc"))),
        Mutation::of("snapshot-fields", edited(SNAPSHOT, without("global_avg_cost_usd"))),
        Mutation::of("snapshot-form", edited(SNAPSHOT, without("region_count"))),
        Mutation::of("snapshot-form", edited(SNAPSHOT, with("/regions", json!({})))),
        Mutation::of("snapshot-form", edited(SNAPSHOT, with("/regions", Value::Null))),
        Mutation::of(
            "snapshot-region-fields",
            edited(SNAPSHOT, |snapshot| {
                _ = snapshot["regions"][2].as_object_mut().unwrap().remove("avg_cost_usd");
            }),
        ),
        Mutation::of("history-fields", edited(HISTORY, without("engine_sandbox_version"))),
        Mutation::of("history-fields", edited(HISTORY, with("/points", json!({})))),
        Mutation::of(
            "history-point-fields",
            edited(HISTORY, |history| {
                _ = history["points"][6].as_object_mut().unwrap().remove("currency");
            }),
        ),
        Mutation::of("history-point-fields", edited(HISTORY, with("/points/3", Value::Null))),
        Mutation::of("network-fields", edited(NETWORK, without("avg_fee_usd"))),
        Mutation::of("network-fields", edited(NETWORK, with("/version", Value::Null))),
        Mutation::of("forecast-fields", edited(FORECAST, without("predicted_avg_cost_usd"))),
        Mutation::of("forecast-fields", edited(FORECAST, with("/forecast_days", 1.5))),
    ]
}

fn figures() -> Vec<Mutation> {
    let higher = |document: &mut Value, low: &str, high: &str| {
        let value = document.pointer(high).unwrap().as_f64().unwrap() + 1.0;
        *document.pointer_mut(low).unwrap() = json!(value);
    };
    vec![
        Mutation::of("figures-are-numbers", edited(NETWORK, with("/difficulty", "1.2e14"))),
        Mutation::of("figures-are-numbers", edited(REGIONS, with("/region_count", "3"))),
        Mutation::of("figures-are-numbers", edited(SNAPSHOT, with("/region_count", "3"))),
        Mutation::of("figures-are-numbers", edited(FORECAST, with("/forecast_days", "7"))),
        Mutation::of("figures-are-numbers", edited(HISTORY, with("/points/0/avg_cost_usd", "6"))),
        Mutation::of("figures-are-numbers", edited(DETAILS, with("/hashrate_share_pct", true))),
        Mutation::of(
            "figures-are-numbers",
            edited(SNAPSHOT, with("/regions/1/avg_cost_usd", json!([1]))),
        ),
        Mutation::of(
            "region-detail-costs-are-in-order",
            edited(DETAILS, move |detail| {
                higher(detail, "/min_cost_usd", "/avg_cost_usd");
            }),
        ),
        Mutation::of(
            "snapshot-costs-are-in-order",
            edited(SNAPSHOT, move |snapshot| {
                higher(snapshot, "/regions/0/avg_cost_usd", "/regions/0/max_cost_usd");
            }),
        ),
        Mutation::of(
            "history-costs-are-in-order",
            edited(HISTORY, move |history| {
                higher(history, "/points/2/min_cost_usd", "/points/2/avg_cost_usd");
            }),
        ),
        Mutation::of(
            "global-minimum-is-the-lowest",
            edited(SNAPSHOT, |snapshot| {
                add(snapshot, "/global_min_cost_usd", -0.01);
            }),
        ),
        Mutation::of(
            "global-maximum-is-the-highest",
            edited(SNAPSHOT, |snapshot| {
                add(snapshot, "/global_max_cost_usd", 0.01);
            }),
        ),
        Mutation::of(
            "global-average-is-between",
            edited(SNAPSHOT, move |snapshot| {
                higher(snapshot, "/global_avg_cost_usd", "/global_max_cost_usd");
            }),
        ),
        // The reduced form is judged by the details of the regions.
        Mutation::of(
            "global-minimum-is-the-lowest",
            edited(SNAPSHOT, |snapshot| {
                without("regions")(snapshot);
                without("region_count")(snapshot);
                add(snapshot, "/global_min_cost_usd", 1.0);
            }),
        ),
        Mutation::of(
            "forecast-is-constant",
            answered_to("/v1/ghi/forecast?forecast_days=30", |reply| {
                reply.edit(|forecast| add(forecast, "/predicted_avg_cost_usd", 1.0));
            }),
        ),
        Mutation::of(
            "snapshot-currency-is-usd",
            edited(SNAPSHOT, with("/regions/1/currency", "EUR")),
        ),
        Mutation::of("history-currency-is-usd", edited(HISTORY, with("/points/1/currency", "usd"))),
    ]
}

fn lists() -> Vec<Mutation> {
    vec![
        Mutation::of(
            "environment-is-sandbox",
            edited(METADATA, with("/environment", "production")),
        ),
        Mutation::of("current-api-is-1-1", edited(METADATA, with("/api_current", "1.2"))),
        Mutation::of(
            "supported-versions-are-listed",
            edited(METADATA, with("/api_supported", json!(["1.1"]))),
        ),
        Mutation::of(
            "supported-versions-are-listed",
            edited(METADATA, with("/api_supported", json!(["1.0"]))),
        ),
        Mutation::of(
            "endpoints-are-listed",
            edited(METADATA, |metadata| {
                metadata["available_endpoints"].as_array_mut().unwrap().remove(1);
            }),
        ),
        Mutation::of(
            "endpoints-are-below-the-prefix",
            edited(METADATA, |metadata| {
                metadata["available_endpoints"].as_array_mut().unwrap().push("/healthz".into());
            }),
        ),
        Mutation::of("region-ids-are-unique", edited(REGIONS, with("/regions/1/id", "us"))),
        Mutation::of("region-ids-are-unique", edited(REGIONS, with("/regions/1/id", ""))),
        Mutation::of("region-ids-are-unique", edited(REGIONS, with("/regions/1/id", "global"))),
        Mutation::of(
            "region-ids-are-unique",
            edited(SNAPSHOT, |snapshot| {
                for field in ["id", "region_id"] {
                    snapshot["regions"][1][field] = "us".into();
                }
            }),
        ),
        Mutation::of(
            "region-count-is-the-number-of-regions",
            edited(REGIONS, with("/region_count", 4)),
        ),
        Mutation::of(
            "snapshot-count-is-the-number-of-regions",
            edited(SNAPSHOT, with("/region_count", 2)),
        ),
        Mutation::of(
            "snapshot-region-id-is-the-id",
            edited(SNAPSHOT, with("/regions/1/region_id", "us")),
        ),
        Mutation::of(
            "region-detail-is-of-the-region",
            edited(DETAILS, with("/region_id", "global")),
        ),
        Mutation::of(
            "history-of-global",
            answered_to("/v1/ghi/history?region_id=global", |reply| {
                reply.edit(with("/region_id", "us"));
            }),
        ),
        Mutation::of(
            "history-of-a-region",
            answered_to("/v1/ghi/history?region_id=cn", |reply| {
                reply.edit(with("/region_id", "global"));
            }),
        ),
        Mutation::of(
            "history-has-seven-points",
            edited(HISTORY, |history| {
                history["points"].as_array_mut().unwrap().remove(0);
            }),
        ),
        Mutation::of("history-has-seven-points", edited(HISTORY, with("/points", json!([])))),
        Mutation::of(
            "history-dates-increase",
            edited(HISTORY, |history| {
                history["points"].as_array_mut().unwrap().reverse();
            }),
        ),
        Mutation::of(
            "history-dates-increase",
            edited(HISTORY, |history| {
                history["points"][3]["date"] = history["points"][2]["date"].clone();
            }),
        ),
        Mutation::of(
            "history-dates-are-days",
            edited(HISTORY, with("/points/0/date", "2026-02-29")),
        ),
        Mutation::of(
            "history-dates-are-days",
            edited(HISTORY, with("/points/0/date", "2026-11-09T00:00:00Z")),
        ),
        Mutation::of("forecast-echoes-the-days", edited(FORECAST, with("/forecast_days", 7))),
    ]
}

fn answers() -> Vec<Mutation> {
    let fails = |path| answered(path, |reply: &mut Reply| reply.status = 500);
    let body =
        |text: &'static str| answered(NETWORK, move |reply: &mut Reply| reply.body = text.into());
    vec![
        Mutation::of("responses-are-json", body("<!doctype html><p>It works.")),
        Mutation::of("responses-are-json", body("")),
        Mutation::of("responses-are-json", body("[1, 2, 3]")),
        Mutation::of("responses-are-json", body("{\"difficulty\": NaN}")),
        Mutation::of("responses-are-json", body("\u{feff}{}")),
        Mutation::of(
            "responses-are-json",
            answered(NETWORK, |reply| reply.body = b"{\"x\": \"\xff\"}".into()),
        ),
        Mutation::of(
            "responses-are-json",
            answered(INDICATOR, |reply| reply.body = b"nothing".into()),
        ),
        Mutation::of("metadata-answers", fails(METADATA)),
        Mutation::of("regions-answer", fails(REGIONS)),
        Mutation::of("region-detail-answers", fails("/v1/ghi/regions/eu")),
        Mutation::of("snapshot-answers", fails(SNAPSHOT)),
        Mutation::of("history-answers", fails(HISTORY)),
        Mutation::of("network-answers", fails(NETWORK)),
        Mutation::of("forecast-answers", fails(FORECAST)),
        Mutation::of("indicator-answers", fails(INDICATOR)),
        Mutation::of(
            "network-answers",
            answered(NETWORK, |reply| {
                reply.status = 302;
                reply.set("location", "/v1/ghi/network/");
            }),
        ),
        Mutation::of("network-answers", answered(NETWORK, |reply| reply.status = 204)),
        Mutation::of(
            "responses-are-json",
            answered(NETWORK, |reply| {
                reply.set("content-encoding", "br");
                reply.body = b"\x0b\x02\x80".into();
            }),
        ),
        // 401 is not 200 either.
        Mutation::of_two(
            "no-credentials-are-needed",
            "network-answers",
            answered(NETWORK, |reply| reply.status = 401),
        ),
        Mutation::of_two(
            "no-credentials-are-needed",
            "history-answers",
            answered(HISTORY, |reply| reply.status = 403),
        ),
        Mutation::of_two(
            "no-credentials-are-needed",
            "indicator-answers",
            answered(INDICATOR, |reply| reply.status = 401),
        ),
    ]
}
