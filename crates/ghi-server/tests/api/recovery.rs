//! Scenarios that end, that change documents, and that report mistakes in tests.

use std::io::{ErrorKind, Read, Write};
use std::time::Duration;

use ghi_contract::{History, HistoryPoint, Snapshot};
use ghi_server::{Config, Inputs, Sandbox, check_fail_flag};
use serde_json::{Value, json};

use crate::consistency::check_agreement_of;
use crate::scenarios::{exchange, halves, metric, noon, prefer};
use crate::support::{Answer, KeptAlive, NOON, PATHS, TestServer, many_regions};

const SNAPSHOT: &str = "/v1/ghi/snapshot";
const HISTORY: &str = "/v1/ghi/history";
const NETWORK: &str = "/v1/ghi/network";

/// Sends a request whose response is not as described.
fn broken(server: &TestServer, target: &str, preference: &str) -> Answer {
    let close = "Connection: close\r\nAccept-Encoding: gzip\r\n";
    let answer = server.send(&format!(
        "GET {target} HTTP/1.1\r\nHost: test\r\n{close}Prefer: {preference}\r\n\r\n"
    ));
    assert_eq!(answer.header("cache-control"), Some("no-store"), "{target}");
    assert_eq!(answer.header("preference-applied"), Some(preference), "{target}");
    assert_eq!(answer.header("content-length"), Some(&*answer.body.len().to_string()));
    answer
}

fn applied(answer: &Answer) -> Option<&str> {
    answer.header("preference-applied")
}

#[test]
fn only_the_first_requests_with_a_key_fail() {
    let server = TestServer::at(NOON);
    let normal = server.get(SNAPSHOT);
    let preference = "code=503, times=2, key=test-1";
    let answers = [(); 4].map(|()| prefer(&server, SNAPSHOT, preference));
    assert_eq!(answers.each_ref().map(|answer| answer.status), [503, 503, 200, 200]);
    assert_eq!(applied(&answers[1]), Some(preference));
    let recovered = &answers[2];
    assert_eq!((&recovered.body, applied(recovered)), (&normal.body, None));
    assert_eq!(recovered.header("cache-control"), normal.header("cache-control"));
    assert_eq!(recovered.header("etag"), normal.header("etag"));
    assert_eq!(prefer(&server, "/v1/ghi/network", preference).status, 503, "another path");
    let slash = prefer(&server, "/v1/ghi/snapshot/", preference);
    assert_eq!(slash.status, 200, "a trailing slash makes no difference");
    let other_key = prefer(&server, SNAPSHOT, "code=503, times=2, key=test-2");
    assert_eq!(other_key.status, 503);
    let count = "ghi_scenarios_total{origin=\"request\",scenario=\"code=503\"}";
    assert_eq!(metric(&server, count), 4, "the normal responses are not scenarios");
    let restarted = TestServer::at(NOON);
    assert_eq!(prefer(&restarted, SNAPSHOT, preference).status, 503, "each process counts");
}

#[test]
fn breaks_and_delays_recover_too_and_other_preferences_stay() {
    let server = TestServer::at(NOON);
    let cut = || exchange(&server, SNAPSHOT, "break=cut, delay=1, times=1, key=a, at=2028-02-29");
    let first = cut();
    let list = "break=cut, at=\"2028-02-29T00:00:00Z\", delay=1, times=1, key=a";
    let (head, body) = halves(&first);
    assert!(head.contains(&format!("preference-applied: {list}\r\n")) && body.is_empty(), "{head}");
    let later = prefer(&server, SNAPSHOT, "break=cut, delay=1, times=1, key=a, at=2028-02-29");
    assert_eq!(applied(&later), Some("at=\"2028-02-29T00:00:00Z\""));
    assert!(later.json()["timestamp_utc"].as_str().unwrap().starts_with("2028-02-29T00"));
    let slow = [(); 2].map(|()| prefer(&server, SNAPSHOT, "delay=1, times=1, key=b"));
    assert_eq!(slow.each_ref().map(applied), [Some("delay=1, times=1, key=b"), None]);
    let without_key = [(); 2].map(|()| prefer(&server, SNAPSHOT, "code=500, times=1"));
    assert_eq!(without_key.each_ref().map(applied), [Some("code=500"); 2], "it is malformed");
}

#[test]
fn a_server_forgets_the_oldest_of_ten_thousand_keys() {
    let server = TestServer::at(NOON);
    let mut client = KeptAlive::new(server.address());
    let mut ask = |key: &str| {
        let preference = format!("Prefer: code=500, times=1, key={key}");
        let request = format!("GET {SNAPSHOT} HTTP/1.1\r\nHost: test\r\n{preference}\r\n\r\n");
        client.send(&request).unwrap().status
    };
    assert_eq!([ask("first"), ask("first")], [500, 200]);
    assert!((0..10_000).all(|key| ask(&key.to_string()) == 500));
    assert_eq!(ask("first"), 500, "the oldest keys are forgotten");
    assert_eq!(ask("9999"), 200, "the newest are not");
    assert_eq!(server.get(SNAPSHOT).status, 200);
}

#[test]
fn a_proxy_error_is_an_html_page() {
    let server = TestServer::at(NOON);
    for (code, title) in [(502, "502 Bad Gateway"), (504, "504 Gateway Timeout")] {
        let preference = format!("code={code}");
        for path in PATHS.into_iter().chain(["/export/history.csv"]) {
            let answer = broken(&server, path, &preference);
            assert_eq!((answer.status, answer.header("content-type")), (code, Some("text/html")));
            assert!(answer.body.contains(&format!("<h1>{title}</h1>")), "{}", answer.body);
            assert_eq!((answer.header("etag"), answer.header("retry-after")), (None, None));
        }
    }
}

#[test]
fn retry_after_is_in_seconds_a_date_or_missing() {
    let server = TestServer::at(NOON);
    for code in ["429", "503"] {
        let ask = |form: &str| {
            let preference = format!("code={code}, retry-after={form}");
            let answer = prefer(&server, SNAPSHOT, &preference);
            assert_eq!(
                (answer.status.to_string(), applied(&answer)),
                (code.into(), Some(&*preference))
            );
            answer.header("retry-after").map(String::from)
        };
        assert_eq!(ask("7").as_deref(), Some("7"));
        assert_eq!(ask("none"), None);
        let date = ask("date").unwrap();
        let parsed = jiff::fmt::rfc2822::parse(&date.replace("GMT", "+0000")).unwrap();
        let ahead = parsed.timestamp().duration_since(jiff::Timestamp::now());
        assert!(date.ends_with(" GMT") && ahead.as_secs() <= 2, "{date}");
    }
    let limit = prefer(&server, SNAPSHOT, "code=429, retry-after=7");
    assert_eq!(limit.header("ratelimit"), Some("\"default\";r=0;t=7"));
    let other = prefer(&server, SNAPSHOT, "code=500, retry-after=7");
    assert_eq!((applied(&other), other.header("retry-after")), (Some("code=500"), None));
}

#[test]
fn a_dripping_body_arrives_in_pieces_and_is_complete() {
    let server = TestServer::at(NOON);
    let normal = server.get(HISTORY).body;
    let mut stream = server.connect();
    let request = format!("GET {HISTORY} HTTP/1.1\r\nHost: test\r\nPrefer: break=drip\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let (mut received, mut reads) = (Vec::new(), 0);
    let mut buffer = [0; 4096];
    while received.is_empty() || halves(&received).1.len() < normal.len() {
        let length = stream.read(&mut buffer).unwrap();
        assert!(length > 0, "it ends early");
        received.extend_from_slice(&buffer[..length]);
        reads += 1;
        if reads == 1 {
            assert_eq!(metric(&server, "ghi_scenarios_waiting"), 1, "it counts as delayed");
        }
    }
    let (head, body) = halves(&received);
    assert!(head.contains("preference-applied: break=drip\r\n"), "{head}");
    assert!(head.contains(&format!("content-length: {}\r\n", normal.len())), "{head}");
    assert_eq!(body, normal.as_bytes());
    assert!(reads > 10, "{reads} pieces");
    assert_eq!(metric(&server, "ghi_scenarios_waiting"), 0);
    // The connection can be used again.
    stream
        .write_all(b"GET /v1/ghi/network HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.starts_with("HTTP/1.1 200 OK\r\n"), "{rest}");
}

#[test]
fn dripping_responses_are_limited_like_delayed_ones() {
    let server = noon(Config { max_connections: 8, ..Config::default() });
    let request = format!("GET {HISTORY} HTTP/1.1\r\nHost: test\r\nPrefer: break=drip\r\n\r\n");
    let mut dripping: Vec<_> = (0..4).map(|_| server.connect()).collect();
    for stream in &mut dripping {
        stream.write_all(request.as_bytes()).unwrap();
        stream.read_exact(&mut [0]).unwrap();
    }
    let refused = prefer(&server, HISTORY, "break=drip");
    refused.assert_problem(429, "rate_limited");
    assert_eq!(applied(&refused), None);
    let range = prefer(&server, "/export/history.csv?from=2020-01-01", "delay=0");
    assert_eq!(range.status, 200, "others are served");
}

#[test]
fn a_range_that_is_made_while_it_is_sent_drips_too() {
    let server = TestServer::at(NOON);
    let target = "/export/history.csv?from=2020-01-01";
    let (normal, range) = (server.get(target), prefer(&server, target, "break=drip"));
    assert_eq!((range.status, applied(&range)), (200, Some("break=drip")));
    assert_eq!(range.body, normal.body);
}

#[test]
fn a_reset_connection_sends_no_byte() {
    let server = TestServer::at(NOON);
    for preference in ["break=reset", "break=reset, delay=20"] {
        for path in [SNAPSHOT, "/export/history.csv"] {
            let mut stream = server.connect();
            let request =
                format!("GET {path} HTTP/1.1\r\nHost: test\r\nPrefer: {preference}\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            let mut received = Vec::new();
            let error = stream.read_to_end(&mut received).unwrap_err();
            assert_eq!((error.kind(), received), (ErrorKind::ConnectionReset, vec![]));
        }
    }
    let count = "ghi_scenarios_total{origin=\"request\",scenario=\"break=reset\"}";
    assert_eq!(metric(&server, count), 4);
    assert_eq!(server.get(SNAPSHOT).status, 200);
}

#[test]
fn the_first_cost_is_null_absent_or_a_string_and_nothing_else_changes() {
    let server = TestServer::at(NOON);
    for (path, parent, field) in [
        (SNAPSHOT, "/regions/0", "min_cost_usd"),
        (HISTORY, "/points/0", "min_cost_usd"),
        ("/v1/ghi/regions/eu", "", "min_cost_usd"),
        ("/v1/ghi/indicator", "", "min_cost_usd"),
        ("/v1/ghi/forecast", "", "predicted_avg_cost_usd"),
    ] {
        let check = |preference: &str, changed: Option<Value>| {
            let mut expected = server.json(path);
            let fields = expected.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            match changed {
                Some(changed) => fields.insert(field.into(), changed),
                None => fields.shift_remove(field),
            };
            let answer = broken(&server, path, preference);
            assert_eq!((answer.status, &answer.body), (200, &ghi_server::document_json(&expected)));
            assert_eq!(answer.header("etag"), None, "it would match other content");
        };
        let cost = server.json(path).pointer(&format!("{parent}/{field}")).unwrap().to_string();
        check("break=null", Some(Value::Null));
        check("break=missing", None);
        check("break=string", Some(Value::String(cost)));
    }
    for preference in ["break=null", "break=missing", "break=string"] {
        for path in
            ["/v1/ghi/network", "/v1/ghi/regions", "/v1/ghi/metadata", "/export/snapshot.csv"]
        {
            assert_eq!(applied(&prefer(&server, path, preference)), None, "{path} has no costs");
        }
        let unknown = prefer(&server, "/v1/ghi/regions/xx", preference);
        unknown.assert_problem(404, "unknown_region");
        assert_eq!(applied(&unknown), None);
    }
}

#[test]
fn changed_costs_return_to_normal() {
    let server = TestServer::at(NOON);
    let average = |preference: &str| {
        let answer = prefer(&server, SNAPSHOT, preference);
        (answer.json()["global_avg_cost_usd"].as_f64(), applied(&answer).map(String::from))
    };
    let normal = average("delay=0").0;
    let spike = "figures=spike, times=1, key=alarm";
    let (high, list) = average(spike);
    assert!(high > normal, "the alarm fires");
    assert_eq!(list.as_deref(), Some(spike));
    assert_eq!(average(spike), (normal, None), "and recovers");
    let missing = "break=missing, times=1, key=field";
    assert!(broken(&server, SNAPSHOT, missing).json()["regions"][0].get("min_cost_usd").is_none());
    assert_eq!(prefer(&server, SNAPSHOT, missing).json(), server.json(SNAPSHOT));
}

#[test]
fn only_preferences_with_an_effect_are_applied() {
    let server = TestServer::at(NOON);
    for (method, path, preference, expected) in [
        ("GET", "/v1/ghi/network", "figures=spike, return=minimal", None),
        ("GET", SNAPSHOT, "code=503, break=cut, at=2028-02-29, return=minimal", Some("code=503")),
        ("GET", SNAPSHOT, "code=500, code=404, retry-after=5, key=a", Some("code=500")),
        ("HEAD", SNAPSHOT, "figures=spike, break=cut, delay=0", Some("delay=0")),
        ("GET", "/v1/ghi/regions/xx", "figures=spike, at=2028-02-29, delay=0", Some("delay=0")),
        ("GET", "/v1/ghi/regions/xx", "figures=spike, times=1, key=b", None),
        ("GET", SNAPSHOT, "break=json, return=minimal, figures=flat", Some("break=json")),
    ] {
        let head = format!("{method} {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n");
        let answer = server.send(&format!("{head}Prefer: {preference}\r\n\r\n"));
        assert_eq!(applied(&answer), expected, "{method} {path} {preference}");
    }
}

/// Starts a server with `--fail` flags.
fn failing(flags: &[&str]) -> TestServer {
    let fail = flags.iter().map(|flag| String::from(*flag)).collect();
    noon(Config { fail, ..Config::default() })
}

#[test]
fn flags_let_the_first_requests_of_each_path_fail() {
    let server = failing(&["code=503, retry-after=7, times=2"]);
    for path in [SNAPSHOT, HISTORY, "/export/snapshot.csv", "/charts/regions.svg"] {
        let answers = [(); 3].map(|()| server.get(path));
        assert_eq!(answers.each_ref().map(|answer| answer.status), [503, 503, 200], "{path}");
        assert_eq!(applied(&answers[0]), Some("code=503, retry-after=7, times=2"));
        assert_eq!(answers[0].header("retry-after"), Some("7"));
        assert_eq!(applied(&answers[2]), None);
    }
    let detail = failing(&["code=404"]).get(SNAPSHOT).json()["detail"].clone();
    assert_eq!(detail, "This is a test scenario, set with --fail code=404.");
    assert_eq!(server.get("/v1/ghi/snapshot/").status, 200, "the same path");
    for path in ["/", "/healthz", "/metrics", "/openapi.json"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    let count = "ghi_scenarios_total{origin=\"fail\",scenario=\"code=503\"}";
    assert_eq!(metric(&server, count), 8);
}

#[test]
fn a_flag_may_have_a_path_and_then_comes_first() {
    let server = failing(&[
        "delay=0, break=gap",
        "/v1/ghi/regions/us/: code=404, times=1",
        "/v1/ghi/regions/{id}: figures=spike",
        "/v1/ghi/regions/us: code=429",
    ]);
    let list = |path: &str| applied(&server.get(path)).map(String::from);
    assert_eq!(list("/v1/ghi/regions/us").as_deref(), Some("code=404, times=1"));
    assert_eq!(list("/v1/ghi/regions/us").as_deref(), Some("figures=spike"));
    assert_eq!(list("/v1/ghi/regions/eu").as_deref(), Some("figures=spike"));
    let gap =
        server.send(&format!("GET {HISTORY} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    assert_eq!(applied(&gap), Some("break=gap, delay=0"));
    assert_eq!(list("/v1/ghi/network").as_deref(), Some("delay=0"), "it has no days");
    let head = server.request("HEAD", "/v1/ghi/regions/eu", "");
    assert_eq!(applied(&head), Some("delay=0"), "a HEAD request has no figures");
}

#[test]
fn a_request_with_preferences_of_its_own_is_free_of_the_flags() {
    let server = failing(&["code=500, times=1"]);
    assert_eq!(prefer(&server, SNAPSHOT, "return=minimal").status, 200);
    assert_eq!(prefer(&server, SNAPSHOT, "code=404").status, 404);
    assert_eq!(server.get(SNAPSHOT).status, 500, "the others don't count");
    assert_eq!(server.get(SNAPSHOT).status, 200);
    let fail = vec!["code=500".into()];
    let off = noon(Config { scenarios: false, fail, ..Config::default() });
    assert_eq!(prefer(&off, SNAPSHOT, "code=404").status, 500, "the header is ignored");
    let fail = vec!["code=404".into()];
    let chaos = noon(Config { chaos_percent: 100, fail, ..Config::default() });
    assert!((0..20).all(|_| chaos.get(SNAPSHOT).status == 404), "it takes precedence over chaos");
}

#[test]
fn a_flag_without_effect_keeps_the_server_from_starting() {
    for (flag, reason) in [
        ("code=418", "code must be 400, 404, 429, 500, 502, 503 or 504"),
        ("code=503, times=2, key=a", "key has no effect in --fail"),
        (
            "code=503; times=2",
            "code has a parameter, which has no effect; separate preferences with commas",
        ),
        ("times=2", "times has no effect without code, break, figures or delay"),
        ("code=500, break=cut", "break has no effect with code"),
        (
            "/v1/ghi/network: figures=spike",
            "figures must be \"spike\", \"drop\" or \"flat\", and only in documents with costs",
        ),
        ("return=minimal", "return has no effect in --fail"),
        ("handling=strict, code=500", "handling has no effect in --fail"),
        (
            "/healthz: code=500",
            "PATH must be a path of the API, such as /v1/ghi/history or /v1/ghi/regions/{id}",
        ),
        ("/v1/ghi/history:", "must be preferences such as code=503, times=2, or PATH: PREFERENCES"),
        ("", "must be preferences such as code=503, times=2, or PATH: PREFERENCES"),
        (
            "/v1/ghi/history",
            "a preference is unknown; expected one of code, break, retry-after, figures, at, delay, times, key, return, handling",
        ),
    ] {
        assert_eq!(check_fail_flag(flag), Err(reason.into()), "{flag}");
        let config = Config { fail: vec![flag.into()], ..Config::default() };
        let error = Sandbox::start(config).err().unwrap();
        assert_eq!(error.to_string(), format!("fail: {reason}"));
    }
    for flag in [
        "break=gap",
        "/v1/ghi/regions/{id}: at=2026-11-15T12:00:00Z",
        "figures=flat, times=3, delay=5",
    ] {
        assert_eq!(check_fail_flag(flag), Ok(()), "{flag}");
    }
}

/// Removes the added fields, and returns how many there were.
fn without_added_fields(value: &mut Value) -> usize {
    match value {
        Value::Object(fields) => {
            let own = usize::from(fields.shift_remove("added_later").is_some());
            own + fields.values_mut().map(without_added_fields).sum::<usize>()
        }
        Value::Array(values) => values.iter_mut().map(without_added_fields).sum(),
        _ => 0,
    }
}

#[test]
fn a_later_release_has_another_field_in_each_object_and_a_longer_history() {
    let server = TestServer::at(NOON);
    for path in PATHS {
        let mut document = broken(&server, path, "break=extra").json();
        let objects = match path {
            SNAPSHOT | "/v1/ghi/regions" => 4,
            HISTORY => 9,
            _ => 1,
        };
        assert_eq!(without_added_fields(&mut document), objects, "{path}");
        if path == HISTORY {
            let points = document["points"].as_array_mut().unwrap();
            let yesterday = TestServer::at("2026-11-14T12:00:00Z").json(HISTORY);
            assert_eq!(points.remove(0), yesterday["points"][0], "it is the real one");
        }
        assert_eq!(document, server.json(path));
    }
    let later = broken(&server, "/v1/ghi/history?region_id=cn", "break=extra");
    let history: History = serde_json::from_str(&later.body).unwrap();
    assert_eq!((history.points.len(), &*history.points[0].date), (8, "2026-11-08"));
    assert!(history.points[0].avg_cost_usd < 55_000.0, "that of China, not of the world");
}

#[test]
fn a_history_with_a_gap_lacks_a_day_in_the_middle() {
    let server = TestServer::at(NOON);
    let mut expected = server.json(HISTORY);
    expected["points"].as_array_mut().unwrap().remove(3);
    assert_eq!(broken(&server, HISTORY, "break=gap").json(), expected);
    assert_eq!(applied(&prefer(&server, SNAPSHOT, "break=gap")), None);
}

#[test]
fn changed_documents_of_large_networks_are_complete() {
    let inputs = Inputs::parse(&many_regions(250)).unwrap();
    let server = noon(Config { inputs, ..Config::default() });
    let document = broken(&server, SNAPSHOT, "break=extra").json();
    assert_eq!(document["regions"].as_array().unwrap().len(), 250);
    let mut spike = prefer(&server, SNAPSHOT, "figures=spike").json();
    assert_eq!(without_added_fields(&mut spike), 0);
}

/// The costs of a history, rounded to whole cents.
fn averages(history: &Value) -> Vec<f64> {
    let points: Vec<HistoryPoint> = serde_json::from_value(history["points"].clone()).unwrap();
    points.into_iter().map(|point| point.avg_cost_usd).collect()
}

#[test]
fn changed_figures_agree_in_all_documents() {
    let server = TestServer::at(NOON);
    let before: Snapshot = serde_json::from_value(server.json(SNAPSHOT)).unwrap();
    let history = averages(&server.json(HISTORY));
    for (figures, factor) in [("spike", 1.25), ("drop", 0.75), ("flat", 1.0)] {
        let preference = format!("figures={figures}");
        let get = |target: &str| {
            let answer = prefer(&server, target, &preference);
            let is_changed = ![NETWORK, "/v1/ghi/regions", "/v1/ghi/metadata"].contains(&target);
            let expected = is_changed.then_some(&*preference);
            assert_eq!((answer.status, applied(&answer)), (200, expected), "{target}");
            assert_eq!(answer.header("cache-control") == Some("no-store"), is_changed);
            answer.json()
        };
        check_agreement_of(get, 2);
        let changed = get(SNAPSHOT)["global_avg_cost_usd"].as_f64().unwrap();
        assert!(
            (changed - before.global_avg_cost_usd.unwrap() * factor).abs() < 0.011,
            "{changed}"
        );
        let averages = averages(&get(HISTORY));
        assert_eq!(averages[6], changed);
        let expected = if figures == "flat" { vec![changed; 6] } else { history[..6].to_vec() };
        assert_eq!(averages[..6], expected);
        assert_eq!(get(NETWORK), server.json(NETWORK));
    }
    let day = prefer(&server, HISTORY, "figures=spike, at=2026-11-14").json();
    let last = averages(&day)[6];
    assert!((last - history[5] * 1.25).abs() < 0.011, "the change is of the requested day");
    assert_eq!(applied(&prefer(&server, "/export/snapshot.csv", "figures=spike")), None);
    let tag = prefer(&server, SNAPSHOT, "figures=spike").header("etag").unwrap().to_owned();
    assert_ne!(Some(&*tag), server.get(SNAPSHOT).header("etag"));
    let series = "ghi_scenarios_total{origin=\"request\",scenario=\"figures=drop\"}";
    assert!(metric(&server, series) > 10);
    assert_eq!(applied(&prefer(&server, SNAPSHOT, "figures=spike, code=500")), Some("code=500"));
}

#[test]
fn a_day_is_enough_for_another_time() {
    let server = TestServer::at(NOON);
    let answer = prefer(&server, SNAPSHOT, "at=2026-02-16");
    assert_eq!(answer.json()["timestamp_utc"], "2026-02-16T00:00:00.000000Z");
    assert_eq!(applied(&answer), Some("at=\"2026-02-16T00:00:00Z\""));
}

#[test]
fn strict_handling_rejects_whatever_would_be_ignored() {
    let server = TestServer::at(NOON);
    for (path, preference, code, detail) in [
        (
            SNAPSHOT,
            "cod=500",
            "unknown_preference",
            "In Prefer, a preference is unknown; expected one of code, break, retry-after, figures, at, delay, times, key, return, handling.",
        ),
        (
            SNAPSHOT,
            "code=418",
            "unknown_preference",
            "In Prefer, code must be 400, 404, 429, 500, 502, 503 or 504.",
        ),
        (
            SNAPSHOT,
            "break=gap",
            "unknown_preference",
            r#"In Prefer, break must be "truncate", "json", "cut", "drip" or "reset"; also "extra" under /v1/ghi, "null", "missing" or "string" in documents with costs, and "gap" in a history."#,
        ),
        (
            "/export/history.csv",
            "figures=spike",
            "unknown_preference",
            r#"In Prefer, figures must be "spike", "drop" or "flat", and only in documents with costs."#,
        ),
        (
            SNAPSHOT,
            "code=500, times=2",
            "unknown_preference",
            "In Prefer, times has no effect without key.",
        ),
        (
            "/v1/ghi/history?region=us",
            "delay=0",
            "unknown_parameter",
            "The query has an unknown parameter; this path accepts only region_id.",
        ),
        (
            "/v1/ghi/history?region=us",
            "code=503",
            "unknown_parameter",
            "The query has an unknown parameter; this path accepts only region_id.",
        ),
    ] {
        let answer = prefer(&server, path, &format!("handling=strict, {preference}"));
        answer.assert_problem(400, code);
        assert_eq!(answer.json()["detail"], detail);
        assert_eq!(applied(&answer), Some("handling=strict"), "{preference}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let lenient = prefer(&server, path, &format!("handling=lenient, {preference}"));
        assert_ne!(lenient.status, 400, "{preference}");
    }
    let fine = prefer(&server, "/v1/ghi/history?region_id=us", "handling=strict");
    assert_eq!((fine.status, applied(&fine)), (200, Some("handling=strict")));
    let both = prefer(&server, SNAPSHOT, "handling=strict, code=503, times=1, key=a");
    assert_eq!(
        (both.status, applied(&both)),
        (503, Some("code=503, times=1, key=a, handling=strict"))
    );
    let recovered = prefer(&server, SNAPSHOT, "handling=strict, code=503, times=1, key=a");
    assert_eq!((recovered.status, applied(&recovered)), (200, Some("handling=strict")));
    assert_eq!(
        metric(&server, "ghi_scenarios_total{origin=\"request\",scenario=\"handling=strict\"}"),
        9
    );
    let off = noon(Config { scenarios: false, ..Config::default() });
    assert_eq!(prefer(&off, SNAPSHOT, "handling=strict, code=418").status, 200);
}

#[test]
fn strict_handling_rejects_each_preference_without_effect() {
    let server = TestServer::at(NOON);
    let metadata = "/v1/ghi/metadata";
    let figures =
        "figures must be \"spike\", \"drop\" or \"flat\", and only in documents with costs";
    let unknown = "a preference is unknown; expected one of code, break, retry-after, figures, at, delay, times, key, return, handling";
    for (method, path, preference, reason) in [
        ("GET", SNAPSHOT, "code=500, break=cut", "break has no effect with code"),
        (
            "GET",
            SNAPSHOT,
            "code=500, at=2028-02-29",
            "at has no effect with code, break=json or break=reset",
        ),
        (
            "GET",
            SNAPSHOT,
            "break=json, figures=flat",
            "figures has no effect with code, break=json or break=reset",
        ),
        (
            "GET",
            SNAPSHOT,
            "break=reset, return=minimal",
            "return has no effect with code, break=json or break=reset",
        ),
        ("GET", metadata, "return=minimal", "return has no effect except on /v1/ghi/snapshot"),
        (
            "GET",
            "/v1/ghi/network",
            "return=representation",
            "return has no effect except on /v1/ghi/snapshot",
        ),
        ("HEAD", SNAPSHOT, "break=cut", "break has no effect on a HEAD request"),
        ("HEAD", SNAPSHOT, "figures=spike", "figures has no effect on a HEAD request"),
        ("GET", "/v1/ghi/network", "figures=spike", figures),
        ("GET", metadata, "figures=drop", figures),
        ("GET", "/v1/ghi/regions", "figures=flat", figures),
        ("GET", SNAPSHOT, "code=500, code=500", "code is repeated"),
        ("GET", SNAPSHOT, "delay=1, DELAY=soon", "delay is repeated"),
        ("GET", SNAPSHOT, "handling=lenient", "handling is repeated"),
        (
            "GET",
            SNAPSHOT,
            "retry-after=1",
            "retry-after has no effect without code=429 or code=503",
        ),
        (
            "GET",
            SNAPSHOT,
            "code=500, retry-after=1",
            "retry-after has no effect without code=429 or code=503",
        ),
        ("GET", SNAPSHOT, "code=503, key=a", "key has no effect without times"),
        ("GET", SNAPSHOT, "code=503, times=2", "times has no effect without key"),
        (
            "GET",
            SNAPSHOT,
            "at=2028-02-29, times=2, key=a",
            "times has no effect without code, break, figures or delay",
        ),
        ("HEAD", SNAPSHOT, "break=cut, times=2, key=a", "break has no effect on a HEAD request"),
        (
            "GET",
            SNAPSHOT,
            "code=500; delay=5",
            "code has a parameter, which has no effect; separate preferences with commas",
        ),
        ("GET", SNAPSHOT, "=500", unknown),
    ] {
        let strict = format!("Prefer: handling=strict, {preference}\r\n");
        let answer = server.request(method, path, &strict);
        assert_eq!(answer.status, 400, "{method} {path} {preference}");
        assert_eq!(applied(&answer), Some("handling=strict"), "{preference}");
        if method == "GET" {
            answer.assert_problem(400, "unknown_preference");
            assert_eq!(answer.json()["detail"], format!("In Prefer, {reason}."), "{preference}");
        }
    }
    let many = format!("handling=strict{}", ", delay=1".repeat(64));
    prefer(&server, SNAPSHOT, &many).assert_problem(400, "unknown_preference");
}

#[test]
fn chaos_can_be_limited_to_a_path() {
    let chaos = |path: &str| {
        noon(Config { chaos_percent: 100, chaos_path: Some(path.into()), ..Config::default() })
    };
    let fails = |server: &TestServer, path: &str| {
        let mut stream = server.connect();
        let request = format!("HEAD {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut head = String::new();
        stream.read_to_string(&mut head).unwrap();
        !head.starts_with("HTTP/1.1 200 ")
    };
    let server = chaos(HISTORY);
    assert!(fails(&server, HISTORY) && fails(&server, "/v1/ghi/history/?region_id=us"));
    assert!(PATHS.into_iter().all(|path| fails(&server, path) == path.starts_with(HISTORY)));
    let region = chaos("/v1/ghi/regions/us");
    assert!(fails(&region, "/v1/ghi/regions/us") && !fails(&region, "/v1/ghi/regions/eu"));
    let regions = chaos("/v1/ghi/regions/{id}");
    assert!(fails(&regions, "/v1/ghi/regions/eu") && !fails(&regions, "/v1/ghi/regions"));
}

#[test]
fn a_missing_day_is_never_simulated_where_there_is_no_data() {
    let server = TestServer::at(NOON);
    for path in ["/v1/ghi/regions", "/v1/ghi/metadata"] {
        let answer = prefer(&server, path, "code=503");
        answer.assert_problem(503, "busy");
        assert_eq!(answer.header("retry-after"), Some("1"));
        let chaos = noon(Config { chaos_percent: 100, ..Config::default() });
        for _ in 0..20 {
            assert!(
                !chaos
                    .exchange(
                        format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
                            .as_bytes()
                    )
                    .contains("no_figures")
            );
        }
    }
    assert_eq!(prefer(&server, SNAPSHOT, "code=503").json()["code"], json!("no_figures"));
}

#[test]
fn slow_bodies_do_not_outlive_their_clients() {
    let server = TestServer::at(NOON);
    let mut stream = server.connect();
    let request = format!("GET {HISTORY} HTTP/1.1\r\nHost: test\r\nPrefer: break=drip\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.read_exact(&mut [0]).unwrap();
    drop(stream);
    let deadline = std::time::Instant::now() + Duration::from_secs(5);
    while metric(&server, "ghi_scenarios_waiting") != 0 {
        assert!(std::time::Instant::now() < deadline, "it is still sent");
    }
}
