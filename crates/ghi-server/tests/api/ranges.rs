//! CSV files of any date range.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use ghi_engine::DEFAULT_INPUTS;
use ghi_server::{Config, Inputs, Listener};
use socket2::{Domain, Socket, Type};
use tokio::sync::oneshot;

use crate::support::{Answer, KeptAlive, NOON, StuckPool, TestServer, many_regions};

const HISTORY: &str = "/export/history.csv";
const NETWORK: &str = "/export/network.csv";
const DISTRIBUTION: &str = "/export/distribution.csv";
const ECONOMICS: &str = "/export/economics.csv";
const INPUTS: &str = "/export/inputs.csv";

/// The dates of a CSV file's rows.
fn dates(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.ends_with("\r\n"));
    let rows = answer.body.lines().skip(1);
    rows.map(|row| row.split(',').next().unwrap().to_owned()).collect()
}

/// Checks the first day, the last day and the number of rows of a range in both files.
#[track_caller]
fn check(server: &TestServer, query: &str, first: &str, last: &str, count: usize) {
    for path in [HISTORY, NETWORK, DISTRIBUTION, ECONOMICS, INPUTS] {
        let region = if path == INPUTS { "region_id=us&" } else { "" };
        let dates = dates(&server.get(&format!("{path}?{region}{query}")));
        let ends = [&dates[0], &dates[dates.len() - 1]];
        assert_eq!((ends, dates.len()), ([first, last].map(String::from).each_ref(), count));
        assert!(dates.is_sorted());
    }
}

#[test]
fn a_range_has_its_first_and_its_last_day_and_all_between() {
    let server = TestServer::at(NOON);
    check(&server, "from=2024-02-28&to=2024-03-01", "2024-02-28", "2024-03-01", 3);
    check(&server, "to=2030-01-01&from=2030-01-01", "2030-01-01", "2030-01-01", 1);
    check(&server, "from=1996-10-04", "1996-10-04", "2026-11-15", 11_000);
    check(&server, "from=2026-11-15", "2026-11-15", "2026-11-15", 1);
    check(&server, "to=2026-03-03", "2026-02-25", "2026-03-03", 7);
    check(&server, "from=9989-12-24&to=9999-12-31", "9989-12-24", "9999-12-31", 3660);
    check(&server, "range=7d", "2026-11-09", "2026-11-15", 7);
    check(&server, "range=1y", "2025-11-16", "2026-11-15", 365);
    check(&server, "from=0001-01-01&to=0001-01-02", "0001-01-01", "0001-01-02", 2);
    check(&server, "from=2026-11%2D01&to=2026-11-02", "2026-11-01", "2026-11-02", 2);
}

#[test]
fn a_week_is_the_default_range() {
    let server = TestServer::at(NOON);
    for path in [format!("{HISTORY}?region_id=eu&"), format!("{HISTORY}?"), format!("{NETWORK}?")] {
        let week = server.get(path.trim_end_matches(['?', '&'])).body;
        let asked = [&*format!("{path}from=2026-11-09"), &*format!("{path}to=2026-11-15")];
        assert_eq!(asked.map(|target| server.get(target).body), [&*week; 2]);
    }
}

#[test]
fn the_rows_of_a_range_match_the_api_on_those_days() {
    let range = "from=2026-02-26&to=2026-03-02";
    let server = TestServer::at(NOON);
    let history = server.get(&format!("{HISTORY}?region_id=eu&{range}")).body;
    let network = server.get(&format!("{NETWORK}?{range}")).body;
    assert!(network.starts_with("date,hashrate_eh,difficulty,avg_fee_usd\r\n"), "{network}");
    let that_day = TestServer::at("2026-03-02T12:00:00Z");
    let points = that_day.json("/v1/ghi/history?region_id=eu")["points"].clone();
    for point in &points.as_array().unwrap()[2..] {
        let figure = |name: &str| format!("{:.2}", point[name].as_f64().unwrap());
        let [min, avg, max] = ["min_cost_usd", "avg_cost_usd", "max_cost_usd"].map(figure);
        let date = point["date"].as_str().unwrap();
        let row = format!("{date},eu,USD,{min},{avg},{max}\r\n");
        assert!(history.contains(&row), "{row} is not in {history}");
    }
    let today = that_day.json("/v1/ghi/network");
    let figure = |name: &str| today[name].as_f64().unwrap();
    let row = format!(
        "2026-03-02,{:.2},{},{:.2}\r\n",
        figure("hashrate_eh"),
        figure("difficulty"),
        figure("avg_fee_usd")
    );
    assert!(network.ends_with(&row), "{row} is not at the end of {network}");
}

#[test]
fn an_invalid_range_is_400_and_says_what_is_allowed() {
    let server = TestServer::at(NOON);
    for (query, said) in [
        ("from=2026-11-31", "from must be a valid date"),
        ("from=2026-1-1", "from must be a valid date"),
        ("from=", "from must be a valid date"),
        ("to=20261115", "to must be a valid date"),
        ("from=0000-12-31&to=0001-01-01", "from must be a valid date"),
        ("from=9999-12-31&to=10000-01-01", "to must be a valid date"),
        ("from=2026-11-02&to=2026-11-01", r#""from" must not be after "to"."#),
        ("from=2026-11-16", r#""from" must not be after "to"."#),
        ("from=1996-10-03", "at most 11,000 days"),
        ("from=2000-01-01&to=2030-02-12", "at most 11,000 days"),
        ("from=2026-11-01&from=2026-11-01", "from is given more than once"),
    ] {
        for path in [HISTORY, NETWORK, DISTRIBUTION, ECONOMICS, INPUTS] {
            let answer = server.get(&format!("{path}?{query}"));
            answer.assert_problem(400, "invalid_parameter");
            let detail = answer.json()["detail"].as_str().unwrap().to_owned();
            assert!(detail.contains(said), "{query}: {detail}");
        }
    }
    let unknown = server.get(&format!("{HISTORY}?region_id=xx&from=2026-11-01"));
    unknown.assert_problem(404, "unknown_region");
}

#[test]
fn the_file_name_of_a_range_says_what_it_contains() {
    let server = TestServer::at(NOON);
    for (target, name) in [
        ("/export/history.csv?to=2026-11-15", "ghi-history-global-2026-11-09-2026-11-15.csv"),
        (
            "/export/history.csv?region_id=us&from=2026-11-14",
            "ghi-history-us-2026-11-14-2026-11-15.csv",
        ),
        ("/export/network.csv?from=2026-11-14", "ghi-network-2026-11-14-2026-11-15.csv"),
    ] {
        let answer = server.get(target);
        let disposition = format!("attachment; filename=\"{name}\"");
        assert_eq!(answer.header("content-disposition"), Some(&*disposition));
        assert_eq!(answer.header("content-type"), Some("text/csv; charset=utf-8; header=present"));
        assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
    }
}

#[test]
fn the_entity_tag_of_a_range_depends_on_its_data() {
    let server = TestServer::at(NOON);
    let target = "/export/history.csv?region_id=eu&from=2020-01-01&to=2020-12-31";
    let answer = server.get(target);
    let tag = answer.header("etag").unwrap();
    assert!(tag.starts_with("W/\""), "{tag}");
    assert_eq!(answer.header("cache-control"), Some("public, max-age=60"));
    let known = server.request("GET", target, &format!("If-None-Match: {tag}\r\n"));
    assert_eq!((known.status, known.header("etag"), &*known.body), (304, Some(tag), ""));
    let head = server.request("HEAD", target, "");
    assert_eq!((head.status, head.header("etag"), &*head.body), (200, Some(tag), ""));
    let tag_of = |server: &TestServer, target: &str| {
        server.request("HEAD", target, "").header("etag").unwrap().to_owned()
    };
    for other in [
        "/export/history.csv?from=2020-01-01&to=2020-12-31",
        "/export/history.csv?region_id=us&from=2020-01-01&to=2020-12-31",
        "/export/history.csv?region_id=eu&from=2020-01-02&to=2020-12-31",
        "/export/history.csv?region_id=eu&from=2020-01-01&to=2020-12-30",
        "/export/network.csv?from=2020-01-01&to=2020-12-31",
    ] {
        assert_ne!(tag_of(&server, other), tag, "{other}");
    }
    let inputs = DEFAULT_INPUTS.replacen("seed = ", "seed = 1", 1);
    server.reload_handle().reload(Inputs::parse(&inputs).unwrap());
    assert_ne!(tag_of(&server, target), tag, "other inputs");
    assert_ne!(server.get(target).body, answer.body);
    let late = TestServer::at("2026-11-15T23:59:30Z");
    assert_eq!(late.get(target).header("cache-control"), Some("public, max-age=30"));
}

#[test]
fn a_range_is_compressed_when_the_client_accepts_it() {
    let server = TestServer::at(NOON);
    let target = "/export/network.csv?from=2017-01-01";
    let plain = server.get(target);
    assert_eq!(plain.header("vary"), Some("prefer, accept-encoding"));
    // Until the connection is closed, so that the body is not chunked.
    let request = format!("GET {target} HTTP/1.0\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n");
    let mut stream = server.connect();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
    let head = str::from_utf8(&answer[..end]).unwrap();
    for line in [
        "content-encoding: gzip\r\n",
        "vary: prefer, accept-encoding\r\n",
        plain.header("etag").unwrap(),
    ] {
        assert!(head.contains(line), "{head}");
    }
    let mut text = String::new();
    GzDecoder::new(&answer[end..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, plain.body);
}

#[test]
fn a_connection_stays_open_after_a_range() {
    let server = TestServer::at(NOON);
    let mut client = KeptAlive::new(server.address());
    for _ in 0..3 {
        assert_eq!(dates(&client.get("/export/history.csv?from=2020-01-01").unwrap()).len(), 2511);
        assert_eq!(client.get("/v1/ghi/metadata").unwrap().status, 200);
    }
    let range = "GET /export/network.csv?from=2025-01-01 HTTP/1.1\r\nHost: test\r\n\r\n";
    let last = "GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
    let answers = server.exchange(format!("{range}{range}{last}").as_bytes());
    assert_eq!(answers.matches("HTTP/1.1 200 OK\r\n").count(), 3, "pipelined");
    assert!(answers.ends_with("{\"status\":\"alive\"}"));
}

/// The maximum number of regions.
const MANY: usize = 250;

/// Starts a server with this many regions and one worker: its address, and a guard that stops it.
fn one_worker(regions: usize) -> (SocketAddr, oneshot::Sender<()>, thread::JoinHandle<usize>) {
    let inputs = Inputs::parse(&many_regions(regions)).unwrap();
    one_worker_with(Config { inputs, ..Config::default() })
}

fn one_worker_with(config: Config) -> (SocketAddr, oneshot::Sender<()>, thread::JoinHandle<usize>) {
    let listener = Listener::bind(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN).unwrap();
    let address = listener.local_addr().unwrap();
    let server = ghi_server::Server::start(listener, config);
    let server = server.unwrap();
    let (stop, stopped) = oneshot::channel();
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let shutdown = async {
            _ = stopped.await;
            Duration::ZERO
        };
        runtime.unwrap().block_on(server.run(shutdown))
    });
    (address, stop, thread)
}

/// Requests a target and reads the response, repeatedly, until told to stop.
fn take(address: SocketAddr, target: &str, headers: &str, is_over: &AtomicBool) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    write!(stream, "GET {target} HTTP/1.1\r\nHost: test\r\n{headers}\r\n").unwrap();
    while !is_over.load(Ordering::Relaxed) {
        match stream.read(&mut [0; 4096]) {
            Ok(length) => assert!(length > 0, "cut off"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
    }
}

/// Polls a server and an idle one alternately for two seconds. Returns the 90th percentile of the response
/// times of each.
fn poll_beside_idle(address: SocketAddr) -> [Duration; 2] {
    let idle = TestServer::at(NOON);
    let mut clients = [address, idle.address()].map(KeptAlive::new);
    let mut ask = |client: usize| {
        let before = Instant::now();
        let request = "GET /v1/ghi/metadata HTTP/1.1\r\nHost: test\r\n\r\n";
        assert_eq!(clients[client].send(request).unwrap().status, 200);
        let took = before.elapsed();
        // Stays within the rate limit.
        thread::sleep(Duration::from_millis(5));
        took
    };
    let mut took = [Vec::new(), Vec::new()];
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(2) {
        took.iter_mut().enumerate().for_each(|(client, took)| took.push(ask(client)));
    }
    took.map(|mut took| {
        took.sort_unstable();
        took[took.len() * 9 / 10]
    })
}

/// Asserts that a worker serves others promptly while clients request slow responses. An idle server in
/// the same process shows how busy the machine is.
fn assert_holds_up_nobody(clients: usize, target: impl Fn(usize) -> String + Sync) {
    let (address, _stop, _thread) = one_worker(MANY);
    let is_over = AtomicBool::new(false);
    let [beside, idle] = thread::scope(|scope| {
        for number in 0..clients {
            let (is_over, target) = (&is_over, &target);
            let gzip = ["", "Accept-Encoding: gzip\r\n"][number / 2 % 2];
            scope.spawn(move || take(address, &target(number), gzip, is_over));
        }
        let took = poll_beside_idle(address);
        is_over.store(true, Ordering::Relaxed);
        took
    });
    assert!(beside < 3 * idle + Duration::from_millis(20), "{beside:?}, idle {idle:?}");
}

#[test]
fn ranges_of_many_regions_do_not_block_others() {
    assert_holds_up_nobody(20, |number| {
        let tables = [HISTORY, NETWORK, DISTRIBUTION, ECONOMICS, INPUTS];
        format!("{}?from=2017-01-01", tables[number % tables.len()])
    });
}

#[test]
fn explanations_of_other_days_do_not_block_others() {
    assert_holds_up_nobody(20, |number| {
        let path = ["/export/explain.json", "/export/explain.csv", "/explain"][number % 3];
        format!("{path}?date=2025-01-{:02}", number + 1)
    });
}

#[test]
fn pages_of_many_regions_do_not_block_others() {
    assert_holds_up_nobody(20, |number| {
        let order = ["sort=-avg", "sort=name", "find=region", "range=1y", "compare=%2C%2C%2C%2C"];
        format!("/?{}&overhead=1.{number}", order[number % order.len()])
    });
}

/// Sends requests from an address, each after the response to the one before, until told to stop.
fn repeat(
    server: SocketAddr,
    client: [u8; 4],
    request: impl Fn(usize) -> String,
    is_over: &AtomicBool,
) {
    let connect = || {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from((client, 0)).into()).unwrap();
        socket.connect(&server.into()).unwrap();
        TcpStream::from(socket)
    };
    let numbers = (0..).take_while(|_| !is_over.load(Ordering::Relaxed));
    for number in numbers {
        let mut stream = connect();
        let request = request(number);
        write!(stream, "GET {request}Host: test\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        _ = stream.read_to_end(&mut answer);
        // Over the rate limit, or over the limit on waiting requests.
        if !answer.starts_with(b"HTTP/1.1 200") {
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Asserts that four clients that send requests at their rate limits do not delay another client of the same worker.
fn assert_clients_hold_up_nobody(request: impl Fn(usize) -> String + Sync) {
    let config = Config { rate_limit_loopback: true, ..Config::default() };
    let (address, _stop, _thread) = one_worker_with(config);
    let is_over = AtomicBool::new(false);
    let [beside, idle] = thread::scope(|scope| {
        for thread in 0..16 {
            let (is_over, request) = (&is_over, &request);
            let client = [127, 0, 0, 2 + thread % 4];
            let unique = move |number| request(1000 * usize::from(thread) + number);
            scope.spawn(move || repeat(address, client, unique, is_over));
        }
        let took = poll_beside_idle(address);
        is_over.store(true, Ordering::Relaxed);
        took
    });
    assert!(beside < 3 * idle + Duration::from_millis(20), "{beside:?}, idle {idle:?}");
}

#[test]
fn pages_that_no_cache_can_hold_do_not_block_others() {
    assert_clients_hold_up_nobody(|number| match number % 2 {
        0 => format!("/?range=1y&compare=us,cn&region_id=us&price={number} HTTP/1.1\r\n"),
        _ => format!("/?find=zzq{number} HTTP/1.1\r\n"),
    });
}

#[test]
fn charts_of_other_days_do_not_block_others() {
    assert_clients_hold_up_nobody(|number| {
        let day =
            format!("20{:02}-{:02}-{:02}", number % 25, number / 25 % 12 + 1, number % 28 + 1);
        format!("/charts/history.svg?range=1y HTTP/1.1\r\nPrefer: at={day}\r\n")
    });
}

#[test]
fn a_tenth_request_of_a_client_to_the_pool_gets_503_with_retry_after() {
    let client = "X-Forwarded-For: 203.0.113.7\r\n";
    let trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    let mut pool = StuckPool::start(Config { trusted_proxies, ..Config::default() }, client);
    let get = |target: &str, client: &str| {
        let mut connection = KeptAlive::new(pool.server.address());
        connection.send(&format!("GET {target} HTTP/1.1\r\nHost: test\r\n{client}\r\n")).unwrap()
    };
    for target in ["/explain?date=2026-01-01", "/charts/history.svg?range=all"] {
        let refused = get(target, client);
        refused.assert_problem(503, "busy");
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    assert_eq!(get("/", client).status, 200, "what a day has in common is served");
    assert_eq!(get("/v1/ghi/snapshot", client).status, 200);
    pool.release();
    for stream in &mut pool.waiting {
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
    }
}

#[test]
fn tables_that_nobody_reads_do_not_keep_others_from_theirs() {
    let (address, _stop, _thread) = one_worker(4);
    let request =
        format!("GET {HISTORY}?from=2020-01-01&to=2026-11-15 HTTP/1.1\r\nHost: test\r\n\r\n");
    let unread: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    for _ in 0..3 {
        assert_eq!(dates(&KeptAlive::new(address).send(&request).unwrap()).len(), 2511);
    }
    drop(unread);
}

#[test]
fn a_range_in_progress_is_finished_at_shutdown() {
    let (address, stop, thread) = one_worker(MANY);
    let mut stream = TcpStream::connect(address).unwrap();
    let range = "from=2026-01-01&to=2026-01-31";
    write!(stream, "GET {HISTORY}?{range} HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    let mut answer = vec![0; 12];
    stream.read_exact(&mut answer).unwrap();
    drop(stop);
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n0\r\n\r\n"), "{answer}");
    assert_eq!(answer.matches("\r\n2026-01-").count(), 31, "{answer}");
    assert_eq!(thread.join().unwrap(), 0, "nothing was cut off");
}

#[test]
fn in_http_1_0_a_range_ends_by_closing_the_connection() {
    let server = TestServer::at(NOON);
    for header in ["", "Connection: keep-alive\r\n"] {
        let target = "/export/network.csv?from=2026-11-14";
        let answer = server
            .exchange(format!("GET {target} HTTP/1.0\r\nHost: test\r\n{header}\r\n").as_bytes());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let head = head.to_lowercase();
        assert!(!head.contains("keep-alive") && !head.contains("transfer-encoding"), "{head}");
        assert_eq!(body.lines().count(), 3, "{body}");
    }
}
