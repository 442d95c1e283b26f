//! Deployments that the contract allows.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::runner::{assert_holds, judge, judge_with_message};
use crate::scripted::{ScriptedServer, changed, edited, script, set};

/// Turns the floats of a document into integers and its integers into floats.
fn swap_number_types(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(swap_number_types),
        Value::Array(entries) => entries.iter_mut().for_each(swap_number_types),
        Value::Number(number) => {
            let float = number.as_f64().unwrap();
            *value = if number.is_f64() { json!(float.round() as u64) } else { json!(float) };
        }
        _ => {}
    }
}

#[test]
fn integers_and_floats_are_both_numbers() {
    let server = ScriptedServer::start();
    assert_holds(&server.with(edited("/v1/ghi/", swap_number_types)), &[], &[]);
}

#[test]
fn additional_fields_may_be_anywhere() {
    fn add(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.values_mut().for_each(add);
                fields.insert("x_more".into(), json!({ "any": [1, null] }));
            }
            Value::Array(entries) => entries.iter_mut().for_each(add),
            _ => {}
        }
    }
    let server = ScriptedServer::start();
    assert_holds(&server.with(edited("/v1/ghi/", add)), &[], &[]);
}

#[test]
fn the_indicator_may_have_any_payload() {
    let server = ScriptedServer::start();
    let base_url = server.with(changed("/v1/ghi/indicator", |reply| reply.body = b"[1]".into()));
    assert_holds(&base_url, &[], &[]);
}

#[test]
fn the_indicator_is_optional_without_v1_0() {
    let server = ScriptedServer::start();
    let base_url = server.with(script(|request, reply| match request.path() {
        "/v1/ghi/metadata" => {
            reply.edit(|metadata| metadata["api_supported"] = json!(["1.1", "2.0"]))
        }
        "/v1/ghi/indicator" => reply.status = 404,
        _ => {}
    }));
    let run = judge(&base_url, &[]);
    assert_eq!(run.with("broken"), ["supported-versions-are-listed".to_owned()].into());
    assert!(run.with("not_judged").contains("indicator-answers"));
}

#[test]
fn a_run_waits_for_a_rate_limit_and_no_rule_is_broken() {
    let server = ScriptedServer::start();
    let base_url = server.with(script(|request, reply| {
        if request.path() == "/v1/ghi/network" && request.before == 0 {
            reply.status = 429;
            reply.set("retry-after", "0");
        }
    }));
    assert_holds(&base_url, &[], &[]);
}

#[test]
fn a_rate_limit_that_does_not_end_is_not_judged() {
    let server = ScriptedServer::start();
    let base_url = server.with(changed("/v1/ghi/network", |reply| {
        reply.status = 429;
        reply.set("retry-after", "3600");
    }));
    let (run, message) = judge_with_message(&base_url, &[]);
    // The rest is reported, but the run doesn't count as complete.
    assert_eq!(run.code, Some(2));
    assert_eq!([&run.report["summary"]["broken"], &run.report["summary"]["not_judged"]], [0, 2]);
    let said = "ghi: some rules could not be judged; see the report for the reasons\n";
    assert_eq!(message, said);
    let reasons = run.shown("not_judged");
    assert!(reasons.contains("try a lower --rate"), "{reasons}");
}

#[test]
fn a_forecast_may_refuse_horizons() {
    for refused in [1, 30] {
        let server = ScriptedServer::start();
        let base_url = server.with(script(move |request, reply| {
            if request.target == format!("/v1/ghi/forecast?forecast_days={refused}") {
                reply.status = 422;
                reply.body = "{}".into();
            }
        }));
        assert_holds(&base_url, &[], &[]);
    }
}

#[test]
fn null_figures_are_not_compared() {
    let server = ScriptedServer::start();
    let base_url = server.with(edited("/v1/ghi/snapshot", |snapshot| {
        snapshot["global_min_cost_usd"] = Value::Null;
        snapshot["regions"][0]["max_cost_usd"] = Value::Null;
    }));
    let cannot = [
        "global-average-is-between",
        "global-maximum-is-the-highest",
        "global-minimum-is-the-lowest",
    ];
    assert_holds(&base_url, &[], &cannot);
}

#[test]
fn documents_of_different_days_are_not_compared() {
    let server = ScriptedServer::start();
    let base_url = server.with(edited("/v1/ghi/snapshot", |snapshot| {
        snapshot["timestamp_utc"] = "2026-11-15T12:00:00.000000Z".into();
        snapshot.as_object_mut().unwrap().retain(|name, _| !name.starts_with("region"));
    }));
    assert_holds(
        &base_url,
        &[],
        &[
            "snapshot-region-fields",
            "snapshot-region-id-is-the-id",
            "snapshot-currency-is-usd",
            "snapshot-costs-are-in-order",
            "snapshot-count-is-the-number-of-regions",
        ],
    );
}

/// Turns the snapshot into one of the day before, in the reduced form and with other costs.
fn make_yesterdays(snapshot: &mut Value) {
    snapshot["timestamp_utc"] = "2026-11-14T23:59:59.999999Z".into();
    for field in ["global_min_cost_usd", "global_avg_cost_usd", "global_max_cost_usd"] {
        snapshot[field] = json!(1.0);
    }
    snapshot.as_object_mut().unwrap().retain(|name, _| !name.starts_with("region"));
}

#[test]
fn documents_from_before_and_after_midnight_are_not_compared() {
    let server = ScriptedServer::start();
    // The metadata and the snapshot are requested first.
    let base_url = server.with(script(|request, reply| {
        let time = match (request.path(), request.before) {
            ("/v1/ghi/snapshot", _) => return reply.edit(make_yesterdays),
            ("/v1/ghi/metadata", 0) => "2026-11-14T23:59:59.999999Z",
            _ => "2026-11-15T00:00:00.100000Z",
        };
        reply.edit(set("/timestamp_utc", time));
    }));
    let run = judge(&base_url, &[]);
    assert_eq!(run.code, Some(0), "{}", run.shown("broken"));
    assert!(run.with("not_judged").contains("global-minimum-is-the-lowest"));
    assert!(run.shown("not_judged").contains("midnight passed"));
}

#[test]
fn without_midnight_documents_of_different_days_are_compared() {
    let server = ScriptedServer::start();
    let run = judge(&server.with(edited("/v1/ghi/snapshot", make_yesterdays)), &[]);
    let broken = ["global-maximum-is-the-highest", "global-minimum-is-the-lowest"];
    assert_eq!(run.with("broken"), broken.map(str::to_owned).into());
}

#[test]
fn the_clock_may_run_fast() {
    let server = ScriptedServer::start();
    let requests = AtomicUsize::new(0);
    let base_url = server.with(script(move |_, reply| {
        // Six hours pass between two requests.
        let hours = 6 * requests.fetch_add(1, Ordering::Relaxed);
        let time = format!("2026-11-{:02}T{:02}:00:00.000000Z", 1 + hours / 24, hours % 24);
        reply.edit(set("/timestamp_utc", time));
    }));
    let run = judge(&base_url, &[]);
    assert_eq!(run.with("broken"), [].into(), "{}", run.shown("broken"));
}
