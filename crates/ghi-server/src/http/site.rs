//! Where the server stands: what its links start with, and the headers that follow from it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Response, StatusCode};

use crate::config::PublicUrl;
use crate::http::common_headers::common_headers;
use crate::http::paths;
use crate::net::Content;

/// Where a server listens when it is not told otherwise.
const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8000);

/// The server as its clients see it.
#[derive(Debug)]
pub(crate) struct Site {
    public_url: Option<PublicUrl>,
    /// Where it listens.
    address: SocketAddr,
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
            address: DEFAULT_ADDRESS,
            common_headers: HeaderMap::new(),
            clock_notice: None,
            has_scenarios: true,
        };
        site.common_headers = common_headers(site.link(paths::OPENAPI, "service-desc"));
        site
    }

    /// The same of a server that listens at this address.
    pub(crate) fn listening_at(self, address: SocketAddr) -> Self {
        Self { address, ..self }
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

    /// The whole URL of a path, for people to copy: where nobody has said how the server is reached, as
    /// it listens. The scripts of pages put in what the browser knows.
    pub(crate) fn copied_url(&self, path: &str) -> String {
        self.public_url(path).unwrap_or_else(|| format!("http://{}{path}", self.own_address()))
    }

    /// Where this machine reaches it.
    fn own_address(&self) -> SocketAddr {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        SocketAddr::new(ip, self.address.port())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_to_copy_name_the_public_url_or_else_where_the_server_listens() {
        for (address, expected) in [
            ("127.0.0.1:9000", "http://127.0.0.1:9000/a"),
            ("0.0.0.0:8000", "http://127.0.0.1:8000/a"),
            ("[::]:81", "http://[::1]:81/a"),
            ("192.0.2.1:80", "http://192.0.2.1:80/a"),
        ] {
            let site = Site::new(None).listening_at(address.parse().unwrap());
            assert_eq!(site.copied_url("/a"), expected);
        }
        let site = Site::new(Some("https://example.org/x".parse().unwrap()));
        let site = site.listening_at("127.0.0.1:9000".parse().unwrap());
        assert_eq!(site.copied_url("/a"), "https://example.org/x/a");
    }
}
