//! Retries.

use std::io::Write;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use ghi_client::{ErrorKind, Settings};

use crate::scripted::{NETWORK, Scripted, ok, response};
use crate::support::{client, client_with};

const BUSY: [&str; 3] =
    ["429 Too Many Requests", "503 Service Unavailable", "500 Internal Server Error"];

fn busy(status: &str, retry_after: &str) -> String {
    response(status, &format!("Retry-After: {retry_after}\r\n"), "")
}

#[tokio::test]
async fn a_busy_server_is_retried_after_retry_after() {
    for status in BUSY {
        let server = Scripted::responses([busy(status, "0"), busy(status, "1"), ok(NETWORK)]);
        let start = Instant::now();
        client(&server.url).network().await.unwrap();
        assert!(start.elapsed() >= Duration::from_secs(1));
        assert_eq!(server.requests().len(), 3);
    }
}

#[tokio::test]
async fn retries_are_limited_for_a_server_that_stays_busy() {
    for status in BUSY {
        for retries in [0, 1, 5] {
            let server = Scripted::responses([busy(status, "0")]);
            let client = client_with(&server.url, Settings { retries, ..Settings::default() });
            let error = client.network().await.unwrap_err();
            assert_eq!(error.status.unwrap().to_string(), status[..3]);
            assert_eq!(server.requests().len(), retries as usize + 1);
        }
    }
}

#[tokio::test]
async fn a_call_fails_immediately_if_retry_after_exceeds_the_limit() {
    for retry_after in ["2", "3600", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let server = Scripted::responses([busy(BUSY[0], retry_after)]);
        let max_wait = Duration::from_secs(1);
        let client = client_with(&server.url, Settings { max_wait, ..Settings::default() });
        let start = Instant::now();
        let error = client.network().await.unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(1), "{retry_after}");
        assert_eq!((error.status, server.requests().len()), (Some(429), 1));
    }
}

#[tokio::test]
async fn a_lost_connection_is_retried_immediately() {
    let whole = ok(NETWORK);
    for broken in [&whole[..0], &whole[..20], &whole[..whole.len() - 1]] {
        let server = Scripted::responses([broken, &whole]);
        client(&server.url).network().await.unwrap();
        assert_eq!(server.requests().len(), 2);

        let server = Scripted::responses([broken]);
        let client = client_with(&server.url, Settings { retries: 1, ..Settings::default() });
        let error = client.network().await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Interrupted, "{error}");
        assert!(error.to_string().ends_with("; tried 2 times"), "{error}");
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_truncated_chunked_body_is_an_error() {
    let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let cut = format!("{chunks}{:x}\r\n{NETWORK}\r\n", NETWORK.len());
    let server = Scripted::responses([cut.clone(), format!("{cut}0\r\n\r\n")]);
    client(&server.url).network().await.unwrap();
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn other_errors_are_final() {
    for status in ["400 Bad Request", "404 Not Found", "501 Not Implemented"] {
        let server = Scripted::responses([response(status, "Retry-After: 0\r\n", ""), ok(NETWORK)]);
        let error = client(&server.url).network().await.unwrap_err();
        assert_eq!(error.status.unwrap().to_string(), status[..3]);
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_closed_port_is_final() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = client(&url).network().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Connect);
    assert!(!error.to_string().contains("tried"), "{error}");
}

#[tokio::test]
async fn an_attempt_times_out_wherever_the_server_stalls() {
    let whole = ok(NETWORK);
    for sent in [0, 20, whole.len() - 1] {
        let begun = whole[..sent].to_owned();
        let mut open = Vec::new();
        let server = Scripted::new(move |_, stream| {
            stream.write_all(begun.as_bytes()).unwrap();
            open.push(stream.try_clone().unwrap());
        });
        let timeout = Duration::from_millis(200);
        let client = client_with(&server.url, Settings { timeout, ..Settings::default() });
        let start = Instant::now();
        let error = client.network().await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Timeout, "{error}");
        assert!(!error.to_string().contains("tried"), "{error}");
        assert!(start.elapsed() < 10 * timeout);
    }
}
