//! Bytes in pieces, which many responses share without copying.

use std::collections::VecDeque;
use std::io::IoSlice;

use bytes::{Buf, Bytes};

/// Bytes in pieces, sent one after the other. A piece is freed when it has been sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces {
    /// Empty only at the end.
    first: Bytes,
    /// Boxed, because most responses have a single piece.
    #[expect(clippy::box_collection, reason = "None is smaller, and free to drop")]
    rest: Option<Box<VecDeque<Bytes>>>,
}

impl Pieces {
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        let rest = |rest: &VecDeque<Bytes>| rest.iter().map(Bytes::len).sum();
        self.first.len() + self.rest.as_deref().map_or(0, rest)
    }

    /// Joins pieces into a sequence.
    pub(crate) fn of_pieces(pieces: impl IntoIterator<Item = Bytes>) -> Self {
        let mut pieces = pieces.into_iter().filter(|piece| !piece.is_empty());
        let first = pieces.next().unwrap_or_default();
        let rest: VecDeque<Bytes> = pieces.collect();
        Self { first, rest: (!rest.is_empty()).then(|| Box::new(rest)) }
    }

    /// Returns the first bytes, up to a length.
    pub(crate) fn truncated(self, mut length: usize) -> Self {
        let pieces =
            std::iter::once(self.first).chain(self.rest.into_iter().flat_map(|rest| *rest));
        Self::of_pieces(pieces.map(|mut piece| {
            piece.truncate(length);
            length -= piece.len();
            piece
        }))
    }

    /// Returns everything in one piece.
    pub(crate) fn into_bytes(mut self) -> Bytes {
        self.copy_to_bytes(self.len())
    }
}

impl<T: Into<Bytes>> From<T> for Pieces {
    fn from(whole: T) -> Self {
        Self { first: whole.into(), rest: None }
    }
}

impl Buf for Pieces {
    fn remaining(&self) -> usize {
        self.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.first
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        if let (None, [slice, ..]) = (&self.rest, &mut *slices) {
            *slice = IoSlice::new(&self.first);
            return usize::from(!self.is_empty());
        }
        let pieces =
            std::iter::once(&self.first).chain(self.rest.iter().flat_map(|rest| rest.iter()));
        let filled = std::iter::zip(slices, pieces.filter(|piece| !piece.is_empty()));
        filled.map(|(slice, piece)| *slice = IoSlice::new(piece)).count()
    }

    fn advance(&mut self, mut count: usize) {
        while count >= self.first.len() && !self.first.is_empty() {
            count -= self.first.len();
            self.first = self.rest.as_mut().and_then(|rest| rest.pop_front()).unwrap_or_default();
        }
        self.first.advance(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the slices that are left for a vectored write after an advance.
    #[track_caller]
    fn check(pieces: &[&'static str], advance: usize, left: &[&str]) {
        let pieces = pieces.iter().map(|piece| Bytes::from_static(piece.as_bytes()));
        let mut pieces = Pieces::of_pieces(pieces);
        pieces.advance(advance);
        let mut slices = [IoSlice::new(&[]); 8];
        let count = pieces.chunks_vectored(&mut slices);
        let found: Vec<&[u8]> = slices[..count].iter().map(|slice| &**slice).collect();
        assert_eq!(found, left.iter().map(|piece| piece.as_bytes()).collect::<Vec<_>>());
        assert_eq!(pieces.remaining(), left.concat().len());
        assert_eq!(pieces.clone().into_bytes(), left.concat());
        assert_eq!(pieces.is_empty(), left.is_empty());
    }

    #[test]
    fn pieces_are_sent_in_order_and_freed() {
        check(&["head", "stamp", "tail"], 0, &["head", "stamp", "tail"]);
        check(&["head", "stamp", "tail"], 3, &["d", "stamp", "tail"]);
        check(&["head", "stamp", "tail"], 4, &["stamp", "tail"]);
        check(&["head", "stamp", "tail"], 11, &["il"]);
        check(&["head", "stamp", "tail"], 13, &[]);
        check(&["", "a", "", "b", ""], 0, &["a", "b"]);
        check(&[], 0, &[]);
    }
}
