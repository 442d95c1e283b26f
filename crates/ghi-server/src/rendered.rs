//! A document as it goes over the wire, but for the time of the day.

use bytes::Bytes;
use hyper::header::HeaderValue;
use serde::Serialize;

use crate::clock::Moment;

/// What stands before every timestamp.
const TIMESTAMP_FIELD: &[u8] = br#""timestamp_utc":""#;

/// The part of a timestamp that stays the same all day.
const DATE_AND_T: usize = "YYYY-MM-DDT".len();

/// The bytes of a document of a day, with a slot for the time of the day.
#[derive(Debug)]
pub(crate) struct Rendered {
    bytes: Box<[u8]>,
    time_slot: usize,
    tag: HeaderValue,
}

impl Rendered {
    /// Renders a document of the contract.
    pub(crate) fn render(document: &impl Serialize) -> Self {
        let bytes = serde_json::to_vec(document).expect("contract documents are plain JSON");
        let field = bytes
            .windows(TIMESTAMP_FIELD.len())
            .position(|window| window == TIMESTAMP_FIELD)
            .expect("every contract document has a timestamp near its start");
        let stamp = field + TIMESTAMP_FIELD.len();
        let after = stamp + "YYYY-MM-DDTHH:MM:SS.ffffffZ".len();
        let tag = tag(bytes[..stamp].iter().chain(&bytes[after..]));
        Self { bytes: bytes.into_boxed_slice(), time_slot: stamp + DATE_AND_T, tag }
    }

    /// The weak entity tag: the same as long as everything but the stamp is the same.
    pub(crate) fn tag(&self) -> &HeaderValue {
        &self.tag
    }

    /// The document at a moment of its day.
    pub(crate) fn stamped(&self, moment: Moment) -> Bytes {
        let time = moment.time_of_day();
        let mut bytes = self.bytes.to_vec();
        bytes[self.time_slot..][..time.len()].copy_from_slice(&time);
        Bytes::from(bytes)
    }
}

/// FNV-1a, 64 bits: the same on every replica, whatever it was built with.
fn tag<'a>(bytes: impl Iterator<Item = &'a u8>) -> HeaderValue {
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    HeaderValue::try_from(format!("W/\"{hash:016x}\"")).expect("digits are visible ASCII")
}
