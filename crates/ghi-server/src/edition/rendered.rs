//! A document as it goes over the wire, but for the time of the day.

use std::sync::Arc;

use ghi_contract::paths;
use hyper::header::{HeaderValue, LINK, VARY};
use serde::Serialize;

use crate::http::caching::{Cacheable, Representation, Slot};
use crate::http::site::Site;

/// What stands before every timestamp.
const TIMESTAMP_FIELD: &[u8] = br#""timestamp_utc":""#;

/// The part of a timestamp that stays the same all day.
const DATE_AND_T: usize = "YYYY-MM-DDT".len();

/// The part that is stamped.
const TIME: usize = "HH:MM:SS.ffffff".len();

const JSON: &str = "application/json";

/// The headers of the documents.
#[derive(Debug)]
pub(crate) struct DocumentHeaders {
    /// Of most documents.
    pub(super) plain: Arc<Cacheable>,
    /// Of a document whose form `Prefer` chooses.
    pub(super) varying_by_prefer: Arc<Cacheable>,
    /// Of a document that the snapshot succeeds.
    pub(super) with_successor: Arc<Cacheable>,
}

impl DocumentHeaders {
    pub(crate) fn new(site: &Site) -> Self {
        let plain = || Cacheable::daily(site, JSON);
        let successor = site.link(paths::SNAPSHOT, "successor-version");
        Self {
            plain: plain().into(),
            varying_by_prefer: plain().with(VARY, HeaderValue::from_static("prefer")).into(),
            with_successor: plain().with(LINK, successor).into(),
        }
    }
}

/// Renders a document of the contract, with a slot for the time of the day.
pub(super) fn render(document: &impl Serialize, headers: &Arc<Cacheable>) -> Representation {
    let bytes = serde_json::to_vec(document).expect("contract documents are plain JSON");
    let field = bytes
        .windows(TIMESTAMP_FIELD.len())
        .position(|window| window == TIMESTAMP_FIELD)
        .expect("every contract document has a timestamp near its start");
    let stamp = field + TIMESTAMP_FIELD.len();
    let slot = Slot { start: stamp + DATE_AND_T, end: stamp + DATE_AND_T + TIME };
    let timestamp = Slot { start: stamp, end: slot.end + "Z".len() };
    Representation::with_slot(Arc::clone(headers), bytes, slot, timestamp)
}
