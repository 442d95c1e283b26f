//! Clients that hold on, let go, and come in numbers.
//!
//! `GHI_STRESS=20` has twenty times as many reset.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use ghi_server::{Clock, Config};
use socket2::SockRef;

use crate::support::{KeptAlive, Server, at_most, with_its_only_slot_taken};

/// How many times more clients than usual.
fn stress() -> usize {
    std::env::var("GHI_STRESS").map_or(1, |factor| factor.parse().unwrap())
}

/// Stops the good client, also when what runs beside it panics.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs something while a good client polls beside it, which must always get 200: the longest time
/// that one of its requests took.
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
fn a_panic_beside_the_good_client_fails_and_does_not_hang() {
    let server = Server::start(Config::default());
    let run = || beside_a_good_client(&server, || panic!("as the test wants"));
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
            // Closed by the server, with or without a word.
            _ = stream.read_to_end(&mut Vec::new());
        }
        assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    });
    assert!(longest < Duration::from_secs(1), "{longest:?}");
}

/// How long a connection stays open that sends these bytes and reads the answer to them.
fn time_until_closed(server: &Server, bytes: &[u8]) -> Duration {
    let connected = Instant::now();
    let mut stream = server.connect();
    stream.write_all(bytes).unwrap();
    _ = stream.read_to_end(&mut Vec::new());
    connected.elapsed()
}

#[test]
fn a_head_has_its_time_and_an_idle_connection_has_its_own() {
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
        // A byte now and then does not make a head last longer.
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
                // As much as the server takes before it waits for us.
                _ = (&stream).write(request.as_bytes());
                stream.set_nonblocking(false).unwrap();
                stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
                stream
            })
            .collect();
        for mut stream in streams {
            // A write waits while the server does not read, and fails once it has closed.
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
fn clients_that_reset_leave_nothing_behind() {
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

/// Asserts that a client is answered while twice as many others as there may be connections have sent
/// these bytes and no more.
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
fn a_silent_crowd_holds_up_nobody() {
    check_crowd(b"");
}

#[test]
fn a_crowd_that_never_finishes_its_requests_holds_up_nobody() {
    check_crowd(b"GET /v1/ghi/snapshot HTTP/1.1\r\nHost: te");
}

#[test]
fn a_client_that_holds_every_connection_makes_room_for_others() {
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
        // Whoever was closed comes again at once.
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
fn a_connection_over_the_bound_is_served_when_another_has_closed() {
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
fn a_single_connection_may_come_to_any_worker() {
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
