//! A document as it is sent, except for the time of day.

use std::io::{self, Write};
use std::sync::Arc;

use ghi_contract::paths;
use hyper::HeaderMap;
use hyper::header::{LINK, VARY};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::http::caching::{Representation, daily_api_headers};
use crate::http::prefer::PREFER;
use crate::http::site::Site;

/// The text before every timestamp.
const TIMESTAMP_FIELD: &[u8] = br#""timestamp_utc":""#;

/// The part of a timestamp that stays the same all day.
const DATE_AND_T: usize = "YYYY-MM-DDT".len();

/// The part that is filled in for each request: `HH:MM:SS.ffffff`.
const TIME: usize = "HH:MM:SS.ffffff".len();

const JSON: &str = "application/json";

/// The headers of the documents.
#[derive(Debug)]
pub(crate) struct DocumentHeaders {
    /// For most documents.
    pub(super) plain: Arc<HeaderMap>,
    /// For a document whose form `Prefer` selects.
    pub(super) varying_by_prefer: Arc<HeaderMap>,
    /// For a document that the snapshot replaces.
    pub(super) with_successor: Arc<HeaderMap>,
}

impl DocumentHeaders {
    pub(crate) fn new(site: &Site) -> Self {
        let plain = daily_api_headers(site, JSON);
        let (mut varying_by_prefer, mut with_successor) = (plain.clone(), plain.clone());
        varying_by_prefer.insert(VARY, PREFER.into());
        with_successor.append(LINK, site.link(paths::SNAPSHOT, "successor-version"));
        Self {
            plain: plain.into(),
            varying_by_prefer: varying_by_prefer.into(),
            with_successor: with_successor.into(),
        }
    }
}

/// Returns a document of the contract as JSON, as a server sends it. Floats have a decimal point and no
/// exponent, however small they are.
pub fn document_json(document: &impl Serialize) -> String {
    String::from_utf8(to_json(document)).expect("JSON is text")
}

fn to_json(document: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1024);
    let mut serializer = Serializer::with_formatter(&mut bytes, PlainFloats);
    document.serialize(&mut serializer).expect("contract documents are plain JSON");
    bytes
}

struct PlainFloats;

impl Formatter for PlainFloats {
    fn write_f64<W: Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        // This writes no exponent, but omits the point if there is no fraction.
        let digits = value.to_string();
        writer.write_all(digits.as_bytes())?;
        if digits.contains('.') { Ok(()) } else { writer.write_all(b".0") }
    }
}

/// Renders a document of the contract without its time of day, which is the stamp.
pub(super) fn render(document: &impl Serialize, headers: &Arc<HeaderMap>) -> Representation {
    let mut bytes = to_json(document);
    let field = bytes
        .windows(TIMESTAMP_FIELD.len())
        .position(|window| window == TIMESTAMP_FIELD)
        .expect("every contract document has a timestamp near its start");
    let timestamp = field + TIMESTAMP_FIELD.len();
    let time = timestamp + DATE_AND_T;
    bytes.drain(time..time + TIME);
    Representation::stamped(Arc::clone(headers), bytes, time, timestamp..time + "Z".len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_a_point_and_no_exponent() {
        let floats = [61_275.07, 13.0, 5e-9, 4.512e-9, 118_441_022_578_828.0, 0.05];
        assert_eq!(
            document_json(&floats),
            "[61275.07,13.0,0.000000005,0.000000004512,118441022578828.0,0.05]"
        );
    }
}
