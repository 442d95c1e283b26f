//! A client's byte stream, watched for what hyper lets pass.
//!
//! hyper bounds how long a request's head may take to come in. It does not bound how long a
//! response may take to go out, and it takes a bare line feed for the end of a line, which proxies
//! in front of us may read otherwise.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// A stream whose peer must take what it is sent within a time.
pub(crate) struct Stream {
    tcp: TcpStream,
    patience: Duration,
    /// Runs from the first write that had to wait until all is flushed.
    deadline: Option<Pin<Box<Sleep>>>,
    lines: LineEnds,
}

impl Stream {
    pub(crate) fn new(tcp: TcpStream, patience: Duration, wire: Arc<Wire>) -> Self {
        Self { tcp, patience, deadline: None, lines: LineEnds::new(wire) }
    }

    /// What a write comes to that has to wait.
    fn wait<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        let patience = self.patience;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        deadline.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.tcp).poll_read(context, buffer))?;
        self.lines.scan(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.tcp).poll_write(context, bytes) {
            Poll::Pending => self.wait(context),
            ready => ready,
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.tcp).poll_write_vectored(context, slices) {
            Poll::Pending => self.wait(context),
            ready => ready,
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.deadline = None;
        Pin::new(&mut self.tcp).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(context)
    }
}

/// What was seen on a connection's wire.
#[derive(Debug)]
pub(crate) struct Wire {
    /// In the head of which request, counted from 0, a bare line feed was seen first.
    bare_line_feed: AtomicU64,
    touched: AtomicBool,
}

impl Wire {
    const NEVER: u64 = u64::MAX;

    pub(crate) fn has_bare_line_feed_in_head_of(&self, request: u64) -> bool {
        self.bare_line_feed.load(Ordering::Relaxed) == request
    }

    /// Whether the client has not sent a byte yet.
    pub(crate) fn is_untouched(&self) -> bool {
        !self.touched.load(Ordering::Relaxed)
    }
}

impl Default for Wire {
    fn default() -> Self {
        Self { bare_line_feed: AtomicU64::new(Self::NEVER), touched: AtomicBool::new(false) }
    }
}

/// Follows the lines of one head after the other.
///
/// What follows a head is taken for the next head. A body would be misread, so a connection ends
/// after a request that has one.
struct LineEnds {
    wire: Arc<Wire>,
    heads: u64,
    in_head: bool,
    /// The bytes of the current line so far, and the last of them.
    line: usize,
    last: u8,
}

impl LineEnds {
    fn new(wire: Arc<Wire>) -> Self {
        Self { wire, heads: 0, in_head: false, line: 0, last: 0 }
    }

    fn scan(&mut self, bytes: &[u8]) {
        if self.heads == 0 && !bytes.is_empty() {
            self.wire.touched.store(true, Ordering::Relaxed);
        }
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            let length = self.line + end - start;
            let before = if end == start { self.last } else { bytes[end - 1] };
            if length == 0 || before != b'\r' {
                let (never, order) = (Wire::NEVER, Ordering::Relaxed);
                let place = &self.wire.bare_line_feed;
                _ = place.compare_exchange(never, self.heads, order, order);
            } else if length > 1 {
                self.in_head = true;
            } else if self.in_head {
                self.heads += 1;
                self.in_head = false;
            }
            (self.line, start) = (0, end + 1);
        }
        self.line += bytes.len() - start;
        self.last = bytes.last().copied().unwrap_or(self.last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head in which a bare line feed is seen, however the bytes are cut into two reads.
    #[track_caller]
    fn check(text: &str, head: Option<u64>) {
        for cut in 0..=text.len() {
            let mut lines = LineEnds::new(Arc::default());
            lines.scan(&text.as_bytes()[..cut]);
            lines.scan(&text.as_bytes()[cut..]);
            let seen = lines.wire.bare_line_feed.load(Ordering::Relaxed);
            assert_eq!(seen, head.unwrap_or(Wire::NEVER), "{text:?} cut at {cut}");
        }
    }

    #[test]
    fn a_bare_line_feed_is_seen_in_its_head() {
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\n", None);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", None);
        check("GET / HTTP/1.1\nHost: x\n\n", Some(0));
        check("GET / HTTP/1.1\r\nHost: x\n\r\n", Some(0));
        check("GET / HTTP/1.1\r\nHost: x\r\n\n", Some(0));
        check("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\n\r\n", Some(1));
        check("\r\nGET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\n\r\n", Some(1));
        check("\nGET / HTTP/1.1\r\n\r\n", Some(0));
        // A body counts for the head after its own.
        check("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\na\nb\n", Some(1));
    }
}
