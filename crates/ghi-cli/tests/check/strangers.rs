//! Servers that are not this API: a clear verdict within seconds.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::contract_mutations::answered;
use crate::judge::{Found, assert_refused, check, judge};
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
    // As long as the message says, and not once for each try.
    let within = Duration::from_secs(5);
    assert_refused(&url, &["--timeout", "3s"], "no whole answer within 3 s", within);
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
    let words = format!(
        "cannot connect: the server did not answer in TLS; if it speaks plain HTTP, use {url}"
    );
    assert_refused(&url.replace("http:", "https:"), &[], &words, SECONDS);
}

#[test]
fn http_where_there_is_https() {
    let url = server(|stream| {
        let head = "HTTP/1.0 400 Bad Request\r\n\r\n";
        send(stream, &format!("{head}Client sent an HTTP request to an HTTPS server.\n"));
    });
    let words = "the server speaks TLS at this port; use https:// instead of http://";
    assert_refused(&url, &["--rate", "100"], words, SECONDS);
    let url = server(|stream| send(stream, "\x15\x03\x01\0\x02\x02\x46"));
    let words = format!("; if the server speaks TLS, use {}", url.replace("http:", "https:"));
    assert_refused(&url, &[], &words, SECONDS);
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
fn json_that_is_too_much_for_the_judge_is_not_called_wrong() {
    let scripted = Scripted::start();
    for (body, words) in [
        (
            format!("{{\"x\": [{}0]}}", "0,".repeat(2_000_000)),
            "JSON, but it is too large to judge, more than 300000 values",
        ),
        (
            format!("{{\"x\": {}{}}}", "[".repeat(10_000), "]".repeat(10_000)),
            "JSON, but it is nested too deep to judge",
        ),
        (
            "{\"difficulty\": 1e999}".into(),
            "JSON, but a number in it is out of the range of a float",
        ),
        (format!("{{\"x\": \"{}\"}}", "x".repeat(17 << 20)), "200 with more than 16 MiB"),
    ] {
        let base_url = scripted.with(answered("/v1/ghi/network", move |reply| {
            reply.body = body.clone().into();
        }));
        let output = check(&base_url, &["--format", "json", "--rate", "10000"]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.starts_with("ghi: not all rules could be judged: "), "{message}");
        let report = serde_json::from_slice(&output.stdout).unwrap();
        let found = Found { code: output.status.code(), report };
        assert_eq!((found.code, found.with("broken")), (Some(2), [].into()), "{words}");
        assert!(found.with("not_judged").contains("network-fields"));
        assert!(found.shown("not_judged").contains(words), "{}", found.shown("not_judged"));
    }
}

#[test]
fn what_is_long_or_deep_but_no_json_is_called_so() {
    let scripted = Scripted::start();
    for body in [
        format!("{{\"x\": [{}]", "0,".repeat(2_000_000)),
        "[".repeat(10_000),
        "{\"difficulty\": 1e999".into(),
        format!("[{}0]", "0,".repeat(2_000_000)),
    ] {
        let base_url = scripted.with(answered("/v1/ghi/network", move |reply| {
            reply.body = body.clone().into();
        }));
        let found = judge(&base_url, &[]);
        assert_eq!(found.with("broken"), ["responses-are-json".to_owned()].into());
    }
}

#[test]
fn a_deployment_that_wants_a_key_everywhere_breaks_a_rule() {
    let scripted = Scripted::start();
    for status in [401, 403] {
        let base_url = scripted.with(move |_: &Asked, reply: &mut Reply| {
            reply.status = status;
            reply.body = "{}".into();
        });
        let found = judge(&base_url, &[]);
        assert_eq!(found.code, Some(1));
        assert!(found.with("broken").contains("no-credentials-are-needed"));
        assert!(found.with("holds").is_empty(), "{}", found.shown("holds"));
    }
}

#[test]
fn a_redirect_says_where_it_leads() {
    let scripted = Scripted::start();
    let base_url = scripted.with(answered("/v1/ghi/network", |reply| {
        reply.status = 308;
        reply.set("location", "https://elsewhere.example/v1/ghi/network");
    }));
    let broken = judge(&base_url, &[]).shown("broken");
    let got = "308, a redirect to https://elsewhere.example/v1/ghi/network";
    assert!(broken.contains(got), "{broken}");
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
    let base_url = scripted.with(|asked: &Asked, reply: &mut Reply| {
        if asked.path() != "/v1/ghi/metadata" {
            reply.delay = Duration::from_secs(60);
        }
    });
    let started = Instant::now();
    let found = judge(&base_url, &["--strict", "--timeout", "1"]);
    assert_eq!(found.code, Some(1));
    assert!(found.shown("not_judged").contains("the server stopped answering"));
    assert_eq!(found.report["given_up"], json!(["gave up: 3 endpoints in a row did not answer"]));
    assert!(started.elapsed() < SECONDS);
}

#[test]
fn an_endpoint_that_hangs_leaves_the_others_to_be_judged() {
    let scripted = Scripted::start();
    for (path, rule) in [
        ("/v1/ghi/metadata", "metadata-answers"),
        ("/v1/ghi/history", "history-answers"),
        ("/v1/ghi/regions/", "region-detail-answers"),
    ] {
        let base_url = scripted.with(answered(path, |reply| reply.delay = Duration::from_secs(60)));
        let started = Instant::now();
        let found = judge(&base_url, &["--timeout", "1"]);
        assert_eq!((found.code, found.with("broken")), (Some(1), [rule.to_owned()].into()));
        for judged in ["snapshot-fields", "network-fields", "forecast-fields"] {
            assert!(found.with("holds").contains(judged), "{path}: {judged}");
        }
        let path = path.replace("regions/", "regions/{id}");
        let line = format!("gave up on GET {path}: 2 requests in a row got no answer");
        assert_eq!(found.report["given_up"], json!([line]));
        assert!(started.elapsed() < SECONDS);
    }
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
