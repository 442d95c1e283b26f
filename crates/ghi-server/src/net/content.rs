//! The body of a response.

use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use crate::net::connection_state::{ConnectionState, Unfinished};
use crate::net::drip::Drip;
use crate::net::lazy::{Chunks, Lazy};
use crate::net::permits::Permit;

/// The body of a response: complete, generated while it is sent, or cut off or sent slowly on purpose.
pub(crate) enum Content {
    Whole(Bytes),
    Lazy(Box<Lazy>),
    Cut(Box<Cut>),
    Drip(Box<Drip>),
}

impl Content {
    /// Content that is generated while it is sent.
    pub(crate) fn lazy(chunks: Chunks) -> Self {
        Self::Lazy(Box::new(Lazy::new(chunks)))
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
            Self::Whole(bytes) => Self::Drip(Box::new(Drip::new(bytes, permit))),
            other => other,
        }
    }

    /// Returns the length in bytes, if it is known in advance.
    pub(crate) fn len(&self) -> Option<usize> {
        match self {
            Self::Whole(bytes) => Some(bytes.len()),
            Self::Lazy(_) => None,
            Self::Cut(cut) => cut.promised,
            Self::Drip(drip) => Some(drip.rest.len()),
        }
    }

    /// Returns the whole content, generating it now if necessary.
    pub(crate) fn into_bytes(self) -> Bytes {
        match self {
            Self::Whole(bytes) => bytes,
            Self::Lazy(lazy) => lazy.into_bytes(),
            Self::Cut(cut) => cut.into_bytes(),
            Self::Drip(drip) => drip.rest,
        }
    }

    /// Attaches the state of its connection.
    pub(crate) fn sent_on(self, connection: &Arc<ConnectionState>) -> SentContent {
        let is_whole = matches!(self, Self::Whole(_));
        let unfinished = (!is_whole).then(|| Unfinished::new(connection));
        SentContent { content: self, _unfinished: unfinished }
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, EndedEarly>>> {
        match self {
            Self::Whole(bytes) => {
                let all = mem::take(bytes);
                Poll::Ready((!all.is_empty()).then_some(Ok(all)))
            }
            Self::Lazy(lazy) => lazy.poll_next(context).map(|piece| piece.map(Ok)),
            Self::Cut(cut) => cut.poll_next(context).map(Some),
            Self::Drip(drip) => drip.poll_next(context).map(|piece| piece.map(Ok)),
        }
    }

    fn is_done(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::Lazy(lazy) => lazy.is_done(),
            Self::Cut(_) => false,
            Self::Drip(drip) => drip.rest.is_empty(),
        }
    }
}

impl Default for Content {
    fn default() -> Self {
        Self::Whole(Bytes::new())
    }
}

impl<T: Into<Bytes>> From<T> for Content {
    fn from(whole: T) -> Self {
        Self::Whole(whole.into())
    }
}

/// The error for content that ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the content ended early")]
pub(crate) struct EndedEarly;

/// Content on the connection that it is sent on.
#[derive(Default)]
pub(crate) struct SentContent {
    content: Content,
    /// Marks the connection's response as incomplete until it is dropped. Content in one piece needs no mark.
    _unfinished: Option<Unfinished>,
}

impl Body for SentContent {
    type Data = Bytes;
    type Error = EndedEarly;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, EndedEarly>>> {
        self.content.poll_next(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_done()
    }

    fn size_hint(&self) -> SizeHint {
        let length = self.content.len();
        length.map_or_else(SizeHint::default, |length| SizeHint::with_exact(length as u64))
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
    /// Half of the first piece is still to be sent.
    Sending(Content),
    /// Everything that is sent has been handed over. It is flushed before the connection ends.
    Flushing,
    Done,
}

impl Cut {
    /// Returns the content that is sent.
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
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Bytes, EndedEarly>> {
        if let CutProgress::Sending(content) = &mut self.progress {
            let piece = ready!(content.poll_next(context));
            self.progress = CutProgress::Flushing;
            if let Some(Ok(piece)) = piece {
                // Only half of it, because this piece may be all of the content.
                return Poll::Ready(Ok(piece.slice(..piece.len() / 2)));
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
