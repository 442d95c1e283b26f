//! Content that is cut off on purpose.

use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;

use crate::net::connection_state::ConnectionState;
use crate::net::pieces::Pieces;
use crate::net::streamed::{EndedEarly, Streamed};

/// The point at which content is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutAt {
    /// Before the first byte.
    Start,
    /// Between the first byte and the last.
    Middle,
}

/// Content that promises more than it sends.
#[derive(Debug)]
pub(crate) struct Cut {
    /// The length in bytes that the head declares, if it is known.
    promised: Option<usize>,
    progress: CutProgress,
}

#[derive(Debug)]
enum CutProgress {
    Whole(Pieces),
    Streamed(Box<Streamed>),
    /// Everything that is sent has been handed over. It is flushed before the connection ends.
    Flushing,
    Done,
}

impl Cut {
    pub(crate) fn of_pieces(pieces: Pieces, at: CutAt) -> Self {
        let promised = Some(pieces.len());
        let progress = match at {
            CutAt::Start => CutProgress::Flushing,
            CutAt::Middle => {
                let length = pieces.len() / 2;
                CutProgress::Whole(pieces.truncated(length))
            }
        };
        Self { promised, progress }
    }

    pub(crate) fn of_streamed(streamed: Box<Streamed>, at: CutAt) -> Self {
        let progress = match at {
            CutAt::Start => CutProgress::Flushing,
            CutAt::Middle => CutProgress::Streamed(streamed),
        };
        Self { promised: None, progress }
    }

    /// Attaches the state of its connection, if the content is generated while it is sent.
    pub(crate) fn start_on(&mut self, connection: &Arc<ConnectionState>) {
        if let CutProgress::Streamed(streamed) = &mut self.progress {
            streamed.note_on(connection);
        }
    }

    /// Returns the declared length in bytes, if there is one.
    pub(crate) fn len(&self) -> Option<usize> {
        self.promised
    }

    /// Returns the remaining content in one piece.
    pub(crate) fn into_bytes(self) -> Bytes {
        match self.progress {
            CutProgress::Whole(pieces) => pieces.into_bytes(),
            CutProgress::Streamed(streamed) => streamed.into_bytes(),
            CutProgress::Flushing | CutProgress::Done => Bytes::new(),
        }
    }

    /// Polls for the next part to send. At the end, returns an error, which ends the connection.
    pub(crate) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Pieces, EndedEarly>> {
        match mem::replace(&mut self.progress, CutProgress::Done) {
            CutProgress::Whole(pieces) if !pieces.is_empty() => {
                self.progress = CutProgress::Flushing;
                Poll::Ready(Ok(pieces))
            }
            CutProgress::Streamed(mut streamed) => match streamed.poll_next(context) {
                Poll::Ready(Some(Ok(first))) => {
                    self.progress = CutProgress::Flushing;
                    // Stops short of the end, because this may be the whole content.
                    Poll::Ready(Ok(first.slice(..first.len().div_ceil(2)).into()))
                }
                Poll::Ready(_) => Poll::Ready(Err(EndedEarly)),
                Poll::Pending => {
                    self.progress = CutProgress::Streamed(streamed);
                    Poll::Pending
                }
            },
            // hyper writes its buffer when nothing more is ready.
            CutProgress::Whole(_) | CutProgress::Flushing => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            CutProgress::Done => Poll::Ready(Err(EndedEarly)),
        }
    }
}
