//! A document as it goes over the wire, but for the time of the day.

use std::sync::LazyLock;

use bytes::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LINK, VARY};
use hyper::{HeaderMap, Response, StatusCode};
use serde::Serialize;

use crate::clock::Moment;
use crate::conditional::{CACHE_CONTROL_OF_THE_DAY, cache_control_before_midnight, is_known, tag};
use crate::conventions::{self, fill};

/// What stands before every timestamp.
const TIMESTAMP_FIELD: &[u8] = br#""timestamp_utc":""#;

/// The part of a timestamp that stays the same all day.
const DATE_AND_T: usize = "YYYY-MM-DDT".len();

/// What the responses of most documents say. The tag is left open.
static PLAIN: LazyLock<HeaderMap> = LazyLock::new(|| headers(None));

/// The same of documents of which a preference chooses the form.
static OF_PREFERENCE: LazyLock<HeaderMap> = LazyLock::new(|| headers(Some((VARY, "prefer"))));

/// The same of a document that has a successor.
static SUCCEEDED: LazyLock<HeaderMap> =
    LazyLock::new(|| headers(Some((LINK, "</v1/ghi/snapshot>; rel=\"successor-version\""))));

fn headers(more: Option<(HeaderName, &'static str)>) -> HeaderMap {
    let mut headers = HeaderMap::from_iter([(ETAG, HeaderValue::from_static(""))]);
    headers.extend(conventions::headers());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, CACHE_CONTROL_OF_THE_DAY);
    if let Some((name, value)) = more {
        headers.append(name, HeaderValue::from_static(value));
    }
    headers
}

/// The bytes of a document of a day, with a slot for the time of the day.
#[derive(Debug)]
pub struct Rendered {
    bytes: Box<[u8]>,
    time_slot: usize,
    tag: HeaderValue,
    /// What all of its responses say, kept ready: to copy headers is cheaper than to insert them.
    headers: &'static LazyLock<HeaderMap>,
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
        let tag = tag(bytes[..stamp].iter().chain(&bytes[after..]));
        let bytes = bytes.into_boxed_slice();
        Self { bytes, time_slot: stamp + DATE_AND_T, tag, headers: &PLAIN }
    }

    /// Says that a preference chose this form.
    pub(crate) fn of_preference(self) -> Self {
        Self { headers: &OF_PREFERENCE, ..self }
    }

    /// Says that the snapshot is its successor.
    pub(crate) fn succeeded(self) -> Self {
        Self { headers: &SUCCEEDED, ..self }
    }

    /// The response to a client that sent these headers: the document at a moment of its day, or
    /// the word that the client has it.
    pub(crate) fn respond(&self, moment: Moment, request: &HeaderMap) -> Response<Bytes> {
        let known = is_known(&self.tag, request);
        let mut response = Response::new(if known { Bytes::new() } else { self.stamped(moment) });
        let headers = response.headers_mut();
        *headers = HeaderMap::clone(self.headers);
        fill(headers, &ETAG, self.tag.clone());
        if let Some(until_midnight) = cache_control_before_midnight(moment) {
            headers.insert(CACHE_CONTROL, until_midnight);
        }
        if known {
            headers.remove(CONTENT_TYPE);
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        response
    }

    /// The document at a moment of its day.
    pub fn stamped(&self, moment: Moment) -> Bytes {
        let time = moment.time_of_day();
        let mut bytes = self.bytes.to_vec();
        bytes[self.time_slot..][..time.len()].copy_from_slice(&time);
        Bytes::from(bytes)
    }
}
