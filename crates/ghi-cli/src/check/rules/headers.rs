//! Response headers: for caches, for pages from other origins and for tools.

use std::io::Read;

use flate2::read::GzDecoder;
use ghi_client::{Resource, WholeResponse};
use ghi_contract::paths;
use jiff::civil::Time;
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::check::json_object::{DOCUMENTS, JsonObject, ObjectKind};
use crate::check::judge::Judge;
use crate::check::response::{CheckRequest, CheckResponse, Finding, Judgement, unjudged};

/// The shortest response that is compressed, in bytes.
const COMPRESSED_MIN: usize = 1401;

/// The longest content that is decompressed, in bytes.
const CONTENT_MAX: u64 = 8 * 1024 * 1024;

/// The headers that pages from other origins may read.
pub(super) const EXPOSED: [&str; 6] =
    ["ETag", "Link", "RateLimit", "RateLimit-Policy", "Retry-After", "Preference-Applied"];

pub(super) fn headers(
    judge: &mut Judge,
    kinds: impl IntoIterator<Item = ObjectKind>,
    name: &str,
    expected: &str,
    is_right: impl Fn(&str) -> bool,
) -> Judgement {
    judge.each_object(kinds, |document| document.response.verify_header(name, expected, &is_right))
}

pub(super) fn header_is(judge: &mut Judge, name: &str, expected: &str) -> Judgement {
    headers(judge, DOCUMENTS, name, expected, |value| value == expected)
}

pub(super) fn lists(value: &str, entry: &str) -> bool {
    value.split(',').any(|listed| listed.trim().eq_ignore_ascii_case(entry))
}

pub(super) fn any_origin_may_read(judge: &mut Judge) -> Judgement {
    let name = "access-control-allow-credentials";
    judge.each_object(DOCUMENTS, |document| {
        document.response.verify_header_is("access-control-allow-origin", "*")?;
        let value = document.response.header(name);
        let got = format_args!("{name}: {}", value.as_deref().unwrap_or_default());
        document.response.verify(value.is_none(), format_args!("no {name}"), got)
    })
}

pub(super) fn preflight_is_answered(judge: &mut Judge) -> Judgement {
    let request = CheckRequest::new(Method::OPTIONS, paths::SNAPSHOT)
        .header("origin", "https://elsewhere.example")
        .header("access-control-request-method", "GET")
        .header("access-control-request-headers", "prefer,if-none-match");
    let response = judge.verify_status(request, 204)?;
    response.verify_header_is("access-control-allow-origin", "*")?;
    response.verify_header("access-control-allow-methods", "a list with GET", |value| {
        lists(value, "GET")
    })?;
    response.verify_header_is("access-control-allow-headers", "*")
}

/// Whether an `ETag` is weak and not empty.
pub(super) fn is_weak_tag(tag: &str) -> bool {
    let opaque = tag.strip_prefix("W/\"").and_then(|tag| tag.strip_suffix('"'));
    opaque.is_some_and(|opaque| !opaque.is_empty() && !opaque.contains('"'))
}

fn tagged_network(judge: &mut Judge) -> Result<(JsonObject, String), Finding> {
    let network = judge.document(&Resource::Network)?;
    let tag = network.response.header("etag");
    let missing = || unjudged(format!("no etag from {}", paths::NETWORK));
    Ok((network, tag.ok_or_else(missing)?))
}

pub(super) fn tag_ignores_the_timestamp(judge: &mut Judge) -> Judgement {
    let (first, tag) = tagged_network(judge)?;
    let second = judge.again(&first)?;
    second.response.verify_header_is("etag", &tag)
}

pub(super) fn known_document_is_304(judge: &mut Judge) -> Judgement {
    let (_, tag) = tagged_network(judge)?;
    judge.each([tag.clone(), format!("\"x\", {tag}"), "*".into()], |judge, known| {
        let request = CheckRequest::get(paths::NETWORK).header("if-none-match", known);
        let right = judge.verify_response(request, "304 without a body", |response| {
            response.status == 304 && response.body.is_empty()
        });
        right.map(drop)
    })
}

pub(super) fn documents_hold_until_midnight(judge: &mut Judge) -> Judgement {
    judge.each_object(DOCUMENTS, |document| {
        // The seconds until midnight, by the document's own clock.
        let time = document.time()?.time();
        let most = 60.min(Time::MAX.duration_since(time).as_secs() + 1);
        let expected = format!("public, max-age of at most {most}");
        document.response.verify_header("cache-control", &expected, |value| {
            let max_age = value.strip_prefix("public, max-age=");
            max_age.and_then(|age| age.parse::<i64>().ok()).is_some_and(|age| age <= most)
        })
    })
}

/// `Prefer` selects the full or the reduced form of the snapshot.
pub(super) fn preference(judge: &mut Judge, preference: &str, is_full: bool) -> Judgement {
    let request = CheckRequest::get(paths::SNAPSHOT).header("prefer", preference);
    let form = if is_full { "full" } else { "reduced" };
    let expected = format_args!("200, the {form} form");
    let right = judge.verify_response(request, expected, |response| {
        let mut optional = ObjectKind::Snapshot.optional_fields();
        response.is_document()
            && optional.all(|field| response.json.get(field.name).is_some() == is_full)
    });
    right?.verify_header_is("preference-applied", preference)
}

pub(super) fn long_answers_are_compressed(judge: &mut Judge) -> Judgement {
    let documents = judge.all_documents();
    let length = |document: &&JsonObject| document.response.body.len();
    let ends = [documents.iter().max_by_key(length), documents.iter().min_by_key(length)];
    judge.each(ends.into_iter().flatten(), |judge, plain| {
        let request = plain.response.request.clone().header("accept-encoding", "gzip");
        let is_long = length(&plain) >= COMPRESSED_MIN;
        let encoding = is_long.then_some("gzip");
        let expected = encoding.map_or("no content-encoding", |_| "content-encoding: gzip");
        let response = judge.verify_response(request, expected, |response| {
            response.header("content-encoding").as_deref() == encoding
        })?;
        if !is_long {
            return Ok(());
        }
        response
            .verify_header("vary", "accept-encoding", |value| lists(value, "accept-encoding"))?;
        verify_gzip(judge, &response, plain)
    })
}

/// A compressed document equals the plain one, apart from its timestamp.
fn verify_gzip(judge: &mut Judge, response: &CheckResponse, plain: &JsonObject) -> Judgement {
    let mut body = Vec::new();
    let result = GzDecoder::new(&*response.body).take(CONTENT_MAX).read_to_end(&mut body);
    let (status, headers) = (StatusCode::OK, HeaderMap::new());
    let whole = WholeResponse { status, headers, body };
    let content = CheckResponse::new(response.request.clone(), whole);
    judge.note_day(&content);
    let fields = content.json.as_object().filter(|_| result.is_ok());
    let is_same = |(name, value): (&String, &Value)| {
        name == "timestamp_utc" || plain.get(name) == Some(value)
    };
    let is_right = fields.is_some_and(|fields| {
        fields.len() == plain.field_names().len() && fields.iter().all(is_same)
    });
    let got = result.map_or_else(|error| format!("not gzip: {error}"), |_| content.excerpt());
    response.verify(is_right, "the same document as without gzip", got)
}
