//! The body of a response.

use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use crate::net::connection_state::ConnectionState;
use crate::net::drip::Drip;
use crate::net::permits::Permit;
use crate::net::pieces::Pieces;
use crate::net::streamed::{Chunks, EndedEarly, Streamed};

/// The body of a response: complete, generated while it is sent, or cut off or sent slowly on purpose.
pub(crate) enum Content {
    Whole(Pieces),
    Streamed(Box<Streamed>),
    Cut(Box<Cut>),
    Drip(Box<Drip>),
}

impl Content {
    /// Bytes in several pieces.
    pub(crate) fn of_pieces(pieces: impl IntoIterator<Item = Bytes>) -> Self {
        Self::Whole(Pieces::of_pieces(pieces))
    }

    /// Content that is generated while it is sent. The number of such streams is limited.
    pub(crate) fn streamed(chunks: Chunks, permit: Permit) -> Self {
        Self::Streamed(Box::new(Streamed::new(chunks, permit)))
    }

    /// Content that is only partly sent, whatever length the head declares.
    pub(crate) fn cut(self, at: CutAt) -> Self {
        let promised = self.len();
        let progress = match at {
            CutAt::Start => CutProgress::Flushing,
            CutAt::Middle => CutProgress::Sending(self),
        };
        Self::Cut(Box::new(Cut { promised, progress }))
    }

    /// Content that is sent slowly, if its length is known in advance.
    pub(crate) fn drip(self, permit: Permit) -> Self {
        match self {
            Self::Whole(pieces) => Self::Drip(Box::new(Drip::new(pieces, permit))),
            other => other,
        }
    }

    /// Returns the length in bytes, if it is known in advance.
    #[inline(always)] // The rare variants make it too long for the compiler to inline by itself.
    pub(crate) fn len(&self) -> Option<usize> {
        match self {
            Self::Whole(pieces) => Some(pieces.len()),
            Self::Streamed(_) => None,
            Self::Cut(cut) => cut.promised,
            Self::Drip(drip) => Some(drip.rest.len()),
        }
    }

    /// Returns the whole content in one piece, generating it now if necessary.
    pub(crate) fn into_bytes(self) -> Bytes {
        match self {
            Self::Whole(pieces) => pieces.into_bytes(),
            Self::Streamed(streamed) => streamed.into_bytes(),
            Self::Cut(cut) => cut.into_bytes(),
            Self::Drip(drip) => drip.rest.into_bytes(),
        }
    }

    /// Attaches the state of its connection, if the content is generated while it is sent.
    #[inline(always)]
    pub(crate) fn start_on(&mut self, connection: &Arc<ConnectionState>) {
        match self {
            Self::Whole(_) => {}
            Self::Streamed(streamed) => streamed.note_on(connection),
            Self::Cut(cut) => cut.start_on(connection),
            Self::Drip(drip) => drip.start_on(connection),
        }
    }
}

impl Default for Content {
    fn default() -> Self {
        Self::Whole(Pieces::default())
    }
}

impl<T: Into<Bytes>> From<T> for Content {
    fn from(whole: T) -> Self {
        Self::Whole(whole.into().into())
    }
}

/// A body with a single frame, or one frame per generated piece.
impl Body for Content {
    type Data = Pieces;
    type Error = EndedEarly;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Pieces>, EndedEarly>>> {
        match &mut *self {
            Self::Whole(pieces) => {
                let all = mem::take(pieces);
                Poll::Ready((!all.is_empty()).then(|| Ok(Frame::data(all))))
            }
            Self::Streamed(streamed) => {
                let made = streamed.poll_next(context);
                made.map(|piece| piece.map(|piece| piece.map(|piece| Frame::data(piece.into()))))
            }
            Self::Cut(cut) => {
                let next = cut.poll_next(context);
                next.map(|pieces| Some(pieces.map(Frame::data)))
            }
            Self::Drip(drip) => {
                drip.poll_next(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(pieces) => pieces.is_empty(),
            Self::Streamed(streamed) => streamed.is_done(),
            Self::Cut(_) => false,
            Self::Drip(drip) => drip.rest.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.len().map_or_else(SizeHint::default, |length| SizeHint::with_exact(length as u64))
    }
}

/// The point at which content is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutAt {
    /// Before the first byte.
    Start,
    /// Between the first byte and the last.
    Middle,
}

/// Content that promises more than it sends, on purpose.
pub(crate) struct Cut {
    /// The length in bytes that the head declares, if it is known.
    promised: Option<usize>,
    progress: CutProgress,
}

enum CutProgress {
    /// Half of the first frame is still to be sent.
    Sending(Content),
    /// Everything that is sent has been handed over. It is flushed before the connection ends.
    Flushing,
    Done,
}

impl Cut {
    /// Attaches the state of the connection that it is sent on, if it is generated while it is sent.
    fn start_on(&mut self, connection: &Arc<ConnectionState>) {
        if let CutProgress::Sending(content) = &mut self.progress {
            content.start_on(connection);
        }
    }

    /// Returns the remaining content in one piece.
    fn into_bytes(self) -> Bytes {
        match self.progress {
            CutProgress::Sending(content) => {
                let whole = content.into_bytes();
                whole.slice(..whole.len() / 2)
            }
            CutProgress::Flushing | CutProgress::Done => Bytes::new(),
        }
    }

    /// Polls for the next part to send. At the end, returns an error, which ends the connection.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Pieces, EndedEarly>> {
        if let CutProgress::Sending(content) = &mut self.progress {
            let frame = ready!(Pin::new(content).poll_frame(context));
            self.progress = CutProgress::Flushing;
            if let Some(Ok(frame)) = frame
                && let Ok(pieces) = frame.into_data()
            {
                // Only half of it, because this frame may be all of the content.
                let length = pieces.len() / 2;
                return Poll::Ready(Ok(pieces.truncated(length)));
            }
        }
        match mem::replace(&mut self.progress, CutProgress::Done) {
            // hyper writes its buffer when nothing more is ready.
            CutProgress::Flushing => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            _ => Poll::Ready(Err(EndedEarly)),
        }
    }
}
