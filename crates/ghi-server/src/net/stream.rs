//! A client's byte stream, watched for what hyper lets pass.
//!
//! hyper bounds how long a request's head may take to come in. It does not bound how long a
//! response may take to go out.

use std::cell::RefCell;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::net::connection_state::{ConnectionState, Phase};
use crate::net::request_heads::RequestHeads;

/// The most bytes that are copied together to be written as one piece: up to here, the copy is
/// cheaper than to have the kernel gather the pieces.
const COPY_MAX: usize = 4096;

thread_local! {
    /// Where they are copied to: one place for all connections of a worker, so that nothing of a
    /// response stays with its connection.
    static COPIED: RefCell<Vec<u8>> = RefCell::new(Vec::with_capacity(COPY_MAX));
}

/// How much a peer must take within the time to be given as much time again, bytes: whoever takes a
/// large answer over a slow line gets it, and whoever takes a byte now and then does not.
const PROGRESS: usize = 16 * 1024;

/// A stream whose peer must take what it is sent within a time.
pub(crate) struct Stream<S> {
    inner: S,
    write_timeout: Duration,
    /// Runs from the first write that had to wait until all is flushed.
    deadline: Option<Pin<Box<Sleep>>>,
    /// What was taken since the deadline was set.
    progress: usize,
    /// Whether something was written since the last flush; hyper flushes at every turn.
    has_written: bool,
    state: Arc<ConnectionState>,
    heads: RequestHeads,
}

impl<S> Stream<S> {
    pub(crate) fn new(inner: S, write_timeout: Duration, state: Arc<ConnectionState>) -> Self {
        let heads = RequestHeads::new(Arc::clone(&state));
        Self { inner, write_timeout, deadline: None, progress: 0, has_written: false, state, heads }
    }

    /// What a write comes to: one that has to wait has a deadline.
    #[inline]
    fn written(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        self.has_written = true;
        match (&mut self.deadline, &written) {
            (_, Poll::Pending) => return self.wait(context),
            (Some(deadline), Poll::Ready(Ok(count))) => {
                self.progress += count;
                if self.progress >= PROGRESS {
                    self.progress = 0;
                    deadline.as_mut().reset(Instant::now() + self.write_timeout);
                }
            }
            _ => {}
        }
        written
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
        self.heads.scan(received);
        // A client that has sent all that it will may still wait for its answer.
        if !received.is_empty() {
            self.state.receive();
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
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.written(context, written)
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
        self.written(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.has_written {
            self.has_written = false;
            self.deadline = None;
            self.progress = 0;
            if !self.state.is_streaming() {
                let is_within_head = self.heads.is_within_head();
                self.state.enter(if is_within_head { Phase::Receiving } else { Phase::Idle });
            }
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
    use tokio::time::sleep;

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(10);

    /// A watched stream whose peer holds four bytes before a write has to wait.
    fn pair() -> (Stream<DuplexStream>, DuplexStream) {
        let (ours, theirs) = duplex(4);
        let state = Arc::new(ConnectionState::new());
        (Stream::new(ours, TIMEOUT, state), theirs)
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
    async fn a_peer_that_takes_a_large_answer_slowly_gets_it() {
        let (ours, mut peer) = duplex(1024);
        let state = Arc::new(ConnectionState::new());
        let mut stream = Stream::new(ours, TIMEOUT, state);
        let answer = vec![0; 20 * PROGRESS];
        let send = async {
            stream.write_all(&answer).await?;
            stream.flush().await
        };
        // A little more than it must, over more than ten times the time.
        let take = async {
            for _ in 0..20 {
                sleep(TIMEOUT * 2 / 3).await;
                peer.read_exact(&mut [0; PROGRESS]).await?;
            }
            io::Result::Ok(())
        };
        tokio::try_join!(send, take).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_takes_a_byte_now_and_then_is_given_up() {
        let (ours, mut peer) = duplex(1024);
        let state = Arc::new(ConnectionState::new());
        let mut stream = Stream::new(ours, TIMEOUT, state);
        let started = Instant::now();
        let take = async {
            loop {
                sleep(TIMEOUT / 10).await;
                if peer.read_exact(&mut [0; 64]).await.is_err() {
                    break;
                }
            }
        };
        let send = stream.write_all(&[0; 20 * PROGRESS]);
        let error = tokio::select! {
            sent = send => sent.unwrap_err(),
            () = take => unreachable!("the stream is open"),
        };
        assert_eq!((error.kind(), started.elapsed()), (io::ErrorKind::TimedOut, TIMEOUT));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_idle_but_from_a_request_to_its_flushed_response() {
        let (ours, mut peer) = duplex(64);
        let state = Arc::new(ConnectionState::new());
        let mut stream = Stream::new(ours, TIMEOUT, state);
        stream.state.enter(Phase::Idle);
        peer.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
        stream.read_exact(&mut [0; 16]).await.unwrap();
        assert_eq!(stream.state.phase(), Phase::Receiving);
        stream.flush().await.unwrap();
        assert_eq!(stream.state.phase(), Phase::Receiving, "a flush of nothing is not an answer");
        peer.write_all(b"\r\nG").await.unwrap();
        stream.read_exact(&mut [0; 3]).await.unwrap();
        stream.state.begin_request();
        stream.write_all(b"200").await.unwrap();
        assert_eq!(stream.state.phase(), Phase::Sending);
        stream.flush().await.unwrap();
        assert_eq!(stream.state.phase(), Phase::Receiving, "half a request has come in");
        peer.write_all(b"ET / HTTP/1.1\r\n\r\n").await.unwrap();
        stream.read_exact(&mut [0; 17]).await.unwrap();
        stream.state.begin_request();
        stream.write_all(b"200").await.unwrap();
        stream.flush().await.unwrap();
        assert_eq!(stream.state.phase(), Phase::Idle);
    }

    #[tokio::test]
    async fn a_connection_is_not_idle_while_its_response_is_being_made() {
        let (ours, _peer) = duplex(64);
        let state = Arc::new(ConnectionState::new());
        let mut stream = Stream::new(ours, TIMEOUT, state);
        stream.state.begin_request();
        for (is_streaming, phase) in [(true, Phase::Sending), (false, Phase::Idle)] {
            stream.state.set_streaming(is_streaming);
            stream.write_all(b"200").await.unwrap();
            stream.flush().await.unwrap();
            assert_eq!(stream.state.phase(), phase);
        }
    }

    #[tokio::test]
    async fn pieces_are_written_in_a_row_whether_copied_or_not() {
        for length in [1, COPY_MAX / 2, COPY_MAX] {
            let (ours, mut peer) = duplex(4 * COPY_MAX);
            let mut stream = Stream::new(ours, TIMEOUT, Arc::new(ConnectionState::new()));
            let (first, second) = (vec![b'a'; length], vec![b'b'; length]);
            let pieces = [IoSlice::new(&first), IoSlice::new(&second)];
            assert_eq!(stream.write_vectored(&pieces).await.unwrap(), 2 * length);
            let mut taken = vec![0; 2 * length];
            peer.read_exact(&mut taken).await.unwrap();
            assert_eq!(taken, [first, second].concat());
        }
    }
}
