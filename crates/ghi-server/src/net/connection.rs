//! A connection: what its client does, for what hyper doesn't report or accepts too easily.

use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::Request;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

const BARE_LINE_FEED: &str = "A line of the request does not end in CR LF.";
const FRAGMENT: &str = "The target has a fragment (#...), which must not be sent to a server.";

/// A request as received. Its body is never read.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) peer: IpAddr,
    pub(crate) on_probe_socket: bool,
    pub(crate) request: Request<()>,
    pub(crate) has_body: bool,
    /// What is wrong with it, if hyper has accepted a malformed request.
    pub(crate) defect: Option<&'static str>,
    pub(crate) started: Instant,
}

/// The phase of a connection, in the order in which connections are evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Nothing has been received yet.
    New,
    /// All requests have been answered, and nothing more has been received.
    Idle,
    /// Part of a request has been received.
    Receiving,
    /// A response is being sent, but the client is not reading it at the moment.
    Stalled,
    /// A request is being processed.
    Sending,
}

#[derive(Debug)]
pub(crate) struct ConnectionState {
    /// When the phase began.
    pub(crate) since: Instant,
    head: HeadScanner,
    requests: u64,
    is_answering: bool,
    is_blocked: bool,
    /// Whether the client has closed its sending side before its response. It may be gone.
    pub(crate) is_half_closed: bool,
    pub(crate) is_reset: bool,
}

impl ConnectionState {
    pub(crate) fn phase(&self) -> Phase {
        match (self.is_blocked, self.is_answering, self.head.is_complete) {
            (true, ..) => Phase::Stalled,
            (_, true, _) => Phase::Sending,
            (_, _, true) => Phase::Idle,
            _ if self.head.last == 0 => Phase::New,
            _ => Phase::Receiving,
        }
    }
}

/// A connection's state. Other threads only read it, and rarely, so nothing waits for the lock.
#[derive(Clone, Debug)]
pub(crate) struct SharedState(Arc<Mutex<ConnectionState>>);

impl SharedState {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(ConnectionState {
            since: Instant::now(),
            head: HeadScanner::default(),
            requests: 0,
            is_answering: false,
            is_blocked: false,
            is_half_closed: false,
            is_reset: false,
        })))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, ConnectionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, change: impl FnOnce(&mut ConnectionState)) {
        let mut state = self.lock();
        let before = state.phase();
        change(&mut state);
        if state.phase() != before {
            state.since = Instant::now();
        }
    }

    /// Begins to answer a request. Returns what is wrong with it, if hyper has accepted a malformed one.
    pub(crate) fn begin_request(&self) -> Option<&'static str> {
        self.update(|state| state.is_answering = true);
        let mut state = self.lock();
        state.requests += 1;
        // Nothing that follows a defect can be trusted.
        let defect = state.head.defect.filter(|(index, _)| *index < state.requests);
        defect.map(|(_, defect)| defect)
    }
}

/// Scans the heads of a connection's requests. hyper accepts a bare line feed as the end of a line, and drops the fragment
/// of a target. Proxies in front of the server may do otherwise, and a request that two servers read differently can be
/// smuggled past one of them.
#[derive(Debug, Default)]
struct HeadScanner {
    /// The number of complete heads.
    complete: u64,
    line_bytes: usize,
    is_after_first_line: bool,
    last: u8,
    /// Whether all that was received are complete heads.
    is_complete: bool,
    /// The first defect, and the index of its request.
    defect: Option<(u64, &'static str)>,
}

impl HeadScanner {
    /// Scans the bytes that arrived next. Those of a body may look like a malformed head, but requests after a body are
    /// never read.
    fn scan(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let defect = match byte {
                b'#' if !self.is_after_first_line => Some(FRAGMENT),
                b'\n' if self.last != b'\r' => Some(BARE_LINE_FEED),
                _ => None,
            };
            self.defect = self.defect.or(defect.map(|defect| (self.complete, defect)));
            self.last = byte;
            self.line_bytes += 1;
            self.is_complete = false;
            if byte == b'\n' {
                // hyper skips empty lines before a request, so those end no head.
                let is_empty = self.line_bytes <= b"\r\n".len();
                self.is_complete = is_empty && self.is_after_first_line;
                self.complete += u64::from(self.is_complete);
                self.is_after_first_line = !is_empty;
                self.line_bytes = 0;
            }
        }
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
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        self.state.update(|state| {
            // hyper reads the next request only once it has the whole response to the last one.
            state.is_answering = false;
            state.head.scan(&buffer.filled()[before..]);
        });
        read
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
        // Each successful write ends a stall.
        self.state.update(|state| state.is_blocked = written.is_pending());
        written
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// hyper flushes whenever there is nothing more to do, so this notices when a client leaves before its response.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.state.lock();
        if state.is_answering && !state.is_half_closed {
            // Fails if the client has reset the connection.
            let peeked = self.inner.poll_peek(context, &mut ReadBuf::new(&mut [0]))?;
            if peeked == Poll::Ready(0) {
                state.is_half_closed = true;
                // Wakes the delay that the response may be waiting for.
                context.waker().wake_by_ref();
            }
        }
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
        (Stream { inner: ours, state: SharedState::new() }, peer)
    }

    impl SharedState {
        /// Returns the state of a connection that has just entered a phase.
        pub(crate) fn in_phase(phase: Phase) -> Self {
            let new = Self::new();
            new.update(|state| {
                state.is_blocked = phase == Phase::Stalled;
                state.is_answering = phase == Phase::Sending;
                state.head.is_complete = phase == Phase::Idle;
                state.head.last = u8::from(phase != Phase::New);
            });
            new
        }
    }

    impl Stream {
        fn phase(&self) -> Phase {
            self.state.lock().phase()
        }

        /// Looks for the next request, as hyper does when it has the whole response.
        fn look(&mut self) -> Phase {
            let (mut context, mut bytes) = (Context::from_waker(Waker::noop()), [0; 64]);
            _ = Pin::new(&mut *self).poll_read(&mut context, &mut ReadBuf::new(&mut bytes));
            self.phase()
        }
    }

    /// Writes until the stream would block. Returns for how many seconds it has been stalled, if it was for 100.
    fn fill(stream: &mut Stream) -> u64 {
        stream.state.lock().since -= Duration::from_secs(100);
        let mut context = Context::from_waker(Waker::noop());
        while Pin::new(&mut *stream).poll_write(&mut context, &[0; 1 << 16]).is_ready() {}
        assert_eq!(stream.phase(), Phase::Stalled);
        let state = stream.state.lock();
        state.since.elapsed().as_secs()
    }

    #[tokio::test]
    async fn a_response_stalls_after_the_last_byte_that_its_client_read() {
        let (mut stream, mut peer) = pair().await;
        stream.state.begin_request();
        stream.inner.writable().await.unwrap();
        assert_eq!(fill(&mut stream), 0);
        assert!(fill(&mut stream) >= 100);
        let read = async { while peer.read(&mut [0; 1 << 16]).await.unwrap() > 0 {} };
        tokio::select! {
            () = read => unreachable!("the stream is open"),
            written = stream.write_all(&[0; 1 << 16]) => written.unwrap(),
        }
        assert_eq!(stream.phase(), Phase::Sending);
        assert_eq!(fill(&mut stream), 0);
    }

    /// Flushes at each wake-up of the stream until it knows that the client has left, and returns the result of the
    /// last flush.
    async fn flush_until_left(stream: &mut Stream) -> io::Result<()> {
        poll_fn(|context| {
            let flushed = Pin::new(&mut *stream).poll_flush(context);
            let has_left = stream.state.lock().is_half_closed;
            if has_left || matches!(flushed, Poll::Ready(Err(_))) { flushed } else { Poll::Pending }
        })
        .await
    }

    #[tokio::test]
    async fn a_client_that_closes_its_sending_side_before_its_response_may_be_gone() {
        let (mut stream, mut peer) = pair().await;
        stream.state.begin_request();
        peer.shutdown().await.unwrap();
        flush_until_left(&mut stream).await.unwrap();
        stream.write_all(b"200").await.unwrap();
        stream.flush().await.unwrap();
        peer.read_exact(&mut [0; 3]).await.expect("it still gets its response");
    }

    #[tokio::test]
    async fn a_connection_reset_before_its_response_is_closed() {
        let (mut stream, peer) = pair().await;
        stream.state.begin_request();
        SockRef::from(&peer).set_linger(Some(Duration::ZERO)).unwrap();
        drop(peer);
        let error = flush_until_left(&mut stream).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }

    #[tokio::test]
    async fn a_client_that_pipelines_a_request_is_not_gone() {
        let (mut stream, mut peer) = pair().await;
        stream.state.begin_request();
        peer.write_all(b"GET").await.unwrap();
        stream.inner.readable().await.unwrap();
        stream.flush().await.unwrap();
        assert!(!stream.state.lock().is_half_closed);
        assert_eq!(stream.phase(), Phase::Sending);
    }

    #[tokio::test]
    async fn a_connection_is_idle_except_from_a_request_until_its_response_is_sent() {
        let (mut stream, mut peer) = pair().await;
        assert_eq!(stream.look(), Phase::New);
        peer.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
        stream.read_exact(&mut [0; 16]).await.unwrap();
        assert_eq!(stream.look(), Phase::Receiving);
        peer.write_all(b"\r\nG").await.unwrap();
        stream.read_exact(&mut [0; 3]).await.unwrap();
        stream.state.begin_request();
        stream.write_all(b"200").await.unwrap();
        stream.flush().await.unwrap();
        assert_eq!(stream.phase(), Phase::Sending, "the response may go on");
        assert_eq!(stream.look(), Phase::Receiving, "half a request has been received");
        peer.write_all(b"ET / HTTP/1.1\r\n\r\n").await.unwrap();
        stream.read_exact(&mut [0; 17]).await.unwrap();
        stream.state.begin_request();
        assert_eq!(stream.look(), Phase::Idle);
    }

    /// Checks a string, whichever way its bytes are split into two reads.
    #[track_caller]
    fn check(text: &str, defect: Option<&str>, is_complete: bool) {
        for cut in 0..=text.len() {
            let mut head = HeadScanner::default();
            head.scan(&text.as_bytes()[..cut]);
            head.scan(&text.as_bytes()[cut..]);
            let found = (head.defect.map(|(_, defect)| defect), head.is_complete);
            assert_eq!(found, (defect, is_complete), "{text:?} cut at {cut}");
        }
    }

    #[test]
    fn a_well_formed_head_has_no_defect() {
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\n", None, true);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", None, true);
        check("\r\nGET / HTTP/1.1\r\nUser-Agent: C#\r\n\r\n", None, true);
        check("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET", None, false);
        check("GET / HTTP/1.1\r\nHost: x\r\n", None, false);
        check("", None, false);
    }

    #[test]
    fn a_bare_line_feed_in_a_head_is_detected() {
        for head in [
            "GET / HTTP/1.1\nHost: x\n\n",
            "GET / HTTP/1.1\r\nHost: x\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n\n",
            "\nGET / HTTP/1.1\r\n\r\n",
            "\r\n\r\n\r\nGET / HTTP/1.1\n\r\n",
            "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\n\n",
        ] {
            check(head, Some(BARE_LINE_FEED), true);
        }
    }

    #[test]
    fn a_fragment_in_a_target_is_detected() {
        check("GET /#x HTTP/1.1\r\nHost: x\r\n\r\n", Some(FRAGMENT), true);
        check("\r\nGET /?x# HTTP/1.1\r\nHost: x\r\n\r\n", Some(FRAGMENT), true);
        check("GET / HTTP/1.1\r\n\r\nGET /# HTTP/1.1\r\n\r\n", Some(FRAGMENT), true);
        check("GET / HTTP/1.1\r\nReferer: /#x\r\n\r\n", None, true);
    }
}
