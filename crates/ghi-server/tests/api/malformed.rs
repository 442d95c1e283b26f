//! Malformed and oversized requests.

use crate::support::{NOON, TestServer};

/// Checks that the bytes get a 4xx response or none, and that the server goes on.
#[track_caller]
fn check(server: &TestServer, bytes: impl AsRef<[u8]>) {
    let bytes = bytes.as_ref();
    let answer = server.exchange(bytes);
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{shown:?}: {answer}");
    // Anything after it on the connection is not answered.
    assert!(answer.matches("HTTP/1.1 ").count() <= 1, "{shown:?}: {answer}");
    assert_eq!(server.get("/v1/ghi/metadata").status, 200);
}

#[test]
fn malformed_requests_are_never_treated_as_valid() {
    let server = TestServer::at(NOON);
    for line in [
        "",
        "GET",
        "GET /v1/ghi/snapshot",
        "GET  /v1/ghi/snapshot  HTTP/1.1",
        "/v1/ghi/snapshot HTTP/1.1",
        "GET /v1/ghi/snapshot HTTP/1.2",
        "GET /v1/ghi/snapshot HTTP/2.0",
        "GET /v1/ghi/snapshot HTTP/0.9",
        "GET /v1/ghi/snapshot HTTPS/1.1",
        "GET /v1/ghi/snapshot HTTP/1.1 x",
        "G\0T /v1/ghi/snapshot HTTP/1.1",
        "GET /v1/ghi/\0snapshot HTTP/1.1",
        "GET v1/ghi/snapshot HTTP/1.1",
        "GET /v1/ghi/snap shot HTTP/1.1",
        "GET\t/v1/ghi/snapshot\tHTTP/1.1",
        "G(T /v1/ghi/snapshot HTTP/1.1",
    ] {
        check(&server, format!("{line}\r\nHost: test\r\nConnection: close\r\n\r\n"));
    }
    for header in [
        "Bad Name: x",
        "Bad\0: x",
        ": x",
        "no-colon",
        "X: a\0b",
        "X: a\r\n folded",
        "X : x",
        "(x): y",
        "X: \x01",
    ] {
        check(
            &server,
            format!(
                "GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\n{header}\r\nConnection: close\r\n\r\n"
            ),
        );
    }
    check(&server, [0xff; 100]);
    check(&server, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03");
}

#[test]
fn a_bare_line_feed_is_rejected() {
    let server = TestServer::at(NOON);
    for request in [
        "GET /v1/ghi/snapshot HTTP/1.1\nHost: test\nConnection: close\n\n",
        "GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\nConnection: close\r\n\r\n",
        "GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\n",
        "\nGET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n",
        "\r\n\r\nGET /v1/ghi/snapshot HTTP/1.1\nHost: test\r\nConnection: close\r\n\r\n",
    ] {
        check(&server, request);
    }
    // After a valid request, the invalid one is rejected and ends the connection.
    let good = "GET /v1/ghi/metadata HTTP/1.1\r\nHost: test\r\n\r\n";
    let answers = server
        .exchange(format!("{good}GET /v1/ghi/snapshot HTTP/1.1\nHost: test\n\n{good}").as_bytes());
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 1, "{answers}");
    assert_eq!(answers.matches("HTTP/1.1 400").count(), 1, "{answers}");
    assert_eq!(answers.matches("HTTP/1.1").count(), 2, "{answers}");
}

#[test]
fn a_target_with_a_fragment_is_rejected() {
    let server = TestServer::at(NOON);
    let rest = "HTTP/1.1\r\nHost: test\r\nConnection: close\r\n";
    for target in ["/v1/ghi/snapshot#", "/v1/ghi/history?region_id=us#top", "http://test/#x"] {
        let answer = server.send(&format!("GET {target} {rest}\r\n"));
        answer.assert_problem(400, "bad_request");
        assert!(answer.body.contains("fragment"), "{}", answer.body);
    }
    // A number sign elsewhere is harmless.
    let agent = format!("GET /v1/ghi/snapshot {rest}User-Agent: C#\r\n\r\n");
    assert_eq!(server.send(&agent).status, 200);
    // After a valid request, the invalid one is rejected and ends the connection.
    let [good, bad] = ["/v1/ghi/metadata", "/v1/ghi/metadata#x"]
        .map(|target| format!("GET {target} HTTP/1.1\r\nHost: test\r\n\r\n"));
    let answers = server.exchange(format!("{good}{bad}{good}").as_bytes());
    let statuses: Vec<&str> =
        answers.matches("HTTP/1.1 200").chain(answers.matches("HTTP/1.1 400")).collect();
    assert_eq!(statuses, ["HTTP/1.1 200", "HTTP/1.1 400"], "{answers}");
}

#[test]
fn the_host_header_is_required_once_and_well_formed() {
    let server = TestServer::at(NOON);
    for hosts in [
        "",
        "Host: a\r\nHost: a\r\n",
        "Host: a\r\nHost: b\r\n",
        "Host: a b\r\n",
        "Host: a/b\r\n",
        "Host: a@b\r\n",
        "Host: a?b\r\n",
        "Host: <a>\r\n",
        "Host: a\\b\r\n",
        "Host: \"a\"\r\n",
        "Host: a#b\r\n",
        "Host: \r\n",
        "Host: x:99999\r\n",
        "Host: x:abc\r\n",
        "Host: a:b:c\r\n",
        "Host: [\r\n",
        "Host: [::1\r\n",
        "Host: ::1\r\n",
        "Host: :80\r\n",
        "Host: %zz\r\n",
        "Host: a,b\r\n",
        "Host: [::1]x\r\n",
        "Host: x:+1\r\n",
    ] {
        let request = format!("GET /v1/ghi/snapshot HTTP/1.1\r\n{hosts}\r\n");
        let answer = server.send(&request);
        answer.assert_problem(400, "bad_request");
        assert_eq!(answer.header("connection"), Some("close"));
    }
    // HTTP/1.0 does not require Host.
    assert_eq!(server.send("GET /v1/ghi/snapshot HTTP/1.0\r\n\r\n").status, 200);
}

#[test]
fn oversized_requests_are_rejected() {
    let server = TestServer::at(NOON);
    let path = |length: usize| format!("/v1/ghi/{}", "a".repeat(length));
    let prefix = path(0).len();
    server.get(&path(6144 - prefix)).assert_problem(404, "not_found");
    server.get(&path(6145 - prefix)).assert_problem(414, "uri_too_long");
    let query = format!("/v1/ghi/snapshot?x={}", "a".repeat(8192));
    server.get(&query).assert_problem(414, "uri_too_long");
    for length in [64 << 10, 1 << 20] {
        let target = path(length);
        check(&server, format!("GET {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"));
    }
    for headers in [
        "X: y\r\n".repeat(101),
        format!("X: {}\r\n", "y".repeat(64 << 10)),
        format!("{}: y\r\n", "x".repeat(64 << 10)),
        format!("X: {}\r\n", "y".repeat(1 << 20)),
    ] {
        let start = "GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\nConnection: close\r\n";
        check(&server, format!("{start}{headers}\r\n"));
    }
}

#[test]
fn http2_with_prior_knowledge_is_rejected() {
    let server = TestServer::at(NOON);
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    check(&server, preface);
}

#[test]
fn a_request_with_a_body_closes_its_connection() {
    let server = TestServer::at(NOON);
    let smuggled = "GET /v1/ghi/metadata HTTP/1.1\r\nHost: test\r\n\r\n";
    for framing in [
        format!("Content-Length: {}\r\n\r\n{smuggled}", smuggled.len()),
        format!("Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}"),
        format!("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}"),
        format!("Content-Length: 0\r\nContent-Length: 5\r\n\r\n{smuggled}"),
        format!("Content-Length: +5\r\n\r\n{smuggled}"),
        format!(
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}"
        ),
        format!("Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{smuggled}"),
        format!("Transfer-Encoding: identity\r\n\r\n{smuggled}"),
    ] {
        for method in ["GET", "POST"] {
            let request = format!("{method} /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\n{framing}");
            let answers = server.exchange(request.as_bytes());
            assert!(answers.matches("HTTP/1.1 ").count() <= 1, "{framing}: {answers}");
            assert!(!answers.contains("available_endpoints"), "{framing}");
        }
    }
}

/// Checks that a request with this line and these headers is rejected as `bad_request` for this reason,
/// and that its connection is closed.
#[track_caller]
fn check_refusal(server: &TestServer, line: &str, headers: &str, reason: &str) {
    let smuggled = "GET /v1/ghi/metadata HTTP/1.1\r\nHost: test\r\n\r\n";
    let request = format!("{line} HTTP/1.1\r\nHost: test\r\n{headers}\r\n0\r\n\r\n{smuggled}");
    let answer = server.send(&request);
    answer.assert_problem(400, "bad_request");
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(answer.body.contains(reason), "{line}: {}", answer.body);
    assert!(!answer.body.contains("HTTP/1.1"), "{line}: {}", answer.body);
}

#[test]
fn a_target_must_be_a_path_or_an_http_url() {
    let server = TestServer::at(NOON);
    let path = "/v1/ghi/snapshot";
    for scheme in ["ftp", "ws", "file", "x"] {
        let line = format!("GET {scheme}://test{path}");
        check_refusal(&server, &line, "", "http or https");
    }
    for host in ["user@test", "user:secret@test", "@test", "test:99999", "[x]", "*"] {
        let line = format!("GET http://{host}{path}");
        check_refusal(&server, &line, "", "a host with an optional port");
    }
    for line in ["GET test:80", "GET test", "OPTIONS x:80", "POST x:80", "GET u@x:80"] {
        check_refusal(&server, line, "", "only for CONNECT");
    }
    for method in ["GET", "POST"] {
        check_refusal(&server, &format!("{method} *"), "", "only for OPTIONS");
    }
    for line in ["GET http:///v1/ghi/snapshot", "GET http:/v1/ghi/snapshot", "GET http://é/"] {
        check(&server, format!("{line} HTTP/1.1\r\nHost: test\r\n\r\n"));
    }
    for (line, status) in [
        ("GET http://test/v1/ghi/snapshot", 200),
        ("GET HTTPS://[::1]:443/v1/ghi/snapshot", 200),
        ("GET http://test", 200),
        ("OPTIONS *", 204),
        ("CONNECT test:80", 405),
    ] {
        let request = format!("{line} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
        assert_eq!(server.send(&request).status, status, "{line}");
    }
}

#[test]
fn a_target_must_be_ascii() {
    let server = TestServer::at(NOON);
    for target in ["/v1/ghi/regions/é", "/é", "/v1/ghi/snapshot?x=é", "/v1/ghi/snapshot?é"] {
        check_refusal(&server, &format!("GET {target}"), "", "percent-encoded");
    }
    for target in [&b"/v1/ghi/\xff"[..], b"/v1/ghi/snapshot?x=\xff", b"/?\xed\xa0\x80", b"/\xc3"] {
        let request = [b"GET ", target, b" HTTP/1.1\r\nHost: test\r\n\r\n"].concat();
        let answer = server.exchange(&request);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{target:?}: {answer}");
    }
    assert_eq!(server.get("/v1/ghi/snapshot?x=%C3%A9").status, 200);
}

#[test]
fn transfer_encoding_must_be_a_single_chunked() {
    let server = TestServer::at(NOON);
    for encodings in [
        &["chunked, chunked"][..],
        &["chunked", "chunked"],
        &["gzip, chunked"],
        &["gzip", "chunked"],
        &[",chunked"],
        &["", "chunked"],
        &["chunked,chunked,chunked"],
    ] {
        let lines = encodings.iter().map(|value| format!("Transfer-Encoding: {value}\r\n"));
        let lines: String = lines.collect();
        for method in ["GET", "POST"] {
            let line = format!("{method} /v1/ghi/snapshot");
            check_refusal(&server, &line, &lines, "Transfer-Encoding: chunked");
        }
    }
    // hyper itself rejects these.
    for encoding in ["identity", "chunked, gzip", "chunked;q=1", "\"chunked\"", "\u{b}chunked"] {
        let line = "GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test";
        check(&server, format!("{line}\r\nTransfer-Encoding: {encoding}\r\n\r\n0\r\n\r\n"));
    }
    for encoding in ["chunked", "Chunked"] {
        let line = "GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test";
        let request = format!("{line}\r\nTransfer-Encoding: {encoding}\r\n\r\n0\r\n\r\n");
        assert_eq!(server.send(&request).status, 200);
    }
}
