//! `ghi explain`.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Output;

use ghi_engine::{DEFAULT_INPUTS, Inputs, Model, Scope};
use ghi_server::{Clock, Config, Sandbox};
use serde_json::Value;

use program::{GHI, program};

mod program;

fn explain(args: &[&str]) -> Output {
    let mut command = program(GHI);
    command.arg("explain").args(args).output().unwrap()
}

/// Returns the output of the command.
#[track_caller]
fn printed(args: &[&str]) -> String {
    let output = explain(args);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the body of a response.
fn served(server: &Sandbox, target: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    // In HTTP/1.0, a streamed body ends with the connection.
    write!(stream, "GET {target} HTTP/1.0\r\nHost: test\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[test]
fn csv_and_json_match_the_server() {
    let clock = Clock::at("2026-11-15T12:00:00Z".parse().unwrap());
    let server = Sandbox::start(Config { clock, ..Config::default() }).unwrap();
    for id in ["global", "us", "eu", "cn"] {
        for date in ["2026-11-15", "2024-02-29", "0001-01-01"] {
            for format in ["csv", "json"] {
                let target = format!("/export/explain.{format}?region_id={id}&date={date}");
                let file = printed(&[id, "--date", date, "--format", format]);
                assert_eq!(file, served(&server, &target));
            }
        }
    }
}

#[test]
fn changes_and_explanations_match_between_a_server_and_the_engine() {
    let clock = Clock::at("2026-11-15T12:00:00Z".parse().unwrap());
    let server = Sandbox::start(Config { clock, ..Config::default() }).unwrap();
    let url = format!("http://{}", server.address());
    for id in ["global", "us"] {
        let since = ["--since", "2026-10-15"];
        let json = printed(&[&[id, "--at", "2026-11-15", "--format", "json"], &since[..]].concat());
        let target = format!("/export/explain.json?region_id={id}&since=2026-10-15");
        assert_eq!(json, served(&server, &target));
        for format in ["table", "json"] {
            let embedded =
                printed(&[&[id, "--at", "2026-11-15", "--format", format], &since[..]].concat());
            let deployed =
                printed(&[&[id, "--url", &url, "--format", format], &since[..]].concat());
            let title = format!("one bitcoin, {id}, 2026-11-15\nSynthetic data, embedded engine\n");
            assert_eq!(embedded.contains(&title), format == "table", "{embedded}");
            let title_of_url = format!("one coin, {id}, 2026-11-15\nSandbox data, {url}\n");
            assert_eq!(embedded.replace(&title, &title_of_url), deployed);
        }
        let csv = printed(&[id, "--url", &url, "--format", "csv"]);
        assert_eq!(csv, served(&server, &format!("/export/explain.csv?region_id={id}")));
        let document: Value = serde_json::from_str(&json).unwrap();
        let table = printed(&[&[id, "--at", "2026-11-15"], &since[..]].concat());
        let total = document["total_change_usd"].as_f64().unwrap();
        assert!(table.contains(&format!(" {total:.2}\n")), "{table}");
        for change in document["changes"].as_array().unwrap() {
            let usd = format!(" {:.2}\n", change["change_usd"].as_f64().unwrap());
            assert!(table.contains(&usd), "{usd}: {table}");
        }
    }
    let table = printed(&["--at", "2026-11-15"]);
    assert!(table.contains("avg: mean"), "{table}");
    for label in ["energy, USD", "overhead", "USD per PH/s per day"] {
        let row = table.lines().find(|line| line.starts_with(label)).unwrap();
        assert!(!row.contains(" - ") && row.len() < 80, "{row}");
    }
    refused(
        &["--since", "2026-10-15", "--format", "csv"],
        "The query has an unknown parameter; this path accepts only region_id, date.",
    );
}

#[test]
fn the_table_fits_a_terminal_and_has_every_published_cost() {
    let model = Model::new(Inputs::default());
    let day = model.day("2026-11-15".parse().unwrap()).unwrap();
    for id in ["global", "us", "eu", "cn"] {
        let table = printed(&[id, "--date", "2026-11-15"]);
        for line in table.lines() {
            assert!(line.len() <= 80 && line.is_ascii() && line == line.trim_end(), "{line}");
        }
        let costs = Scope::find(id, model.registry()).unwrap().costs(&day);
        for cost in [costs.min_usd, costs.avg_usd, costs.max_usd] {
            assert!(table.contains(&format!(" {cost}")), "{table}");
        }
        assert!(table.contains(&format!("inputs {}\n", model.inputs().fingerprint())), "{table}");
        assert!(table.contains("kWh per coin     = hashes per coin x J/TH"), "{table}");
    }
}

#[test]
fn the_numbers_in_the_json_reproduce_the_costs() {
    let number = |value: &Value| value.as_f64().unwrap();
    let json = printed(&["eu", "--date", "2026-11-15", "--format", "json"]);
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&document["date"], &document["region_id"]), (&"2026-11-15".into(), &"eu".into()));
    let fingerprint = Inputs::default().fingerprint().to_string();
    assert_eq!(document["fingerprint"], fingerprint);
    assert_eq!(document["engine_sandbox_version"], ghi_engine::ENGINE_SANDBOX_VERSION);
    for (scenario, bound) in
        document["scenarios"].as_array().unwrap().iter().zip(["min", "avg", "max"])
    {
        let energy_usd =
            number(&scenario["energy_kwh_per_coin"]) * number(&scenario["electricity_usd_per_kwh"]);
        let cost = energy_usd * number(&document["overhead"]);
        assert_eq!((cost * 100.0).round() / 100.0, number(&scenario["cost_usd"]));
        assert_eq!(scenario["cost_usd"], document["costs"][format!("{bound}_cost_usd")]);
    }
    let world: Value = serde_json::from_str(&printed(&["--format", "json"])).unwrap();
    assert_eq!(
        (&world["region_id"], world["parts"].as_array().unwrap().len()),
        (&"global".into(), 3)
    );
    let sum: f64 = world["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| number(&part["contribution_usd"]))
        .sum();
    assert!((sum - number(&world["costs"]["avg_cost_usd"])).abs() <= 0.005_001);
    assert!((sum - number(&world["sum_of_contributions_usd"])).abs() <= 1e-6);
}

#[test]
fn a_change_since_a_later_day_is_rejected() {
    let days = ["--since", "2026-10-16", "--date", "2026-10-15"];
    refused(&days, "since must not be after date.");
    let today = ["--since", "2026-11-16", "--at", "2026-11-15"];
    refused(&today, "since must not be after date.");
    printed(&["--since", "2026-10-15", "--date", "2026-10-15"]);
}

#[test]
fn texts_of_a_hostile_server_are_escaped_in_the_table() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let since = ["--since", "2026-10-15", "--at", "2026-11-15", "--format", "json"];
    let mut document: Value = serde_json::from_str(&printed(&since)).unwrap();
    let evil = Value::from("a\u{1b}[2J\u{9b}\u{202e}");
    for pointer in [
        "/date",
        "/fingerprint",
        "/engine_sandbox_version",
        "/since",
        "/parts/0/region_id",
        "/scenarios/0/region_id",
        "/changes/0/factor",
    ] {
        *document.pointer_mut(pointer).unwrap() = evil.clone();
    }
    let body = document.to_string();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        _ = stream.read(&mut [0; 4096]);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
        _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    });
    let table = printed(&["--url", &url]);
    assert!(!table.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{table:?}");
    assert!(table.contains(r"a\u{1b}[2J"), "{table}");
}

#[test]
fn an_inputs_file_is_explained() {
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("explained.toml");
    std::fs::write(&path, DEFAULT_INPUTS.replacen("\"us\"", "\"zz\"", 1)).unwrap();
    let path = path.to_str().unwrap();
    assert!(printed(&["zz", "--inputs", path]).starts_with("Cost of mining one bitcoin, zz, "));
    let output = explain(&["us", "--inputs", path]);
    assert_eq!(output.status.code(), Some(2));
}

/// Asserts that the command fails with one line.
#[track_caller]
fn refused(args: &[&str], message: &str) {
    let output = explain(args);
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("ghi: {message}\n"));
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
}

#[test]
fn errors_of_explain_are_one_line() {
    for id in ["xx", "\u{1b}[31m"] {
        refused(
            &[id],
            "No region has this region_id. Use global or an id listed at /v1/ghi/regions: us, eu, cn.",
        );
    }
    let series = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/own-series/inputs.toml");
    refused(
        &["--inputs", series, "--date", "2020-01-01"],
        "No data for 2020-01-01. Data runs from 2025-10-03 to 2026-03-23. Other days need rows in the series; 'ghi collect' appends network rows from your own node.",
    );
    refused(
        &["--date", "2026-02-29"],
        "invalid value '2026-02-29' for '--date <DATE>': must be a valid date in the form YYYY-MM-DD, such as 2026-11-15, from 0001-01-01 to 9999-12-31",
    );
    refused(
        &["--inputs", "no/such/file.toml"],
        "cannot read the inputs \"no/such/file.toml\": No such file or directory (os error 2); expected a TOML file, such as an edited copy of the output of `ghi inputs`",
    );
}
