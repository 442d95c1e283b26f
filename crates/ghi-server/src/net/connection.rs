//! A connection: what its client does, for what hyper doesn't report or accepts too easily.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::clock::MonotonicTime;

const BARE_LINE_FEED: &str = "A line of the request does not end in CR LF.";
const FRAGMENT: &str = "The target has a fragment (#...), which must not be sent to a server.";

/// The phase of a connection, in the order in which connections are evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Nothing has been received yet.
    New,
    /// All requests have been answered, and nothing more has been received.
    Idle,
    /// A request is being processed, but the client has closed its sending side and may be gone.
    HalfClosed,
    /// Part of a request has been received, or may have been.
    Receiving,
    /// A response is being sent, but the client is not reading it at the moment.
    Stalled,
    /// A request is being processed.
    Sending,
}

#[derive(Debug)]
pub(crate) struct ConnectionState {
    pub(crate) phase: Phase,
    /// When the phase began.
    pub(crate) since: MonotonicTime,
    /// When the connection's task was last woken.
    pub(crate) woken: MonotonicTime,
    heads: RequestHeads,
    requests: u64,
    /// Whether the response to a request is not complete yet.
    is_answering: bool,
    pub(crate) is_reset: bool,
}

impl ConnectionState {
    fn enter(&mut self, phase: Phase) {
        if self.phase != phase {
            self.phase = phase;
            self.since = self.woken;
        }
    }

    /// Counts the next request. Returns what is wrong with it, if hyper has accepted a malformed one, and when the
    /// connection was woken for it.
    pub(crate) fn begin_request(&mut self) -> (Option<&'static str>, MonotonicTime) {
        self.is_answering = true;
        self.requests += 1;
        // Nothing that follows a defect can be trusted.
        let defect = self.heads.defect.filter(|(index, _)| *index < self.requests);
        (defect.map(|(_, defect)| defect), self.woken)
    }
}

/// A connection's state. Other threads only read it, and rarely, so nothing waits for the lock.
#[derive(Clone, Debug)]
pub(crate) struct SharedState(Arc<Mutex<ConnectionState>>);

impl SharedState {
    pub(crate) fn new(phase: Phase) -> Self {
        let now = MonotonicTime::now();
        Self(Arc::new(Mutex::new(ConnectionState {
            phase,
            since: now,
            woken: now,
            heads: RequestHeads::default(),
            requests: 0,
            is_answering: false,
            is_reset: false,
        })))
    }

    pub(crate) fn phase(&self) -> (Phase, MonotonicTime) {
        let state = self.lock();
        (state.phase, state.since)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, ConnectionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The heads of a connection's requests, as far as they have been received. hyper accepts a bare line feed as the end
/// of a line, and drops the fragment of a target. Proxies in front of the server may do otherwise, and a request that
/// two servers read differently can be smuggled past one of them.
#[derive(Debug, Default)]
struct RequestHeads {
    complete: u64,
    lines: usize,
    line_bytes: usize,
    last: u8,
    /// The first defect, and the index of its request.
    defect: Option<(u64, &'static str)>,
}

impl RequestHeads {
    /// Returns whether more than this number of heads have been received, be it in part.
    fn are_more_than(&self, count: u64) -> bool {
        self.complete > count || self.lines > 0 || self.line_bytes > 0
    }

    /// Scans the bytes that arrived next. Those of a body may look like a malformed head, but requests after a body are
    /// never read.
    fn scan(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.lines == 0 && line.contains(&b'#') {
                self.defect.get_or_insert((self.complete, FRAGMENT));
            }
            let before_last = line.iter().rev().nth(1).copied().unwrap_or(self.last);
            self.last = line[line.len() - 1];
            self.line_bytes += line.len();
            if self.last != b'\n' {
                continue;
            }
            if before_last != b'\r' {
                self.defect.get_or_insert((self.complete, BARE_LINE_FEED));
            }
            if self.line_bytes > b"\r\n".len() {
                self.lines += 1;
            } else if self.lines > 0 {
                // hyper skips empty lines before a request, so those end no head.
                self.complete += 1;
                self.lines = 0;
            }
            self.line_bytes = 0;
        }
    }
}

/// A response that is not complete. Dropped when the last of it is handed to the stream.
pub(crate) struct Unfinished(pub(crate) SharedState);

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.lock().is_answering = false;
    }
}

/// A stream that records on its connection's state what the client does.
pub(crate) struct Stream {
    pub(crate) inner: TcpStream,
    pub(crate) state: SharedState,
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.state.lock().is_reset {
            // Closing a socket with zero linger sends a reset.
            _ = SockRef::from(&self.inner).set_linger(Some(Duration::ZERO));
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        self.state.lock().heads.scan(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, pieces);
        self.state.lock().enter(if written.is_pending() { Phase::Stalled } else { Phase::Sending });
        written
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// hyper flushes whenever there is nothing more to do, so this determines the phase until the next wake-up.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.state.lock();
        let phase = match state.is_answering {
            true if state.phase == Phase::HalfClosed => Phase::HalfClosed,
            // Fails if the client has reset the connection.
            true => match self.inner.poll_peek(context, &mut ReadBuf::new(&mut [0]))? {
                Poll::Ready(0) => {
                    // Wakes the delay that the response may be waiting for.
                    context.waker().wake_by_ref();
                    Phase::HalfClosed
                }
                _ => Phase::Sending,
            },
            false if state.heads.are_more_than(state.requests) => Phase::Receiving,
            false if state.requests > 0 => Phase::Idle,
            false => state.phase,
        };
        state.enter(phase);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Waker;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// Returns a monitored stream and its peer.
    async fn pair() -> (Stream, TcpStream) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let peer = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (ours, _) = listener.accept().await.unwrap();
        (Stream { inner: ours, state: SharedState::new(Phase::New) }, peer)
    }

    /// Wakes a stream the given number of seconds from now and writes until it would block. Returns its
    /// phase, and for how many seconds it has been in that phase.
    fn fill(stream: &mut Stream, seconds: u64) -> (Phase, u64) {
        let now = MonotonicTime::now() + Duration::from_secs(seconds);
        stream.state.lock().woken = now;
        let mut context = Context::from_waker(Waker::noop());
        while Pin::new(&mut *stream).poll_write(&mut context, &[0; 1 << 16]).is_ready() {}
        let state = stream.state.lock();
        (state.phase, now.duration_since(state.since).as_secs())
    }

    #[tokio::test]
    async fn a_response_stalls_after_the_last_byte_that_its_client_read() {
        let (mut stream, mut peer) = pair().await;
        stream.state.lock().begin_request();
        stream.inner.writable().await.unwrap();
        assert_eq!(fill(&mut stream, 100), (Phase::Stalled, 0));
        assert_eq!(fill(&mut stream, 200).0, Phase::Stalled);
        assert!(fill(&mut stream, 300).1 >= 200);
        let read = async { while peer.read(&mut [0; 1 << 16]).await.unwrap() > 0 {} };
        tokio::select! {
            () = read => unreachable!("the stream is open"),
            written = stream.write_all(&[0; 1 << 16]) => written.unwrap(),
        }
        assert_eq!(stream.state.lock().phase, Phase::Sending);
        assert_eq!(fill(&mut stream, 400), (Phase::Stalled, 0));
    }

    /// Flushes at each wake-up of the stream until the condition holds, and returns the result of the last
    /// flush.
    async fn flush_until(stream: &mut Stream, holds: impl Fn(Phase) -> bool) -> io::Result<()> {
        poll_fn(|context| {
            let flushed = Pin::new(&mut *stream).poll_flush(context);
            let is_over =
                holds(stream.state.lock().phase) || matches!(flushed, Poll::Ready(Err(_)));
            if is_over { flushed } else { Poll::Pending }
        })
        .await
    }

    #[tokio::test]
    async fn a_client_that_closes_its_sending_side_before_its_response_may_be_gone() {
        let (mut stream, mut peer) = pair().await;
        stream.state.lock().begin_request();
        peer.shutdown().await.unwrap();
        flush_until(&mut stream, |phase| phase == Phase::HalfClosed).await.unwrap();
        stream.write_all(b"200").await.unwrap();
        stream.flush().await.unwrap();
        peer.read_exact(&mut [0; 3]).await.expect("it still gets its response");
    }

    #[tokio::test]
    async fn a_connection_reset_before_its_response_is_closed() {
        let (mut stream, peer) = pair().await;
        stream.state.lock().begin_request();
        SockRef::from(&peer).set_linger(Some(Duration::ZERO)).unwrap();
        drop(peer);
        let error = flush_until(&mut stream, |_| false).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }

    #[tokio::test]
    async fn a_client_that_pipelines_a_request_is_not_gone() {
        let (mut stream, mut peer) = pair().await;
        stream.state.lock().begin_request();
        peer.write_all(b"GET").await.unwrap();
        stream.inner.readable().await.unwrap();
        flush_until(&mut stream, |_| true).await.unwrap();
        assert_eq!(stream.state.lock().phase, Phase::Sending);
    }

    /// Hands over the last of a response, and flushes it.
    async fn answer(stream: &mut Stream) -> Phase {
        stream.write_all(b"200").await.unwrap();
        assert_eq!(stream.state.lock().phase, Phase::Sending);
        drop(Unfinished(stream.state.clone()));
        stream.flush().await.unwrap();
        stream.state.lock().phase
    }

    #[tokio::test]
    async fn a_connection_is_idle_except_from_a_request_until_its_response_is_flushed() {
        let (mut stream, mut peer) = pair().await;
        stream.flush().await.unwrap();
        assert_eq!(stream.state.lock().phase, Phase::New);
        peer.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
        stream.read_exact(&mut [0; 16]).await.unwrap();
        stream.flush().await.unwrap();
        assert_eq!(stream.state.lock().phase, Phase::Receiving);
        peer.write_all(b"\r\nG").await.unwrap();
        stream.read_exact(&mut [0; 3]).await.unwrap();
        stream.state.lock().begin_request();
        assert_eq!(answer(&mut stream).await, Phase::Receiving, "half a request has been received");
        peer.write_all(b"ET / HTTP/1.1\r\n\r\n").await.unwrap();
        stream.read_exact(&mut [0; 17]).await.unwrap();
        stream.state.lock().begin_request();
        assert_eq!(answer(&mut stream).await, Phase::Idle);
    }

    #[tokio::test]
    async fn a_connection_is_not_idle_while_its_response_is_generated() {
        let (mut stream, _peer) = pair().await;
        stream.state.lock().begin_request();
        stream.write_all(b"200").await.unwrap();
        stream.flush().await.unwrap();
        assert_eq!(stream.state.lock().phase, Phase::Sending);
        assert_eq!(answer(&mut stream).await, Phase::Idle);
    }

    /// Checks a string, whichever way its bytes are split into two reads.
    #[track_caller]
    fn check(text: &str, defect: Option<(u64, &str)>, is_within_head: bool) {
        for cut in 0..=text.len() {
            let mut heads = RequestHeads::default();
            heads.scan(&text.as_bytes()[..cut]);
            heads.scan(&text.as_bytes()[cut..]);
            let found = (heads.defect, heads.are_more_than(heads.complete));
            assert_eq!(found, (defect, is_within_head), "{text:?} cut at {cut}");
        }
    }

    const BARE: Option<(u64, &str)> = Some((0, BARE_LINE_FEED));

    #[test]
    fn a_well_formed_head_has_no_defect() {
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\n", None, false);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", None, false);
        check("\r\nGET / HTTP/1.1\r\nUser-Agent: C#\r\n\r\n", None, false);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET", None, true);
        check("GET / HTTP/1.1\r\nHost: x\r\n", None, true);
        check("", None, false);
    }

    #[test]
    fn a_bare_line_feed_in_a_head_is_detected() {
        check("GET / HTTP/1.1\nHost: x\n\n", BARE, false);
        check("GET / HTTP/1.1\r\nHost: x\n\r\n", BARE, false);
        check("GET / HTTP/1.1\r\nHost: x\r\n\n", BARE, false);
        check("\nGET / HTTP/1.1\r\n\r\n", BARE, false);
        check("\r\n\r\n\r\nGET / HTTP/1.1\n\r\n", BARE, false);
    }

    #[test]
    fn a_fragment_in_a_target_is_detected() {
        check("GET /#x HTTP/1.1\r\nHost: x\r\n\r\n", Some((0, FRAGMENT)), false);
        check("GET # HTTP/1.1\r\nHost: x\r\n\r\n", Some((0, FRAGMENT)), false);
        check("\r\nGET http://x/?a#b HTTP/1.1\r\nHost: x\r\n\r\n", Some((0, FRAGMENT)), false);
    }

    #[test]
    fn a_defect_after_a_head_belongs_to_the_next_request() {
        let head = "POST / HTTP/1.1\r\nHost: x\r\n\r\n";
        check(&format!("{head}a\nbc"), Some((1, BARE_LINE_FEED)), true);
        check(&format!("{head}{head}GET /#"), Some((2, FRAGMENT)), true);
    }
}
