//! A client's byte stream, watched for what hyper lets pass.
//!
//! hyper bounds how long a request's head may take to come in. It does not bound how long a
//! response may take to go out.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use crate::net::connection_state::ConnectionState;
use crate::net::line_ends::LineEnds;

/// A stream whose peer must take what it is sent within a time.
pub(crate) struct Stream<S> {
    inner: S,
    write_timeout: Duration,
    /// Runs from the first write that had to wait until all is flushed.
    deadline: Option<Pin<Box<Sleep>>>,
    /// Whether something was written since the last flush; hyper flushes at every turn.
    has_written: bool,
    state: Arc<ConnectionState>,
    line_ends: LineEnds,
}

impl<S> Stream<S> {
    pub(crate) fn new(inner: S, write_timeout: Duration, state: Arc<ConnectionState>) -> Self {
        let line_ends = LineEnds::new(Arc::clone(&state));
        Self { inner, write_timeout, deadline: None, has_written: false, state, line_ends }
    }

    /// The stream without the watch.
    pub(crate) fn into_inner(self) -> S {
        self.inner
    }

    /// What a write comes to that has to wait.
    fn wait<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        let timeout = self.write_timeout;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        deadline.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let received = &buffer.filled()[before..];
        self.line_ends.scan(received);
        // A client that has sent all that it will may still wait for its answer.
        if !received.is_empty() {
            self.state.set_busy(true);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.has_written = true;
        self.state.set_busy(true);
        match Pin::new(&mut self.inner).poll_write(context, bytes) {
            Poll::Pending => self.wait(context),
            ready => ready,
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.has_written {
            self.has_written = false;
            self.deadline = None;
            self.state.set_busy(false);
        }
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::{Instant, sleep};

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(10);

    /// A watched stream whose peer holds four bytes before a write has to wait.
    fn pair() -> (Stream<DuplexStream>, DuplexStream) {
        let (ours, theirs) = duplex(4);
        (Stream::new(ours, TIMEOUT, Arc::default()), theirs)
    }

    /// Sends more than the peer holds, which the peer takes after a while.
    async fn exchange(
        stream: &mut Stream<DuplexStream>,
        peer: &mut DuplexStream,
        after: Duration,
    ) -> io::Result<()> {
        let send = async {
            stream.write_all(b"response").await?;
            stream.flush().await
        };
        let take = async {
            sleep(after).await;
            peer.read_exact(&mut [0; 8]).await
        };
        tokio::try_join!(send, take).map(|_| ())
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_has_the_whole_time_for_each_response() {
        let (mut stream, mut peer) = pair();
        for _ in 0..3 {
            exchange(&mut stream, &mut peer, TIMEOUT * 2 / 3).await.unwrap();
            sleep(TIMEOUT * 2).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_does_not_read_is_given_up_in_time() {
        let (mut stream, mut peer) = pair();
        let started = Instant::now();
        let error = exchange(&mut stream, &mut peer, TIMEOUT * 2).await.unwrap_err();
        assert_eq!((error.kind(), started.elapsed()), (io::ErrorKind::TimedOut, TIMEOUT));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_idle_but_from_a_request_to_its_flushed_response() {
        let (mut stream, mut peer) = pair();
        stream.state.set_busy(false);
        peer.write_all(b"GET").await.unwrap();
        stream.read_exact(&mut [0; 3]).await.unwrap();
        assert!(!stream.state.is_idle());
        stream.flush().await.unwrap();
        assert!(!stream.state.is_idle(), "a flush of nothing is not an answer");
        stream.write_all(b"200").await.unwrap();
        assert!(!stream.state.is_idle());
        stream.flush().await.unwrap();
        assert!(stream.state.is_idle());
    }
}
