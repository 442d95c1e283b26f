//! A document as it goes over the wire, but for the time.

use bytes::Bytes;
use serde::Serialize;

use crate::clock::Moment;

/// What stands before every timestamp.
const TIMESTAMP_FIELD: &[u8] = br#""timestamp_utc":""#;

/// The part of a timestamp that stays the same all day.
const DATE_AND_T: usize = "YYYY-MM-DDT".len();

/// The bytes of a document of a day, with a slot for the time of the day.
#[derive(Debug)]
pub(crate) struct Document {
    bytes: Box<[u8]>,
    time_slot: usize,
}

impl Document {
    /// Renders a document of the contract.
    pub(crate) fn render(document: &impl Serialize) -> Self {
        let bytes = serde_json::to_vec(document).expect("contract documents are plain JSON");
        let field = bytes
            .windows(TIMESTAMP_FIELD.len())
            .position(|window| window == TIMESTAMP_FIELD)
            .expect("every contract document has a timestamp near its start");
        let time_slot = field + TIMESTAMP_FIELD.len() + DATE_AND_T;
        Self { bytes: bytes.into_boxed_slice(), time_slot }
    }

    /// The document at a moment of its day.
    pub(crate) fn stamped(&self, moment: Moment) -> Bytes {
        let time = moment.time_of_day();
        let mut bytes = self.bytes.to_vec();
        bytes[self.time_slot..][..time.len()].copy_from_slice(&time);
        Bytes::from(bytes)
    }
}
