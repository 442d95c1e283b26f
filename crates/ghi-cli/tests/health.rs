//! `ghi health` as a probe uses it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use ghi_server::{Config, Sandbox};

/// What `ghi health` exits with and says.
fn health(args: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ghi"));
    command.arg("health").args(args).env_remove("GHI_LISTEN").env_remove("GHI_PROBE_LISTEN");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A server that gives one answer, and where it is.
fn answering(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        _ = stream.read(&mut [0; 1024]);
        _ = stream.write_all(answer.as_bytes());
    });
    format!("http://{address}")
}

#[test]
fn a_server_that_is_ready_is_found_by_its_url_and_by_the_variables_it_was_started_with() {
    let sandbox = Sandbox::start(Config::default()).unwrap();
    let ready = (Some(0), "ready\n".to_owned(), String::new());
    assert_eq!(health(&[sandbox.url()], &[]), ready);
    assert_eq!(health(&[&format!("{}/", sandbox.url())], &[]), ready);
    assert_eq!(health(&[&format!("{}/readyz", sandbox.url())], &[]), ready);
    let port = sandbox.address().port().to_string();
    assert_eq!(health(&[], &[("GHI_LISTEN", &format!("0.0.0.0:{port}"))]), ready);
    assert_eq!(health(&[], &[("GHI_LISTEN", "1"), ("GHI_PROBE_LISTEN", &port)]), ready);
}

#[test]
fn a_server_that_is_not_ready_is_told_apart_from_none() {
    let draining = answering(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: 32\r\n\r\n{\"detail\":\"It is shutting down\"}",
    );
    let (code, stdout, stderr) = health(&[&draining], &[]);
    assert_eq!((code, &*stdout), (Some(1), ""));
    assert_eq!(
        stderr,
        format!(
            "ghi: the server is not ready: {draining}/readyz answered 503 Service Unavailable: It is shutting down\n"
        )
    );
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, _, stderr) = health(&[&format!("http://{closed}")], &[]);
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains("is not ready: cannot connect to") && stderr.contains("Connection refused"),
        "{stderr}"
    );
}

#[test]
fn an_answer_without_end_is_not_read_to_its_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        _ = stream.read(&mut [0; 1024]);
        _ = stream.write_all(b"HTTP/1.1 503 X\r\n\r\n");
        let mut sent = 0;
        while sent < 1 << 28
            && let Ok(more) = stream.write(&[b' '; 1 << 16])
        {
            sent += more;
        }
        sent
    });
    let (code, _, stderr) = health(&[&url], &[]);
    assert_eq!(
        (code, stderr),
        (
            Some(1),
            format!(
                "ghi: the server is not ready: {url}/readyz answered 503 Service Unavailable\n"
            )
        )
    );
    // What the kernel takes in, and no more.
    assert!(server.join().unwrap() < 1 << 25);
}

#[test]
fn a_server_that_hangs_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let began = Instant::now();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let (code, _, stderr) = health(&[&url], &[]);
    assert_eq!(
        (code, stderr),
        (Some(1), format!("ghi: the server is not ready: {url}/readyz did not answer within 3s\n"))
    );
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn what_is_no_address_is_a_mistake() {
    for (args, variables) in
        [(&["localhost:8000"][..], &[][..]), (&[], &[("GHI_LISTEN", "example.org:8000")])]
    {
        let (code, stdout, stderr) = health(args, variables);
        assert_eq!((code, &*stdout), (Some(2), ""));
        assert!(stderr.contains("such as"), "{stderr}");
    }
    let (code, _, stderr) = health(&[], &[("GHI_LISTEN", ":0")]);
    let said = "ghi: GHI_LISTEN ':0' lets the server take any free port; give its URL\n";
    assert_eq!((code, &*stderr), (Some(2), said));
}
