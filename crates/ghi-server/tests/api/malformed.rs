//! Bytes that are no valid request, or too many.

use crate::support::{NOON, Server};

/// The bytes get a 400-class answer or none, and the server goes on.
#[track_caller]
fn check(server: &Server, bytes: impl AsRef<[u8]>) {
    let bytes = bytes.as_ref();
    let answer = server.exchange(bytes);
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{shown:?}: {answer}");
    // Whatever stands behind it on the wire is not answered.
    assert!(answer.matches("HTTP/1.1 ").count() <= 1, "{shown:?}: {answer}");
    assert_eq!(server.get("/v1/ghi/metadata").status, 200);
}

#[test]
fn what_is_no_request_is_never_answered_as_one() {
    let server = Server::at(NOON);
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
fn a_line_that_ends_in_a_bare_line_feed_is_refused() {
    let server = Server::at(NOON);
    for request in [
        "GET /v1/ghi/snapshot HTTP/1.1\nHost: test\nConnection: close\n\n",
        "GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\nConnection: close\r\n\r\n",
        "GET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\n",
        "\nGET /v1/ghi/snapshot HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n",
        "\r\n\r\nGET /v1/ghi/snapshot HTTP/1.1\nHost: test\r\nConnection: close\r\n\r\n",
    ] {
        check(&server, request);
    }
    // After a good request, the bad one is refused and nothing follows it.
    let good = "GET /v1/ghi/metadata HTTP/1.1\r\nHost: test\r\n\r\n";
    let answers = server
        .exchange(format!("{good}GET /v1/ghi/snapshot HTTP/1.1\nHost: test\n\n{good}").as_bytes());
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 1, "{answers}");
    assert_eq!(answers.matches("HTTP/1.1 400").count(), 1, "{answers}");
    assert_eq!(answers.matches("HTTP/1.1").count(), 2, "{answers}");
}

#[test]
fn a_host_is_asked_for_once_and_well_formed() {
    let server = Server::at(NOON);
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
    // HTTP/1.0 knew no Host.
    assert_eq!(server.send("GET /v1/ghi/snapshot HTTP/1.0\r\n\r\n").status, 200);
}

#[test]
fn what_is_too_long_is_refused() {
    let server = Server::at(NOON);
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
fn http2_with_prior_knowledge_is_refused() {
    let server = Server::at(NOON);
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    check(&server, preface);
}

#[test]
fn a_request_with_a_body_is_the_last_of_its_connection() {
    let server = Server::at(NOON);
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
