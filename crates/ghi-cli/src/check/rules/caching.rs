//! Caching and compression.

use std::io::{self, Read};

use flate2::read::GzDecoder;
use ghi_client::Resource;
use ghi_contract::paths;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::check::case::Case;
use crate::check::exchange::{Answer, Exchange, shown};
use crate::check::fields::Shape;
use crate::check::parts::{Part, again, all_documents};
use crate::check::request::Request;
use crate::check::rule::{Rule, strict};

pub(super) const RULES: &[Rule] = &[
    strict(
        "documents-have-a-weak-tag",
        "4",
        "Documents have a weak `ETag`.",
        documents_have_a_weak_tag,
    ),
    strict(
        "tag-ignores-the-timestamp",
        "4",
        "Two answers of one day have the same `ETag`.",
        tag_ignores_the_timestamp,
    ),
    strict(
        "known-document-is-304",
        "4",
        "`If-None-Match` with the tag of the document, alone or in a list, or `*`, gets 304.",
        known_document_is_304,
    ),
    strict(
        "other-tag-gets-the-document",
        "4",
        "`If-None-Match` with another tag gets the document.",
        other_tag_gets_the_document,
    ),
    strict(
        "documents-hold-until-midnight",
        "4",
        "`Cache-Control` is `public, max-age` of 60 s at most, and not past midnight UTC.",
        documents_hold_until_midnight,
    ),
    strict(
        "snapshot-varies-by-preference",
        "4",
        "The snapshot has `Vary: prefer`.",
        snapshot_varies_by_preference,
    ),
    strict(
        "long-answers-are-compressed",
        "4",
        "Where the client accepts gzip, 1 KiB and more come compressed, and less does not.",
        long_answers_are_compressed,
    ),
];

/// From which length on answers are compressed, bytes.
const COMPRESSED_MIN: usize = 1024;

/// The longest content that is decompressed, bytes: that of a plain body.
const CONTENT_MAX: u64 = 16 * 1024 * 1024;

/// The seconds of a day.
const DAY: u64 = 24 * 60 * 60;

fn is_weak_tag(tag: &str) -> bool {
    let opaque = tag.strip_prefix("W/\"").and_then(|tag| tag.strip_suffix('"'));
    opaque.is_some_and(|opaque| !opaque.is_empty() && !opaque.contains('"'))
}

fn tag(part: &Part) -> Option<String> {
    part.exchange.answer()?.header("etag")
}

fn documents_have_a_weak_tag(case: &mut Case<'_>) {
    for part in all_documents(case) {
        case.verify_header(&part.exchange, "etag", "a weak tag, W/\"...\"", is_weak_tag);
    }
}

fn tag_ignores_the_timestamp(case: &mut Case<'_>) {
    for (first, second) in again(case, Shape::Network) {
        match (tag(&first), tag(&second)) {
            (Some(tag), Some(_)) if first.exchange.day() == second.exchange.day() => {
                case.verify_header(&second.exchange, "etag", &shown(&tag), |other| other == tag);
            }
            _ => case.skip("there are no two answers of one day with a tag"),
        }
    }
}

fn known_document_is_304(case: &mut Case<'_>) {
    let Some(network) = case.document(&Resource::Network) else { return };
    let Some(tag) = network.answer().and_then(|answer| answer.header("etag")) else {
        case.skip("the network metrics have no tag");
        return;
    };
    for known in [tag.clone(), format!("\"x\", {tag}"), "*".into()] {
        let request = Request::get(paths::NETWORK).header("if-none-match", known);
        let Some(exchange) = case.answer(request) else { continue };
        // The tag is another one after midnight.
        if exchange.document().is_some() && exchange.day() != network.day() {
            case.skip("a day ended between two answers");
            continue;
        }
        case.verify_answer(&exchange, "304 without a body", |answer| {
            answer.status == 304 && answer.body.is_empty()
        });
    }
}

fn other_tag_gets_the_document(case: &mut Case<'_>) {
    let request = Request::get(paths::NETWORK).header("if-none-match", "\"no-such-tag\"");
    if let Some(exchange) = case.answer(request) {
        case.verify_answer(&exchange, "200", |answer| answer.status == 200);
    }
}

fn documents_hold_until_midnight(case: &mut Case<'_>) {
    for part in all_documents(case) {
        // The seconds that are left of the day, by the document's own clock.
        let time = part.text("timestamp_utc").and_then(|stamp| stamp.get(11..19));
        let units = time.map(|time| time.split(':').filter_map(|unit| unit.parse::<u64>().ok()));
        let of_day = units.map_or(0, |units| units.fold(0, |seconds, unit| seconds * 60 + unit));
        let most = DAY.saturating_sub(of_day).min(60);
        let expected = format!("public, max-age of at most {most}");
        case.verify_header(&part.exchange, "cache-control", &expected, |value| {
            let max_age = value.strip_prefix("public, max-age=");
            max_age.and_then(|age| age.parse::<u64>().ok()).is_some_and(|age| age <= most)
        });
    }
}

fn snapshot_varies_by_preference(case: &mut Case<'_>) {
    if let Some(exchange) = case.document(&Resource::Snapshot)
        && let Some(answer) = exchange.answer()
    {
        let is_right = answer.lists("vary", "prefer");
        case.verify(&exchange, is_right, "vary: prefer", answer.shown_header("vary"));
    }
}

fn long_answers_are_compressed(case: &mut Case<'_>) {
    let documents = all_documents(case);
    let length = |part: &&Part| part.exchange.answer().map_or(0, |answer| answer.body.len());
    let ends = [documents.iter().max_by_key(length), documents.iter().min_by_key(length)];
    for part in ends.into_iter().flatten() {
        let request = part.exchange.request.clone().header("accept-encoding", "gzip");
        let Some(exchange) = case.answer(request) else { continue };
        if let (Some(plain), Some(answer)) = (part.exchange.answer(), exchange.answer()) {
            verify_compression(case, &exchange, plain, answer);
        }
    }
}

fn verify_compression(case: &mut Case<'_>, exchange: &Exchange, plain: &Answer, answer: &Answer) {
    let name = "content-encoding";
    let encoding = answer.header(name);
    if plain.body.len() < COMPRESSED_MIN {
        let expected = "no content-encoding";
        case.verify(exchange, encoding.is_none(), expected, answer.shown_header(name));
        return;
    }
    case.verify_header(exchange, name, "gzip", |value| value == "gzip");
    if encoding.as_deref() == Some("gzip") {
        let content =
            decompressed(&answer.body).map(|body| Answer::new(200, HeaderMap::new(), body));
        let is_same = content.as_ref().is_ok_and(|content| same_but_for_time(content, plain));
        let got = content.map_or_else(|error| format!("no gzip: {error}"), |it| it.excerpt());
        case.verify(exchange, is_same, "gzip of the document that comes without", got);
        let varies = answer.lists("vary", "accept-encoding");
        case.verify(exchange, varies, "vary: accept-encoding", answer.shown_header("vary"));
    }
}

/// The content of a gzip stream, as far as it may be.
fn decompressed(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    GzDecoder::new(body).take(CONTENT_MAX).read_to_end(&mut content)?;
    Ok(content)
}

/// Whether two answers are the same document. A document of another day cannot be compared.
fn same_but_for_time(answer: &Answer, other: &Answer) -> bool {
    let [Ok(mut document), Ok(mut other)] = [answer, other].map(|answer| answer.json.clone())
    else {
        return false;
    };
    let stamps = [&mut document, &mut other].map(|it| it.get_mut("timestamp_utc").map(Value::take));
    let [day, other_day] = stamps.map(|stamp| Some(stamp?.as_str()?.get(..10)?.to_owned()));
    day != other_day || document == other
}
