//! Servers that are not this API: a clear verdict within seconds.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::contract_mutations::answered;
use crate::judge::{assert_refused, check, judge};
use crate::scripted::{Asked, Reply, Scripted};

/// Longer than any verdict may take. Most of it is for machines that do much else.
const SECONDS: Duration = Duration::from_secs(10);

/// A server that does this with each connection once the request has come. It runs until the test ends.
fn server(answer: fn(TcpStream)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut stream = stream;
                _ = stream.read(&mut [0; 4096]);
                answer(stream);
            });
        }
    });
    url
}

fn send(mut stream: TcpStream, text: &str) {
    _ = stream.write_all(text.as_bytes());
}

#[test]
fn a_closed_port() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    assert_refused(&url, &[], "cannot connect: Connection refused", SECONDS);
}

#[test]
fn a_host_that_does_not_exist() {
    assert_refused("http://no-such-host.invalid", &[], "cannot connect", SECONDS);
}

#[test]
fn a_server_of_static_files() {
    let url = server(|stream| {
        send(
            stream,
            "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 3\r\nConnection: close\r\n\r\n<p>",
        );
    });
    let words = "not one document of the API came (/v1/ghi/metadata answers 404 with text/html)";
    assert_refused(&url, &["--rate", "100"], words, SECONDS);
}

#[test]
fn a_page_at_every_path() {
    let url = server(|stream| {
        send(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 21\r\nConnection: close\r\n\r\n<!doctype html><p>Hi.",
        );
    });
    assert_refused(&url, &["--rate", "100"], "200 with text/html", SECONDS);
}

#[test]
fn a_redirect_at_every_path_is_not_followed() {
    let url = server(|stream| {
        send(
            stream,
            "HTTP/1.1 301 Moved Permanently\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
    });
    assert_refused(&url, &["--rate", "100"], "301, a redirect to /", SECONDS);
}

#[test]
fn a_server_that_lets_nobody_in() {
    let url = server(|stream| {
        send(
            stream,
            "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 60\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
    });
    assert_refused(&url, &[], "429 Too Many Requests, also later", SECONDS);
}

#[test]
fn a_server_that_never_answers() {
    let url = server(|mut stream| _ = stream.read(&mut [0]));
    assert_refused(&url, &["--timeout", "500ms"], "no whole answer within 0.5 s", SECONDS);
}

#[test]
fn a_server_that_does_not_speak_http() {
    for answer in [
        |stream| send(stream, "SSH-2.0-OpenSSH_9.2\r\n"),
        |stream| send(stream, "\0\u{1}\u{2}\u{1b}[31m\r\n\r\n"),
        |stream| send(stream, ""),
        |stream| send(stream, "HTTP/1.1 abc\r\n\r\n"),
        |stream| send(stream, "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
    ] {
        assert_refused(&server(answer), &["--rate", "100"], "no HTTP answer", SECONDS);
    }
}

#[test]
fn https_where_there_is_none() {
    let url = server(|stream| send(stream, "HTTP/1.1 400 Bad Request\r\n\r\n"));
    assert_refused(&url.replace("http:", "https:"), &[], "cannot connect", SECONDS);
}

#[test]
fn a_body_that_drips() {
    let url = server(|mut stream| {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
        if stream.write_all(head).is_ok() {
            while stream.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    });
    assert_refused(&url, &["--timeout", "500ms"], "no whole answer within 0.5 s", SECONDS);
}

#[test]
fn headers_without_end() {
    let url = server(|mut stream| {
        _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream
            .write_all(b"x-more: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n")
            .is_ok()
        {}
    });
    assert_refused(&url, &[], "no HTTP answer", SECONDS);
}

/// The most memory that a process has had, bytes.
fn peak_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[test]
fn a_body_without_end_takes_bounded_memory() {
    let url = server(|mut stream| {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[";
        if stream.write_all(head).is_ok() {
            let piece = b"0,".repeat(32 * 1024);
            while stream.write_all(&piece).is_ok() {}
        }
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_ghi"));
    command.args(["check", &url]).stderr(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(peak_memory(child.id()).unwrap_or_default());
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut message = String::new();
    child.stderr.unwrap().read_to_string(&mut message).unwrap();
    assert!(message.contains("200 with more than 16 MiB"), "{message}");
    assert!(peak > 0 && peak < 150 * 1024 * 1024, "{peak}");
    assert!(started.elapsed() < SECONDS);
}

#[test]
fn a_document_of_very_many_values_is_not_read_into_memory() {
    let scripted = Scripted::start();
    let base_url = scripted.with(answered("/v1/ghi/network", |reply| {
        reply.body = format!("{{\"x\": [{}0]}}", "0,".repeat(2_000_000)).into();
    }));
    let found = judge(&base_url, &[]);
    assert_eq!(found.with("broken"), ["responses-are-json".to_owned()].into());
    assert!(found.shown("broken").contains("more than 300000 values"));
}

#[test]
fn one_document_is_enough_to_judge() {
    let scripted = Scripted::start();
    let base_url = scripted.with(|asked: &Asked, reply: &mut Reply| {
        if asked.path() != "/v1/ghi/forecast" {
            reply.status = 404;
        }
    });
    let found = judge(&base_url, &[]);
    assert_eq!(found.code, Some(1));
    assert!(found.with("broken").contains("network-answers"));
    assert!(found.with("holds").contains("forecast-fields"));
    assert!(found.with("not_judged").contains("network-fields"));
}

#[test]
fn a_server_that_stops_answering_is_not_waited_for_again_and_again() {
    let scripted = Scripted::start();
    let base_url = scripted.with(|asked: &Asked, _: &mut Reply| {
        if asked.path() != "/v1/ghi/metadata" {
            std::thread::sleep(Duration::from_secs(2));
        }
    });
    let started = Instant::now();
    let found = judge(&base_url, &["--strict", "--timeout", "1"]);
    assert_eq!(found.code, Some(1));
    assert!(found.shown("not_judged").contains("the server stopped answering"));
    assert!(started.elapsed() < SECONDS);
}

#[test]
fn wrong_arguments_are_refused() {
    for (args, words) in [
        (&["localhost:8000"][..], "must be an http or https URL"),
        (&["http://127.0.0.1:1/v1/ghi/snapshot"], "must be what comes before /v1/ghi"),
        (&["http://user:secret@127.0.0.1:1"], "URL without user"),
        (&["http://127.0.0.1:1", "--rate", "0"], "must be a whole number from 1 to 10000"),
        (&["http://127.0.0.1:1", "--timeout", "0"], "must be a time from 10ms to 5m"),
        (&["http://127.0.0.1:1", "--format", "xml"], "junit"),
    ] {
        assert_refused(args[0], &args[1..], words, SECONDS);
    }
    assert_eq!(check("", &[]).status.code(), Some(2));
}
