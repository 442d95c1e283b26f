//! Requests: the response to any target and headers conforms to the contract.
//!
//! The bytes are a request without a version: `GET /v1/ghi/history?range=7d`, then one header per line.
//! It is sent to two servers: one with the default settings, and a strict one behind a proxy, with dated series.

use std::collections::HashSet;
use std::io::Read;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use flate2::read::MultiGzDecoder;
use ghi_server::internals::{InProcess, codes};
use ghi_server::{Clock, Config, Inputs, SnapshotForm};
use hyper::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HOST, HeaderName, HeaderValue,
    IF_NONE_MATCH,
};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use serde_json::Value;

/// The longest head and body of a response, bytes. The longest body is a table of ten years.
const HEAD_MAX: usize = 8 * 1024;
const BODY_MAX: usize = 4 * 1024 * 1024;

const STATUSES: [u16; 10] = [200, 204, 304, 400, 404, 405, 414, 429, 500, 503];

const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

static CODES: LazyLock<HashSet<&str>> = LazyLock::new(|| codes().collect());

static SERVERS: LazyLock<[InProcess; 2]> = LazyLock::new(|| {
    // A minute before midnight, when cache lifetimes are short.
    let clock = |moment: &str| Clock::at(moment.parse().expect("a moment"));
    let plain =
        Config { clock: clock("2026-11-15T23:59:00Z"), rate_limit: None, ..Config::default() };
    let strict = Config {
        inputs: own_series(),
        clock: clock("2026-02-01T12:00:00Z"),
        snapshot_form: SnapshotForm::Reduced,
        strict_parameters: true,
        // Only the rate limit uses the client's address. No fuzzer is fast enough to reach this limit.
        rate_limit: Some(NonZeroU32::MAX),
        trusted_proxies: vec!["127.0.0.0/8".parse().expect("a network")],
        public_url: Some("https://example.org/sandbox".parse().expect("a URL")),
        ..Config::default()
    };
    [plain, strict].map(InProcess::new)
});

fn own_series() -> Inputs {
    let text = include_str!("../../examples/own-series/inputs.toml");
    let read = |name: &str| match name {
        "network.csv" => Ok(include_bytes!("../../examples/own-series/network.csv").to_vec()),
        _ => Ok(include_bytes!("../../examples/own-series/regions.csv").to_vec()),
    };
    Inputs::parse_with_series(text, read).expect("the example is valid")
}

/// Checks the responses to a request.
pub fn check(bytes: &[u8]) {
    // hyper rejects other input before it reaches the server.
    let Some(request) = parse(bytes) else { return };
    for server in &*SERVERS {
        let response = ask(server, &request);
        check_head(&request, &response);
        check_again(server, &request, &response);
        // Responses that are broken on purpose have an invalid body, and ignore ETags.
        if is_broken(response.headers()) {
            continue;
        }
        check_tag(server, &request, &response);
        if request.method() != Method::HEAD {
            check_body(server, &request, &response);
        }
    }
}

fn parse(bytes: &[u8]) -> Option<Request<String>> {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let (method, target) = split_once(lines.next()?, b' ')?;
    let mut request = Request::builder().method(method).uri(target).body(String::new()).ok()?;
    let headers = request.headers_mut();
    for line in lines.filter(|line| !line.is_empty()) {
        let (name, value) = split_once(line, b':')?;
        let value = HeaderValue::from_bytes(value.trim_ascii()).ok()?;
        headers.append(HeaderName::from_bytes(name).ok()?, value);
    }
    headers.entry(HOST).or_insert(HeaderValue::from_static("test"));
    Some(request)
}

fn split_once(bytes: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == separator)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

fn ask(server: &InProcess, request: &Request<String>) -> Response<impl AsRef<[u8]> + use<>> {
    server.respond(request.clone())
}

fn check_head(request: &Request<String>, response: &Response<impl AsRef<[u8]>>) {
    let status = response.status();
    assert!(STATUSES.contains(&status.as_u16()), "{status}");
    let has = |name| request.headers().contains_key(name);
    assert!(status != StatusCode::NOT_MODIFIED || has(IF_NONE_MATCH));
    assert!(!matches!(status.as_u16(), 429 | 500) || has(PREFER), "{status}");
    let lengths = response.headers().iter().map(|(name, value)| {
        assert!(value.to_str().is_ok(), "{name}: {value:?}");
        name.as_str().len() + value.len()
    });
    assert!(lengths.sum::<usize>() <= HEAD_MAX);
}

fn check_body(
    server: &InProcess,
    request: &Request<String>,
    response: &Response<impl AsRef<[u8]>>,
) {
    let (headers, status) = (response.headers(), response.status());
    let body = decoded(response);
    assert!(body.len() <= BODY_MAX);
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|text| text.split(';').next()).unwrap_or_default();
    let json = || serde_json::from_slice::<Value>(&body).expect("the body is JSON");
    match media_type {
        "application/problem+json" => {
            let problem = json();
            assert_eq!(problem["status"], status.as_u16());
            assert!(CODES.contains(problem["code"].as_str().expect("a code")), "{problem}");
        }
        "text/html" => {}
        _ => {
            assert!(status.as_u16() < 400, "{status} is {media_type}, not a problem document");
            if media_type.ends_with("json") && !body.is_empty() {
                json();
            }
        }
    }
    // The compressed and the plain response have the same content.
    if headers.contains_key(CONTENT_ENCODING) && headers.contains_key(ETAG) {
        let mut plain = request.clone();
        plain.headers_mut().remove(ACCEPT_ENCODING);
        assert!(ask(server, &plain).body().as_ref() == body);
    }
}

fn decoded(response: &Response<impl AsRef<[u8]>>) -> Vec<u8> {
    let body = response.body().as_ref();
    let Some(encoding) = response.headers().get(CONTENT_ENCODING) else { return body.to_vec() };
    assert_eq!(encoding, "gzip");
    let mut decoded = Vec::new();
    if !body.is_empty() {
        MultiGzDecoder::new(body).read_to_end(&mut decoded).expect("the body is gzip");
    }
    decoded
}

fn is_broken(headers: &HeaderMap) -> bool {
    let applied = headers.get(PREFERENCE_APPLIED).and_then(|applied| applied.to_str().ok());
    applied.is_some_and(|applied| applied.contains("break="))
}

/// Checks that the same request gets the same response: the clock is stopped.
fn check_again(
    server: &InProcess,
    request: &Request<String>,
    response: &Response<impl AsRef<[u8]>>,
) {
    let again = ask(server, request);
    // The number of uncached days rendered per second is limited for all clients together.
    let statuses = [response.status(), again.status()];
    if !statuses.contains(&StatusCode::TOO_MANY_REQUESTS) {
        assert_eq!(again.status(), response.status());
        assert_eq!(again.headers().get(ETAG), response.headers().get(ETAG));
    }
}

/// Checks that a request with the current ETag gets 304.
fn check_tag(server: &InProcess, request: &Request<String>, response: &Response<impl AsRef<[u8]>>) {
    if let (StatusCode::OK, Some(tag)) = (response.status(), response.headers().get(ETAG)) {
        let mut conditional = request.clone();
        conditional.headers_mut().insert(IF_NONE_MATCH, tag.clone());
        let status = ask(server, &conditional).status().as_u16();
        assert!(matches!(status, 304 | 429), "{status}");
    }
}
