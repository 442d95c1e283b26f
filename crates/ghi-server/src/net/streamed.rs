//! Content that is generated while it is sent, on threads other than the workers'.

use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::net::connection_state::ConnectionState;
use crate::net::permits::Permit;

/// The size of a piece in bytes, which is about what a stream holds in memory.
const PIECE_BYTES: usize = 16 * 1024;

/// How long generating a piece may take before another stream gets its turn.
const PIECE_TIME: Duration = Duration::from_millis(20);

/// Generates content, chunk by chunk. A chunk usually takes a fraction of a millisecond.
pub(crate) type Chunks = Box<dyn Iterator<Item = Vec<u8>> + Send>;

/// Content that is generated piece by piece. A piece is generated when the connection can send it, so a
/// client that reads slowly holds one piece in memory and no thread.
pub(crate) struct Streamed {
    progress: Progress,
    /// Limits the number of streams being generated; released with the last piece.
    permit: Option<Permit>,
    /// Marks the connection's response as incomplete until the last piece is generated.
    unfinished: Option<Unfinished>,
}

enum Progress {
    /// Nothing is generated before the first poll: a HEAD request never polls.
    Idle(Chunks),
    Making(JoinHandle<Made>),
    Done,
}

/// A piece, and the generator of the remaining ones, if there are any.
struct Made {
    piece: Vec<u8>,
    rest: Option<Chunks>,
}

impl Streamed {
    pub(crate) fn new(chunks: Chunks, permit: Permit) -> Self {
        Self { progress: Progress::Idle(chunks), permit: Some(permit), unfinished: None }
    }

    /// Attaches the state of the connection, which is marked as streaming until all content is generated.
    pub(crate) fn note_on(&mut self, connection: &Arc<ConnectionState>) {
        self.unfinished = Some(Unfinished::new(connection));
    }

    pub(crate) fn is_done(&self) -> bool {
        matches!(self.progress, Progress::Done)
    }

    /// Polls for the next piece.
    pub(crate) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, EndedEarly>>> {
        loop {
            match &mut self.progress {
                Progress::Idle(_) => {
                    let Progress::Idle(chunks) = mem::replace(&mut self.progress, Progress::Done)
                    else {
                        continue;
                    };
                    self.progress = Progress::Making(spawn_blocking(|| make_piece(chunks)));
                }
                Progress::Making(making) => {
                    let made = ready!(Pin::new(making).poll(context));
                    self.progress = Progress::Done;
                    // The generator panicked, or the runtime is shutting down.
                    let Ok(Made { piece, rest }) = made else {
                        return Poll::Ready(Some(Err(EndedEarly)));
                    };
                    match rest {
                        Some(chunks) => self.progress = Progress::Idle(chunks),
                        None => (self.permit, self.unfinished) = (None, None),
                    }
                    if !piece.is_empty() {
                        return Poll::Ready(Some(Ok(piece.into())));
                    }
                }
                Progress::Done => return Poll::Ready(None),
            }
        }
    }

    /// Generates all remaining content at once.
    pub(crate) fn into_bytes(self) -> Bytes {
        match self.progress {
            Progress::Idle(chunks) => chunks.flatten().collect(),
            Progress::Making(_) | Progress::Done => Bytes::new(),
        }
    }
}

/// The error for content that ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the content ended early")]
pub(crate) struct EndedEarly;

fn make_piece(mut chunks: Chunks) -> Made {
    let started = Instant::now();
    let mut piece = Vec::with_capacity(PIECE_BYTES);
    while piece.len() < PIECE_BYTES && started.elapsed() < PIECE_TIME {
        match chunks.next() {
            Some(chunk) => piece.extend(chunk),
            None => return Made { piece, rest: None },
        }
    }
    Made { piece, rest: Some(chunks) }
}

/// Marks a connection's response as being generated for as long as it lives.
pub(super) struct Unfinished(Arc<ConnectionState>);

impl Unfinished {
    pub(super) fn new(connection: &Arc<ConnectionState>) -> Self {
        connection.is_streaming.store(true, Ordering::Relaxed);
        Self(Arc::clone(connection))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.is_streaming.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crate::net::permits::PermitPool;

    use super::*;

    /// Returns a stream of numbered lines, and the pool of its permit.
    fn lines(
        count: usize,
        line: impl Fn(usize) -> String + Send + 'static,
    ) -> (Streamed, Arc<PermitPool>) {
        let pool = PermitPool::new(1, 1);
        let chunks = (0..count).map(move |number| line(number).into_bytes());
        (Streamed::new(Box::new(chunks), pool.acquire(None).unwrap()), pool)
    }

    async fn next(stream: &mut Streamed) -> Option<Result<Bytes, EndedEarly>> {
        poll_fn(|context| stream.poll_next(context)).await
    }

    #[tokio::test]
    async fn the_pieces_together_are_the_content() {
        let (mut stream, pool) = lines(10_000, |number| format!("{number}\n"));
        let mut all = Vec::new();
        while let Some(piece) = next(&mut stream).await {
            all.extend(piece.unwrap());
        }
        let expected: String = (0..10_000).map(|number| format!("{number}\n")).collect();
        assert_eq!(all, expected.as_bytes());
        assert_eq!(pool.in_use(), 0, "the permit is released with the last piece");
    }

    #[tokio::test]
    async fn the_next_piece_is_generated_when_it_is_polled() {
        let made = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&made);
        let (mut stream, _) = lines(3, move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            "x".repeat(PIECE_BYTES)
        });
        for expected in 1..=3 {
            assert_eq!(made.load(Ordering::Relaxed), expected - 1);
            assert_eq!(next(&mut stream).await.unwrap().unwrap().len(), PIECE_BYTES);
        }
        assert_eq!(next(&mut stream).await, None);
    }

    #[tokio::test]
    async fn a_chunk_that_takes_long_is_sent_as_its_own_piece() {
        let (mut stream, _) = lines(2, |number| {
            let started = Instant::now();
            while started.elapsed() < PIECE_TIME {}
            number.to_string()
        });
        assert_eq!(next(&mut stream).await.unwrap().unwrap(), "0");
        assert_eq!(next(&mut stream).await.unwrap().unwrap(), "1");
    }

    #[tokio::test]
    async fn content_fails_if_its_generator_panics() {
        let (mut stream, _) = lines(2, |number| {
            assert!(number == 0, "the test wants this panic");
            "x".repeat(PIECE_BYTES)
        });
        assert!(next(&mut stream).await.unwrap().is_ok());
        assert_eq!(next(&mut stream).await, Some(Err(EndedEarly)));
        assert_eq!(next(&mut stream).await, None);
    }

    #[tokio::test]
    async fn the_connection_is_streaming_until_all_content_is_generated() {
        let state = Arc::new(ConnectionState::new());
        let (mut stream, _) = lines(2, |_| "x".repeat(PIECE_BYTES));
        stream.note_on(&state);
        drop(next(&mut stream).await);
        assert!(state.is_streaming.load(Ordering::Relaxed));
        while next(&mut stream).await.is_some() {}
        assert!(!state.is_streaming.load(Ordering::Relaxed));
        let (mut given_up, _) = lines(2, |_| String::new());
        given_up.note_on(&state);
        drop(given_up);
        assert!(!state.is_streaming.load(Ordering::Relaxed));
    }
}
