//! Responses without hyper, which panics while the system's clock stands outside the years that
//! HTTP can write. A machine that boots with such a clock sets it later: until then, clients learn
//! what is wrong, and an orchestrator has no reason to restart the process.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::net::content::Content;
use crate::net::service::Service;

/// The longest head of a request, bytes.
pub(super) const HEAD_MAX: usize = 16 * 1024;

/// Answers one request with what the service says of an unusable clock, and closes the connection.
/// `received` is what was read of the request before.
pub(crate) async fn refuse(
    service: &impl Service,
    mut tcp: TcpStream,
    received: &[u8],
    timeout: Duration,
) {
    static IS_LOGGED: AtomicBool = AtomicBool::new(false);
    if !IS_LOGGED.swap(true, Ordering::Relaxed) {
        tracing::error!(
            "the system's clock is outside the years 1970 to 9999; requests are refused until it is set right"
        );
    }
    let exchange = async {
        let mut request = received.to_vec();
        while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < HEAD_MAX {
            if tcp.read_buf(&mut request).await? == 0 {
                return Ok(());
            }
        }
        tcp.write_all(&answer(service, &String::from_utf8_lossy(&request))).await?;
        tcp.shutdown().await?;
        // To close with something unread would take the answer back.
        while tcp.read(&mut [0; 1024]).await? > 0 {}
        io::Result::Ok(())
    };
    _ = tokio::time::timeout(timeout, exchange).await;
}

/// The bytes to answer a request with, of which the first line counts.
fn answer(service: &impl Service, request: &str) -> Vec<u8> {
    let mut words = request.split_ascii_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split('?').next().unwrap_or_default();
    serialize(service.refuse(path), method == "HEAD")
}

fn serialize(response: Response<Content>, is_head: bool) -> Vec<u8> {
    let (head, body) = response.into_parts();
    let body = body.into_bytes();
    let length = body.len();
    let start =
        format!("HTTP/1.1 {}\r\nconnection: close\r\ncontent-length: {length}\r\n", head.status);
    let mut bytes = start.into_bytes();
    for (name, value) in &head.headers {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend_from_slice(b"\r\n");
    if !is_head {
        bytes.extend_from_slice(&body);
    }
    bytes
}
