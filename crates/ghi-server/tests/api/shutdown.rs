//! Graceful shutdown and its effect on open connections.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ghi_server::Config;

use crate::support::{KeptAlive, TestServer, at_most, with_its_only_slot_taken};

const REQUEST: &[u8] = b"GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\n\r\n";

/// Shuts a server down, and returns once it accepts no more connections.
fn shut_down(server: TestServer) -> JoinHandle<()> {
    let address = server.address();
    let stopped = std::thread::spawn(move || drop(server));
    wait_until_refused(address);
    stopped
}

/// Waits until a server accepts no more connections.
fn wait_until_refused(server: SocketAddr) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while TcpStream::connect(server).is_ok() {
        assert!(Instant::now() < deadline, "it still accepts connections");
    }
}

/// A request for a response of megabytes.
const LARGE: &[u8] = b"GET /assets/reference.js HTTP/1.1\r\nHost: test\r\n\r\n";

#[test]
fn a_half_sent_request_is_answered() {
    let server = TestServer::start(Config::default());
    let mut stream = server.connect();
    stream.write_all(&REQUEST[..40]).unwrap();
    // Once each worker has answered another request, the first half of this one has been read.
    for _ in 0..20 {
        server.get("/v1/ghi/metadata");
    }
    let stopped = shut_down(server);
    stream.write_all(&REQUEST[40..]).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("connection: close\r\n") && answer.ends_with('}'), "{answer}");
    stopped.join().unwrap();
}

#[test]
fn a_client_that_closes_its_sending_side_still_gets_its_response() {
    let (server, kept) = with_its_only_slot_taken();
    // While the only slot is taken, nothing is read, so the request and its end are later read together.
    let mut stream = server.connect();
    stream.write_all(REQUEST).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    drop(kept);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with('}'), "{answer}");
}

#[test]
fn a_client_that_closes_its_sending_side_gets_all_of_a_large_response() {
    let server = TestServer::start(Config::default());
    let length = server.get("/assets/reference.js").body.len();
    let mut stream = server.connect_narrow();
    stream.write_all(LARGE).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    // The response has started, and the server has seen the end of the requests.
    let mut answer = vec![0; 1];
    stream.read_exact(&mut answer).unwrap();
    for _ in 0..20 {
        server.get("/v1/ghi/metadata");
    }
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    assert_eq!(answer.split_once("\r\n\r\n").unwrap().1.len(), length);
}

#[test]
fn a_half_read_response_is_finished() {
    let server = TestServer::start(Config::default());
    let length = server.get("/assets/reference.js").body.len();
    let mut stream = server.connect_narrow();
    stream.write_all(&LARGE.repeat(8)).unwrap();
    let mut taken = vec![0; length * 5 / 2];
    stream.read_exact(&mut taken).unwrap();
    let stopped = shut_down(server);
    stream.read_to_end(&mut taken).unwrap();
    let text = String::from_utf8(taken).unwrap();
    let last = text.rsplit("HTTP/1.1 200 OK\r\n").next().unwrap();
    // HTTP allows later pipelined requests to go unanswered, but none may be answered in part.
    assert_eq!(last.split_once("\r\n\r\n").unwrap().1.len(), length);
    stopped.join().unwrap();
}

#[test]
fn clients_in_the_accept_queue_are_answered() {
    let (server, _kept) = with_its_only_slot_taken();
    // The only slot is taken: each worker accepts one more connection and waits; the others are queued.
    let waiting: Vec<TcpStream> = (0..at_most(500))
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(REQUEST).unwrap();
            stream
        })
        .collect();
    let stopped = std::thread::spawn(move || drop(server));
    for mut stream in waiting {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with('}'), "{answer}");
    }
    stopped.join().unwrap();
}

#[test]
fn idle_and_silent_connections_do_not_hold_up_the_shutdown() {
    let server = TestServer::start(Config::default());
    let _silent = server.connect();
    let mut idle = KeptAlive::new(server.address());
    idle.get("/v1/ghi/snapshot").unwrap();
    let dropped = Instant::now();
    drop(server);
    // A shutdown that waits for a connection waits for so long.
    assert!(dropped.elapsed() < Duration::from_secs(5), "{:?}", dropped.elapsed());
}

#[test]
fn a_server_that_is_dropped_without_running_stops() {
    let listener = ghi_server::Listener::bind(([127, 0, 0, 1], 0).into(), 2.try_into().unwrap());
    let listener = listener.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let server = ghi_server::Server::start(listener, Config::default()).unwrap();
    assert!(TcpStream::connect(address).is_ok());
    drop(server);
    wait_until_refused(address);
}
