//! What the contract allows is accepted.

use serde_json::{Value, json};

use crate::contract_mutations::{answered, edited};
use crate::judge::assert_holds;
use crate::scripted::{Asked, Reply, Scripted};

/// The figures of a document as integers, and its integers as floats.
fn with_other_numbers(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(with_other_numbers),
        Value::Array(entries) => entries.iter_mut().for_each(with_other_numbers),
        Value::Number(number) => {
            let float = number.as_f64().unwrap();
            *value = if number.is_f64() { json!(float.round() as u64) } else { json!(float) };
        }
        _ => {}
    }
}

#[test]
fn numbers_of_json_are_integers_and_floats() {
    let server = Scripted::start();
    assert_holds(&server.with(edited("/v1/ghi/", with_other_numbers)), &[], &[]);
}

#[test]
fn further_fields_may_come_anywhere() {
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
    let server = Scripted::start();
    assert_holds(&server.with(edited("/v1/ghi/", add)), &[], &[]);
}

#[test]
fn the_payload_of_the_indicator_is_free() {
    let server = Scripted::start();
    let base_url = server.with(answered("/v1/ghi/indicator", |reply| reply.body = b"[1]".into()));
    assert_holds(&base_url, &[], &[]);
}

#[test]
fn without_v1_0_there_need_be_no_indicator() {
    let server = Scripted::start();
    let base_url = server.with(|asked: &Asked, reply: &mut Reply| match asked.path() {
        "/v1/ghi/metadata" => {
            reply.edit(|metadata| metadata["api_supported"] = json!(["1.1", "2.0"]))
        }
        "/v1/ghi/indicator" => reply.status = 404,
        _ => {}
    });
    let found = crate::judge::judge(&base_url, &[]);
    assert_eq!(found.with("broken"), ["supported-versions-are-listed".to_owned()].into());
    assert!(found.with("not_judged").contains("indicator-answers"));
}

#[test]
fn a_rate_limit_is_waited_for_and_breaks_nothing() {
    let server = Scripted::start();
    let base_url = server.with(|asked: &Asked, reply: &mut Reply| {
        if asked.path() == "/v1/ghi/network" && asked.before == 0 {
            reply.status = 429;
            reply.set("retry-after", "0");
        }
    });
    assert_holds(&base_url, &[], &[]);
}

#[test]
fn a_rate_limit_that_does_not_end_is_not_judged() {
    let server = Scripted::start();
    let base_url = server.with(answered("/v1/ghi/network", |reply| {
        reply.status = 429;
        reply.set("retry-after", "3600");
    }));
    let output = crate::judge::check(&base_url, &["--format", "json", "--rate", "10000"]);
    // What was judged is reported, and it is not called whole.
    assert_eq!(output.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!([&report["summary"]["broken"], &report["summary"]["not_judged"]], [0, 2]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("ghi: not all rules could be judged: "), "{message}");
}

#[test]
fn a_forecast_may_refuse_horizons() {
    for refused in [1, 30] {
        let server = Scripted::start();
        let base_url = server.with(move |asked: &Asked, reply: &mut Reply| {
            if asked.target == format!("/v1/ghi/forecast?forecast_days={refused}") {
                reply.status = 422;
                reply.body = "{}".into();
            }
        });
        assert_holds(&base_url, &[], &[]);
    }
}

#[test]
fn figures_that_are_null_are_not_compared() {
    let server = Scripted::start();
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
fn documents_of_two_days_are_not_compared() {
    let server = Scripted::start();
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
    // The snapshot is of the day before: neither its bounds nor its average can be compared.
    let base_url = server.with(edited("/v1/ghi/snapshot", |snapshot| {
        snapshot["timestamp_utc"] = "2026-11-14T23:59:59.999999Z".into();
        for field in ["global_min_cost_usd", "global_avg_cost_usd", "global_max_cost_usd"] {
            snapshot[field] = json!(1.0);
        }
        snapshot.as_object_mut().unwrap().retain(|name, _| !name.starts_with("region"));
    }));
    let found = crate::judge::judge(&base_url, &[]);
    assert_eq!(found.code, Some(0), "{}", found.shown("broken"));
    assert!(found.with("not_judged").contains("global-minimum-is-the-lowest"));
}
