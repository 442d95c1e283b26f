//! Content that is sent slowly on purpose.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Buf;
use tokio::time::{Sleep, sleep};

use crate::net::connection_state::ConnectionState;
use crate::net::permits::Permit;
use crate::net::pieces::Pieces;
use crate::net::streamed::Unfinished;

/// The time before each piece.
const INTERVAL: Duration = Duration::from_millis(100);

/// The number of pieces: three seconds in total.
const PIECES: usize = 30;

/// Content that is sent in small pieces, with a pause before each.
pub(crate) struct Drip {
    pub(super) rest: Pieces,
    /// The size of a piece in bytes.
    piece: usize,
    /// Started at the first poll, which a HEAD request never makes.
    timer: Option<Pin<Box<Sleep>>>,
    /// Limits the number of slow responses; released with the last piece.
    permit: Option<Permit>,
    unfinished: Option<Unfinished>,
}

impl Drip {
    pub(crate) fn new(pieces: Pieces, permit: Permit) -> Self {
        let piece = pieces.len().div_ceil(PIECES);
        Self { rest: pieces, piece, timer: None, permit: Some(permit), unfinished: None }
    }

    /// Attaches the state of the connection, which is marked as streaming until the last piece.
    pub(crate) fn start_on(&mut self, connection: &Arc<ConnectionState>) {
        self.unfinished = Some(Unfinished::new(connection));
    }

    /// Polls for the next piece.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Pieces>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(INTERVAL)));
        ready!(timer.as_mut().poll(context));
        self.timer = None;
        let piece = self.rest.copy_to_bytes(self.piece.min(self.rest.len()));
        if self.rest.is_empty() {
            (self.permit, self.unfinished) = (None, None);
        }
        Poll::Ready(Some(piece.into()))
    }
}
