//! What is open when the server ends.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use ghi_server::{Config, Inputs};
use socket2::SockRef;

use crate::support::{KeptAlive, Server, ten_thousand_regions};

#[test]
fn a_request_that_is_half_sent_is_answered() {
    let server = Server::start(Config::default());
    let mut stream = server.connect();
    stream.write_all(b"GET /v1/ghi/snapshot HTTP/1.1\r\nHo").unwrap();
    // Once another is answered by each worker, this one's first half has been read.
    for _ in 0..20 {
        server.get("/v1/ghi/metadata");
    }
    let ended = std::thread::spawn(move || drop(server));
    std::thread::sleep(Duration::from_millis(200));
    stream.write_all(b"st: test\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("connection: close\r\n") && answer.ends_with('}'), "{answer}");
    ended.join().unwrap();
}

#[test]
fn a_client_that_sends_no_more_still_gets_its_answer() {
    let server = Server::start(Config::default());
    let mut stream = server.connect();
    stream.write_all(b"GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let ended = std::thread::spawn(move || drop(server));
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with('}'), "{answer}");
    ended.join().unwrap();
}

#[test]
fn a_response_that_is_half_taken_is_finished() {
    let inputs = Inputs::parse(&ten_thousand_regions()).unwrap();
    let server = Server::start(Config { inputs, ..Config::default() });
    let length = server.get("/v1/ghi/snapshot").body.len();
    let mut stream = server.connect();
    SockRef::from(&stream).set_recv_buffer_size(64 << 10).unwrap();
    let request = "GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\n\r\n".repeat(8);
    stream.write_all(request.as_bytes()).unwrap();
    let mut taken = vec![0; length * 5 / 2];
    stream.read_exact(&mut taken).unwrap();
    let ended = std::thread::spawn(move || drop(server));
    std::thread::sleep(Duration::from_millis(200));
    stream.read_to_end(&mut taken).unwrap();
    let text = String::from_utf8(taken).unwrap();
    let last = text.rsplit("HTTP/1.1 200 OK\r\n").next().unwrap();
    // Requests behind it on the wire may go unanswered, as HTTP has it; none is answered in part.
    assert_eq!(last.split_once("\r\n\r\n").unwrap().1.len(), length);
    ended.join().unwrap();
}

#[test]
fn idle_and_silent_connections_do_not_hold_up_the_end() {
    let server = Server::start(Config::default());
    let _silent = server.connect();
    let mut idle = KeptAlive::new(server.address());
    idle.get("/v1/ghi/snapshot").unwrap();
    let told = Instant::now();
    drop(server);
    assert!(told.elapsed() < Duration::from_secs(2), "{:?}", told.elapsed());
}
