//! A client's byte stream, monitored for what hyper doesn't report.
//!
//! hyper doesn't report whether a client reads its response, or whether a client that waits for one is
//! still there.

use std::cell::RefCell;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::net::connection_state::{ConnectionState, Phase};
use crate::net::request_heads::RequestHeads;

/// The largest number of bytes that are copied together and written as one piece. Up to this size, copying
/// is cheaper than a vectored write.
const COPY_MAX: usize = 4096;

thread_local! {
    /// The buffer for these copies. All connections of a worker share it, so that connections hold no
    /// memory for sent responses.
    static COPIED: RefCell<Vec<u8>> = RefCell::new(Vec::with_capacity(COPY_MAX));
}

/// A stream that records on its connection's state what the client does.
pub(crate) struct Stream {
    inner: TcpStream,
    /// Whether something was written since the last flush. hyper flushes on every poll.
    has_written: bool,
    state: Arc<ConnectionState>,
    heads: RequestHeads,
}

impl Stream {
    pub(crate) fn new(inner: TcpStream, state: Arc<ConnectionState>) -> Self {
        let heads = RequestHeads::new(Arc::clone(&state));
        Self { inner, has_written: false, state, heads }
    }

    /// Records the result of a write.
    #[inline]
    fn written(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.has_written = true;
        self.state.enter(if written.is_pending() { Phase::Stalled } else { Phase::Sending });
        written
    }

    /// Records if a client that is waiting for a response has closed its sending side, and so may be gone.
    /// Fails if it has reset the connection.
    fn look_for_end(&self, context: &mut Context<'_>) -> io::Result<()> {
        match self.inner.poll_peek(context, &mut ReadBuf::new(&mut [0])) {
            Poll::Ready(Ok(0)) => {
                self.state.enter(Phase::HalfClosed);
                // Wakes the delay that the response may be waiting for.
                context.waker().wake_by_ref();
                Ok(())
            }
            Poll::Ready(Err(error)) => Err(error),
            _ => Ok(()),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.state.is_reset.load(Ordering::Relaxed) {
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
        let received = &buffer.filled()[before..];
        self.heads.scan(received);
        // A client that has closed its sending side may still wait for its response.
        if !received.is_empty() {
            self.state.receive();
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
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.written(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if pieces.iter().map(|piece| piece.len()).sum::<usize>() <= COPY_MAX {
            return COPIED.with_borrow_mut(|copied| {
                copied.clear();
                pieces.iter().for_each(|piece| copied.extend_from_slice(piece));
                self.poll_write(context, copied)
            });
        }
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, pieces);
        self.written(written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.has_written {
            self.has_written = false;
            if !self.state.is_streaming.load(Ordering::Relaxed) {
                let is_within_head = self.heads.is_within_head();
                self.state.enter(if is_within_head { Phase::Receiving } else { Phase::Idle });
            }
        } else if self.state.phase() == Phase::Sending {
            self.look_for_end(context)?;
        }
        Pin::new(&mut self.inner).poll_flush(context)
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

    use crate::clock::MonotonicTime;

    use super::*;

    /// Returns a monitored stream and its peer.
    async fn pair() -> (Stream, TcpStream) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let peer = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (ours, _) = listener.accept().await.unwrap();
        (Stream::new(ours, Arc::new(ConnectionState::new())), peer)
    }

    /// Wakes a stream the given number of seconds from now and writes until it would block. Returns its
    /// phase, and for how many seconds it has been in that phase.
    fn fill(stream: &mut Stream, seconds: u64) -> (Phase, u64) {
        let now = MonotonicTime::now() + Duration::from_secs(seconds);
        stream.state.wake(now);
        let mut context = Context::from_waker(Waker::noop());
        while Pin::new(&mut *stream).poll_write(&mut context, &[0; 1 << 16]).is_ready() {}
        let (phase, since) = stream.state.phase_since();
        (phase, now.since(since).as_secs())
    }

    #[tokio::test]
    async fn a_response_stalls_after_the_last_byte_that_its_client_read() {
        let (mut stream, mut peer) = pair().await;
        stream.state.begin_request();
        stream.inner.writable().await.unwrap();
        assert_eq!(fill(&mut stream, 100), (Phase::Stalled, 0));
        assert_eq!(fill(&mut stream, 200).0, Phase::Stalled);
        assert!(fill(&mut stream, 300).1 >= 200);
        let read = async { while peer.read(&mut [0; 1 << 16]).await.unwrap() > 0 {} };
        tokio::select! {
            () = read => unreachable!("the stream is open"),
            written = stream.write_all(&[0; 1 << 16]) => written.unwrap(),
        }
        assert_eq!(stream.state.phase(), Phase::Sending);
        assert_eq!(fill(&mut stream, 400), (Phase::Stalled, 0));
    }

    /// Flushes at each wake-up of the stream until the condition holds, and returns the result of the last
    /// flush.
    async fn flush_until(stream: &mut Stream, holds: impl Fn(Phase) -> bool) -> io::Result<()> {
        poll_fn(|context| {
            let flushed = Pin::new(&mut *stream).poll_flush(context);
            let is_over = holds(stream.state.phase()) || matches!(flushed, Poll::Ready(Err(_)));
            if is_over { flushed } else { Poll::Pending }
        })
        .await
    }

    #[tokio::test]
    async fn a_client_that_closes_its_sending_side_before_its_response_may_be_gone() {
        let (mut stream, mut peer) = pair().await;
        stream.state.begin_request();
        peer.shutdown().await.unwrap();
        flush_until(&mut stream, |phase| phase == Phase::HalfClosed).await.unwrap();
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
        let error = flush_until(&mut stream, |_| false).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }

    #[tokio::test]
    async fn a_client_that_pipelines_a_request_is_not_gone() {
        let (mut stream, mut peer) = pair().await;
        stream.state.begin_request();
        peer.write_all(b"GET").await.unwrap();
        stream.inner.readable().await.unwrap();
        flush_until(&mut stream, |_| true).await.unwrap();
        assert_eq!(stream.state.phase(), Phase::Sending);
    }

    #[tokio::test]
    async fn a_connection_is_idle_except_from_a_request_until_its_response_is_flushed() {
        let (mut stream, mut peer) = pair().await;
        stream.state.enter(Phase::Idle);
        peer.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
        stream.read_exact(&mut [0; 16]).await.unwrap();
        assert_eq!(stream.state.phase(), Phase::Receiving);
        stream.flush().await.unwrap();
        assert_eq!(
            stream.state.phase(),
            Phase::Receiving,
            "flushing nothing completes no response"
        );
        peer.write_all(b"\r\nG").await.unwrap();
        stream.read_exact(&mut [0; 3]).await.unwrap();
        stream.state.begin_request();
        stream.write_all(b"200").await.unwrap();
        assert_eq!(stream.state.phase(), Phase::Sending);
        stream.flush().await.unwrap();
        assert_eq!(stream.state.phase(), Phase::Receiving, "half a request has been received");
        peer.write_all(b"ET / HTTP/1.1\r\n\r\n").await.unwrap();
        stream.read_exact(&mut [0; 17]).await.unwrap();
        stream.state.begin_request();
        stream.write_all(b"200").await.unwrap();
        stream.flush().await.unwrap();
        assert_eq!(stream.state.phase(), Phase::Idle);
    }

    #[tokio::test]
    async fn a_connection_is_not_idle_while_its_response_is_generated() {
        let (mut stream, _peer) = pair().await;
        stream.state.begin_request();
        for (is_streaming, phase) in [(true, Phase::Sending), (false, Phase::Idle)] {
            stream.state.is_streaming.store(is_streaming, Ordering::Relaxed);
            stream.write_all(b"200").await.unwrap();
            stream.flush().await.unwrap();
            assert_eq!(stream.state.phase(), phase);
        }
    }

    #[tokio::test]
    async fn pieces_are_written_in_order_whether_copied_or_not() {
        for length in [1, COPY_MAX / 2, COPY_MAX] {
            let (mut stream, mut peer) = pair().await;
            let (first, second) = (vec![b'a'; length], vec![b'b'; length]);
            let pieces = [IoSlice::new(&first), IoSlice::new(&second)];
            assert_eq!(stream.write_vectored(&pieces).await.unwrap(), 2 * length);
            let mut taken = vec![0; 2 * length];
            peer.read_exact(&mut taken).await.unwrap();
            assert_eq!(taken, [first, second].concat());
        }
    }
}
