//! The body of a response.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use std::{iter, mem};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{spawn, yield_now};
use tokio::time::sleep;

use crate::net::permits::Permit;

/// The size of a generated piece in bytes, which is about what a response holds in memory.
const PIECE_BYTES: usize = 32 * 1024;

/// How long a turn may take. Requests to the same worker wait for it.
const TURN: Duration = Duration::from_millis(1);

/// The time before each piece of a body that is sent slowly.
const DRIP_INTERVAL: Duration = Duration::from_millis(100);

const DRIP_PIECES: usize = 30;

/// The error that ends a connection.
pub(crate) const ENDED_EARLY: &str = "the content ended early";

thread_local! {
    /// The turn of this worker.
    static OF_WORKER: Arc<Semaphore> = Arc::new(Semaphore::new(1));
}

/// A chunk takes a fraction of a millisecond, and may be empty.
pub(crate) type Chunks = Box<dyn Iterator<Item = Vec<u8>> + Send>;

#[derive(Default)]
pub(crate) struct Content {
    /// All of it, unless it has pieces.
    whole: Bytes,
    pieces: Option<Box<Pieces>>,
}

/// Content that is generated while it is sent, or cut off or sent slowly on purpose. A piece is generated
/// when the connection can send it, so a client that reads slowly holds one piece in memory.
struct Pieces {
    /// The length in bytes that the head declares, if it is known.
    declared: Option<usize>,
    chunks: Chunks,
    piece_bytes: usize,
    is_exhausted: bool,
    /// Whether an error follows the last chunk. It ends the connection.
    is_cut: bool,
    /// If each chunk is sent by itself after a pause, the permit for that.
    slow: Option<Permit>,
    /// Precedes the next piece.
    wait: Option<Pin<Box<dyn Future<Output = Option<OwnedSemaphorePermit>> + Send>>>,
}

impl Content {
    pub(crate) fn lazy(chunks: Chunks) -> Self {
        Pieces::new(None, chunks).into_content()
    }

    /// Content of which only this percentage is sent, whatever length the head declares. Lazy content counts as its
    /// first piece.
    pub(crate) fn cut(self, percent: usize) -> Self {
        let declared = self.len();
        let mut first = self.pieces.map_or(self.whole.into(), |mut pieces| pieces.generate());
        first.truncate(first.len() * percent / 100);
        let pieces = Pieces::new(declared, Box::new(iter::once(first)));
        Pieces { is_cut: true, ..pieces }.into_content()
    }

    /// Content that is sent in small pieces, or in the usual ones if it is lazy, with a pause before each.
    pub(crate) fn drip(mut self, permit: Permit) -> Self {
        let pieces = self.pieces.get_or_insert_with(|| {
            let piece_bytes = self.whole.len().div_ceil(DRIP_PIECES).max(1);
            let chunks: Vec<_> = self.whole.chunks(piece_bytes).map(<[u8]>::to_vec).collect();
            let pieces = Pieces::new(Some(self.whole.len()), Box::new(chunks.into_iter()));
            Box::new(Pieces { piece_bytes, ..pieces })
        });
        pieces.slow = Some(permit);
        self
    }

    pub(crate) fn len(&self) -> Option<usize> {
        self.pieces.as_ref().map_or(Some(self.whole.len()), |pieces| pieces.declared)
    }

    /// Returns everything that would be sent, generating it now if necessary.
    pub(crate) fn into_bytes(self) -> Bytes {
        self.pieces.map_or(self.whole, |pieces| pieces.chunks.flatten().collect())
    }
}

impl<T: Into<Bytes>> From<T> for Content {
    fn from(whole: T) -> Self {
        Self { whole: whole.into(), pieces: None }
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
        let whole = mem::take(&mut self.whole);
        let piece = match &mut self.pieces {
            None => (!whole.is_empty()).then_some(Ok(whole)),
            Some(pieces) => ready!(pieces.poll_next(context)),
        };
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.as_ref().map_or(self.whole.is_empty(), |pieces| pieces.is_done())
    }

    fn size_hint(&self) -> SizeHint {
        let length = self.len();
        length.map_or_else(SizeHint::default, |length| SizeHint::with_exact(length as u64))
    }
}

impl Pieces {
    fn new(declared: Option<usize>, chunks: Chunks) -> Self {
        let (piece_bytes, is_exhausted, is_cut) = (PIECE_BYTES, false, false);
        Self { declared, chunks, piece_bytes, is_exhausted, is_cut, slow: None, wait: None }
    }

    fn into_content(self) -> Content {
        Content { whole: Bytes::new(), pieces: Some(Box::new(self)) }
    }

    fn is_done(&self) -> bool {
        self.is_exhausted && !self.is_cut
    }

    fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, &'static str>>> {
        while !self.is_done() {
            let is_slow = self.slow.is_some();
            let wait = self.wait.get_or_insert_with(|| Box::pin(next_turn(is_slow)));
            // Also before an error, because hyper writes its buffer while it waits.
            let _turn = ready!(wait.as_mut().poll(context));
            self.wait = None;
            if self.is_exhausted {
                return Poll::Ready(Some(Err(ENDED_EARLY)));
            }
            let piece = self.generate();
            if !piece.is_empty() {
                return Poll::Ready(Some(Ok(piece.into())));
            }
        }
        Poll::Ready(None)
    }

    /// Generates what fits into a turn and a piece.
    fn generate(&mut self) -> Vec<u8> {
        let (started, mut piece) = (Instant::now(), Vec::new());
        while piece.len() < self.piece_bytes && started.elapsed() < TURN && !self.is_exhausted {
            let chunk = self.chunks.next();
            self.is_exhausted = chunk.is_none();
            piece.extend(chunk.unwrap_or_default());
        }
        piece
    }
}

/// Waits for this worker's next turn: a worker generates one piece at a time, and looks for requests between two
/// pieces. Content that is sent slowly waits for its time instead.
async fn next_turn(is_slow: bool) -> Option<OwnedSemaphorePermit> {
    if is_slow {
        sleep(DRIP_INTERVAL).await;
        return None;
    }
    // First come, first served. The semaphore is never closed.
    let turn = OF_WORKER.with(Arc::clone).acquire_owned().await.ok();
    // Until the runtime has looked for events. Another task yields, because hyper polls this one again by itself.
    _ = spawn(yield_now()).await;
    turn
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Returns content of numbered lines.
    fn lines(count: usize, line: impl Fn(usize) -> String + Send + 'static) -> Pieces {
        Pieces::new(None, Box::new((0..count).map(move |number| line(number).into_bytes())))
    }

    async fn next(pieces: &mut Pieces) -> Option<Bytes> {
        poll_fn(|context| pieces.poll_next(context)).await.map(Result::unwrap)
    }

    #[tokio::test]
    async fn the_pieces_together_are_the_content() {
        let mut content = lines(10_000, |number| format!("{number}\n"));
        let mut all = Vec::new();
        while let Some(piece) = next(&mut content).await {
            assert!(piece.len() < PIECE_BYTES + 10);
            all.extend(piece);
        }
        let expected: String = (0..10_000).map(|number| format!("{number}\n")).collect();
        assert_eq!(all, expected.as_bytes());
        let content = lines(10_000, |number| format!("{number}\n"));
        assert_eq!(content.into_content().into_bytes(), expected);
    }

    #[tokio::test]
    async fn the_next_piece_is_generated_when_it_is_polled() {
        let made = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&made);
        let mut content = lines(3, move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            "x".repeat(PIECE_BYTES)
        });
        for expected in 1..=3 {
            assert_eq!(made.load(Ordering::Relaxed), expected - 1);
            assert_eq!(next(&mut content).await.unwrap().len(), PIECE_BYTES);
        }
        assert_eq!(next(&mut content).await, None);
    }

    #[tokio::test]
    async fn a_turn_ends_when_it_has_taken_long_enough() {
        let mut content = lines(2, |number| {
            let started = Instant::now();
            while started.elapsed() < TURN {}
            number.to_string()
        });
        assert_eq!(next(&mut content).await.unwrap(), "0");
        assert_eq!(next(&mut content).await.unwrap(), "1");
        assert!(next(&mut content).await.is_none() && content.is_done());
    }

    #[tokio::test]
    async fn responses_of_a_worker_are_generated_in_turns() {
        let order = Arc::new(Mutex::new(String::new()));
        let tasks = ["a", "b", "c"].map(|name| {
            let order = Arc::clone(&order);
            let mut content = lines(3, move |_| {
                order.lock().unwrap().push_str(name);
                "x".repeat(PIECE_BYTES)
            });
            tokio::spawn(async move { while next(&mut content).await.is_some() {} })
        });
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), "abcabcabc");
    }
}
