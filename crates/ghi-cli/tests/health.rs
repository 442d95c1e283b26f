//! `ghi health`.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use ghi_server::{Config, Sandbox};

use program::{GHI, program};

mod program;

/// Runs `ghi health`. Returns its exit code and output.
fn health(args: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut command = program(GHI);
    command.arg("health").args(args);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Starts a server that sends one response. Returns its URL.
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
fn a_ready_server_is_found_by_its_url_or_its_variables() {
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
fn a_draining_server_and_a_closed_port_are_reported_differently() {
    let draining = answering(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: 32\r\n\r\n{\"detail\":\"It is shutting down\"}",
    );
    let (code, stdout, stderr) = health(&[&draining], &[]);
    assert_eq!((code, &*stdout), (Some(1), ""));
    assert_eq!(
        stderr,
        format!(
            "ghi: the server is not ready: {draining}/readyz returned 503 Service Unavailable: It is shutting down\n"
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
fn an_endless_response_is_not_read_to_the_end() {
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
                "ghi: the server is not ready: {url}/readyz returned 503 Service Unavailable\n"
            )
        )
    );
    // Only what the kernel buffers.
    assert!(server.join().unwrap() < 1 << 25);
}

#[test]
fn an_unresponsive_server_times_out() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let began = Instant::now();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let (code, _, stderr) = health(&[&url], &[]);
    assert_eq!(
        (code, stderr),
        (
            Some(1),
            format!("ghi: the server is not ready: {url}/readyz did not respond within 3s\n")
        )
    );
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn an_invalid_address_is_rejected() {
    for (args, variables) in
        [(&["localhost:8000"][..], &[][..]), (&[], &[("GHI_LISTEN", "example.org:8000")])]
    {
        let (code, stdout, stderr) = health(args, variables);
        assert_eq!((code, &*stdout), (Some(2), ""));
        assert!(stderr.contains("such as"), "{stderr}");
    }
}

#[test]
fn proxies_come_from_the_environment() {
    let proxy = || answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let far = |variables: &[(&str, &str)]| health(&["http://example.invalid"], variables).0;
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        assert_eq!(far(&[(name, &proxy())]), Some(0), "{name}");
    }
    let closed = "http://127.0.0.1:1";
    assert_eq!(far(&[("ALL_PROXY", closed), ("HTTP_PROXY", &proxy())]), Some(0));
    // The name does not resolve, so there is no response without a proxy.
    assert_eq!(far(&[("HTTPS_PROXY", &proxy())]), Some(1));
    for list in ["a, example.invalid", "*"] {
        assert_eq!(far(&[("HTTP_PROXY", &proxy()), ("NO_PROXY", list)]), Some(1), "{list}");
    }
    let cgi = [("HTTP_PROXY", &*proxy()), ("REQUEST_METHOD", "GET")];
    assert_eq!(far(&cgi), Some(1), "HTTP_PROXY may come from a request header");
}

#[test]
fn loopback_is_reached_without_a_proxy() {
    let sandbox = Sandbox::start(Config::default()).unwrap();
    for url in [sandbox.url(), &sandbox.url().replace("127.0.0.1", "localhost")] {
        for proxy in ["http://127.0.0.1:1", "", "::", "http://"] {
            let variables = [("HTTP_PROXY", proxy), ("ALL_PROXY", proxy)];
            assert_eq!(health(&[url], &variables).0, Some(0), "{url} {proxy}");
        }
    }
}
