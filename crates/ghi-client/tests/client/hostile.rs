//! Whatever comes, there is an error that says what it was.

use std::io::Write;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use ghi_client::{Client, Error, ErrorKind};

use crate::scripted::{NETWORK, Scripted, answer, ok};
use crate::support::client;

/// The error of a call that is answered like this, once.
async fn error(text: impl AsRef<[u8]>) -> Error {
    let server = Scripted::answers([text]);
    let client = Client::builder(&server.url).unwrap().retries(0).build();
    client.network().await.unwrap_err()
}

/// That a call that is answered like this fails with this message.
async fn check(text: impl AsRef<[u8]>, kind: ErrorKind, expected: Expect) {
    let error = error(text).await;
    assert_eq!(error.kind(), kind, "{error}");
    let base = error.url().strip_suffix("/v1/ghi/network").unwrap();
    expected.assert_eq(&error.to_string().replace(base, "BASE"));
}

fn problem(body: &str) -> String {
    answer("418 I'm a teapot", "Content-Type: application/problem+json\r\n", body)
}

#[tokio::test]
async fn problems_that_nobody_knows_say_what_they_say() {
    let known = problem(r#"{"status":418,"code":"brewing","detail":"Wait.","added":[]}"#);
    let error = error(&known).await;
    assert_eq!((error.status(), error.code()), (Some(418), Some("brewing")));
    assert_eq!(error.detail(), Some("Wait."));
    check(known, ErrorKind::Problem, expect!["BASE/v1/ghi/network answered 418 brewing: Wait."])
        .await;
    check(
        problem("{}"),
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network answered 418 I'm a teapot"],
    )
    .await;
    check(
        problem("[]"),
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network answered 418 I'm a teapot"],
    )
    .await;
    check(
        problem(""),
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network answered 418 I'm a teapot"],
    )
    .await;
    let odd = problem(r#"{"code":7,"detail":"red \u001b[31m\n and more"}"#);
    check(
        odd,
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network answered 418 I'm a teapot: red  [31m  and more"],
    )
    .await;
}

#[tokio::test]
async fn errors_of_others_are_statuses() {
    let page = answer("502 Bad Gateway", "Content-Type: text/html\r\n", "<h1>Bad gateway</h1>");
    let error = error(&page).await;
    assert_eq!((error.status(), error.code(), error.detail()), (Some(502), None, None));
    check(page, ErrorKind::Problem, expect!["BASE/v1/ghi/network answered 502 Bad Gateway"]).await;
    let text = answer("504 Gateway Timeout", "Content-Type: text/plain\r\n", "upstream is slow\n");
    check(
        text,
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network answered 504 Gateway Timeout: upstream is slow"],
    )
    .await;
    let moved = answer("301 Moved Permanently", "Location: https://example.org/\r\n", "");
    check(moved, ErrorKind::Problem, expect!["BASE/v1/ghi/network answered 301 Moved Permanently: redirects are not followed; this one leads to https://example.org/"]).await;
    check(
        answer("204 No Content", "", ""),
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network answered 204 No Content"],
    )
    .await;
    check(
        answer("304 Not Modified", "", ""),
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network answered 304 Not Modified"],
    )
    .await;
    check(
        answer("799 Odd", "", ""),
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network answered 799"],
    )
    .await;
}

#[tokio::test]
async fn what_is_not_the_document_is_named_with_its_field() {
    let kind = ErrorKind::NotTheDocument;
    check(ok("<!doctype html>"), kind, expect!["BASE/v1/ghi/network answered with something else than the document expected: it is not JSON: expected value at line 1 column 1"]).await;
    check(ok(""), kind, expect!["BASE/v1/ghi/network answered with something else than the document expected: it is not JSON: EOF while parsing a value at line 1 column 0"]).await;
    check(ok("{}"), kind, expect!["BASE/v1/ghi/network answered with something else than the document expected: missing field `version` at line 1 column 2"]).await;
    check(ok("[1]"), kind, expect!["BASE/v1/ghi/network answered with something else than the document expected: [0]: invalid type: integer `1`, expected a string at line 1 column 2"]).await;
    check(ok(&format!("{NETWORK}{NETWORK}")), kind, expect!["BASE/v1/ghi/network answered with something else than the document expected: it is not JSON: trailing characters at line 1 column 159"]).await;
    for (from, to) in [("1000.5", "\"1000.5\""), ("1000.5", "null"), ("1000.5", "1e999")] {
        let error = error(ok(&NETWORK.replace(from, to))).await;
        assert_eq!(error.kind(), kind);
    }
    check(ok(&NETWORK.replace("1000.5", "null")), kind, expect!["BASE/v1/ghi/network answered with something else than the document expected: hashrate_eh: invalid type: null, expected f64 at line 1 column 122"]).await;
    check(ok(&NETWORK.replace("1000.5", "1e999")), kind, expect!["BASE/v1/ghi/network answered with something else than the document expected: it is not JSON: number out of range at line 1 column 123"]).await;
    check(ok(&NETWORK.replace("1000.5", "NaN")), kind, expect!["BASE/v1/ghi/network answered with something else than the document expected: it is not JSON: expected value at line 1 column 119"]).await;
    check(ok(&"[".repeat(1_000_000)), kind, expect!["BASE/v1/ghi/network answered with something else than the document expected: [0]: invalid type: sequence, expected a string at line 1 column 1"]).await;
    let deep = format!("\"x\":{}{},\"version\"", "[".repeat(100_000), "]".repeat(100_000));
    check(ok(&NETWORK.replacen("\"version\"", &deep, 1)), kind, expect![]).await;
    let mut bytes = ok(NETWORK).into_bytes();
    let place = bytes.len() - 3;
    bytes[place] = 0xff;
    check(bytes, kind, expect![]).await;
}

#[tokio::test]
async fn what_is_not_http_is_named_so() {
    let kind = ErrorKind::NotHttp;
    check("SSH-2.0-OpenSSH_9.9\r\n", kind, expect!["BASE/v1/ghi/network answered with something that is not HTTP: invalid HTTP version parsed"]).await;
    check([0x15, 3, 1, 0, 2, 2, 70].repeat(9), kind, expect!["BASE/v1/ghi/network answered with something that is not HTTP: invalid HTTP version parsed"]).await;
    check("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", kind, expect!["BASE/v1/ghi/network answered with something that is not HTTP: invalid content-length parsed"]).await;
    let many = "A: b\r\n".repeat(1_000);
    check(format!("HTTP/1.1 200 OK\r\n{many}\r\n"), kind, expect!["BASE/v1/ghi/network answered with something that is not HTTP: message head is too large"]).await;
    let long = "a".repeat(1 << 20);
    check(format!("HTTP/1.1 200 OK\r\nA: {long}\r\n\r\n"), kind, expect!["BASE/v1/ghi/network answered with something that is not HTTP: message head is too large"]).await;
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_to_its_end() {
    let kind = ErrorKind::TooLarge;
    check(
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{",
        kind,
        expect!["BASE/v1/ghi/network answered with more than 64 MiB"],
    )
    .await;
    for head in ["", "Transfer-Encoding: chunked\r\n"] {
        let server = Scripted::new(move |_, stream| {
            _ = write!(stream, "HTTP/1.1 200 OK\r\n{head}\r\n");
            let spaces = " ".repeat(1 << 20);
            let chunk = if head.is_empty() { spaces } else { format!("100000\r\n{spaces}\r\n") };
            while stream.write_all(chunk.as_bytes()).is_ok() {}
        });
        let start = Instant::now();
        let error = client(&server.url).network().await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TooLarge), "{error}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[tokio::test]
async fn no_connection_is_no_answer() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let plain = Scripted::answers([ok(NETWORK)]);
    let tls_of_plain = plain.url.replace("http:", "https:");
    for url in [&format!("http://{closed}"), &tls_of_plain, "http://host.invalid"] {
        let error = client(url).network().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
        let message = format!("cannot connect to {url}/v1/ghi/network: ");
        assert!(error.to_string().starts_with(&message), "{error}");
        eprintln!("{error}");
    }
}
