//! The answer without hyper, which cannot run while the system's clock is off the years that HTTP
//! can write.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::operations;
use crate::problem::Problem;

/// As much of a request as is read for its first line, bytes.
const READ_MAX: usize = 16 * 1024;

/// Tells a client that the clock is wrong; or that the process is alive, if that is what it asks.
/// `received` is what was read of its request before.
pub(crate) async fn refuse(mut tcp: TcpStream, received: &[u8], patience: Duration) {
    static IS_TOLD: AtomicBool = AtomicBool::new(false);
    if !IS_TOLD.swap(true, Ordering::Relaxed) {
        tracing::error!(
            "the system's clock is outside the years 1970 to 9999; requests are refused until it is set right"
        );
    }
    let talk = async {
        let mut request = received.to_vec();
        while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < READ_MAX {
            if tcp.read_buf(&mut request).await? == 0 {
                return Ok(());
            }
        }
        tcp.write_all(&answer(&String::from_utf8_lossy(&request))).await?;
        tcp.shutdown().await?;
        // To close with something unread would take the answer back.
        while tcp.read(&mut [0; 1024]).await? > 0 {}
        io::Result::Ok(())
    };
    _ = tokio::time::timeout(patience, talk).await;
}

/// The bytes to answer a request with, of which the first line counts.
fn answer(request: &str) -> Vec<u8> {
    let mut words = request.split_ascii_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split('?').next().unwrap_or_default();
    let response = match path {
        "/healthz" => operations::alive(),
        _ => Problem::clock_out_of_range().response(path),
    };
    bytes_of(&response, method == "HEAD")
}

fn bytes_of(response: &Response<bytes::Bytes>, is_head: bool) -> Vec<u8> {
    let length = response.body().len();
    let start = format!(
        "HTTP/1.1 {}\r\nconnection: close\r\ncontent-length: {length}\r\n",
        response.status()
    );
    let mut bytes = start.into_bytes();
    // The date is left open, and stays so.
    for (name, value) in response.headers().iter().filter(|(_, value)| !value.is_empty()) {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend_from_slice(b"\r\n");
    if !is_head {
        bytes.extend_from_slice(response.body());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_system_clock_is_told_without_hyper() {
        let ask =
            |line: &str| String::from_utf8(answer(&format!("{line} HTTP/1.1\r\n\r\n"))).unwrap();
        let refused = ask("GET /v1/ghi/snapshot?x=1");
        assert!(refused.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{refused}");
        assert!(refused.contains("\r\ncontent-type: application/problem+json\r\n"));
        assert!(refused.contains("\"instance\":\"/v1/ghi/snapshot\""));
        assert!(!refused.contains("\r\ndate:"));
        assert!(ask("HEAD /v1/ghi/snapshot").ends_with("\r\n\r\n"));
        assert!(ask("GET /healthz").starts_with("HTTP/1.1 200 OK\r\n"));
    }
}
