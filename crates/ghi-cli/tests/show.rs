//! `ghi show`.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;

use expect_test::{expect, expect_file};
use ghi_engine::{DEFAULT_INPUTS, Inputs};
use ghi_server::{Clock, Config, Sandbox, SnapshotForm};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use program::{GHI, program};

mod program;

const NOON: &str = "2026-11-15T12:00:00Z";

/// The arguments for each document, and its path on a server.
const DOCUMENTS: [(&str, &str); 9] = [
    ("snapshot", "/v1/ghi/snapshot"),
    ("regions", "/v1/ghi/regions"),
    ("region asia", "/v1/ghi/regions/asia"),
    ("history", "/v1/ghi/history"),
    ("history --region asia", "/v1/ghi/history?region_id=asia"),
    ("network", "/v1/ghi/network"),
    ("forecast --days 30", "/v1/ghi/forecast?forecast_days=30"),
    ("indicator", "/v1/ghi/indicator"),
    ("metadata", "/v1/ghi/metadata"),
];

fn ghi() -> Command {
    let mut command = program(GHI);
    command.arg("show");
    command
}

fn show(line: &str) -> Output {
    ghi().args(line.split_whitespace()).output().unwrap()
}

/// Returns the output of the command.
#[track_caller]
fn printed(line: &str) -> String {
    succeeded(show(line))
}

#[track_caller]
fn succeeded(output: Output) -> String {
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).unwrap()
}

/// Asserts that the command fails with one line.
#[track_caller]
fn refused(line: &str, message: &str) {
    let output = show(line);
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("ghi: {message}\n"));
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
}

fn chart(columns: &str, line: &str) -> String {
    let mut command = ghi();
    command.env("COLUMNS", columns).args(line.split_whitespace());
    succeeded(command.output().unwrap())
}

fn server_of(inputs: Inputs) -> Sandbox {
    let clock = Clock::at(NOON.parse().unwrap());
    Sandbox::start(Config { inputs, clock, ..Config::default() }).unwrap()
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

/// Writes an inputs file.
fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Networks with a region `asia`, with the built-in decimals and with more.
fn networks() -> [(String, Inputs); 2] {
    let dogecoin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/dogecoin.toml");
    let texts = [
        DEFAULT_INPUTS.replacen("\"cn\"", "\"asia\"", 1),
        std::fs::read_to_string(dogecoin).unwrap(),
    ];
    let mut number = 0;
    texts.map(|text| {
        number += 1;
        (file(&format!("shown-{number}.toml"), &text), Inputs::parse(&text).unwrap())
    })
}

/// Returns inputs with this many regions.
fn with_regions(names: &[String]) -> String {
    let mut text = DEFAULT_INPUTS.split("[[region]]").next().unwrap().to_owned();
    let count = names.len();
    for (number, name) in names.iter().enumerate() {
        let share = if number == 0 { 100.0 - 0.01 * (count - 1) as f64 } else { 0.01 };
        text += &format!(
            "[[region]]\nid = \"r{number}\"\nname = \"{name}\"\nhashrate_share_pct = {share:.2}\n\
             efficiency_j_per_th = {{ best = 18, mean = 20, worst = 22 }}\n\
             electricity_usd_per_kwh = {{ low = 0.04, mean = 0.05, high = 0.06 }}\n"
        );
    }
    text
}

#[test]
fn json_output_is_the_document_of_the_server() {
    for (file, inputs) in networks() {
        let server = server_of(inputs);
        for (line, target) in DOCUMENTS {
            let json = printed(&format!("{line} --format json --at {NOON} --inputs {file}"));
            assert_eq!(json, served(&server, target) + "\n", "{line}");
        }
    }
}

#[test]
fn csv_output_has_the_rows_of_the_server() {
    for (file, inputs) in networks() {
        let server = server_of(inputs);
        for (line, target) in [
            ("snapshot", "/export/snapshot.csv"),
            ("history", "/export/history.csv"),
            ("history --region asia", "/export/history.csv?region_id=asia"),
            (
                "history --from 2024-02-01 --to 2024-03-01",
                "/export/history.csv?from=2024-02-01&to=2024-03-01",
            ),
            ("history --from 2026-11-01", "/export/history.csv?from=2026-11-01"),
            ("history --to 2026-01-01", "/export/history.csv?to=2026-01-01"),
        ] {
            let csv = printed(&format!("{line} --format csv --at {NOON} --inputs {file}"));
            assert_eq!(csv, served(&server, target), "{line}");
        }
    }
}

#[test]
fn every_document_has_a_table_and_a_csv() {
    let of_us = |line: &str| line.replace("asia", "us");
    let [mut tables, mut csv] = [String::new(), String::new()];
    for (line, _) in DOCUMENTS {
        let line = of_us(line);
        tables += &format!("$ ghi show {line}\n{}\n", printed(&format!("{line} --at {NOON}")));
        let records = printed(&format!("{line} --format csv --at {NOON}")).replace("\r\n", "\n");
        csv += &format!("$ ghi show {line} --format csv\n{records}\n");
    }
    assert!(tables.lines().all(|line| line.len() <= 80 && line == line.trim_end()), "{tables}");
    expect_file!["show/tables.txt"].assert_eq(&tables);
    expect_file!["show/csv.txt"].assert_eq(&csv);
}

#[test]
fn a_server_and_the_engine_produce_the_same_output() {
    let (file, inputs) = &networks()[1];
    let server = server_of(inputs.clone());
    let host = server.url();
    for (line, _) in DOCUMENTS {
        for format in ["json", "csv"] {
            let embedded =
                printed(&format!("{line} --format {format} --at {NOON} --inputs {file}"));
            assert_eq!(printed(&format!("{line} --format {format} --url {host}/")), embedded);
        }
        let embedded = printed(&format!("{line} --at {NOON} --inputs {file}"));
        let told =
            embedded.replace("Synthetic data, embedded engine", &format!("Sandbox data, {host}"));
        let told = told.replace("one dogecoin", "one coin");
        assert_eq!(printed(&format!("{line} --url {host}")), told);
    }
    for line in ["history --plot", "regions --plot"] {
        let embedded = printed(&format!("{line} --at {NOON} --inputs {file}"));
        let lines = |text: &str| text.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines(&printed(&format!("{line} --url {host}"))), lines(&embedded));
    }
}

#[test]
fn other_days_come_from_the_servers_table() {
    let server = server_of(Inputs::default());
    let url = server.url();
    let days = |line: &str| {
        let csv = printed(&format!("history --format csv --url {url} {line}"));
        csv.lines().skip(1).map(|row| row[8..10].to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(days("--from 2026-11-13"), "13 14 15");
    assert_eq!(days("--to 2026-11-10"), "04 05 06 07 08 09 10");
    assert_eq!(days("--from 2026-11-11 --to 2026-11-11"), "11");
    let json = printed(&format!("history --format json --url {url} --from 2026-11-15"));
    let embedded =
        printed(&format!("history --format json --at {NOON} --from 2026-11-15 --to 2026-11-15"));
    assert_eq!(json, embedded);
    let from = "history --from 2026-11-13";
    let message = String::from_utf8(show(&format!("{from} --url {url}/none")).stderr).unwrap();
    assert!(message.contains("/none/export/history.csv"), "{message}");
    assert!(message.contains(" returned 404 not_found: "), "{message}");
    let url = answering("{}");
    let message = String::from_utf8(show(&format!("{from} --url {url}")).stderr).unwrap();
    assert!(message.contains(" did not return a valid document"), "{message}");
}

#[test]
fn flags_can_come_before_or_after_the_document() {
    let behind = printed(&format!("history --region us --format csv --at {NOON}"));
    assert_eq!(printed(&format!("--at {NOON} --format csv history --region us")), behind);
    let plot = printed(&format!("regions --plot --at {NOON}"));
    assert_eq!(printed(&format!("--plot --at {NOON} regions")), plot);
}

#[test]
fn errors_of_show_are_one_line() {
    let server = server_of(Inputs::default());
    let url = server.url();
    refused(
        "history --region xx",
        "No region has this region_id. Use global or an id listed at /v1/ghi/regions: us, eu, cn.",
    );
    for id in ["xx", "global", ".."] {
        let message = "No region has this id. Use an id listed at /v1/ghi/regions: us, eu, cn.";
        refused(&format!("region {id}"), message);
    }
    for line in ["history --region xx", "region xx"] {
        let message = String::from_utf8(show(&format!("{line} --url {url}")).stderr).unwrap();
        assert!(message.contains("returned 404 unknown_region: No region has "), "{message}");
    }
    for what in ["snapshot", "region us", "network", "forecast", "indicator", "metadata"] {
        let message = "--plot works only with history, regions and curve";
        refused(&format!("{what} --plot"), message);
    }
    refused(
        "history --plot --format csv",
        "the argument '--plot' cannot be used with '--format <FORMAT>'",
    );
    let own = "--url cannot be combined with --at or --inputs, because the server has its own clock and inputs; remove them, and unset GHI_AT and GHI_INPUTS";
    refused(&format!("snapshot --url {url} --at {NOON}"), own);
    refused(&format!("snapshot --url {url} --inputs x.toml"), own);
    refused(
        "snapshot --url example.org",
        "--url must start with http:// or https:// and have no user name, query string or fragment, such as http://127.0.0.1:8000",
    );
    refused("history --from 2026-11-02 --to 2026-11-01", "\"from\" must not be after \"to\".");
    refused(
        "history --from 1990-01-01 --to 2026-11-15",
        "\"from\" and \"to\" must span at most 11,000 days; without \"to\", the range ends today.",
    );
    let future = format!("history --from 2026-11-16 --at {NOON}");
    refused(&future, "\"from\" must not be after \"to\".");
    let series = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/own-series/inputs.toml");
    refused(
        &format!("snapshot --inputs {series} --at 2030-01-01T00:00:00Z"),
        "No data for 2030-01-01. Data runs from 2025-10-03 to 2026-03-23. Other days need rows in the series; 'ghi collect' appends network rows from your own node.",
    );
}

#[test]
fn charts_fit_the_terminal() {
    for (columns, width) in [("40", 40), ("80", 80), ("200", 200), ("x", 80), ("1", 40)] {
        for line in ["history --plot", "regions --plot"] {
            let text = chart(columns, &format!("{line} --at {NOON}"));
            let widths = text.lines().skip(3).map(|line| line.chars().count());
            let widest = widths.max().unwrap();
            assert!(widest <= width && widest + 4 >= width, "{widest} of {width}:\n{text}");
        }
    }
    for columns in ["40", "80", "200"] {
        let text = ["history --plot", "history --plot --from 2025-11-16", "regions --plot"]
            .map(|line| chart(columns, &format!("{line} --at {NOON}")));
        let name = format!("show/charts-{columns}.txt");
        expect_file![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)]
            .assert_eq(&text.join("\n"));
    }
}

/// Returns a history of seven days with these averages, times a unit.
fn history_of(unit: f64, averages: [f64; 7]) -> String {
    let point = |(day, average): (usize, f64)| {
        let [min, avg, max] = [0.8, 1.0, 1.3].map(|factor| factor * average * unit);
        format!(
            r#"{{"date":"2026-11-{:02}","currency":"USD","min_cost_usd":{min:.4e},"avg_cost_usd":{avg:.4e},"max_cost_usd":{max:.4e}}}"#,
            day + 9
        )
    };
    let points = averages.into_iter().enumerate().map(point).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"version":"1.1","timestamp_utc":"{NOON}","engine_sandbox_version":"1-sandbox","region_id":"global","points":[{points}]}}"#
    )
}

#[test]
fn flat_tiny_and_huge_costs_are_drawn() {
    let moving = [1.0, 1.02, 1.01, 1.05, 1.06, 1.04, 1.03];
    for (unit, label) in
        [(1e12, "$1,060,000,000,000 ┤"), (1e-6, "$0.00000106 ┤"), (1e300, "$1.06e300 ┤")]
    {
        let url = answering(history_of(unit, moving));
        let text = printed(&format!("history --plot --url {url}"));
        assert!(text.lines().skip(3).all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains(label), "{text}");
    }
    for (unit, name) in [(100.0, "$100.00"), (-1.0, "$-1.00"), (0.0, "$0.00")] {
        let url = answering(history_of(unit, [1.0; 7]));
        let flat = printed(&format!("history --plot --url {url}"));
        let line = flat.lines().find(|line| line.contains(" avg ")).unwrap();
        assert!(line.trim().starts_with(&format!("{name} ┤")), "{flat}");
        assert!(line.ends_with(&format!(" avg {name}")), "{flat}");
    }
    let day = printed(&format!("history --plot --from 2026-11-15 --to 2026-11-15 --at {NOON}"));
    let avg = day.lines().find(|line| line.ends_with(" avg $56,018.28")).unwrap();
    assert!(avg.starts_with("$56,018 "), "{day}");
}

#[test]
fn many_regions_have_one_bar_each() {
    let names: Vec<String> = (0..250).map(|number| format!("Region {number}")).collect();
    let file = file("250.toml", &with_regions(&names));
    let text = printed(&format!("regions --plot --at {NOON} --inputs {file}"));
    let bars: Vec<&str> = text.lines().filter(|line| line.contains('●')).collect();
    assert_eq!(bars.len(), 251);
    assert!(bars[0].starts_with("global ") && bars[250].starts_with("r249 "));
    let table = printed(&format!("snapshot --at {NOON} --inputs {file}"));
    assert_eq!(table.lines().count(), 255);
}

/// Returns the output of the command on a terminal of this width.
fn in_terminal(columns: u16, line: &str) -> String {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
    let terminal = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&controller, size).unwrap();
    let mut child = ghi()
        .args(line.split_whitespace())
        .stdout(Stdio::from(terminal))
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        // Reading after the terminal is closed is an error.
        _ = File::from(controller).read_to_end(&mut text);
        String::from_utf8(text).unwrap()
    });
    assert!(child.wait().unwrap().success());
    drop(child);
    reader.join().unwrap().replace("\r\n", "\n")
}

#[test]
fn names_of_any_width_come_last_and_charts_are_as_wide_as_the_terminal() {
    let names =
        ["United States of America", "中华人民共和国的一个很长的名字", "المملكة العربية السعودية"];
    let file = file("names.toml", &with_regions(&names.map(String::from)));
    let line = format!("snapshot --at {NOON} --inputs {file}");
    expect![[r#"
        Cost of mining one bitcoin, USD, 2026-11-15
        Synthetic data, embedded engine, 2026-11-15T12:00:00Z

        region        min        avg        max  name
        global  44,005.30  63,230.32  87,844.89  Worldwide
        r0      44,005.30  63,230.01  85,013.38  United States of America
        r1      47,923.30  66,193.04  87,844.89  中华人民共和国的一个很长的名字
        r2      45,650.18  63,349.11  84,351.84  المملكة العربية السعودية
    "#]]
    .assert_eq(&in_terminal(56, &line));
    let chart = in_terminal(100, &format!("history --plot --at {NOON}"));
    assert_eq!(chart.lines().map(|line| line.chars().count()).max(), Some(100));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    // More than a pipe holds.
    let line = format!("history --from 2000-01-01 --to 2020-01-01 --at {NOON}");
    let mut child = ghi()
        .args(line.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

/// Starts a server that sends the same body for every request. Returns its URL.
fn answering(body: impl Into<String>) -> String {
    let body = body.into();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            _ = stream.read(&mut [0; 4096]);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
            _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        }
    });
    format!("http://{address}")
}

#[test]
fn documents_from_other_servers_are_accepted_and_escaped() {
    let url = answering(
        r#"{"version":"1.9","timestamp_utc":"2026-11-15T12:00:00.000000Z","engine_sandbox_version":"9-sandbox","region_count":1,"new":[1],
        "regions":[{"id":"a","name":"=1+1\u001b[31m","region_id":"a","currency":"USD","min_cost_usd":1,"avg_cost_usd":2.5,"max_cost_usd":1e3,"new":{}}],
        "global_min_cost_usd":1.0,"global_avg_cost_usd":2.5,"global_max_cost_usd":1000.0}"#,
    );
    let told = |text: String| text.replace(&url, "URL");
    expect![[r#"
        Cost of mining one coin, USD, 2026-11-15
        Sandbox data, URL, 2026-11-15T12:00:00Z

        region   min   avg       max  name
        global  1.00  2.50  1,000.00  Worldwide
        a       1.00  2.50  1,000.00  =1+1\u{1b}[31m
    "#]]
    .assert_eq(&told(printed(&format!("snapshot --url {url}"))));
    let csv = printed(&format!("snapshot --format csv --url {url}"));
    assert!(csv.contains(",a,'=1+1\u{1b}[31m,USD,1.00,2.50,1000.00,\r\n"), "{csv:?}");
    assert!(printed(&format!("snapshot --format json --url {url}")).contains("\"new\":[1]"));
    let url = answering(history_of(1.0, [1.0; 7]).replace("2026-11-09", "\\u001b[31m"));
    for line in ["history", "history --plot"] {
        assert!(!printed(&format!("{line} --url {url}")).contains('\u{1b}'));
    }
}

#[test]
fn control_and_bidirectional_characters_are_escaped_on_a_terminal() {
    // Escape sequences, a title (OSC), C1 controls, NUL, a direction override, an invisible tag.
    let steering = "\u{1b}[31m\u{1b}]0;x\u{7}\u{9b}2J\0\u{202e}\u{2066}\u{e0041}\r";
    let escaped = steering.chars().map(|char| match char {
        '\0'..' ' => format!("\\u{:04x}", u32::from(char)),
        char => char.to_string(),
    });
    let escaped: String = escaped.collect();
    let snapshot = format!(
        r#"{{"version":"1.1","timestamp_utc":"{escaped}","engine_sandbox_version":"x","region_count":1,
        "regions":[{{"id":"{escaped}","name":"{escaped}","region_id":"a","currency":"USD","min_cost_usd":1,"avg_cost_usd":2,"max_cost_usd":3}}],
        "global_min_cost_usd":1,"global_avg_cost_usd":2,"global_max_cost_usd":3}}"#
    );
    let is_plain = |char: char| char == '\n' || !ghi_engine::is_invisible(char);
    let url = answering(snapshot.clone());
    for line in ["snapshot", "snapshot --format csv", "snapshot --format json", "regions --plot"] {
        let text = in_terminal(80, &format!("{line} --url {url}")).replace("\r\n", "\n");
        assert!(text.chars().all(is_plain), "{line}: {text:?}");
        assert!(text.contains("u001b") || text.contains("u{1b}"), "{line}: {text:?}");
    }
    let csv = printed(&format!("snapshot --format csv --url {url}"));
    assert!(csv.contains(steering), "a pipe gets the data unchanged: {csv:?}");
    assert_eq!(printed(&format!("snapshot --format json --url {url}")), snapshot + "\n");
    let url = answering(history_of(1.0, [1.0; 7]).replace("2026-11-09", &escaped));
    for line in ["history", "history --plot", "history --format csv", "history --format json"] {
        let text = in_terminal(80, &format!("{line} --url {url}")).replace("\r\n", "\n");
        assert!(text.chars().all(is_plain), "{line}: {text:?}");
    }
    let refused = show(&format!("history --to 2030-01-01 --url {url}"));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.chars().all(is_plain) && message.lines().count() == 1, "{message:?}");
}

#[test]
fn missing_costs_are_marked() {
    let url = answering(
        r#"{"version":"1.1","timestamp_utc":"2026-11-15T12:00:00.000000Z","engine_sandbox_version":"9-sandbox",
        "region_count":1,"regions":[{"id":"a","name":"A","region_id":"a","currency":"USD","min_cost_usd":1,"avg_cost_usd":2.5,"max_cost_usd":3}],
        "global_min_cost_usd":1.0,"global_avg_cost_usd":null,"global_max_cost_usd":3.0}"#,
    );
    expect![[r#"
        Cost of mining one coin, USD, 2026-11-15
        Sandbox data, URL, 2026-11-15T12:00:00Z

        region   min   avg   max  name
        global  1.00     –  3.00  Worldwide
        a       1.00  2.50  3.00  A
    "#]]
    .assert_eq(&printed(&format!("snapshot --url {url}")).replace(&url, "URL"));
    let csv = printed(&format!("snapshot --format csv --url {url}"));
    assert!(csv.contains(",global,Worldwide,USD,1.00,,3.00,"), "{csv}");
    let bars = printed(&format!("regions --plot --url {url}"));
    assert!(!bars.contains("global"), "{bars}");

    let history = history_of(1.0, [1.0; 7]);
    let url = answering(format!("{}[]}}", history.split('[').next().unwrap()));
    expect![[r#"
        Cost of mining one coin, USD, global
        Sandbox data, URL, 2026-11-15T12:00:00Z

        No data.
    "#]]
    .assert_eq(&printed(&format!("history --url {url}")).replace(&url, "URL"));
    refused(&format!("history --plot --url {url}"), "the history has no points to draw");
}

#[test]
fn the_reduced_snapshot_is_shown_without_regions() {
    let clock = Clock::at(NOON.parse().unwrap());
    let config = Config { clock, snapshot_form: SnapshotForm::Reduced, ..Config::default() };
    let server = Sandbox::start(config).unwrap();
    let url = server.url();
    let table = printed(&format!("snapshot --url {url}"));
    assert!(table.ends_with("\nglobal  39,082.70  56,018.28  80,358.00  Worldwide\n"), "{table}");
    refused(
        &format!("regions --plot --url {url}"),
        "the snapshot is in the reduced form, which has no regions to draw",
    );
}

#[test]
fn the_commands_in_the_docs_print_the_documented_output() {
    let docs = include_str!("../../../docs/terminal.md");
    let blocks: Vec<&str> = docs.split("```console\n$ ghi show ").skip(1).collect();
    for block in &blocks {
        let (line, output) = block.split("```").next().unwrap().split_once('\n').unwrap();
        assert_eq!(printed(line).replace("\r\n", "\n"), output, "{line}");
    }
    assert_eq!((blocks.len(), docs.matches("```console").count()), (7, 7));
}

#[test]
fn the_curve_and_economics_match_the_server() {
    let server = server_of(Inputs::default());
    let url = format!("--url http://{}", server.address());
    for (line, target) in [
        ("curve", "/export/cost-curve.csv"),
        ("curve --date 2024-02-29", "/export/cost-curve.csv?date=2024-02-29"),
        ("economics", "/export/economics.csv"),
        (
            "economics --from 2026-10-01 --to 2026-10-31 --price 70000",
            "/export/economics.csv?from=2026-10-01&to=2026-10-31&price=70000",
        ),
    ] {
        let csv = served(&server, target);
        let at = format!("--at {NOON}");
        for source in [&at, &url] {
            assert_eq!(printed(&format!("{line} --format csv {source}")), csv, "{line} {source}");
        }
        let table = printed(&format!("{line} {at}"));
        let last: Vec<&str> = csv.lines().last().unwrap().split(',').collect();
        let figures = last.iter().filter(|cell| cell.contains('.'));
        let table = table.replace(',', "");
        assert!(figures.into_iter().all(|cell| table.contains(cell)), "{table}");
        let json: serde_json::Value =
            serde_json::from_str(&printed(&format!("{line} --format json {at}"))).unwrap();
        assert_eq!(json["rows"].as_array().unwrap().len(), csv.lines().count() - 1);
    }
    let economics = served(&server, "/export/economics.csv?date=2026-11-15&price=60000");
    let share = economics.lines().nth(1).unwrap().split(',').nth(7).unwrap();
    let summary = format!(
        "At a price of 60,000.00 USD, revenue covers the cost of {share}% of the hashrate\n"
    );
    for plot in ["", "--plot"] {
        let text = printed(&format!("curve --price 60000 --at {NOON} {plot}"));
        assert!(
            text.starts_with("Cost curve, USD per BTC, 2026-11-15\nSynthetic data, "),
            "{text}"
        );
        assert!(text.ends_with(&summary), "{text}");
    }
    for source in [&format!("--at {NOON}"), &url] {
        let json = printed(&format!("curve --price 60000 --format json {source}"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["price_usd"], 60000.0);
        assert_eq!(json["hashrate_below_price_pct"], share.parse::<f64>().unwrap());
    }
    for source in [&format!("--at {NOON}"), &url] {
        let csv = printed(&format!("curve --format csv {source}"));
        let with_price = printed(&format!("curve --price 60000 --format csv {source}"));
        assert_eq!(with_price, csv + &format!("2026-11-15,,price,,{share},,60000.00,\r\n"));
    }
    let text = chart("60", &format!("curve --plot --price 60000 --at {NOON}"));
    assert!(text.lines().skip(3).take(18).all(|line| line.chars().count() <= 60), "{text}");
    assert!(text.contains("\n$60,000 ┤") && text.contains("\n  $0.00 ┤\n"), "{text}");
}

#[test]
fn economics_without_a_price_have_empty_cells() {
    let text = DEFAULT_INPUTS.replace("price_usd = 70000.0\n", "");
    let inputs = file("without-price.toml", &text);
    let json = printed(&format!("economics --format json --inputs {inputs}"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let day = &json["rows"][6];
    assert!(day["price_usd"].is_null() && day["revenue_to_cost"].is_null(), "{day}");
    assert!(day["power_gw"].is_f64(), "{day}");
    assert!(!printed(&format!("curve --inputs {inputs}")).contains("of the hashrate"));
    for price in ["0", "1e-6", "-1", "x"] {
        refused(
            &format!("economics --price {price}"),
            "price must be a number from 0.01 to 1e9; the default is the market price, if there is one.",
        );
    }
    refused("economics --plot", "--plot works only with history, regions and curve");
}

#[test]
fn the_kind_of_data_is_for_the_day_shown() {
    let regions = "date,region_id,electricity_usd_per_kwh_low,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high\n\
         2026-11-01,us,0.04,0.05,0.06\n2026-11-01,eu,0.05,0.06,0.07\n2026-11-01,cn,0.03,0.04,0.05\n";
    let network = "date,difficulty,hashrate_eh,fee_usd,price_usd\n\
         2026-11-01,1e14,700,1,80000\n2026-11-10,1e14,700,,80000\n";
    file("kind-network.csv", network);
    file("kind-regions.csv", regions);
    let series =
        "[series]\nnetwork = \"kind-network.csv\"\nregions = \"kind-regions.csv\"\n[[region]]";
    let inputs = file("kind.toml", &DEFAULT_INPUTS.replacen("[[region]]", series, 1));
    let [then, now] =
        ["Operator's data, embedded", "Operator's data, with synthetic fee, embedded"];
    for (line, kind) in [
        ("curve --date 2026-11-05", then),
        ("curve --plot --date 2026-11-05", then),
        ("curve", now),
        ("economics --to 2026-11-07 --from 2026-11-02", then),
        ("economics", now),
        ("history --to 2026-11-07 --from 2026-11-02", then),
        ("history --region us", now),
        ("snapshot", now),
    ] {
        let text = printed(&format!("{line} --at {NOON} --inputs {inputs}"));
        assert!(text.lines().nth(1).unwrap().starts_with(kind), "{line}: {text}");
    }
}

#[test]
fn the_forecast_has_an_interval_and_reasons_and_the_scores_are_a_table() {
    let inputs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bitcoin/inputs.toml");
    let show = |line: &str| printed(&format!("{line} --inputs {inputs} --at 2024-03-20"));
    let text = show("forecast --days 60");
    for part in [
        "80% from, USD  ",
        "80% to, USD    ",
        "\n974 of 2,016 blocks mined, ",
        "Next halving expected on ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let row = show("forecast --days 60 --format csv");
    let columns =
        "date,forecast_days,predicted_avg_cost_usd,low_cost_usd,high_cost_usd\r\n2024-03-20,60,";
    assert!(row.starts_with(columns) && row.matches(',').count() == 8, "{row}");
    let scores = show("forecast --score --from 2020-01-01 --to 2022-12-31");
    let labels = "days  forecasts  error %  repeating today %  ratio  inside interval %";
    assert!(scores.contains(labels) && scores.contains("\n30        1,096 "), "{scores}");
    assert_eq!(show("forecast --score --format csv").lines().count(), 8);
    let json: serde_json::Value =
        serde_json::from_str(&show("forecast --score --format json")).unwrap();
    assert_eq!(json["rows"][6]["forecast_days"], 365);
    let score = printed(&format!("forecast --score --at {NOON}"));
    assert!(score.contains("\nSynthetic data, embedded engine\n"), "{score}");
    for line in [
        "forecast --score --days 30",
        "forecast --from 2024-01-01",
        "forecast --days 7 --from 2024-01-01",
    ] {
        assert_eq!(self::show(line).status.code(), Some(2), "{line}");
    }
}
