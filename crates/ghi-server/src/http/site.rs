//! Where the server stands: what its links start with, and the headers that follow from it.

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Response, StatusCode};

use crate::config::PublicUrl;
use crate::http::common_headers::common_headers;
use crate::http::paths;
use crate::net::Content;

/// What URLs start with that are shown to people where nobody has said where the server is reached: as
/// it listens when it is not told otherwise. The scripts of pages put in what the browser knows.
pub(crate) const DEFAULT_BASE: &str = "http://127.0.0.1:8000";

/// The server as its clients see it.
#[derive(Debug)]
pub(crate) struct Site {
    public_url: Option<PublicUrl>,
    common_headers: HeaderMap,
    /// What pages say of the server's clock, where it is not the real one.
    clock_notice: Option<String>,
    /// Whether requests may ask for scenarios, so that `Prefer` has a say in every answer of the API.
    has_scenarios: bool,
}

impl Site {
    pub(crate) fn new(public_url: Option<PublicUrl>) -> Self {
        let mut site = Self {
            public_url,
            common_headers: HeaderMap::new(),
            clock_notice: None,
            has_scenarios: true,
        };
        site.common_headers = common_headers(site.link(paths::OPENAPI, "service-desc"));
        site
    }

    /// The same with what pages shall say of the server's clock.
    pub(crate) fn with_clock_notice(self, clock_notice: Option<String>) -> Self {
        Self { clock_notice, ..self }
    }

    /// The same, whether requests may ask for scenarios or not.
    pub(crate) fn with_scenarios(self, has_scenarios: bool) -> Self {
        Self { has_scenarios, ..self }
    }

    /// Whether `Prefer` has a say in every answer of the API.
    pub(crate) fn has_scenarios(&self) -> bool {
        self.has_scenarios
    }

    /// What pages say of the server's clock, where it is not the real one.
    pub(crate) fn clock_notice(&self) -> Option<&str> {
        self.clock_notice.as_deref()
    }

    /// A path as others reach it: the whole URL where it is known, else relative to the server.
    pub(crate) fn url(&self, path: &str) -> String {
        self.public_url(path).unwrap_or_else(|| path.to_owned())
    }

    /// The whole URL of a path, where it is known.
    pub(crate) fn public_url(&self, path: &str) -> Option<String> {
        self.public_url.as_ref().map(|url| format!("{url}{path}"))
    }

    /// The host and port of the public URL, where it is known. Requests have no say in it.
    pub(crate) fn host(&self) -> Option<&str> {
        self.public_url.as_ref().map(PublicUrl::host)
    }

    /// What a path starts with in the pages of this server.
    pub(crate) fn prefix(&self) -> &str {
        self.public_url.as_ref().map_or("", PublicUrl::path)
    }

    /// The value of a `Link` header.
    pub(crate) fn link(&self, path: &str, relation: &str) -> HeaderValue {
        let link = format!("<{}>; rel=\"{relation}\"", self.url(path));
        HeaderValue::try_from(link).expect("URLs are visible ASCII")
    }

    /// The headers of every response.
    pub(crate) fn common_headers(&self) -> HeaderMap {
        self.common_headers.clone()
    }

    /// A response with the common headers and some content.
    pub(crate) fn response(
        &self,
        status: StatusCode,
        content_type: &'static str,
        body: impl Into<Bytes>,
    ) -> Response<Content> {
        let mut response = Response::new(body.into().into());
        *response.status_mut() = status;
        *response.headers_mut() = self.common_headers();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        response
    }
}
