//! The headers that every response carries, and the answer to `OPTIONS`.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ALLOW,
    CACHE_CONTROL, DATE, HeaderName, HeaderValue, LINK, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{HeaderMap, Response, StatusCode};

use crate::net::Content;

/// The methods of every resource.
pub(crate) const ALLOWED_METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// The header that names a request as the access log does: as the client did, if it did. Without a
/// name from the client and without a line in the log, it is absent.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The header that names the trace which a request is part of.
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The headers that a page of another origin may read.
const EXPOSED: &str =
    "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Preference-Applied, X-Request-Id";

/// How long a browser may remember the answer to a preflight, seconds: a day, since it never changes.
const PREFLIGHT_MAX_AGE: HeaderValue = HeaderValue::from_static("86400");

/// Stands where the value is known only once there is a request. To [`overwrite`] it is cheaper
/// than to insert a header into a map that has no room for it.
pub(super) const PLACEHOLDER: HeaderValue = HeaderValue::from_static("");

/// The headers of every response: any page may read it, none may guess its type, and unless
/// another value replaces that one, it must not be stored.
///
/// The link is to the description of the service. The date is a placeholder until [`set_date`].
pub(super) fn common_headers(link: HeaderValue) -> HeaderMap {
    HeaderMap::from_iter([
        (DATE, PLACEHOLDER),
        (ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
        (ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED)),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (LINK, link),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ])
}

/// Dates a response.
#[inline] // With its callee, one percent of the instructions of a request.
pub(crate) fn set_date(headers: &mut HeaderMap, date: HeaderValue) {
    overwrite(headers, &DATE, date);
}

/// Overwrites a placeholder. Those come first, where a search is cheaper than hashing the name.
#[inline]
pub(super) fn overwrite(headers: &mut HeaderMap, name: &HeaderName, value: HeaderValue) {
    if let Some((_, placeholder)) = headers.iter_mut().find(|(found, _)| *found == name) {
        *placeholder = value;
    }
}

/// The answer to `OPTIONS`: what is allowed, and to a browser's preflight, what is allowed to pages
/// of other origins.
pub(crate) fn options(common_headers: HeaderMap, request: &HeaderMap) -> Response<Content> {
    let mut response = Response::new(Content::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    *headers = common_headers;
    headers.insert(ALLOW, ALLOWED_METHODS);
    if request.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS);
        // Nothing that a request brings can do harm, and tools add headers of their own.
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*"));
        headers.insert(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE);
    }
    response
}
