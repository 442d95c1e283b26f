//! Invalid and hostile responses, and the errors they cause.

use std::io::Write;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use ghi_client::{Error, ErrorKind, Resource, Settings};

use crate::scripted::{NETWORK, Scripted, ok, response};
use crate::support::{client, client_with, resources, sandbox};

/// Returns the error of a call that gets this response, without retries.
async fn error(text: impl AsRef<[u8]>) -> Error {
    let server = Scripted::responses([text]);
    let client = client_with(&server.url, Settings { retries: 0, ..Settings::default() });
    client.network().await.unwrap_err()
}

/// Asserts that a call that gets this response fails with this message.
async fn check(text: impl AsRef<[u8]>, kind: ErrorKind, expected: Expect) {
    let error = error(text).await;
    assert_eq!(error.kind, kind, "{error}");
    let base = error.url.strip_suffix("/v1/ghi/network").unwrap();
    expected.assert_eq(&error.to_string().replace(base, "BASE"));
}

fn problem(body: &str) -> String {
    response("418 I'm a teapot", "Content-Type: application/problem+json\r\n", body)
}

#[tokio::test]
async fn unknown_problems_are_reported_with_their_code_and_detail() {
    let known = problem(r#"{"status":418,"code":"brewing","detail":"Wait.","added":[]}"#);
    let error = error(&known).await;
    assert_eq!((error.status, error.code.as_deref()), (Some(418), Some("brewing")));
    assert_eq!(error.detail.as_deref(), Some("Wait."));
    check(known, ErrorKind::Problem, expect!["BASE/v1/ghi/network returned 418 brewing: Wait."])
        .await;
    check(
        problem("{}"),
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network returned 418 I'm a teapot"],
    )
    .await;
    check(
        problem("[]"),
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network returned 418 I'm a teapot"],
    )
    .await;
    check(
        problem(""),
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network returned 418 I'm a teapot"],
    )
    .await;
    let odd = problem(r#"{"code":7,"detail":"red \u001b[31m\n and more"}"#);
    check(
        odd,
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network returned 418 I'm a teapot: red  [31m  and more"],
    )
    .await;
}

#[tokio::test]
async fn errors_without_a_problem_document_are_reported_by_status() {
    let page = response("502 Bad Gateway", "Content-Type: text/html\r\n", "<h1>Bad gateway</h1>");
    let error = error(&page).await;
    assert_eq!((error.status, error.code, error.detail), (Some(502), None, None));
    check(page, ErrorKind::Problem, expect!["BASE/v1/ghi/network returned 502 Bad Gateway"]).await;
    let text =
        response("504 Gateway Timeout", "Content-Type: text/plain\r\n", "upstream is slow\n");
    check(
        text,
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network returned 504 Gateway Timeout: upstream is slow"],
    )
    .await;
    let moved = response("301 Moved Permanently", "Location: https://example.org/\r\n", "");
    assert_eq!(
        self::error(moved).await.detail.as_deref(),
        Some("redirects are not followed; this one points to https://example.org/")
    );
    check(
        response("204 No Content", "", ""),
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network returned 204 No Content"],
    )
    .await;
    check(
        response("304 Not Modified", "", ""),
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network returned 304 Not Modified"],
    )
    .await;
    check(
        response("799 Odd", "", ""),
        ErrorKind::Problem,
        expect!["BASE/v1/ghi/network returned 799"],
    )
    .await;
}

/// Asserts that this response is not a valid document, and why.
async fn check_document(text: impl AsRef<[u8]>, expected: Expect) {
    let error = error(text).await;
    assert_eq!(error.kind, ErrorKind::NotTheDocument, "{error}");
    let start = format!("{} did not return a valid document: ", error.url);
    expected.assert_eq(error.to_string().strip_prefix(&start).unwrap());
}

#[tokio::test]
async fn an_invalid_document_is_reported_with_its_field() {
    check_document(ok("<!doctype html>"), expect!["not JSON: expected value at line 1 column 1"])
        .await;
    check_document(ok(""), expect!["not JSON: EOF while parsing a value at line 1 column 0"]).await;
    check_document(ok("{}"), expect!["missing field `version` at line 1 column 2"]).await;
    check_document(
        ok("null"),
        expect!["invalid type: null, expected struct Network at line 1 column 4"],
    )
    .await;
    check_document(ok(r#"["1.1", "", "", 1, 1, 1]"#), expect!["not an object"]).await;
    check_document(
        ok(&format!("{NETWORK}{NETWORK}")),
        expect!["not JSON: trailing characters at line 1 column 159"],
    )
    .await;
    let hashrate = |value: &str| ok(&NETWORK.replace("1000.5", value));
    check_document(
        hashrate("null"),
        expect!["hashrate_eh: invalid type: null, expected f64 at line 1 column 122"],
    )
    .await;
    check_document(
        hashrate("\"a, expected b\""),
        expect![[r#"hashrate_eh: invalid type: string "a, expected b", expected f64 at line 1 column 133"#]],
    )
    .await;
    check_document(
        hashrate("1e999"),
        expect!["not JSON: number out of range at line 1 column 123"],
    )
    .await;
    check_document(hashrate("NaN"), expect!["not JSON: expected value at line 1 column 119"]).await;
    check_document(
        hashrate(&"[".repeat(200_000)),
        expect!["hashrate_eh: invalid type: sequence, expected f64 at line 1 column 118"],
    )
    .await;
    let mut bytes = ok(NETWORK).into_bytes();
    let place = bytes.windows(7).position(|bytes| bytes == b"sandbox").unwrap();
    bytes[place] = 0xff;
    check_document(bytes, expect!["invalid utf-8 sequence of 1 bytes from index 71"]).await;
}

#[tokio::test]
async fn errors_name_nested_fields() {
    let entry = r#"{"id":"us","name":"United States"}"#;
    for (regions, count, expected) in [
        (
            format!("[{entry},{{\"id\":7,\"name\":\"\"}}]"),
            "2",
            expect![
                "regions[1].id: invalid type: integer `7`, expected a string at line 1 column 157"
            ],
        ),
        (
            format!("[{entry},{{\"id\":\"eu\"}}]"),
            "2",
            expect!["regions[1]: missing field `name` at line 1 column 161"],
        ),
        (
            "[1]".into(),
            "1",
            expect![
                "regions[0]: invalid type: integer `1`, expected struct Region at line 1 column 116"
            ],
        ),
        (
            "{}".into(),
            "0",
            expect!["regions: invalid type: map, expected a sequence at line 1 column 114"],
        ),
        (
            "[]".into(),
            "-1",
            expect![
                "region_count: invalid value: integer `-1`, expected usize at line 1 column 134"
            ],
        ),
        (
            "[]".into(),
            "1.5",
            expect![
                "region_count: invalid type: floating point `1.5`, expected usize at line 1 column 135"
            ],
        ),
    ] {
        let start = NETWORK.split(",\"hashrate").next().unwrap();
        let text = format!("{start},\"regions\":{regions},\"region_count\":{count}}}");
        let server = Scripted::responses([ok(&text)]);
        let error = client(&server.url).regions().await.unwrap_err().to_string();
        expected.assert_eq(error.split_once("a valid document: ").unwrap().1);
    }
}

#[tokio::test]
async fn an_additional_field_may_be_deeply_nested() {
    let deep = format!("\"x\":{}{},\"version\"", "[".repeat(100_000), "]".repeat(100_000));
    let server = Scripted::responses([ok(&NETWORK.replacen("\"version\"", &deep, 1))]);
    client(&server.url).network().await.unwrap();
}

#[tokio::test]
async fn invalid_http_is_reported() {
    let kind = ErrorKind::NotHttp;
    check(
        "SSH-2.0-OpenSSH_9.9\r\n",
        kind,
        expect!["BASE/v1/ghi/network did not return valid HTTP: invalid HTTP version parsed"],
    )
    .await;
    check(
        [0x15, 3, 1, 0, 2, 2, 70].repeat(9),
        kind,
        expect!["BASE/v1/ghi/network did not return valid HTTP: invalid HTTP version parsed"],
    )
    .await;
    check(
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        kind,
        expect!["BASE/v1/ghi/network did not return valid HTTP: invalid content-length parsed"],
    )
    .await;
    let many = "A: b\r\n".repeat(1_000);
    check(
        format!("HTTP/1.1 200 OK\r\n{many}\r\n"),
        kind,
        expect!["BASE/v1/ghi/network did not return valid HTTP: message head is too large"],
    )
    .await;
    let long = "a".repeat(1 << 20);
    check(
        format!("HTTP/1.1 200 OK\r\nA: {long}\r\n\r\n"),
        kind,
        expect!["BASE/v1/ghi/network did not return valid HTTP: message head is too large"],
    )
    .await;
}

#[tokio::test]
async fn an_endless_response_is_not_read_to_the_end() {
    let kind = ErrorKind::TooLarge;
    check(
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{",
        kind,
        expect!["BASE/v1/ghi/network returned more than 256 KiB"],
    )
    .await;
    for (status, encoding, kind) in [
        ("200 OK", "", ErrorKind::TooLarge),
        ("200 OK", "Transfer-Encoding: chunked\r\n", ErrorKind::TooLarge),
        ("404 Not Found", "", ErrorKind::Problem),
    ] {
        let server = Scripted::new(move |_, stream| {
            _ = write!(stream, "HTTP/1.1 {status}\r\n{encoding}\r\n");
            let spaces = " ".repeat(1 << 20);
            let chunk = format!("100000\r\n{spaces}\r\n");
            let piece = if encoding.is_empty() { spaces } else { chunk };
            while stream.write_all(piece.as_bytes()).is_ok() {}
        });
        let start = Instant::now();
        let error = client(&server.url).network().await.unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[tokio::test]
async fn each_document_has_a_size_limit() {
    let sandbox = sandbox();
    for resource in resources() {
        let document = client(sandbox.url()).text(&resource).await.unwrap();
        let max = match resource {
            Resource::Regions | Resource::Snapshot => 8 << 20,
            _ => 256 << 10,
        };
        let longest = document.clone() + &" ".repeat(max - document.len());
        let server = Scripted::responses([ok(&longest), ok(&(longest.clone() + " "))]);
        assert_eq!(client(&server.url).text(&resource).await.unwrap().len(), max);
        let error = client(&server.url).text(&resource).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooLarge, "{error}");
    }
}

#[tokio::test]
async fn a_failed_connection_is_reported_with_the_url() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let plain = Scripted::responses([ok(NETWORK)]);
    let tls_of_plain = plain.url.replace("http:", "https:");
    for url in [&format!("http://{closed}"), &tls_of_plain, "http://host.invalid"] {
        let error = client(url).network().await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Connect, "{error}");
        let message = format!("cannot connect to {url}/v1/ghi/network: ");
        assert!(error.to_string().starts_with(&message), "{error}");
    }
}

#[tokio::test]
async fn the_other_scheme_is_an_error() {
    // https to a port without TLS.
    let plain =
        Scripted::new(|_, stream| _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
    let error = client(&plain.url.replace("http:", "https:")).network().await.unwrap_err();
    assert!(error.to_string().ends_with(": the server did not return valid TLS"), "{error}");
    // http to a port with TLS: some servers say so in HTTP, others send an alert or nothing.
    let said = "Client sent an HTTP request to an HTTPS server.";
    let plain_text = "Content-Type: text/plain\r\n";
    for (sent, words) in [
        (response("400 Bad Request", plain_text, said).as_bytes(), said),
        (&[0x15, 3, 1, 0, 2, 2, 70].repeat(9), "invalid HTTP version parsed"),
        (b"", "connection closed before message completed; tried 4 times"),
    ] {
        let server = Scripted::responses([sent]);
        let error = client(&server.url).network().await.unwrap_err();
        assert!(error.to_string().ends_with(words), "{error}");
    }
    // A server that started to respond.
    let server = Scripted::responses(["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"]);
    let error = client(&server.url).network().await.unwrap_err();
    assert!(error.to_string().starts_with("lost the connection to http://"), "{error}");
    assert!(error.to_string().ends_with("; tried 4 times"), "{error}");
    let server = Scripted::responses([response("400 Bad Request", "", "No.")]);
    let error = client(&server.url).network().await.unwrap_err();
    assert!(error.to_string().ends_with("returned 400 Bad Request"), "{error}");
}
