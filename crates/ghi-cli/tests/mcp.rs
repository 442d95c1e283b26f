//! `ghi mcp`.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{ChildStdin, Stdio};
use std::thread;
use std::time::Duration;

use ghi_server::{Clock, Config, Sandbox};
use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion, Tool};
use rmcp::service::RunningService;
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceError};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use program::{GHI, program};

mod program;

const AT: &str = "2026-11-15T12:00:00Z";

/// A client of a running `ghi mcp`.
struct Assistant {
    client: RunningService<RoleClient, ()>,
    child: Child,
}

impl Assistant {
    async fn start(args: &[&str]) -> Self {
        Self::start_with(args, ClientLifecycleMode::Initialize).await
    }

    async fn start_with(args: &[&str], lifecycle: ClientLifecycleMode) -> Self {
        let mut command = Command::from(program(GHI));
        command.arg("mcp").args(args).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let streams = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let client = ().serve_with_lifecycle(streams, lifecycle).await.unwrap();
        Self { client, child }
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let arguments = arguments.as_object().unwrap().clone();
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        self.client.call_tool(params).await.unwrap()
    }

    /// Calls a tool, which must fail. Returns its message.
    async fn refusal(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!((result.is_error, &result.structured_content), (Some(true), &None));
        result.content[0].as_text().unwrap().text.clone()
    }
}

fn sandbox() -> (Sandbox, String) {
    let clock = Clock::at(AT.parse().unwrap());
    let sandbox = Sandbox::start(Config { clock, ..Config::default() }).unwrap();
    let url = format!("http://{}", sandbox.address());
    (sandbox, url)
}

/// Returns the response of a server.
fn get(sandbox: &Sandbox, target: &str) -> Value {
    let mut stream = TcpStream::connect(sandbox.address()).unwrap();
    write!(stream, "GET {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    serde_json::from_str(reply.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// Calls of all tools, and the paths of the same documents over HTTP.
fn calls() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("snapshot", json!({}), "/v1/ghi/snapshot"),
        ("history", json!({}), "/v1/ghi/history"),
        ("history", json!({"region_id": "eu"}), "/v1/ghi/history?region_id=eu"),
        ("region", json!({"id": "cn"}), "/v1/ghi/regions/cn"),
        ("regions", json!({}), "/v1/ghi/regions"),
        ("network", json!({}), "/v1/ghi/network"),
        ("forecast", json!({}), "/v1/ghi/forecast"),
        ("forecast", json!({"forecast_days": 365}), "/v1/ghi/forecast?forecast_days=365"),
        ("metadata", json!({}), "/v1/ghi/metadata"),
        ("explain", json!({}), "/export/explain.json"),
        (
            "explain",
            json!({"region_id": "us", "date": "2026-11-10"}),
            "/export/explain.json?region_id=us&date=2026-11-10",
        ),
        (
            "explain",
            json!({"region_id": "us", "since": "2026-10-15"}),
            "/export/explain.json?region_id=us&since=2026-10-15",
        ),
    ]
}

#[tokio::test]
async fn each_tool_returns_the_document_of_the_api() {
    let (sandbox, url) = sandbox();
    for args in [&["--at", AT][..], &["--url", &url]] {
        let assistant = Assistant::start(args).await;
        let tools = assistant.client.list_all_tools().await.unwrap();
        for (name, arguments, target) in calls() {
            let tool = tools.iter().find(|tool| tool.name == name).unwrap();
            let input = Value::Object((*tool.input_schema).clone());
            assert!(jsonschema::is_valid(&input, &arguments), "{name}");
            let result = assistant.call(name, arguments).await;
            let document = result.structured_content.unwrap();
            assert_eq!(document, get(&sandbox, target), "{name}");
            let text = &result.content[0].as_text().unwrap().text;
            assert_eq!(serde_json::from_str::<Value>(text).unwrap(), document, "{name}");
        }
    }
}

#[tokio::test]
async fn the_curve_and_economics_have_the_rows_of_the_tables() {
    let (sandbox, url) = sandbox();
    let assistants =
        [Assistant::start(&["--at", AT]).await, Assistant::start(&["--url", &url]).await];
    for (tool, arguments, target, count) in [
        ("cost_curve", json!({}), "/export/cost-curve.csv", 3),
        ("cost_curve", json!({"date": "2024-02-29"}), "/export/cost-curve.csv?date=2024-02-29", 3),
        ("economics", json!({}), "/export/economics.csv", 7),
        (
            "economics",
            json!({"range": "30d", "price": 70000}),
            "/export/economics.csv?range=30d&price=70000",
            30,
        ),
        ("economics", json!({"date": "2026-11-01"}), "/export/economics.csv?date=2026-11-01", 1),
    ] {
        let mut stream = TcpStream::connect(sandbox.address()).unwrap();
        write!(stream, "GET {target} HTTP/1.0\r\nHost: test\r\n\r\n").unwrap();
        let mut csv = String::new();
        stream.read_to_string(&mut csv).unwrap();
        let average = csv.lines().last().unwrap().split(',').collect::<Vec<_>>();
        for assistant in &assistants {
            let result = assistant.call(tool, arguments.clone()).await;
            let rows = result.structured_content.unwrap()["rows"].as_array().unwrap().clone();
            assert_eq!(rows.len(), count, "{target}");
            let column = if tool == "economics" { 2 } else { 6 };
            let expected: f64 = average[column].parse().unwrap();
            assert_eq!(rows[count - 1]["avg_cost_usd"], json!(expected), "{target}");
        }
    }
    let said = assistants[0].refusal("economics", json!({"price": -1})).await;
    assert_eq!(
        said,
        "price must be a number from 0.01 to 1e9; the default is the market price, if there is one."
    );
    for (tool, arguments, count) in [
        ("past_forecasts", json!({"forecast_days": "1-3"}), 3),
        ("past_forecasts", json!({"forecast_days": 30, "from": "2026-01-01"}), 319),
        ("forecast_score", json!({"from": "2025-01-01", "to": "2025-12-31"}), 7),
    ] {
        for assistant in &assistants {
            let rows = assistant.call(tool, arguments.clone()).await.structured_content.unwrap();
            assert_eq!(rows["rows"].as_array().unwrap().len(), count, "{tool} {arguments}");
        }
    }
    for assistant in &assistants {
        let result = assistant.call("cost_curve", json!({"price": 60000})).await;
        let curve = result.structured_content.unwrap();
        let economics = json!({"price": 60000, "date": "2026-11-15"});
        let result = assistant.call("economics", economics).await;
        let day = result.structured_content.unwrap()["rows"][0].clone();
        for name in ["price_usd", "hashrate_below_price_pct"] {
            assert!(curve[name].is_f64() && curve[name] == day[name], "{curve}");
        }
    }
}

#[tokio::test]
async fn operators_data_is_not_called_synthetic_and_may_have_no_price() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let prices = "0.04,0.05,0.06";
    let regions = format!(
        "date,region_id,electricity_usd_per_kwh_low,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high\n\
         2026-11-01,us,{prices}\n2026-11-01,eu,{prices}\n2026-11-01,cn,{prices}\n"
    );
    let network = "date,difficulty,hashrate_eh,fee_usd\n2026-11-01,1e14,700,1\n";
    std::fs::write(folder.join("mcp-network.csv"), network).unwrap();
    std::fs::write(folder.join("mcp-regions.csv"), regions).unwrap();
    let series =
        "[series]\nnetwork = \"mcp-network.csv\"\nregions = \"mcp-regions.csv\"\n[[region]]";
    let text = ghi_engine::DEFAULT_INPUTS.replace("price_usd = 70000.0\n", "");
    let path = folder.join("mcp.toml");
    std::fs::write(&path, text.replacen("[[region]]", series, 1)).unwrap();
    let assistant = Assistant::start(&["--at", AT, "--inputs", path.to_str().unwrap()]).await;
    let info = assistant.client.peer_info().unwrap();
    let tools = assistant.client.list_all_tools().await.unwrap();
    let descriptions = tools.iter().map(|tool| tool.description.as_deref().unwrap());
    for text in descriptions.chain([info.instructions.as_deref().unwrap()]) {
        assert!(
            text.contains("Operator's data") && !text.to_lowercase().contains("synthetic"),
            "{text}"
        );
    }
    let economics = assistant.call("economics", json!({})).await.structured_content.unwrap();
    let day = &economics["rows"][0];
    assert!(day["price_usd"].is_null() && day["energy_cost_usd"].is_f64(), "{day}");
    let curve = assistant.call("cost_curve", json!({})).await.structured_content.unwrap();
    assert!(curve.get("price_usd").is_none() && curve["rows"].is_array());
}

#[tokio::test]
async fn tools_have_titles_and_descriptions() {
    let assistant = Assistant::start(&[]).await;
    let info = assistant.client.peer_info().unwrap();
    let server = info.server_info.as_ref().unwrap();
    assert_eq!((&*server.name, &*server.version), ("ghi", env!("CARGO_PKG_VERSION")));
    assert!(info.instructions.as_ref().unwrap().contains("Synthetic data"));
    let tools = assistant.client.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    let expected = [
        "snapshot",
        "history",
        "region",
        "regions",
        "network",
        "forecast",
        "past_forecasts",
        "forecast_score",
        "metadata",
        "explain",
        "cost_curve",
        "economics",
    ];
    assert_eq!(names, expected);
    let hints = |tool: &Tool| {
        let annotations = tool.annotations.clone().unwrap();
        (annotations.read_only_hint, annotations.open_world_hint)
    };
    assert!(tools.iter().all(|tool| hints(tool) == (Some(true), Some(false))));
}

#[tokio::test]
async fn invalid_arguments_are_errors_that_an_assistant_can_read() {
    let assistant = Assistant::start(&["--at", AT]).await;
    for (tool, arguments, said) in [
        ("forecast", json!({"forecast_days": 0}), "forecast_days must be a whole number from 1"),
        ("forecast", json!({"days": 3}), "forecast has no argument days; it takes forecast_days"),
        ("forecast", json!({"forecast_days": "x"}), "forecast_days must be a whole number from 1"),
        (
            "snapshot",
            json!({"region_id": "us"}),
            "snapshot has no argument region_id; it takes none",
        ),
        ("region", json!({}), "id is missing; regions lists the ids"),
        ("region", json!({"id": ""}), "id is missing; regions lists the ids"),
        ("region", json!({"id": "atlantis"}), "No region has this id. Use an id listed at "),
        ("history", json!({"region_id": 7}), "No region has this region_id. Use global or "),
        (
            "history",
            json!({"region_id": []}),
            "region_id must be of type string: `global`, or a region's id as in the list of regions.",
        ),
        (
            "forecast",
            json!({"forecast_days": [7]}),
            "forecast_days must be of type integer: The horizon in days",
        ),
        (
            "history",
            json!({"region_id": "x".repeat(60_000)}),
            "The path and query together exceed 6144 bytes.",
        ),
        ("explain", json!({"date": "yesterday"}), "date must be a valid date"),
        ("explain", json!({"since": 5}), "since must be a valid date"),
        ("economics", json!({"price": "x"}), "price must be a number from 0.01 to 1e9"),
    ] {
        let message = assistant.refusal(tool, arguments).await;
        assert!(message.starts_with(said), "{message}");
    }
    let unknown = assistant.client.call_tool(CallToolRequestParams::new("mine")).await;
    let Err(ServiceError::McpError(error)) = unknown else { panic!("{unknown:?}") };
    assert_eq!(error.message, "unknown tool 'mine'");
    assert!(assistant.call("network", json!({})).await.structured_content.is_some());
}

#[tokio::test]
async fn an_unresponsive_server_does_not_block_other_calls() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let assistant = Assistant::start(&["--url", &url]).await;
    let waits = assistant.call("snapshot", json!({}));
    tokio::pin!(waits);
    let other = assistant.refusal("forecast", json!({"days": 3}));
    tokio::select! {
        biased;
        _ = &mut waits => panic!("the server never responds"),
        _ = other => {}
    }
    // Once the server is gone, the waiting call ends too.
    drop(silent);
    let result = tokio::time::timeout(Duration::from_secs(20), waits).await.unwrap();
    assert_eq!(result.is_error, Some(true));
    assert!(result.content[0].as_text().unwrap().text.contains(&url));
}

#[tokio::test]
async fn it_exits_with_its_client_or_on_a_signal() {
    let mut assistant = Assistant::start(&[]).await;
    assistant.client.close().await.unwrap();
    assert_eq!(assistant.child.wait().await.unwrap().code(), Some(0));
    for signal in ["TERM", "INT"] {
        let mut assistant = Assistant::start(&[]).await;
        let pid = assistant.child.id().unwrap().to_string();
        let kill = std::process::Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(kill.unwrap().success());
        assert_eq!(assistant.child.wait().await.unwrap().code(), Some(0), "{signal}");
    }
}

#[tokio::test]
async fn an_assistant_may_start_without_initialize() {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let discover = ClientLifecycleMode::Discover { preferred_versions };
    let assistant = Assistant::start_with(&["--at", AT], discover).await;
    let info = assistant.client.peer_info().unwrap();
    assert_eq!(info.server_info.as_ref().unwrap().name, "ghi");
    assert!(info.instructions.as_ref().unwrap().contains("Synthetic data"));
    assert_eq!(assistant.client.list_all_tools().await.unwrap().len(), 12);
    assert!(assistant.call("network", json!({})).await.structured_content.is_some());
    assert!(assistant.refusal("region", json!({})).await.starts_with("id is missing"));
}

/// The start of a session.
const START: &str = r#"{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

/// Returns the output of `ghi mcp` for these input lines.
fn lines(args: &[&str], lines: &[&str]) -> Vec<Value> {
    let mut command = program(GHI);
    command.arg("mcp").args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in lines {
        writeln!(stdin, "{line}").unwrap();
    }
    stdin.write_all(b"\xff\xfe\0\n{\"cut off").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*stderr), (Some(0), ""));
    let stdout = String::from_utf8(output.stdout).unwrap();
    stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect()
}

#[test]
fn lines_that_are_not_messages_do_not_end_the_session() {
    let started = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let answered = r#"{"jsonrpc":"2.0","id":9,"result":{}}"#;
    let sent = [
        "garbage",
        START,
        started,
        "",
        "{",
        "[]",
        answered,
        r#"{"jsonrpc":"2.0","id":3}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"mine"}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"mine"}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}}"#,
        r#"{"jsonrpc":"2.0","id":"last","method":"tools/list"}"#,
    ];
    let mut codes: Vec<(String, i64)> = lines(&[], &sent)
        .into_iter()
        .map(|reply| (reply["id"].to_string(), reply["error"]["code"].as_i64().unwrap_or(0)))
        .collect();
    codes.sort();
    let mut expected: Vec<(String, i64)> = [
        ("\"start\"", 0),
        ("null", -32600), // []
        ("null", -32600), // no method
        ("4", -32601),
        ("5", -32601),
        ("6", -32602),
        ("null", -32600), // params are not an object
        ("8", -32022),
        ("\"last\"", 0),
    ]
    .map(|(id, code)| (id.to_owned(), code))
    .into();
    expected.sort();
    assert_eq!(codes, expected);
}

/// Returns the peak memory of a process, MB.
fn peak_memory_mb(child: &std::process::Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() / 1024
}

/// Starts `ghi mcp` and a session. Returns the process, its input and the lines of its output.
fn session(
    args: &[&str],
) -> (std::process::Child, ChildStdin, impl Iterator<Item = Value> + use<>) {
    let mut command = program(GHI);
    command.arg("mcp").args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{START}").unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut replies = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    assert_eq!(replies.next().unwrap()["id"], "start");
    (child, stdin, replies)
}

/// Returns a call of a tool without arguments.
fn call_line(id: u32, tool: &str) -> String {
    let params = json!({"name": tool});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

#[test]
fn an_overlong_line_is_ignored_in_bounded_memory() {
    let (mut child, mut stdin, mut replies) = session(&[]);
    for _ in 0..200 {
        stdin.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    stdin.write_all(b"\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n").unwrap();
    assert_eq!(replies.next().unwrap(), json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
    assert!(peak_memory_mb(&child) < 100, "{} MB", peak_memory_mb(&child));
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn requests_without_end_take_bounded_memory() {
    let (mut child, mut stdin, mut replies) = session(&["--at", AT]);
    let padding = ",[]".repeat(20_000);
    let last = 300;
    let writer = thread::spawn(move || {
        for id in 0..=last {
            let method = if id % 2 == 0 { "tools/list" } else { "mine" };
            let params = format!(r#"{{"added":[0{padding}]}}"#);
            writeln!(
                stdin,
                r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
            )
            .unwrap();
        }
        stdin
    });
    assert!(replies.by_ref().any(|reply| reply["id"] == last));
    assert!(peak_memory_mb(&child) < 100, "{} MB", peak_memory_mb(&child));
    drop(writer.join().unwrap());
    assert!(child.wait().unwrap().success());
}

/// Starts a server that sends the same body for every request. Returns its URL.
fn answering(body: String) -> String {
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
fn documents_from_a_hostile_server_take_bounded_memory() {
    let start = r#"{"version":"1.1","timestamp_utc":"","engine_sandbox_version":"#;
    let document = |values| format!("{start}\r\n\"\",\"added\":[[]{}]}}", ",\n[0]".repeat(values));
    for (tool, body, is_error) in [
        ("snapshot", document(10_000), false),
        ("snapshot", document(600_000), true),
        ("economics", ",".repeat(6_000_000), true),
    ] {
        let url = answering(body);
        let (mut child, mut stdin, replies) = session(&["--url", &url]);
        (0..10).for_each(|id| writeln!(stdin, "{}", call_line(id, tool)).unwrap());
        for reply in replies.take(10) {
            assert_eq!(reply["result"]["isError"], is_error);
            let said = reply["result"]["content"][0]["text"].as_str().unwrap();
            assert!(said.starts_with('{') || said == "the document has too many values");
        }
        assert!(peak_memory_mb(&child) < 100, "{} MB", peak_memory_mb(&child));
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn sixteen_calls_run_at_once() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    let (mut child, mut stdin, mut replies) = session(&["--url", &url]);
    (0..40).for_each(|id| writeln!(stdin, "{}", call_line(id, "network")).unwrap());
    let mut open: Vec<TcpStream> = (0..16).map(|_| server.accept().unwrap().0).collect();
    open[0].write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").unwrap();
    assert_eq!(replies.next().unwrap()["result"]["isError"], true);
    // One call has ended, so one more may start.
    server.set_nonblocking(true).unwrap();
    while let Ok((stream, _)) = server.accept() {
        open.push(stream);
    }
    assert!(open.len() <= 17, "{}", open.len());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_revision_is_the_latest_that_both_sides_support() {
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2030-01-01", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let replies = lines(&[], &[&START.replace("2025-06-18", asked)]);
        let started = replies.iter().find(|reply| reply["id"] == "start").unwrap();
        assert_eq!(started["result"]["protocolVersion"], agreed, "{asked}");
    }
}

#[test]
fn a_cancelled_request_gets_no_reply() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let (mut child, mut stdin, mut replies) = session(&["--url", &url]);
    // More than may run at once.
    for id in 0..20 {
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        writeln!(stdin, "{}\n{cancel}", call_line(id, "network")).unwrap();
    }
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":"last","method":"ping"}}"#).unwrap();
    assert_eq!(replies.next().unwrap()["id"], "last");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}
