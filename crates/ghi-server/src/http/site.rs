//! The site: its public URL, its links, and the headers of every response.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use bytes::Bytes;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ALLOW,
    CACHE_CONTROL, CONTENT_TYPE, DATE, HeaderValue, LINK, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{HeaderMap, Response, StatusCode};

use crate::config::PublicUrl;
use crate::http::paths;
use crate::net::Content;

/// The methods that every resource supports.
pub(crate) const ALLOWED_METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// The headers that pages from other origins may read.
const EXPOSED: &str =
    "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Preference-Applied, X-Request-Id";

/// The server as its clients see it.
#[derive(Debug)]
pub(crate) struct Site {
    public_url: Option<PublicUrl>,
    /// The address that the server listens on.
    pub(crate) address: SocketAddr,
    /// The headers of every response: any origin may read it, browsers must not sniff its type, and it must not be
    /// stored unless `Cache-Control` is replaced.
    pub(crate) common_headers: HeaderMap,
    /// The notice on pages if the server's clock doesn't show real time.
    pub(crate) clock_notice: Option<String>,
    /// Whether scenarios are enabled, in which case every API response varies by `Prefer`.
    pub(crate) has_scenarios: bool,
}

impl Site {
    pub(crate) fn new(public_url: Option<PublicUrl>) -> Self {
        let mut site = Self {
            public_url,
            address: ([127, 0, 0, 1], 8000).into(),
            common_headers: HeaderMap::new(),
            clock_notice: None,
            has_scenarios: true,
        };
        site.common_headers.extend([
            // The first header; each response sets its value.
            (DATE, HeaderValue::from_static("")),
            (ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
            (ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED)),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (LINK, site.link(paths::OPENAPI, "service-desc")),
            (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        ]);
        site
    }

    /// Returns the absolute URL of a path, if the public URL is configured.
    pub(crate) fn public_url(&self, path: &str) -> Option<String> {
        self.public_url.as_ref().map(|url| format!("{url}{path}"))
    }

    /// Returns the absolute URL of a path if the public URL is configured, or else the path.
    pub(crate) fn url(&self, path: &str) -> String {
        self.public_url(path).unwrap_or_else(|| path.to_owned())
    }

    /// Returns an absolute URL for people to copy. Without a public URL, it has the address that the
    /// server listens on; in a browser, a script replaces that address with the page's origin.
    pub(crate) fn copied_url(&self, path: &str) -> String {
        let own = || format!("http://{}{path}", own_address(self.address));
        self.public_url(path).unwrap_or_else(own)
    }

    /// The host and port of the public URL, if configured. Never taken from a request.
    pub(crate) fn host(&self) -> Option<&str> {
        self.public_url.as_ref().map(|url| &*url.host)
    }

    /// The prefix of every path in this server's pages.
    pub(crate) fn prefix(&self) -> &str {
        self.public_url.as_ref().map_or("", |url| &url.path)
    }

    /// Returns the value of a `Link` header.
    pub(crate) fn link(&self, path: &str, relation: &str) -> HeaderValue {
        let link = format!("<{}>; rel=\"{relation}\"", self.url(path));
        HeaderValue::try_from(link).expect("URLs are visible ASCII")
    }

    /// Returns the response to `OPTIONS`: the allowed methods, and the CORS headers if it is a browser's preflight.
    pub(crate) fn options(&self, request: &HeaderMap) -> Response<Content> {
        let mut response = Response::new(Content::default());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let headers = response.headers_mut();
        *headers = self.common_headers.clone();
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

    /// Returns the common headers with this type.
    pub(crate) fn headers(&self, content_type: &'static str) -> HeaderMap {
        let mut headers = self.common_headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers
    }

    /// Returns a response with the common headers and this body.
    pub(crate) fn response(
        &self,
        status: StatusCode,
        content_type: &'static str,
        body: impl Into<Bytes>,
    ) -> Response<Content> {
        let mut response = Response::new(body.into().into());
        *response.status_mut() = status;
        *response.headers_mut() = self.headers(content_type);
        response
    }
}

/// Returns the address at which this machine can reach a server that listens on an address.
pub fn own_address(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_to_copy_have_the_public_url_or_else_the_listening_address() {
        for (address, expected) in [
            ("127.0.0.1:9000", "http://127.0.0.1:9000/a"),
            ("0.0.0.0:8000", "http://127.0.0.1:8000/a"),
            ("[::]:81", "http://[::1]:81/a"),
            ("192.0.2.1:80", "http://192.0.2.1:80/a"),
        ] {
            let site = Site { address: address.parse().unwrap(), ..Site::new(None) };
            assert_eq!(site.copied_url("/a"), expected);
        }
        let site = Site::new(Some("https://example.org/x".parse().unwrap()));
        assert_eq!(site.copied_url("/a"), "https://example.org/x/a");
    }
}
