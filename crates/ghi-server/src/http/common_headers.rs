//! The headers of every response, and the response to `OPTIONS`.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ALLOW,
    CACHE_CONTROL, DATE, HeaderName, HeaderValue, LINK, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{HeaderMap, Response, StatusCode};

use crate::net::Content;

/// The methods that every resource supports.
pub(crate) const ALLOWED_METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// The request id in the access log: the client's own, if it sent one. A response has this header
/// only if the request had it or is logged.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The trace that a request belongs to (W3C Trace Context).
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The headers that pages from other origins may read.
const EXPOSED: &str =
    "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Preference-Applied, X-Request-Id";

/// The value of a header that is set when a request arrives. It makes that header one of the first.
pub(super) const PLACEHOLDER: HeaderValue = HeaderValue::from_static("");

/// The headers of every response: any origin may read it, browsers must not sniff its type, and it
/// must not be stored unless `Cache-Control` is replaced.
///
/// `link` points to the OpenAPI document.
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

/// Returns the response to `OPTIONS`: the allowed methods, and the CORS headers if it is a browser's
/// preflight.
pub(crate) fn options(common_headers: HeaderMap, request: &HeaderMap) -> Response<Content> {
    let mut response = Response::new(Content::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    *response.headers_mut() = common_headers;
    let headers = response.headers_mut();
    headers.insert(ALLOW, ALLOWED_METHODS);
    if request.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS);
        // No request header can do harm, and tools add their own.
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*"));
        // A browser may cache it for a day, since it never changes.
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    }
    response
}
