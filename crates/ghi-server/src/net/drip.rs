//! Content that is sent slowly on purpose.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Sleep, sleep};

use crate::net::permits::Permit;

/// The time before each piece.
const INTERVAL: Duration = Duration::from_millis(100);

/// The number of pieces: three seconds in total.
const PIECES: usize = 30;

/// Content that is sent in small pieces, with a pause before each.
pub(crate) struct Drip {
    pub(super) rest: Bytes,
    /// The size of a piece in bytes.
    piece: usize,
    /// Started at the first poll, which a HEAD request never makes.
    timer: Option<Pin<Box<Sleep>>>,
    /// Limits the number of slow responses.
    _permit: Permit,
}

impl Drip {
    pub(crate) fn new(rest: Bytes, permit: Permit) -> Self {
        let piece = rest.len().div_ceil(PIECES);
        Self { rest, piece, timer: None, _permit: permit }
    }

    /// Polls for the next piece.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(INTERVAL)));
        ready!(timer.as_mut().poll(context));
        self.timer = None;
        Poll::Ready(Some(self.rest.split_to(self.piece.min(self.rest.len()))))
    }
}
