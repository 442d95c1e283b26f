//! Content that is made while it is sent, without holding up the other connections of its worker.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::yield_now;

use crate::net::connection_state::ConnectionState;

/// How long a worker may make content before it looks at its sockets.
const TURN: Duration = Duration::from_millis(1);

/// How much is sent at a time, bytes, and about as much as a stream holds in memory.
const PIECE: usize = 8 * 1024;

thread_local! {
    /// Whose turn it is on a worker. The queue is fair, so that no stream waits for another to end.
    static WORKER_TURN: Arc<Semaphore> = Arc::new(Semaphore::new(1));
}

/// What makes content bit by bit.
pub(crate) trait Source: Send + 'static {
    /// Appends the next bit, which takes a fraction of a millisecond as a rule: whether there is
    /// more.
    fn write_next(&mut self, to: &mut Vec<u8>) -> bool;
}

/// Content that is made while it is sent.
pub(crate) struct Streamed {
    progress: Progress,
    /// Says that a response is not finished, for as long as it is not.
    unfinished: Option<Unfinished>,
}

enum Progress {
    /// Nothing is made before somebody asks: who wants the head alone never does.
    Waiting(Box<dyn Source>, Arc<Semaphore>),
    Making(Pin<Box<dyn Future<Output = Made> + Send>>),
    Done,
}

/// A piece of the content, and what makes the others, if there are any.
struct Made {
    piece: Bytes,
    rest: Option<(Box<dyn Source>, Arc<Semaphore>)>,
}

impl Streamed {
    pub(crate) fn new(source: impl Source) -> Self {
        let progress = Progress::Waiting(Box::new(source), Arc::new(Semaphore::new(1)));
        Self { progress, unfinished: None }
    }

    /// Notes on its connection that a response is being made, until it is.
    pub(crate) fn note_on(&mut self, connection: &Arc<ConnectionState>) {
        self.unfinished = Some(Unfinished::new(connection));
    }

    pub(crate) fn is_done(&self) -> bool {
        matches!(self.progress, Progress::Done)
    }

    /// The next piece.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            match std::mem::replace(&mut self.progress, Progress::Done) {
                Progress::Waiting(source, sent) => {
                    self.progress = Progress::Making(Box::pin(make(source, sent)));
                }
                Progress::Making(mut making) => {
                    let Poll::Ready(made) = making.as_mut().poll(context) else {
                        self.progress = Progress::Making(making);
                        return Poll::Pending;
                    };
                    match made.rest {
                        Some((source, sent)) => self.progress = Progress::Waiting(source, sent),
                        None => self.unfinished = None,
                    }
                    return Poll::Ready(Some(made.piece));
                }
                Progress::Done => return Poll::Ready(None),
            }
        }
    }

    /// All that is still to be made, at once.
    pub(crate) fn into_bytes(self) -> Bytes {
        let mut all = Vec::new();
        if let Progress::Waiting(mut source, _) = self.progress {
            while source.write_next(&mut all) {}
        }
        all.into()
    }
}

impl fmt::Debug for Streamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streamed").field("is_done", &self.is_done()).finish_non_exhaustive()
    }
}

/// Makes a piece, once the one before it is sent: so a client that reads slowly costs one.
async fn make(mut source: Box<dyn Source>, sent: Arc<Semaphore>) -> Made {
    let on_its_way = Arc::clone(&sent).acquire_owned().await.ok();
    let mut piece = Vec::with_capacity(PIECE);
    loop {
        let turn = WORKER_TURN.with(Arc::clone).acquire_owned().await;
        let started = Instant::now();
        let mut has_more = true;
        while has_more && piece.len() < PIECE && started.elapsed() < TURN {
            has_more = source.write_next(&mut piece);
        }
        // The turn ends when the worker has looked at its sockets, and not before: else a hundred
        // streams would have theirs in a row. On a task of its own, since hyper polls a body twice
        // in a row, which ends a yield at once.
        tokio::spawn(async move {
            yield_now().await;
            drop(turn);
        });
        if !has_more || piece.len() >= PIECE {
            let piece = Bytes::from_owner(Piece { bytes: piece, _on_its_way: on_its_way });
            return Made { piece, rest: has_more.then_some((source, sent)) };
        }
    }
}

/// A piece on its way, which is dropped when it is sent.
struct Piece {
    bytes: Vec<u8>,
    _on_its_way: Option<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Notes on a connection that a response is being made, as long as it lives.
struct Unfinished(Arc<ConnectionState>);

impl Unfinished {
    fn new(connection: &Arc<ConnectionState>) -> Self {
        connection.set_streaming(true);
        Self(Arc::clone(connection))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.set_streaming(false);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::io::{Read, Write};
    use std::pin::pin;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// Counts up to a number, a line each, of which each takes a time.
    struct Numbers {
        next: usize,
        last: usize,
        each: Duration,
    }

    impl Source for Numbers {
        fn write_next(&mut self, to: &mut Vec<u8>) -> bool {
            std::thread::sleep(self.each);
            to.extend_from_slice(format!("{}\n", self.next).as_bytes());
            self.next += 1;
            self.next <= self.last
        }
    }

    fn numbers(last: usize, each: Duration) -> Streamed {
        Streamed::new(Numbers { next: 1, last, each })
    }

    fn expected(last: usize) -> String {
        (1..=last).map(|number| format!("{number}\n")).collect()
    }

    async fn next(stream: &mut Streamed) -> Option<Bytes> {
        poll_fn(|context| stream.poll_next(context)).await
    }

    #[tokio::test]
    async fn pieces_make_up_the_whole_and_each_is_bounded() {
        let (mut stream, mut all) = (numbers(10_000, Duration::ZERO), Vec::new());
        while let Some(piece) = next(&mut stream).await {
            assert!(piece.len() < PIECE + 16, "{}", piece.len());
            all.extend_from_slice(&piece);
        }
        assert!(stream.is_done());
        assert_eq!(String::from_utf8(all).unwrap(), expected(10_000));
        assert_eq!(numbers(3, Duration::ZERO).into_bytes(), expected(3));
    }

    #[tokio::test]
    async fn the_next_piece_is_made_when_the_one_before_it_is_sent() {
        let mut stream = numbers(10_000, Duration::ZERO);
        let first = next(&mut stream).await.unwrap();
        let wait = tokio::time::timeout(Duration::from_millis(50), next(&mut stream));
        assert!(wait.await.is_err(), "made ahead");
        drop(first);
        assert!(next(&mut stream).await.is_some());
    }

    #[tokio::test]
    async fn a_stream_that_is_given_up_lets_the_others_go_on() {
        let mut given_up = numbers(1000, TURN);
        let first = poll_fn(|context| Poll::Ready(given_up.poll_next(context))).await;
        assert!(first.is_pending(), "it waits for its next turn");
        let mut other = numbers(3, Duration::ZERO);
        let mut made = pin!(next(&mut other));
        let wait = tokio::time::timeout(Duration::from_millis(20), &mut made);
        assert!(wait.await.is_err(), "and others behind it");
        drop(given_up);
        assert_eq!(made.await.unwrap(), expected(3));
    }

    #[tokio::test]
    async fn a_worker_looks_at_its_sockets_after_each_turn_however_often_a_stream_is_polled() {
        let made = || async {
            let mut stream = numbers(10, TURN);
            let twice = |context: &mut Context<'_>| match stream.poll_next(context) {
                Poll::Pending => stream.poll_next(context),
                ready => ready,
            };
            poll_fn(twice).await
        };
        let streams: Vec<_> = (0..10).map(|_| tokio::spawn(made())).collect();
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let mut ours = tokio::net::UnixStream::from_std(ours).unwrap();
        std::thread::spawn(move || {
            let mut theirs = theirs;
            while theirs.write_all(b"x").is_ok() && theirs.read_exact(&mut [0]).is_ok() {}
        });
        // Ten streams have a hundred turns together; what comes in is seen between each two of them.
        let mut seen = 0;
        while !streams.iter().all(tokio::task::JoinHandle::is_finished) {
            ours.read_exact(&mut [0]).await.unwrap();
            ours.write_all(b"x").await.unwrap();
            seen += 1;
        }
        assert!(seen > 30, "{seen}");
    }

    #[tokio::test]
    async fn its_connection_is_streaming_until_all_is_made() {
        let state = Arc::new(ConnectionState::new(Arc::default()));
        let mut stream = numbers(2000, Duration::ZERO);
        stream.note_on(&state);
        drop(next(&mut stream).await);
        assert!(state.is_streaming());
        drop(next(&mut stream).await);
        assert!(stream.is_done() && !state.is_streaming());
        let mut given_up = numbers(2, Duration::ZERO);
        given_up.note_on(&state);
        drop(given_up);
        assert!(!state.is_streaming());
    }
}
