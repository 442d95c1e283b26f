//! Abusive clients: silent, slow, resetting, and in large numbers.
//!
//! `GHI_STRESS=20` makes twenty times as many clients reset.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use ghi_server::{Clock, Config};
use socket2::SockRef;

use crate::support::{KeptAlive, Server, at_most, with_its_only_slot_taken};

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

/// Runs the abuse while a good client polls, which must always get 200. Returns the longest time that a
/// poll took.
fn beside_a_good_client(server: &Server, abuse: impl FnOnce()) -> Duration {
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let good = scope.spawn(|| {
            let mut longest = Duration::ZERO;
            let mut kept = KeptAlive::new(server.address());
            while !stopped.load(Ordering::Relaxed) {
                let asked = Instant::now();
                assert_eq!(kept.get("/v1/ghi/snapshot").unwrap().status, 200);
                assert_eq!(server.get("/v1/ghi/history").status, 200);
                longest = longest.max(asked.elapsed());
            }
            longest
        });
        let stop = Stop(&stopped);
        abuse();
        drop(stop);
        good.join().unwrap()
    })
}

#[test]
fn a_panic_during_abuse_fails_the_test_instead_of_hanging() {
    let server = Server::start(Config::default());
    let run = || beside_a_good_client(&server, || panic!("on purpose"));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
}

fn with_timeout(client_timeout: Duration) -> Server {
    Server::start(Config { client_timeout, ..Config::default() })
}

#[test]
fn silent_and_slow_clients_are_closed_in_time() {
    let server = with_timeout(Duration::from_secs(1));
    let count = at_most(2_000) / 2;
    let longest = beside_a_good_client(&server, || {
        let started = Instant::now();
        let silent: Vec<TcpStream> = (0..count).map(|_| server.connect()).collect();
        let mut slow: Vec<TcpStream> = (0..count).map(|_| server.connect()).collect();
        for stream in &mut slow {
            stream.write_all(b"GET /v1/ghi/snapshot HTTP/1.1\r\nHo").unwrap();
        }
        for mut stream in silent.into_iter().chain(slow) {
            // The server closes it, with or without a response.
            _ = stream.read_to_end(&mut Vec::new());
        }
        assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    });
    assert!(longest < Duration::from_secs(1), "{longest:?}");
}

/// Sends these bytes and returns how long the server keeps the connection open.
fn time_until_closed(server: &Server, bytes: &[u8]) -> Duration {
    let connected = Instant::now();
    let mut stream = server.connect();
    stream.write_all(bytes).unwrap();
    _ = stream.read_to_end(&mut Vec::new());
    connected.elapsed()
}

#[test]
fn request_heads_and_idle_connections_have_separate_timeouts() {
    let [head, idle] = [1, 3].map(Duration::from_secs);
    let server =
        Server::start(Config { client_timeout: head, idle_timeout: idle, ..Config::default() });
    let whole = "GET /v1/ghi/metadata HTTP/1.1\r\nHost: test\r\n\r\n";
    let slack = Duration::from_millis(900);
    std::thread::scope(|scope| {
        for (bytes, expected) in [
            (String::new(), head),
            ("GET /v1/ghi".into(), head),
            (format!("{whole}{whole}GET /v1/ghi/metadata HTTP/1.1\r\nHo"), head),
            (whole.into(), idle),
            (whole.repeat(5), idle),
        ] {
            let server = &server;
            scope.spawn(move || {
                let took = time_until_closed(server, bytes.as_bytes());
                assert!(took >= expected && took < expected + slack, "{bytes:?}: {took:?}");
            });
        }
        // Sending a byte now and then does not extend the timeout.
        scope.spawn(|| {
            let mut stream = server.connect();
            let started = Instant::now();
            while stream.write_all(b"G").is_ok() && started.elapsed() < 3 * head {
                std::thread::sleep(head / 10);
            }
            assert!(started.elapsed() < 2 * head, "{:?}", started.elapsed());
        });
    });
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
                stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
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
    let deadline = Instant::now() + Duration::from_secs(5);
    while open_connections(&server) > before {
        assert!(Instant::now() < deadline, "some connections are still open");
    }
}

fn open_connections(server: &Server) -> u64 {
    let metrics = server.get("/metrics").body;
    let line = metrics.lines().find_map(|line| line.strip_prefix("ghi_http_connections_open "));
    line.unwrap().parse::<f64>().unwrap() as u64
}

/// Checks that a client gets its response while twice as many others as the connection limit have sent
/// only these bytes.
fn check_crowd(bytes: &[u8]) {
    let server = Server::start(Config { max_connections: 60, ..Config::default() });
    let connect = || {
        let mut stream = server.connect();
        stream.write_all(bytes).unwrap();
        stream
    };
    let crowd: Vec<TcpStream> = (0..120).map(|_| connect()).collect();
    let asked = Instant::now();
    assert_eq!(server.get("/v1/ghi/snapshot").status, 200);
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
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
fn a_client_that_holds_every_connection_cannot_lock_out_others() {
    let server = Server::start(Config { max_connections: 200, ..Config::default() });
    let mut held: Vec<KeptAlive> = Vec::new();
    let ask = |held: &mut KeptAlive| held.get("/v1/ghi/metadata").is_ok();
    for _ in 0..200 {
        let mut client = KeptAlive::new(server.address());
        assert!(ask(&mut client));
        held.push(client);
    }
    let stopped = AtomicBool::new(false);
    let longest = std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            let _stop = Stop(&stopped);
            let mut longest = Duration::ZERO;
            for target in ["/v1/ghi/snapshot", "/healthz", "/readyz", "/metrics"].repeat(20) {
                let asked = Instant::now();
                assert_eq!(server.get(target).status, 200);
                longest = longest.max(asked.elapsed());
                std::thread::sleep(Duration::from_millis(10));
            }
            longest
        });
        // Closed clients reconnect at once.
        while !stopped.load(Ordering::Relaxed) {
            for client in &mut held {
                if !ask(client) {
                    *client = KeptAlive::new(server.address());
                }
            }
        }
        others.join().unwrap()
    });
    assert!(longest < Duration::from_secs(1), "{longest:?}");
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
    let server = Server::start(Config { max_connections: 1, ..Config::default() });
    for _ in 0..50 {
        assert_eq!(server.get("/v1/ghi/snapshot").status, 200);
    }
}

#[test]
fn midnight_under_load_never_mixes_two_days() {
    // A day passes in half a second.
    let started = Instant::now();
    let clock = Clock::from_fn(move || UNIX_EPOCH + started.elapsed() * 2 * 86_400);
    let server = Arc::new(Server::start(Config { clock, ..Config::default() }));
    let days = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut kept = KeptAlive::new(server.address());
                let mut last = String::new();
                while started.elapsed() < Duration::from_secs(3) {
                    let answer = kept.get("/v1/ghi/history").unwrap();
                    let history = answer.json();
                    let stamp = history["timestamp_utc"].as_str().unwrap();
                    assert_eq!(history["points"][6]["date"], stamp[..10]);
                    assert_eq!(answer.header("date").unwrap()[17..25], stamp[11..19]);
                    if last != stamp[..10] {
                        last = stamp[..10].to_owned();
                        days.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert!(days.into_inner() >= 16);
}
