//! Abusive clients: silent, slow, resetting, and in large numbers.
//!
//! `GHI_STRESS=20` makes twenty times as many clients reset.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use ghi_server::{Clock, Config};
use socket2::SockRef;

use crate::support::{KeptAlive, TestServer, at_most, with_its_only_slot_taken};

/// The factor for the number of clients.
fn stress() -> usize {
    std::env::var("GHI_STRESS").map_or(1, |factor| factor.parse().unwrap())
}

/// Stops the good client, even if the abuse panics.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs something while a good client polls beside it, which must always get 200.
fn beside_a_good_client(server: &TestServer, abuse: impl FnOnce()) {
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let good = scope.spawn(|| {
            let mut kept = KeptAlive::new(server.address());
            while !stopped.load(Ordering::Relaxed) {
                assert_eq!(kept.get("/v1/ghi/snapshot").unwrap().status, 200);
                assert_eq!(server.get("/v1/ghi/history").status, 200);
            }
        });
        let stop = Stop(&stopped);
        abuse();
        drop(stop);
        good.join().unwrap();
    });
}

#[test]
fn a_panic_during_abuse_fails_the_test_instead_of_hanging() {
    let server = TestServer::start(Config::default());
    let run = || beside_a_good_client(&server, || panic!("on purpose"));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
}

/// Longer than any test takes.
const NEVER: Duration = Duration::from_secs(3600);

fn with_timeout(client_timeout: Duration) -> TestServer {
    TestServer::start(Config { client_timeout, ..Config::default() })
}

/// Reads until the server closes the connection, with or without a word.
fn wait_until_closed(mut stream: TcpStream) {
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    if let Err(error) = stream.read_to_end(&mut Vec::new()) {
        assert_ne!(error.kind(), ErrorKind::WouldBlock, "still open");
    }
}

#[test]
fn silent_and_slow_clients_are_closed_in_time() {
    let server = with_timeout(Duration::from_secs(1));
    let count = at_most(2_000) / 2;
    beside_a_good_client(&server, || {
        let silent: Vec<TcpStream> = (0..count).map(|_| server.connect()).collect();
        let mut slow: Vec<TcpStream> = (0..count).map(|_| server.connect()).collect();
        for stream in &mut slow {
            stream.write_all(b"GET /v1/ghi/snapshot HTTP/1.1\r\nHo").unwrap();
        }
        silent.into_iter().chain(slow).for_each(wait_until_closed);
    });
}

/// Asserts that connections which send the first bytes and read the answers to them are closed, and that those
/// which send the second are still answered after that.
fn check_closed(config: Config, closed: &[&str], open: &[(&str, &str)]) {
    let server = TestServer::start(config);
    let connect = |bytes: &str| {
        let mut stream = server.connect();
        stream.write_all(bytes.as_bytes()).unwrap();
        stream
    };
    let open: Vec<_> = open.iter().map(|(bytes, rest)| (connect(bytes), rest)).collect();
    closed.iter().map(|bytes| connect(bytes)).for_each(wait_until_closed);
    for (mut stream, rest) in open {
        stream.write_all(rest.as_bytes()).unwrap();
        let mut answers = String::new();
        stream.read_to_string(&mut answers).unwrap();
        assert!(answers.contains("connection: close\r\n") && answers.ends_with('}'), "{answers}");
    }
}

#[test]
fn request_heads_and_idle_connections_have_separate_timeouts() {
    let (second, line) =
        (Duration::from_secs(1), "GET /v1/ghi/metadata HTTP/1.1\r\nHost: test\r\n");
    let (whole, last) = (&*format!("{line}\r\n"), &*format!("{line}Connection: close\r\n\r\n"));
    let (some, part) = (&*whole.repeat(5), &*format!("{whole}{whole}{line}"));
    let config = Config { client_timeout: second, idle_timeout: NEVER, ..Config::default() };
    check_closed(config, &["", line, part], &[(whole, last), (some, last)]);
    let config = Config { client_timeout: NEVER, idle_timeout: second, ..Config::default() };
    let rest = "Connection: close\r\n\r\n";
    check_closed(config, &[whole, some], &[("", last), (line, rest), (part, rest)]);
}

#[test]
fn a_byte_now_and_then_does_not_make_a_head_last_longer() {
    let server = with_timeout(Duration::from_secs(1));
    let mut stream = server.connect();
    let is_closed = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        stream.write_all(b"G").is_err()
    });
    assert!(is_closed, "a minute is not enough");
}

#[test]
fn clients_that_do_not_read_are_closed_in_time() {
    let server = with_timeout(Duration::from_secs(1));
    let request = "GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\n\r\n".repeat(20_000);
    beside_a_good_client(&server, || {
        let streams: Vec<TcpStream> = (0..20)
            .map(|_| {
                let stream = server.connect();
                SockRef::from(&stream).set_recv_buffer_size(4096).unwrap();
                stream.set_nonblocking(true).unwrap();
                // As much as the server reads before it waits for the client.
                _ = (&stream).write(request.as_bytes());
                stream.set_nonblocking(false).unwrap();
                stream.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
                stream
            })
            .collect();
        for mut stream in streams {
            // A write blocks while the server does not read, and fails once it has closed.
            let closed = loop {
                if let Err(error) = stream.write(request.as_bytes()) {
                    break error;
                }
            };
            assert_ne!(closed.kind(), ErrorKind::WouldBlock, "still open");
        }
    });
}

#[test]
fn clients_that_reset_leave_no_open_connections() {
    let server = with_timeout(Duration::from_secs(10));
    let before = open_connections(&server);
    beside_a_good_client(&server, || {
        for _ in 0..5_000 * stress() {
            let mut stream = server.connect();
            stream.write_all(b"GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
            SockRef::from(&stream).set_linger(Some(Duration::ZERO)).unwrap();
        }
    });
    let deadline = Instant::now() + Duration::from_secs(60);
    while open_connections(&server) > before {
        assert!(Instant::now() < deadline, "some connections are still open");
    }
}

fn open_connections(server: &TestServer) -> u64 {
    let metrics = server.get("/metrics").body;
    let line = metrics.lines().find_map(|line| line.strip_prefix("ghi_http_connections_open "));
    line.unwrap().parse::<f64>().unwrap() as u64
}

/// Asserts that a client is answered while twice as many others as there may be connections have sent
/// these bytes and do nothing more: without the time being up for one of them.
fn check_crowd(bytes: &[u8]) {
    let server = TestServer::start(Config {
        max_connections: 60,
        client_timeout: NEVER,
        idle_timeout: NEVER,
        ..Config::default()
    });
    let connect = || {
        let mut stream = server.connect();
        stream.write_all(bytes).unwrap();
        stream
    };
    let crowd: Vec<TcpStream> = (0..120).map(|_| connect()).collect();
    assert_eq!(server.get("/v1/ghi/snapshot").status, 200);
    drop(crowd);
}

#[test]
fn silent_clients_do_not_block_others() {
    check_crowd(b"");
}

#[test]
fn clients_with_unfinished_requests_do_not_block_others() {
    check_crowd(b"GET /v1/ghi/snapshot HTTP/1.1\r\nHost: te");
}

#[test]
fn clients_that_never_read_their_responses_do_not_block_others() {
    // Five megabytes, of which the kernels on both sides hold a part.
    check_crowd(b"GET /assets/reference.js HTTP/1.1\r\nHost: test\r\n\r\n");
}

#[test]
fn a_client_that_holds_every_connection_cannot_lock_out_others() {
    let server = TestServer::start(Config {
        max_connections: 200,
        idle_timeout: NEVER,
        ..Config::default()
    });
    let mut held: Vec<KeptAlive> = Vec::new();
    let ask = |held: &mut KeptAlive| held.get("/v1/ghi/metadata").is_ok();
    for _ in 0..200 {
        let mut client = KeptAlive::new(server.address());
        assert!(ask(&mut client));
        held.push(client);
    }
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            let _stop = Stop(&stopped);
            for target in ["/v1/ghi/snapshot", "/healthz", "/readyz", "/metrics"].repeat(20) {
                assert_eq!(server.get(target).status, 200);
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        // Closed clients reconnect at once.
        while !stopped.load(Ordering::Relaxed) {
            for client in &mut held {
                if !ask(client) {
                    *client = KeptAlive::new(server.address());
                }
            }
        }
        others.join().unwrap();
    });
}

#[test]
fn connections_per_client_are_limited() {
    let server = TestServer::start(Config {
        max_connections: 100,
        rate_limit: None,
        rate_limit_loopback: true,
        ..Config::default()
    });
    let is_answered = |client: &mut KeptAlive| client.get("/v1/ghi/metadata").is_ok();
    let connect = || KeptAlive::new(server.address());
    let mut open: Vec<KeptAlive> = (0..16).map(|_| connect()).collect();
    assert!(open.iter_mut().all(is_answered));
    assert!(!is_answered(&mut connect()), "one more is closed");
    assert!(open.iter_mut().all(is_answered), "the others stay");
    let metrics = open[0].get("/metrics").unwrap().body;
    assert!(metrics.contains("ghi_http_connections_refused_total 1\n"), "{metrics}");
    open.pop();
    let deadline = Instant::now() + Duration::from_secs(10);
    while !is_answered(&mut connect()) {
        assert!(Instant::now() < deadline, "its slot is still in use");
    }
}

#[test]
fn a_connection_over_the_limit_is_served_when_another_closes() {
    let (server, kept) = with_its_only_slot_taken();
    let mut waiting = server.connect();
    waiting.write_all(b"GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    waiting.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert_eq!(waiting.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
    drop(kept);
    waiting.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert_eq!(waiting.read(&mut [0]).unwrap(), 1);
}

#[test]
fn a_limit_of_one_connection_works_with_any_worker() {
    let server = TestServer::start(Config { max_connections: 1, ..Config::default() });
    for _ in 0..50 {
        assert_eq!(server.get("/v1/ghi/snapshot").status, 200);
    }
}

#[test]
fn midnight_under_load_never_mixes_two_days() {
    // A day passes in half a second.
    let started = Instant::now();
    let clock = Clock::from_fn(move || UNIX_EPOCH + started.elapsed() * 2 * 86_400);
    let server = TestServer::start(Config { clock, ..Config::default() });
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut kept = KeptAlive::new(server.address());
                let mut days = BTreeSet::new();
                while days.len() < 6 {
                    let answer = kept.get("/v1/ghi/history").unwrap();
                    let history = answer.json();
                    let stamp = history["timestamp_utc"].as_str().unwrap();
                    assert_eq!(history["points"][6]["date"], stamp[..10]);
                    days.insert(stamp[..10].to_owned());
                }
            });
        }
    });
}
