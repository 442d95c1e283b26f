//! What every response says, and what `OPTIONS` gets.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, CACHE_CONTROL, CONTENT_TYPE,
    DATE, HeaderName, HeaderValue, LINK, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{HeaderMap, Response, StatusCode};

/// The methods of every resource.
pub(crate) const ALLOWED_METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// The header that names a request as the log does; where there is no line, there is no name.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The headers that a page of another origin may read.
const EXPOSED: &str =
    "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Preference-Applied, X-Request-Id";

/// What every response says: any page may read it, none may guess its type, and unless another
/// word replaces that one, it is not to be kept.
///
/// The date is left open for the moment of the response.
pub(crate) fn headers() -> HeaderMap {
    HeaderMap::from_iter([
        (DATE, HeaderValue::from_static("")),
        (ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
        (ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED)),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (LINK, HeaderValue::from_static("</openapi.json>; rel=\"service-desc\"")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ])
}

/// Gives a header that was left open its value. Those come first, where looking is cheaper than
/// hashing the name.
pub(crate) fn fill(headers: &mut HeaderMap, name: &HeaderName, value: HeaderValue) {
    if let Some((_, open)) = headers.iter_mut().find(|(found, _)| *found == name) {
        *open = value;
    }
}

/// A response that says what every response says, and what it holds.
pub(crate) fn response(
    status: StatusCode,
    content_type: &'static str,
    body: Bytes,
) -> Response<Bytes> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// The answer to `OPTIONS`, a browser's preflight among them.
pub(crate) fn options() -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    *headers = self::headers();
    headers.insert(ALLOW, ALLOWED_METHODS);
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS);
    let request_headers = HeaderValue::from_static("Prefer, If-None-Match");
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, request_headers);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}

/// Gives each request a name: unique in its process, and hardly found in another.
pub(crate) struct RequestIds(AtomicU64);

impl Default for RequestIds {
    fn default() -> Self {
        Self(AtomicU64::new(RandomState::new().hash_one(0)))
    }
}

impl RequestIds {
    pub(crate) fn next(&self) -> HeaderValue {
        const HEX: [u8; 16] = *b"0123456789abcdef";
        let id = self.0.fetch_add(1, Ordering::Relaxed);
        let digits: [u8; 16] =
            std::array::from_fn(|place| HEX[(id >> (60 - 4 * place) & 15) as usize]);
        HeaderValue::from_bytes(&digits).expect("digits are visible ASCII")
    }
}
