//! A document as it goes over the wire, but for the time of the day.

use std::sync::LazyLock;

use bytes::Bytes;
use ghi_contract::paths;
use hyper::header::{HeaderValue, LINK, VARY};
use serde::Serialize;

use crate::clock::Moment;
use crate::http::caching::{Cacheable, entity_tag};

/// What stands before every timestamp.
const TIMESTAMP_FIELD: &[u8] = br#""timestamp_utc":""#;

/// The part of a timestamp that stays the same all day.
const DATE_AND_T: usize = "YYYY-MM-DDT".len();

const JSON: &str = "application/json";

/// The headers of most documents.
static PLAIN: LazyLock<Cacheable> = LazyLock::new(|| Cacheable::daily(JSON));

/// Those of a document whose form `Prefer` chooses.
static VARYING_BY_PREFER: LazyLock<Cacheable> =
    LazyLock::new(|| Cacheable::daily(JSON).with(VARY, HeaderValue::from_static("prefer")));

/// Those of a document that the snapshot succeeds.
static WITH_SUCCESSOR: LazyLock<Cacheable> = LazyLock::new(|| {
    let link = format!("<{}>; rel=\"successor-version\"", paths::SNAPSHOT);
    Cacheable::daily(JSON).with(LINK, HeaderValue::try_from(link).expect("a path is visible ASCII"))
});

/// The bytes of a document of a day, with a slot for the time of the day.
#[derive(Debug)]
pub(crate) struct Rendered {
    bytes: Box<[u8]>,
    time_slot: usize,
    tag: HeaderValue,
    headers: &'static LazyLock<Cacheable>,
}

impl Rendered {
    /// Renders a document of the contract.
    pub(crate) fn new(document: &impl Serialize) -> Self {
        let bytes = serde_json::to_vec(document).expect("contract documents are plain JSON");
        let field = bytes
            .windows(TIMESTAMP_FIELD.len())
            .position(|window| window == TIMESTAMP_FIELD)
            .expect("every contract document has a timestamp near its start");
        let stamp = field + TIMESTAMP_FIELD.len();
        let after = stamp + "YYYY-MM-DDTHH:MM:SS.ffffffZ".len();
        let tag = entity_tag(bytes[..stamp].iter().chain(&bytes[after..]));
        let bytes = bytes.into_boxed_slice();
        Self { bytes, time_slot: stamp + DATE_AND_T, tag, headers: &PLAIN }
    }

    /// Says in `Vary` that `Prefer` chose this form.
    pub(crate) fn varying_by_prefer(self) -> Self {
        Self { headers: &VARYING_BY_PREFER, ..self }
    }

    /// Says in `Link` that the snapshot succeeds it.
    pub(crate) fn with_successor(self) -> Self {
        Self { headers: &WITH_SUCCESSOR, ..self }
    }

    /// The headers of its responses.
    pub(crate) fn headers(&self) -> &Cacheable {
        self.headers
    }

    /// The entity tag, over everything but the timestamp.
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
