//! A client's byte stream, watched for what hyper lets pass.
//!
//! hyper bounds how long a request's head may take to come in. It does not bound how long a
//! response may take to go out, and it takes a bare line feed for the end of a line, which proxies
//! in front of us may read otherwise.

use std::io;
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
    /// Whether something was written since the last flush; hyper flushes at every turn.
    has_written: bool,
    wire: Arc<Wire>,
    lines: LineEnds,
}

impl Stream {
    /// The stream without the watch.
    pub(crate) fn into_tcp(self) -> TcpStream {
        self.tcp
    }

    pub(crate) fn new(tcp: TcpStream, patience: Duration, wire: Arc<Wire>) -> Self {
        let lines = LineEnds::new(Arc::clone(&wire));
        Self { tcp, patience, deadline: None, has_written: false, wire, lines }
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
        let received = &buffer.filled()[before..];
        self.lines.scan(received);
        // Who has sent all that it will may still wait for its answer.
        if !received.is_empty() {
            self.wire.is_busy.store(true, Ordering::Relaxed);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.has_written = true;
        self.wire.is_busy.store(true, Ordering::Relaxed);
        match Pin::new(&mut self.tcp).poll_write(context, bytes) {
            Poll::Pending => self.wait(context),
            ready => ready,
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.has_written {
            self.has_written = false;
            self.deadline = None;
            self.wire.is_busy.store(false, Ordering::Relaxed);
        }
        Pin::new(&mut self.tcp).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(context)
    }
}

/// What was seen on a connection's wire.
#[derive(Debug)]
pub(crate) struct Wire {
    /// How many requests were answered.
    requests: AtomicU64,
    /// From which request on, counted from 0, what comes in cannot be trusted.
    distrusted_from: AtomicU64,
    /// Whether bytes came in since a response last went out, or one is going out.
    is_busy: AtomicBool,
    /// When the connection's task was last woken, microseconds since 1970.
    woken_micros: AtomicU64,
}

impl Wire {
    const NEVER: u64 = u64::MAX;

    /// Counts a request: whether a bare line feed was seen before its end.
    pub(crate) fn next_request_has_bare_line_feed(&self) -> bool {
        // Nobody else counts, so nothing can come between.
        let number = self.requests.load(Ordering::Relaxed);
        self.requests.store(number + 1, Ordering::Relaxed);
        number >= self.distrusted_from.load(Ordering::Relaxed)
    }

    /// Notes that the connection's task is woken now.
    pub(crate) fn wake(&self, now_micros: u64) {
        self.woken_micros.store(now_micros, Ordering::Relaxed);
    }

    /// When the connection's task was last woken, microseconds since 1970.
    pub(crate) fn woken_micros(&self) -> u64 {
        self.woken_micros.load(Ordering::Relaxed)
    }

    /// Whether the client waits for nothing.
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_busy.load(Ordering::Relaxed)
    }
}

impl Default for Wire {
    fn default() -> Self {
        Self {
            requests: AtomicU64::new(0),
            distrusted_from: AtomicU64::new(Self::NEVER),
            is_busy: AtomicBool::new(false),
            woken_micros: AtomicU64::new(0),
        }
    }
}

/// Looks for line feeds without a carriage return before them.
struct LineEnds {
    wire: Arc<Wire>,
    /// The last byte before those to come.
    last: u8,
}

impl LineEnds {
    fn new(wire: Arc<Wire>) -> Self {
        Self { wire, last: 0 }
    }

    fn scan(&mut self, bytes: &[u8]) {
        let Some(first) = bytes.first() else { return };
        let is_bare = |before: u8, byte: u8| byte == b'\n' && before != b'\r';
        // Without a way out before the end, so that it takes many bytes at a time.
        let pairs = std::iter::zip(bytes, &bytes[1..]);
        let inside = pairs.fold(false, |seen, (before, byte)| seen | is_bare(*before, *byte));
        if inside || is_bare(self.last, *first) {
            self.distrust(bytes);
        }
        self.last = bytes[bytes.len() - 1];
    }

    /// Blames the next request; or the one after it, if the bytes have the whole of its head before
    /// the bare line feed, which is then in its body or in what follows. Of several good requests in
    /// front of the bad one, only the first is sure to be answered.
    fn distrust(&self, bytes: &[u8]) {
        let bare = memchr::memchr_iter(b'\n', bytes)
            .find(|at| at.checked_sub(1).map_or(self.last, |before| bytes[before]) != b'\r');
        let before = bytes[..bare.unwrap_or_default()].trim_ascii_start();
        let in_head = memchr::memmem::find(before, b"\r\n\r\n").is_none();
        let next = self.wire.requests.load(Ordering::Relaxed);
        let order = Ordering::Relaxed;
        self.wire.distrusted_from.fetch_min(if in_head { next } else { next + 1 }, order);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The request that is blamed, however the bytes are cut into two reads.
    #[track_caller]
    fn check(text: &str, blamed: u64) {
        for cut in 0..=text.len() {
            let mut lines = LineEnds::new(Arc::default());
            lines.scan(&text.as_bytes()[..cut]);
            lines.scan(&text.as_bytes()[cut..]);
            let seen = lines.wire.distrusted_from.load(Ordering::Relaxed);
            assert_eq!(seen, blamed, "{text:?} cut at {cut}");
        }
    }

    #[test]
    fn a_bare_line_feed_is_seen_in_a_head() {
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\n", Wire::NEVER);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", Wire::NEVER);
        check("GET / HTTP/1.1\nHost: x\n\n", 0);
        check("GET / HTTP/1.1\r\nHost: x\n\r\n", 0);
        check("GET / HTTP/1.1\r\nHost: x\r\n\n", 0);
        check("\nGET / HTTP/1.1\r\n\r\n", 0);
        check("\r\n\r\n\r\nGET / HTTP/1.1\n\r\n", 0);
    }

    #[test]
    fn a_bare_line_feed_after_a_head_blames_the_next() {
        let mut lines = LineEnds::new(Arc::default());
        lines.scan(b"POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\na\nb\n");
        assert!(!lines.wire.next_request_has_bare_line_feed());
        assert!(lines.wire.next_request_has_bare_line_feed());
    }
}
