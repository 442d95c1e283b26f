//! Content that is generated while it is sent, in turns: a worker generates one piece at a time, and looks for requests
//! between two pieces.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{spawn, yield_now};

/// The size of a piece in bytes, which is about what a response holds in memory.
const PIECE_BYTES: usize = 32 * 1024;

/// How long a turn may take. Requests to the same worker wait for it.
const TURN: Duration = Duration::from_millis(1);

thread_local! {
    /// The turn of this worker.
    static OF_WORKER: Arc<Semaphore> = Arc::new(Semaphore::new(1));
}

/// Generates content, chunk by chunk. A chunk takes a fraction of a millisecond, and may be empty.
pub(crate) type Chunks = Box<dyn Iterator<Item = Vec<u8>> + Send>;

/// Content that is generated piece by piece. A piece is generated when the connection can send it, so a
/// client that reads slowly holds one piece in memory.
pub(crate) struct Lazy {
    /// Generates the rest, if there is any.
    chunks: Option<Chunks>,
    turn: Option<Pin<Box<dyn Future<Output = Option<OwnedSemaphorePermit>> + Send>>>,
}

impl Lazy {
    pub(crate) fn new(chunks: Chunks) -> Self {
        Self { chunks: Some(chunks), turn: None }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.chunks.is_none()
    }

    /// Polls for the next piece.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        while self.chunks.is_some() {
            let turn = self.turn.get_or_insert_with(|| Box::pin(next_turn()));
            let turn = ready!(turn.as_mut().poll(context));
            self.turn = None;
            let piece = self.generate();
            drop(turn);
            if !piece.is_empty() {
                return Poll::Ready(Some(piece.into()));
            }
        }
        Poll::Ready(None)
    }

    /// Generates what fits into a turn and a piece.
    fn generate(&mut self) -> Vec<u8> {
        let (started, mut piece) = (Instant::now(), Vec::new());
        while piece.len() < PIECE_BYTES && started.elapsed() < TURN {
            match self.chunks.as_mut().and_then(Iterator::next) {
                Some(chunk) => piece.extend(chunk),
                None => {
                    self.chunks = None;
                    break;
                }
            }
        }
        piece
    }

    /// Generates everything at once.
    pub(crate) fn into_bytes(self) -> Bytes {
        self.chunks.into_iter().flatten().flatten().collect()
    }
}

/// Waits for this worker's next turn.
async fn next_turn() -> Option<OwnedSemaphorePermit> {
    // First come, first served. The semaphore is never closed.
    let turn = OF_WORKER.with(Arc::clone).acquire_owned().await.ok();
    // Until the runtime has looked for events. Another task yields, because hyper polls this one again by itself.
    _ = spawn(yield_now()).await;
    turn
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Returns content of numbered lines.
    fn lines(count: usize, line: impl Fn(usize) -> String + Send + 'static) -> Lazy {
        Lazy::new(Box::new((0..count).map(move |number| line(number).into_bytes())))
    }

    async fn next(content: &mut Lazy) -> Option<Bytes> {
        poll_fn(|context| content.poll_next(context)).await
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
        assert_eq!(lines(10_000, |number| format!("{number}\n")).into_bytes(), expected);
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
        let order = Arc::new(std::sync::Mutex::new(String::new()));
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
