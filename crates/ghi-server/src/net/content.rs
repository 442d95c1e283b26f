//! The body of a response.

use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use crate::net::connection_state::ConnectionState;
use crate::net::cut::{Cut, CutAt};
use crate::net::drip::Drip;
use crate::net::permits::Permit;
use crate::net::pieces::Pieces;
use crate::net::streamed::{Chunks, EndedEarly, Streamed};

/// The body of a response: complete, generated while it is sent, or cut off or sent slowly on purpose.
#[derive(Debug)]
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
        match self {
            Self::Whole(pieces) => Self::Cut(Box::new(Cut::of_pieces(pieces, at))),
            Self::Streamed(streamed) => Self::Cut(Box::new(Cut::of_streamed(streamed, at))),
            Self::Cut(_) | Self::Drip(_) => self,
        }
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
            Self::Cut(cut) => cut.len(),
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
