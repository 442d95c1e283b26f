//! The OpenAPI document is current, complete and correct.
//!
//! `UPDATE_EXPECT=1 cargo test` regenerates `openapi.json`; review the diff before you commit it.

mod generator;
mod prefer;
mod recorder;
mod schemas;
mod version_3_0;

use std::collections::HashMap;
use std::sync::LazyLock;

use expect_test::expect_file;
use ghi_contract::paths::AVAILABLE_ENDPOINTS;
use ghi_contract::{API_CURRENT, API_PREVIOUS, API_SUPPORTED, CURRENCY, ENVIRONMENT, HISTORY_DAYS};
use ghi_server::internals::{codes, preference_values};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::{Answer, NOON, PATHS, TestServer};

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&ghi_server::OPENAPI).unwrap());

/// Validators of the documents, stricter than the published schemas: no other fields are allowed, and
/// lists that a later release may extend are as in this one.
static STRICT: LazyLock<HashMap<String, Validator>> = LazyLock::new(|| {
    let mut schemas = DOCUMENT["components"]["schemas"].clone();
    for (name, schema) in schemas.as_object_mut().unwrap() {
        close(name, schema);
    }
    validators(&schemas)
});

/// Validators of the documents as published.
static PUBLISHED: LazyLock<HashMap<String, Validator>> =
    LazyLock::new(|| validators(&DOCUMENT["components"]["schemas"]));

/// Closes the parts of a schema that are open for later releases.
fn close(name: &str, schema: &mut Value) {
    assert_eq!(schema["type"], "object", "{name}");
    schema["additionalProperties"] = json!(false);
    if name == "Snapshot" {
        // Both in the full form, none in the reduced form.
        let pair = json!({"region_count": ["regions"], "regions": ["region_count"]});
        schema["dependentRequired"] = pair;
    }
    for (field, value) in schema["properties"].as_object_mut().unwrap() {
        let words = match (name, &**field) {
            ("Indicator", "version") => json!([API_PREVIOUS]),
            (_, "version" | "api_current") => json!([API_CURRENT]),
            (_, "api_supported") => json!([API_SUPPORTED]),
            (_, "available_endpoints") => json!([AVAILABLE_ENDPOINTS]),
            (_, "environment") => json!([ENVIRONMENT]),
            (_, "currency") => json!([CURRENCY]),
            ("Problem", "code") => codes().collect(),
            ("Health", "status") => json!(["alive", "ready"]),
            (_, "points") => {
                value["minItems"] = json!(HISTORY_DAYS);
                value["maxItems"] = json!(HISTORY_DAYS);
                continue;
            }
            _ => continue,
        };
        value["enum"] = words;
    }
}

/// Returns a validator for each schema, by its reference.
fn validators(schemas: &Value) -> HashMap<String, Validator> {
    let names = schemas.as_object().unwrap().keys();
    let validator = |name: &String| {
        let reference = format!("#/components/schemas/{name}");
        let schema = json!({"$ref": reference, "components": {"schemas": schemas}});
        let options = jsonschema::options().should_validate_formats(true);
        (reference, options.build(&schema).unwrap())
    };
    names.map(validator).collect()
}

/// Headers of the connection and the content, which are not described.
const OF_HTTP: [&str; 4] = ["content-length", "content-type", "connection", "transfer-encoding"];

/// Returns the value that a reference points to.
fn resolve(value: &Value) -> &Value {
    match value["$ref"].as_str() {
        Some(reference) => DOCUMENT.pointer(reference.strip_prefix('#').unwrap()).unwrap(),
        None => value,
    }
}

/// Returns the operation for a target, and its path.
fn operation(target: &str) -> Option<(&'static str, &'static Value)> {
    let path = target.split('?').next().unwrap();
    let path = path.strip_prefix("http://test").unwrap_or(path);
    let path = if path.len() > 1 { path.strip_suffix('/').unwrap_or(path) } else { path };
    let fits = |described: &str| match described.strip_suffix("{id}") {
        Some(prefix) => path.strip_prefix(prefix).is_some_and(|id| !id.contains('/')),
        None => path == described,
    };
    let mut paths = DOCUMENT["paths"].as_object().unwrap().iter();
    paths.find(|(described, _)| fits(described)).map(|(path, item)| (&**path, &item["get"]))
}

/// Asserts that a response matches the description.
#[track_caller]
pub(crate) fn check(method: &str, target: &str, answer: &Answer) {
    let media_type = answer.header("content-type").map(|value| value.split(';').next().unwrap());
    if media_type == Some("application/problem+json") && method != "HEAD" {
        let problem = serde_json::from_str(&answer.body).unwrap();
        validate("#/components/schemas/Problem", &problem);
    }
    let Some((_, operation)) = operation(target).filter(|_| matches!(method, "GET" | "HEAD"))
    else {
        return;
    };
    let described = resolve(&operation["responses"][answer.status.to_string()]);
    assert!(described.is_object(), "{} of {target} is not described", answer.status);
    for (name, _) in &answer.headers {
        let headers = described["headers"].as_object().unwrap();
        let is_described = headers.keys().any(|known| known.eq_ignore_ascii_case(name));
        assert!(
            is_described || OF_HTTP.contains(&&**name),
            "{name} of {} of {target} is not described",
            answer.status
        );
    }
    match media_type {
        // The HTTP library rejects what it cannot parse without a body.
        None if answer.status == 400 => {}
        None => assert!(described.get("content").is_none(), "{target} has no content"),
        Some(media_type) => {
            let content = &described["content"][media_type];
            assert!(content.is_object(), "{media_type} of {target} is not described");
            if media_type.ends_with("json") && method == "GET" {
                let document = serde_json::from_str(&answer.body).unwrap();
                validate(content["schema"]["$ref"].as_str().unwrap(), &document);
            }
        }
    }
}

#[track_caller]
fn validate(reference: &str, document: &Value) {
    if let Err(error) = STRICT[reference].validate(document) {
        panic!("{reference}: {error} at {} of {document}", error.instance_path());
    }
}

#[test]
fn the_committed_document_is_current() {
    expect_file!["../../../../../openapi.json"].assert_eq(&generator::generate());
    assert_eq!(TestServer::at(NOON).get("/openapi.json").body, DOCUMENT.to_string());
}

#[test]
fn every_path_of_the_contract_is_described_and_exists() {
    let server = TestServer::at(NOON);
    for path in PATHS {
        assert!(operation(path).is_some(), "{path}");
    }
    for path in DOCUMENT["paths"].as_object().unwrap().keys() {
        assert_eq!(server.get(&path.replace("{id}", "us")).status, 200, "{path}");
    }
}

#[test]
fn every_operation_describes_its_parameters_and_responses() {
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        let operation = &item["get"];
        for field in ["summary", "description", "operationId"] {
            assert!(operation[field].as_str().is_some_and(|text| !text.is_empty()), "{path}");
        }
        assert_eq!(
            operation["deprecated"].as_bool(),
            (path == "/v1/ghi/indicator").then_some(true)
        );
        let mut statuses = vec!["200", "400", "414", "431", "500"];
        if !["/healthz", "/readyz"].contains(&&**path) {
            statuses.push("429");
        }
        // These need no data, and so always succeed.
        let without_data = ["/healthz", "/metrics", "/v1/ghi/metadata", "/v1/ghi/regions"];
        if !without_data.contains(&&**path) {
            statuses.push("503");
        }
        if !["/healthz", "/readyz", "/metrics"].contains(&&**path) {
            statuses.push("304");
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let parameter = resolve(parameter);
            assert!(parameter["description"].is_string() && parameter["schema"].is_object());
            if ["id", "region_id"].contains(&parameter["name"].as_str().unwrap()) {
                statuses.push("404");
            }
        }
        if let Some(missing) = operation["responses"].get("404") {
            let about = resolve(missing)["description"].as_str().unwrap();
            let is_scenario = about.ends_with(" (only if requested with `Prefer: code=404`)");
            assert_eq!(is_scenario, !statuses.contains(&"404"), "{path}: {about}");
        }
        for status in statuses {
            let response = resolve(&operation["responses"][status]);
            assert!(response["description"].as_str().is_some_and(|text| !text.is_empty()));
            assert!(response["headers"].is_object(), "{status} of {path}");
            let has_content = !["304", "431"].contains(&status);
            let is_problem = has_content && status != "200";
            let content = &response["content"];
            assert_eq!(content["application/problem+json"].is_object(), is_problem, "{path}");
            let content = content.as_object().into_iter().flatten().next();
            let has_example = content.is_some_and(|content| content.1["examples"].is_object());
            let is_long = path == "/metrics" || path.ends_with(".svg");
            assert_eq!(has_example, has_content && (is_problem || !is_long), "{path}");
        }
    }
}

#[test]
fn operation_ids_are_a_verb_and_the_resource() {
    let operations = DOCUMENT["paths"].as_object().unwrap().values();
    let ids: Vec<&str> =
        operations.map(|item| item["get"]["operationId"].as_str().unwrap()).collect();
    let expected = [
        "getSnapshot",
        "getHistory",
        "listRegions",
        "getRegionDetail",
        "getMetadata",
        "getNetwork",
        "getForecast",
        "getIndicator",
        "getHistoryChart",
        "getRegionsChart",
        "getCostCurveChart",
        "getHistoryCsv",
        "getNetworkCsv",
        "getSnapshotCsv",
        "getCostCurveCsv",
        "getMeritOrderCsv",
        "getDistributionCsv",
        "getEconomicsCsv",
        "getForecastCsv",
        "getForecastScoreCsv",
        "getInputsCsv",
        "getExplainCsv",
        "getExplainJson",
        "getHealthz",
        "getReadyz",
        "getMetrics",
    ];
    assert_eq!(ids, expected);
    assert_eq!(DOCUMENT["security"], json!([]));
}

#[test]
fn scenarios_are_described_wherever_they_are_supported() {
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        let parameters = item["get"]["parameters"].as_array().into_iter().flatten().map(resolve);
        let prefer = parameters.filter(|parameter| parameter["name"] == "Prefer");
        let prefer: Vec<&Value> = prefer.collect();
        let takes_them = !["/healthz", "/readyz", "/metrics"].contains(&&**path);
        assert_eq!(prefer.len(), usize::from(takes_them), "{path}");
        for parameter in prefer {
            assert_eq!(
                (&parameter["in"], &parameter["required"]),
                (&json!("header"), &json!(false))
            );
            let about = parameter["description"].as_str().unwrap();
            let is_snapshot = path == "/v1/ghi/snapshot";
            assert!(about.contains("--no-scenarios"), "{path}");
            for preference in preference_values().filter(|preference| preference != "return=") {
                let (name, value) = preference.split_once('=').unwrap();
                let mut lists = about.split(['`', ' ']).filter_map(|text| text.split_once('='));
                let is_described = lists.any(|(found, values)| {
                    found == name && (value.is_empty() || values.split('|').any(|it| it == value))
                });
                assert!(is_described, "{preference} of {path}");
            }
            assert_eq!(about.contains("`return=minimal`"), is_snapshot, "{path}");
            let examples = parameter["examples"].as_object().unwrap();
            assert_eq!(examples.contains_key("reduced"), is_snapshot, "{path}");
            assert!(examples.values().all(|example| example["value"].is_string()), "{path}");
        }
    }
}

#[test]
fn one_schema_describes_both_forms_of_the_snapshot() {
    let schema = &DOCUMENT["components"]["schemas"]["Snapshot"];
    let required = schema["required"].as_array().unwrap();
    for field in ["region_count", "regions"] {
        assert!(schema["properties"][field].is_object() && !required.contains(&json!(field)));
    }
    let reference = "#/components/schemas/Snapshot";
    let server = TestServer::at(NOON);
    let full = server.json("/v1/ghi/snapshot");
    let reduced = server.request("GET", "/v1/ghi/snapshot", "Prefer: return=minimal\r\n").json();
    assert!(PUBLISHED[reference].is_valid(&full) && PUBLISHED[reference].is_valid(&reduced));
    // Missing fields are absent, never null.
    for field in ["region_count", "regions"] {
        let mut null = full.clone();
        null[field] = Value::Null;
        assert!(!PUBLISHED[reference].is_valid(&null), "{field}");
    }
}

#[test]
fn documents_of_compatible_releases_are_valid() {
    let server = TestServer::at(NOON);
    for path in PATHS {
        let mut document = server.json(path);
        document["version"] = json!("1.2");
        document["added_later"] = json!({"by": "a release"});
        if path == "/v1/ghi/metadata" {
            document["api_current"] = json!("1.2");
            document["api_supported"] = json!(["1.2", "1.1"]);
            document["environment"] = json!("staging");
        }
        if let Some(points) = document["points"].as_array_mut() {
            points.insert(0, points[0].clone());
        }
        let content = &operation(path).unwrap().1["responses"]["200"]["content"];
        let reference = content["application/json"]["schema"]["$ref"].as_str().unwrap();
        assert!(PUBLISHED[reference].is_valid(&document), "{path}: {document}");
        assert!(!STRICT[reference].is_valid(&document), "{path}: {document}");
    }
    let mut problem = server.get("/v1/ghi/regions/xx").json();
    problem["code"] = json!("added_later");
    let reference = "#/components/schemas/Problem";
    assert!(PUBLISHED[reference].is_valid(&problem) && !STRICT[reference].is_valid(&problem));
}

#[test]
fn parameters_have_their_bounds_and_defaults() {
    let parameter = |path: &str, name: &str| {
        let mut parameters = operation(path).unwrap().1["parameters"].as_array().unwrap().iter();
        parameters.find(|parameter| parameter["name"] == name).unwrap()["schema"].clone()
    };
    let days = parameter("/v1/ghi/forecast", "forecast_days");
    assert_eq!(
        (&days["minimum"], &days["maximum"], &days["default"]),
        (&json!(1), &json!(365), &json!(7))
    );
    assert_eq!(parameter("/v1/ghi/history", "region_id")["default"], "global");
    assert_eq!(parameter("/charts/history.svg", "theme")["enum"], json!(["auto", "light", "dark"]));
}

#[test]
fn every_example_of_the_document_is_a_real_response() {
    let server = TestServer::at(NOON);
    let mut real = 0;
    let mut not_replayed: Vec<&str> = Vec::new();
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        for (status, response) in item["get"]["responses"].as_object().unwrap() {
            let contents = resolve(response)["content"].as_object();
            for (media_type, content) in contents.into_iter().flatten() {
                for (name, example) in content["examples"].as_object().into_iter().flatten() {
                    let asked = example["summary"].as_str().unwrap();
                    if let Some((_, how)) = asked.split_once(", ") {
                        not_replayed.push(how);
                        continue;
                    }
                    let target = asked.strip_prefix("GET ").unwrap();
                    let (target, header) = target.split_once(" with ").unwrap_or((target, ""));
                    let header =
                        if header.is_empty() { "".into() } else { format!("{header}\r\n") };
                    let answer = server.request("GET", target, &header);
                    assert_eq!(answer.status.to_string(), *status, "{path} {name}");
                    let body = match media_type.ends_with("json") {
                        true => answer.json(),
                        false => Value::from(answer.body),
                    };
                    assert_eq!(body, example["value"], "{path} {name}");
                    real += 1;
                }
            }
        }
    }
    assert!(real >= 40, "{real}");
    // Responses that a plain GET of a healthy server cannot return.
    not_replayed.sort_unstable();
    not_replayed.dedup();
    let states = [
        "if dated series do not cover today",
        "if the server fails",
        "too often",
        "where the server is strict about parameters",
        "while nine requests of the client are being prepared",
        "while the server is shutting down",
        "with several thousand characters",
        "without Host",
    ];
    assert_eq!(not_replayed, states);
}

#[test]
fn examples_of_bad_states_are_real_responses_of_servers_in_these_states() {
    let example = |code: &str| {
        let shared = DOCUMENT["components"]["responses"].as_object().unwrap();
        let contents =
            shared.values().map(|response| &response["content"]["application/problem+json"]);
        let examples = contents.filter_map(|content| content["examples"].get(code));
        let mut of_api = examples.map(|example| &example["value"]).filter(|value| {
            value["instance"].as_str().is_some_and(|path| path.starts_with("/v1/ghi/"))
        });
        of_api.next().unwrap().clone()
    };
    let server = TestServer::at(NOON);
    let instance = |code: &str| example(code)["instance"].as_str().unwrap().to_owned();
    let without_host = server
        .send(&format!("GET {} HTTP/1.1\r\nConnection: close\r\n\r\n", instance("bad_request")));
    assert_eq!(without_host.json(), example("bad_request"));
    let target = format!("{}?{}", instance("uri_too_long"), "x".repeat(7_000));
    assert_eq!(server.get(&target).json(), example("uri_too_long"));
}
