//! Servers that are not this API, or attack the client: a clear verdict within seconds.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::runner::{assert_refused, check, command, judge, judge_with_message};
use crate::scripted::{ScriptedServer, changed, changed_target, script};

/// Longer than any verdict may take, with a margin for busy machines.
const SECONDS: Duration = Duration::from_secs(10);

/// The most memory that a run may take, in bytes.
const MEMORY_MAX: u64 = 100_000_000;

const JSON_HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";

/// A server that reads each request and then calls a function. It runs until the test ends.
fn server(respond: impl Fn(TcpStream) + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let respond = respond.clone();
            std::thread::spawn(move || {
                _ = stream.read(&mut [0; 4096]);
                respond(stream);
            });
        }
    });
    url
}

/// A server that sends this and closes the connection.
fn sends(text: &'static str) -> String {
    server(move |mut stream| _ = stream.write_all(text.as_bytes()))
}

#[test]
fn a_closed_port() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    assert_refused(&url, &[], "/v1/ghi/metadata: Connection refused", SECONDS);
}

#[test]
fn a_host_that_does_not_exist() {
    assert_refused("http://no-such-host.invalid", &[], "cannot connect", SECONDS);
}

#[test]
fn a_server_without_this_api() {
    for (text, words) in [
        (
            "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 3\r\nConnection: close\r\n\r\n<p>",
            "no document of the API was found (/v1/ghi/metadata: 404 <p>); is the base URL right?",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 21\r\nConnection: close\r\n\r\n<!doctype html><p>Hi.",
            "/v1/ghi/metadata: 200 <!doctype html><p>Hi.)",
        ),
        // It is not followed.
        (
            "HTTP/1.1 301 Moved Permanently\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "301, a redirect to /",
        ),
        (
            "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 60\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "429 Too Many Requests after retries; try a lower --rate",
        ),
    ] {
        assert_refused(&sends(text), &["--rate", "100"], words, SECONDS);
    }
}

#[test]
fn a_server_that_never_responds_costs_three_timeouts() {
    let url = server(|mut stream| _ = stream.read(&mut [0]));
    let within = Duration::from_secs(5);
    assert_refused(&url, &["--timeout", "1s"], "did not respond within 1s", within);
}

#[test]
fn a_server_that_does_not_speak_http() {
    for (text, words) in [
        ("SSH-2.0-OpenSSH_9.2\r\n", "did not return valid HTTP"),
        ("\0\u{1}\u{2}\u{1b}[31m\r\n\r\n", "did not return valid HTTP"),
        ("", "lost the connection to http://"),
        ("HTTP/1.1 abc\r\n\r\n", "did not return valid HTTP"),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "did not return valid HTTP"),
    ] {
        assert_refused(&sends(text), &["--rate", "100"], words, SECONDS);
    }
}

#[test]
fn https_to_a_port_without_tls() {
    let url = sends("HTTP/1.1 400 Bad Request\r\n\r\n");
    let words = "/v1/ghi/metadata: the server did not return valid TLS";
    assert_refused(&url.replace("http:", "https:"), &[], words, SECONDS);
}

#[test]
fn http_to_a_port_with_tls() {
    let url =
        sends("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
    let words = "400 Client sent an HTTP request to an HTTPS server.)";
    assert_refused(&url, &["--rate", "100"], words, SECONDS);
    let url = sends("\x15\x03\x01\0\x02\x02\x46");
    assert_refused(&url, &[], "did not return valid HTTP", SECONDS);
}

#[test]
fn a_body_that_drips() {
    let url = server(|mut stream| {
        _ = stream.write_all(JSON_HEAD.as_bytes());
        while stream.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    assert_refused(&url, &["--timeout", "500ms"], "did not respond within 500ms", SECONDS);
}

#[test]
fn endless_headers() {
    let url = server(|mut stream| {
        _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"x-more: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n").is_ok() {}
    });
    assert_refused(&url, &[], "did not return valid HTTP", SECONDS);
}

/// The highest memory use of a process in bytes.
fn peak_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Runs the command and asserts that it stays within bounds. Returns its messages.
#[track_caller]
fn assert_bounded(base_url: &str, args: &[&str]) -> String {
    let started = Instant::now();
    let mut command = command(base_url, args);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(peak_memory(child.id()).unwrap_or_default());
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut message = String::new();
    child.stderr.unwrap().read_to_string(&mut message).unwrap();
    assert!(peak > 0 && peak < MEMORY_MAX, "{peak}");
    assert!(started.elapsed() < 3 * SECONDS, "{:?}", started.elapsed());
    message
}

#[test]
fn an_endless_body_takes_bounded_memory() {
    let url = server(|mut stream| {
        _ = stream.write_all(JSON_HEAD.as_bytes());
        let piece = b"[0,".repeat(32 * 1024);
        while stream.write_all(&piece).is_ok() {}
    });
    let message = assert_bounded(&url, &["--timeout", "20s"]);
    assert!(message.contains("returned more than 512 KiB"), "{message}");
}

#[test]
fn huge_json_takes_bounded_memory() {
    let scripted = ScriptedServer::start();
    let long = format!("\"{}\"", "x".repeat(1000));
    // As many as are parsed; values with few characters take the most memory.
    for (item, count) in [
        ("[0]", 1_500),
        ("{\"\":0}", 1_500),
        ("0", 3_000),
        ("{}", 1_500),
        (&long, 300),
        ("0", 100_000),
    ] {
        let body = format!("{{\"x\": [{}{item}]}}", format!("{item},").repeat(count));
        let base_url = scripted.with(script(move |request, reply| {
            if request.path() != "/v1/ghi/metadata" {
                reply.body = body.clone().into();
            }
        }));
        assert_bounded(&base_url, &["--strict", "--rate", "10000"]);
    }
}

#[test]
fn json_beyond_the_limits_is_not_judged() {
    let scripted = ScriptedServer::start();
    for (body, words) in [
        (
            format!("{{\"x\": [{}0]}}", "0,".repeat(200_000)),
            "JSON, but too large, nested too deeply",
        ),
        (
            format!("{{\"x\": {}{}}}", "[".repeat(10_000), "]".repeat(10_000)),
            "JSON, but too large, nested too deeply",
        ),
        ("{\"difficulty\": 1e999}".into(), "JSON, but too large, nested too deeply"),
        (format!("{{\"x\": \"{}\"}}", "x".repeat(1 << 20)), "returned more than 512 KiB"),
    ] {
        let base_url = scripted.with(changed("/v1/ghi/network", move |reply| {
            reply.body = body.clone().into();
        }));
        let (run, message) = judge_with_message(&base_url, &[]);
        let said = "ghi: some rules could not be judged; see the report for the reasons\n";
        assert_eq!(message, said);
        assert_eq!((run.code, run.with("broken")), (Some(2), [].into()), "{words}");
        assert!(run.with("not_judged").contains("network-fields"));
        assert!(run.shown("not_judged").contains(words), "{}", run.shown("not_judged"));
    }
}

#[test]
fn long_or_deep_text_that_is_not_json_breaks_a_rule() {
    let scripted = ScriptedServer::start();
    for body in [
        format!("{{\"x\": [{}]", "0,".repeat(200_000)),
        "[".repeat(10_000),
        "{\"difficulty\": 1e999".into(),
        format!("[{}0]", "0,".repeat(200_000)),
    ] {
        let base_url = scripted.with(changed("/v1/ghi/network", move |reply| {
            reply.body = body.clone().into();
        }));
        let run = judge(&base_url, &[]);
        assert_eq!(run.with("broken"), ["responses-are-json".to_owned()].into());
    }
}

#[test]
fn a_server_that_requires_credentials_breaks_a_rule() {
    let scripted = ScriptedServer::start();
    for status in [401, 403] {
        let base_url = scripted.with(script(move |_, reply| {
            reply.status = status;
            reply.body = "{}".into();
        }));
        let run = judge(&base_url, &[]);
        assert_eq!(run.code, Some(1));
        assert!(run.with("broken").contains("no-credentials-are-needed"));
        assert!(run.with("holds").is_empty(), "{}", run.shown("holds"));
    }
}

#[test]
fn a_connection_closed_instead_of_an_error_breaks_the_rule_for_that_error() {
    let scripted = ScriptedServer::start();
    let base_url = scripted.with(changed_target("/v1/ghi/regions/no-such-region", |reply| {
        reply.closes = true;
    }));
    let run = judge(&base_url, &["--strict"]);
    assert_eq!((run.code, run.with("broken")), (Some(1), ["unknown-region-is-404".into()].into()));
    let [expected, got] = run.evidence("unknown-region-is-404");
    assert_eq!(expected, "404 unknown_region");
    let cause = "/no-such-region: connection closed before message completed";
    assert!(got.starts_with("lost the connection to ") && got.ends_with(cause), "{got}");
}

#[test]
fn a_redirect_is_reported_with_its_target() {
    let scripted = ScriptedServer::start();
    let base_url = scripted.with(changed("/v1/ghi/network", |reply| {
        reply.status = 308;
        reply.set("location", "https://elsewhere.example/v1/ghi/network");
    }));
    let broken = judge(&base_url, &[]).shown("broken");
    let got = "308, a redirect to https://elsewhere.example/v1/ghi/network";
    assert!(broken.contains(got), "{broken}");
}

#[test]
fn one_document_is_enough_to_judge() {
    let scripted = ScriptedServer::start();
    let base_url = scripted.with(script(|request, reply| {
        if request.path() != "/v1/ghi/forecast" {
            reply.status = 404;
        }
    }));
    let run = judge(&base_url, &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.with("broken").contains("network-answers"));
    assert!(run.with("holds").contains("forecast-fields"));
    assert!(run.with("not_judged").contains("network-fields"));
}

#[test]
fn a_server_that_stops_responding_costs_few_timeouts() {
    let scripted = ScriptedServer::start();
    let base_url = scripted.with(script(|request, reply| {
        if request.path() != "/v1/ghi/metadata" {
            reply.delay = Duration::from_secs(60);
        }
    }));
    let started = Instant::now();
    let run = judge(&base_url, &["--strict", "--timeout", "1"]);
    assert_eq!(run.code, Some(1));
    assert!(run.shown("not_judged").contains("not requested: 3 endpoints did not respond"));
    assert_eq!(run.report["given_up"], json!(["gave up: 3 endpoints did not respond"]));
    assert!(started.elapsed() < SECONDS);
}

#[test]
fn an_endpoint_that_hangs_leaves_the_others_to_be_judged() {
    let scripted = ScriptedServer::start();
    for (path, rule, given_up) in [
        ("/v1/ghi/metadata", "metadata-answers", None),
        ("/v1/ghi/history", "history-answers", Some("/v1/ghi/history")),
        ("/v1/ghi/regions/", "region-detail-answers", Some("/v1/ghi/regions")),
    ] {
        let base_url = scripted.with(changed(path, |reply| reply.delay = Duration::from_secs(60)));
        let started = Instant::now();
        let run = judge(&base_url, &["--timeout", "1"]);
        assert_eq!((run.code, run.with("broken")), (Some(1), [rule.to_owned()].into()));
        for judged in ["snapshot-fields", "network-fields", "forecast-fields"] {
            assert!(run.with("holds").contains(judged), "{path}: {judged}");
        }
        let line = |path| format!("gave up: GET {path} did not respond to 2 requests in a row");
        let lines: Vec<_> = given_up.into_iter().map(line).collect();
        assert_eq!(run.report["given_up"], json!(lines));
        assert!(started.elapsed() < SECONDS);
    }
}

#[test]
fn invalid_arguments_are_rejected() {
    for (args, words) in [
        (&["localhost:8000"][..], "must start with http:// or https://"),
        (
            &["http://user:secret@127.0.0.1:1"],
            "must start with http:// or https:// and have no user name",
        ),
        (&["http://127.0.0.1:1", "--rate", "0"], "must be a whole number from 1 to 10000"),
        (&["http://127.0.0.1:1", "--timeout", "0"], "must be a time from 10ms to 5m"),
        (&["http://127.0.0.1:1", "--format", "xml"], "junit"),
        (
            &["http://127.0.0.1:1", "--rule", "no-such-rule"],
            "invalid value 'no-such-rule' for '--rule <ID>': no such rule; run ghi check BASE_URL --strict to list the ids of all rules",
        ),
    ] {
        assert_refused(args[0], &args[1..], words, SECONDS);
    }
    let args = ["--rule", "histroy-ends-today"];
    let words = "no such rule; did you mean history-ends-today?";
    assert_refused("http://127.0.0.1:1", &args, words, SECONDS);
    assert_eq!(check("", &[]).status.code(), Some(2));
}
