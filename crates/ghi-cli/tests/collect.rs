//! `ghi collect` against a scripted node: what it writes, and how it fails.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use program::{GHI, program};

mod program;

/// 2026-01-01T00:00:00Z.
const START: i64 = 1_767_225_600;

const DAY: i64 = 86_400;

/// A node with a chain of these block times. Height 0 has the first.
#[derive(Clone)]
struct FakeNode {
    times: Vec<i64>,
    difficulty: f64,
    /// Members of the chain's state.
    info: Value,
    /// The methods that return an error, and its code.
    failing: Option<(&'static str, i64)>,
    /// What the node sends instead of a response.
    sends: Option<&'static str>,
    /// The height from which statistics get no response. A message tells that one was requested.
    silent_from: Option<(usize, Sender<()>)>,
}

impl FakeNode {
    /// A block every ten minutes from the start of 2026, for this many days and hours.
    fn new(days: i64, hours: i64) -> Self {
        let times = (0..days * 144 + hours * 6).map(|block| START + block * 600).collect();
        Self {
            times,
            difficulty: 100e12,
            info: json!({}),
            failing: None,
            sends: None,
            silent_from: None,
        }
    }

    /// Starts the node. Returns its URL.
    fn start(self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let node = Arc::new(self);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (node, stream) = (Arc::clone(&node), stream.unwrap());
                thread::spawn(move || node.serve(stream));
            }
        });
        url
    }

    /// Answers the requests of a connection.
    fn serve(&self, mut stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        loop {
            let mut length = 0;
            let mut line = String::new();
            while reader.read_line(&mut line).ok()? > 0 && line != "\r\n" {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length: ") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).ok()?;
            if let Some(sent) = self.sends {
                stream.write_all(sent.as_bytes()).ok()?;
                // An endless response, until the client closes the connection.
                while sent.contains("chunked") {
                    stream.write_all(b"1000\r\n").ok()?;
                    stream.write_all(&[b' '; 0x1000]).ok()?;
                    stream.write_all(b"\r\n").ok()?;
                }
                return None;
            }
            let calls: Vec<Value> = serde_json::from_slice(&body).ok()?;
            assert!(calls.len() <= 100, "a batch of {}", calls.len());
            // In reverse, as the order is not defined.
            let answers: Vec<Value> = calls.iter().rev().map(|call| self.answer(call)).collect();
            if let Some((_, requested)) = &self.silent_from
                && answers.contains(&Value::Null)
            {
                _ = requested.send(());
                thread::park();
            }
            let body = Value::Array(answers).to_string();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).ok()?;
        }
    }

    fn answer(&self, call: &Value) -> Value {
        let (method, param) = (call["method"].as_str().unwrap(), &call["params"][0]);
        if let Some((_, code)) = self.failing.filter(|(failing, _)| *failing == method) {
            let error = json!({ "code": code, "message": "Loading block index…" });
            return json!({ "result": null, "error": error, "id": call["id"] });
        }
        let height = || param.as_str().unwrap().parse::<usize>().unwrap();
        let result = match method {
            "getblockchaininfo" => {
                let tip = self.times.len() - 1;
                let mut info = json!({ "chain": "main", "blocks": tip, "headers": tip });
                info.as_object_mut().unwrap().extend(self.info.as_object().unwrap().clone());
                info
            }
            "getblockhash" => json!(format!("{:064}", param.as_u64().unwrap())),
            "getblockheader" => {
                let height = height();
                let mut window = self.times[height.saturating_sub(10)..=height].to_vec();
                window.sort_unstable();
                json!({
                    "hash": param, "height": height, "difficulty": self.difficulty,
                    "previousblockhash": format!("{:064}", height - 1),
                    "time": self.times[height], "mediantime": window[window.len() / 2],
                })
            }
            "getblockstats" if self.silent_from.as_ref().is_some_and(|it| height() >= it.0) => {
                return Value::Null;
            }
            "getblockstats" => json!({ "subsidy": 312_500_000, "totalfee": 3_000, "txs": 4 }),
            _ => unreachable!("{method}"),
        };
        json!({ "result": result, "error": null, "id": call["id"] })
    }
}

/// Returns an empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("collect-{name}"));
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn command(url: &str, file: &Path, args: &[&str]) -> Command {
    let mut command = program(GHI);
    command.args(["collect", "--rpc", url, "--from", "2026-01-02", "--out"]).arg(file).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn collect(node: FakeNode, file: &Path, args: &[&str]) -> Output {
    command(&node.start(), file, args).output().unwrap()
}

#[track_caller]
fn ended_with(output: &Output, code: i32, said: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(stderr.contains(said), "{stderr}");
}

const HEADER: &str = "date,difficulty,hashrate_eh,fee_usd,block_reward_coins,price_usd,height\n";

/// The row of a day in January 2026 with 144 blocks, like all days before it.
fn row(date: &str) -> String {
    let day: u64 = date[8..].parse().unwrap();
    row_with_height(date, 144 * day - 1)
}

fn row_with_height(date: &str, height: u64) -> String {
    format!("{date},100000000000000,715.827882667,,3.125,,{height}\n")
}

#[test]
fn complete_days_are_appended_once() {
    let file = folder("twice").join("network.csv");
    ended_with(&collect(FakeNode::new(3, 3), &file, &[]), 0, "2 rows added up to 2026-01-03");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text, HEADER.to_owned() + &row("2026-01-02") + &row("2026-01-03"));
    ended_with(&collect(FakeNode::new(3, 3), &file, &[]), 0, "0 rows added up to 2026-01-03");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    let output = collect(FakeNode::new(4, 3), &file, &[]);
    ended_with(&output, 0, "1 row added up to 2026-01-04");
    ended_with(&output, 0, "ghi: 2026-01: 1 row\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), text + &row("2026-01-04"));
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "no other files");
}

#[test]
fn a_day_needs_a_later_median_time_past_with_six_blocks_on_top() {
    let file = folder("six").join("network.csv");
    // The median time past reaches the end of the day with the sixth block after it, and six more lie on top.
    let mut node = FakeNode::new(2, 0);
    node.times.extend((0..11).map(|block| START + 2 * DAY + block * 600));
    ended_with(&collect(node.clone(), &file, &[]), 0, "0 rows added");
    assert!(!file.exists());
    node.times.push(START + 2 * DAY + 11 * 600);
    ended_with(&collect(node, &file, &[]), 0, "1 row added up to 2026-01-02");
}

#[test]
fn blocks_out_of_order_count_on_the_day_of_their_time() {
    let file = folder("order").join("network.csv");
    let mut node = FakeNode::new(4, 3);
    // Two hours early, among blocks of the day before, and two hours late.
    node.times[2 * 144 - 12] = START + 2 * DAY;
    node.times[3 * 144 + 3] = START + 3 * DAY - 1;
    ended_with(&collect(node, &file, &[]), 0, "3 rows added");
    let text = fs::read_to_string(&file).unwrap();
    let hashrate = |line: usize| text.lines().nth(line).unwrap().split(',').nth(2).unwrap();
    assert_eq!([hashrate(1), hashrate(2)], ["710.856855704", "725.769936593"], "143, 146 blocks");
}

#[test]
fn a_day_without_blocks_has_no_row() {
    let file = folder("gap").join("network.csv");
    let mut node = FakeNode::new(5, 3);
    node.times.retain(|time| (time - START) / DAY != 2);
    let output = collect(node, &file, &[]);
    ended_with(&output, 0, "ghi: 2026-01-03: no blocks, so no row\n");
    let expected = HEADER.to_owned()
        + &row("2026-01-02")
        + &row_with_height("2026-01-04", 3 * 144 - 1)
        + &row_with_height("2026-01-05", 4 * 144 - 1);
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
}

#[test]
fn a_first_day_after_the_last_is_rejected() {
    let file = folder("backwards").join("network.csv");
    let output = collect(FakeNode::new(3, 3), &file, &["--until", "2026-01-01"]);
    ended_with(&output, 2, "ghi: --from must not be after --until");
    assert!(!file.exists());
    ended_with(&collect(FakeNode::new(3, 3), &file, &["--until", "2026-01-02"]), 0, "1 row added");
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_blocks_are_read() {
    // Nobody listens here, so a connection would be another error.
    let unused =
        format!("http://{}", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let folder = folder("unwritable");
    for file in [folder.join("no/such/folder/network.csv"), "/proc/network.csv".into()] {
        let output = command(&unused, &file, &[]).output().unwrap();
        ended_with(&output, 2, &format!("ghi: cannot write {file:?}: "));
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
}

#[test]
fn a_first_day_in_the_future_is_rejected() {
    let file = folder("future").join("network.csv");
    let mut command = program(GHI);
    command.args(["collect", "--from", "9999-01-01", "--out"]).arg(file);
    let output = command.output().unwrap();
    ended_with(&output, 2, "ghi: --from must not be after --until, which defaults to yesterday");
}

#[test]
fn fees_need_a_price() {
    let folder = folder("prices");
    let [file, prices] = ["network.csv", "prices.csv"].map(|name| folder.join(name));
    fs::write(&prices, "date,price_usd\n2026-01-03,80000.5\n").unwrap();
    let flags = ["--prices", prices.to_str().unwrap()];
    ended_with(&collect(FakeNode::new(3, 3), &file, &flags), 0, "2 rows added");
    let priced = "2026-01-03,100000000000000,715.827882667,0.800005,3.125,80000.5,431\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), HEADER.to_owned() + &row("2026-01-02") + priced);
    for (text, said) in [
        ("day,price\n2026-01-03,1\n", "missing field `date`"),
        ("date,price_usd\n2026-01-03,free\n", "(line: 2, byte: 15): field 1: invalid float"),
        ("date,price_usd\n2026-01-03,0\n", "(line: 2, byte: 15): 0 is not a positive number"),
        ("date,price_usd\n2026-01-03,1\n2026-01-03,1\n", "2026-01-03 must be after the date"),
    ] {
        fs::write(&prices, text).unwrap();
        ended_with(&collect(FakeNode::new(4, 3), &file, &flags), 2, said);
    }
}

/// The header of a file that was begun before there were heights.
const OLDER_HEADER: &str = "date,difficulty,hashrate_eh,fee_usd,block_reward_coins,price_usd\n";

#[test]
fn a_file_keeps_its_own_columns() {
    let file = folder("columns").join("network.csv");
    let rows =
        |last| format!("date,height,difficulty,capital_usd_per_th\n2026-01-02,287,1e14,14\n{last}");
    fs::write(&file, rows("")).unwrap();
    ended_with(&collect(FakeNode::new(3, 3), &file, &[]), 0, "1 row added up to 2026-01-03");
    assert_eq!(fs::read_to_string(&file).unwrap(), rows("2026-01-03,431,100000000000000,\n"));
    for header in ["date,difficulty,x_note", "difficulty,date", "date,height"] {
        fs::write(&file, format!("{header}\n")).unwrap();
        let said = "line 1: expected the columns date and difficulty, and any of hashrate_eh, fee_usd, block_reward_coins, price_usd, height, capital_usd_per_th";
        ended_with(&collect(FakeNode::new(3, 3), &file, &[]), 2, said);
    }
}

#[test]
fn a_file_that_disagrees_with_the_node_is_refused() {
    let file = folder("other").join("network.csv");
    for (rows, said) in [
        ("2026-01-01,5,,,,\n2026-01-02,6,,,,\n", "2026-01-01 has difficulty 5"),
        ("2026-01-02,1e14,700,,,\n", "2026-01-02 has hashrate_eh 700"),
        ("2025-12-30,1e14,,,,\n", "2025-12-30 has no blocks on the node"),
        ("2026-01-07,1e14,,,,\n", "2026-01-07 is after the node's last complete day"),
        ("2026-01-02,1e14\n", "found record with 2 fields"),
        ("2026-01-02,1e14,,,,\n2026-01-02,1e14,,,,\n", "2026-01-02 must be after"),
    ] {
        let text = OLDER_HEADER.to_owned() + rows;
        fs::write(&file, &text).unwrap();
        ended_with(&collect(FakeNode::new(4, 3), &file, &[]), 2, said);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    // The rows of a file that was not written by ghi collect may have only a difficulty.
    fs::write(&file, OLDER_HEADER.to_owned() + "2026-01-02,1e14,,,,").unwrap();
    ended_with(&collect(FakeNode::new(4, 3), &file, &[]), 0, "2 rows added");
    assert!(fs::read_to_string(&file).unwrap().contains("2026-01-02,1e14,,,,\n2026-01-03,"));
}

#[test]
fn problems_of_the_node_are_explained() {
    let file = folder("faults").join("network.csv");
    let node = || FakeNode::new(3, 3);
    let sends = |sends| FakeNode { sends: Some(sends), ..node() };
    let fails = |method, code| FakeNode { failing: Some((method, code)), ..node() };
    for (node, code, said) in [
        (
            sends("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"),
            2,
            "refused access (401 Unauthorized); check ",
        ),
        (
            sends("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"),
            2,
            "refused access (403 Forbidden); check ",
        ),
        (sends("HTTP/1.1 500 Error\r\nContent-Length: 5\r\n\r\nbusy\n"), 1, "returned 500 busy"),
        (
            sends(
                "HTTP/1.1 500 Error\r\nContent-Length: 40\r\n\r\n{\"error\":{\"code\":-28,\"message\":\"Wait\"}}\n",
            ),
            1,
            "getblockchaininfo failed on the node: Wait (-28)",
        ),
        (
            sends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnot JSON!"),
            2,
            " is not a node's RPC (expected ident at line 1 column 2); check --rpc",
        ),
        (
            sends("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"ok\":true}"),
            2,
            " is not a node's RPC (not a JSON-RPC response); check --rpc",
        ),
        (
            sends("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 6\r\n\r\n<html>"),
            2,
            " is not a node's RPC (405 Method Not Allowed); check --rpc",
        ),
        (
            sends("HTTP/1.1 501 Not Implemented\r\nContent-Length: 6\r\n\r\n<html>"),
            2,
            " is not a node's RPC (501 Not Implemented); check --rpc",
        ),
        (sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"), 1, "a response is missing"),
        (sends("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[{"), 1, "lost the connection"),
        (
            sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            1,
            "returned more than 2048 KiB",
        ),
        (sends("SSH-2.0-OpenSSH\r\n"), 2, "invalid HTTP version parsed; check --rpc"),
        (
            fails("getblockchaininfo", -28),
            1,
            "getblockchaininfo failed on the node: Loading block index… (-28)",
        ),
        (fails("getblockstats", -32601), 2, "(-32601); use Bitcoin Core 0.17 or later"),
        (
            fails("getblockstats", -1),
            1,
            "getblockstats failed on the node: Loading block index… (-1)",
        ),
        (
            FakeNode { info: json!({ "pruned": true, "pruneheight": 300 }), ..node() },
            2,
            "no blocks from 2026-01-02 to 2026-01-03; use --from 2026-01-04",
        ),
        (
            FakeNode {
                info: json!({ "headers": 900_000, "initialblockdownload": true }),
                ..node()
            },
            1,
            "the node is still syncing: block 449 of 900,000",
        ),
    ] {
        let name = said;
        _ = fs::remove_file(&file);
        ended_with(&collect(node, &file, &[]), code, said);
        // A node that is still syncing has complete days, which are saved.
        assert_eq!(file.exists(), name.contains("syncing"), "{name}");
    }
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let output = command(&format!("http://{unused}"), &file, &[]).output().unwrap();
    ended_with(&output, 2, "Connection refused");
}

#[test]
fn an_interrupted_collection_saves_complete_days() {
    let file = folder("interrupt").join("network.csv");
    let (sender, fell_silent): (_, Receiver<()>) = channel();
    let mut node = FakeNode::new(60, 3);
    node.silent_from = Some((10 * 144, sender));
    let child = command(&node.start(), &file, &["--until", "2026-02-20"]).spawn().unwrap();
    fell_silent.recv().unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    ended_with(&child.wait_with_output().unwrap(), 130, "8 rows added up to 2026-01-09");
    let rows: String = (2..=9).map(|day| row(&format!("2026-01-{day:02}"))).collect();
    assert_eq!(fs::read_to_string(&file).unwrap(), HEADER.to_owned() + &rows);
}
