//! The configuration of a server.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use ghi_engine::Inputs;
use hyper::Uri;
use ipnet::IpNet;

use crate::clock::Clock;

/// The configuration of a server.
#[derive(Clone, Debug)]
pub struct Config {
    /// The network whose data is published.
    pub inputs: Inputs,
    /// The source of the time.
    pub clock: Clock,
    /// The form of the snapshot for requests without a preference.
    pub snapshot_form: SnapshotForm,
    /// Whether requests may select failures, delays and other days with `Prefer`.
    pub scenarios: bool,
    /// Scenarios from the start: `PREFERENCES`, such as `code=503, times=2`, or `PATH: PREFERENCES`.
    pub fail: Vec<String>,
    /// The percentage of API requests that fail on purpose, up to 100.
    pub chaos_percent: u8,
    /// The only path whose requests fail on purpose, such as `/v1/ghi/history`. `None` for the whole API.
    pub chaos_path: Option<String>,
    /// Whether an unknown parameter of an API path is rejected with 400 rather than ignored.
    pub strict_parameters: bool,
    /// The rate limit in requests per second per client, with bursts of twice as many; `None` for no limit.
    pub rate_limit: Option<NonZeroU32>,
    /// Whether clients on this machine are rate limited as well.
    pub rate_limit_loopback: bool,
    /// The proxies whose `X-Forwarded-For` and `Forwarded` are trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// The public URL, with which links start, if it is not the address that the server listens on.
    pub public_url: Option<PublicUrl>,
    /// The limit on open connections. One client may have a tenth of them, but at least 16.
    pub max_connections: usize,
    /// How long a client may take to send the head of a request, and a third of how long it may read nothing.
    pub client_timeout: Duration,
    /// How long a connection may be idle between two requests.
    pub idle_timeout: Duration,
    /// Whether to log each request.
    pub access_log: bool,
}

impl Config {
    /// The default rate limit in requests per second per client.
    pub const RATE_LIMIT: NonZeroU32 = NonZeroU32::new(100).expect("100 is not zero");

    /// The default idle timeout, longer than the usual 60 s of load balancers, which should close first.
    pub const IDLE_TIMEOUT: Duration = Duration::from_secs(75);

    /// The default limit on open connections.
    pub const MAX_CONNECTIONS: usize = 10_000;
}

impl Default for Config {
    fn default() -> Self {
        Self {
            inputs: Inputs::default(),
            clock: Clock::system(),
            snapshot_form: SnapshotForm::default(),
            scenarios: true,
            fail: Vec::new(),
            chaos_percent: 0,
            chaos_path: None,
            strict_parameters: false,
            rate_limit: Some(Self::RATE_LIMIT),
            rate_limit_loopback: false,
            trusted_proxies: Vec::new(),
            public_url: None,
            max_connections: Self::MAX_CONNECTIONS,
            client_timeout: Duration::from_secs(10),
            idle_timeout: Self::IDLE_TIMEOUT,
            access_log: false,
        }
    }
}

/// The form of the snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SnapshotForm {
    /// Includes the regions.
    #[default]
    Full,
    /// Only the worldwide costs.
    Reduced,
}

/// The public URL of a server behind a proxy, such as `https://example.org/sandbox`, without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    url: String,
    /// The host, with the port if there is one.
    pub(crate) host: String,
    /// The path, without a trailing slash.
    pub(crate) path: String,
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

impl FromStr for PublicUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // The links appear in headers, pages and documents, which have different quoting rules.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~[]:/".contains(&byte);
        let uri: Uri = text.parse().ok().filter(|_| text.bytes().all(is_plain)).ok_or(NOT_A_URL)?;
        let (Some("http" | "https"), Some(host)) = (uri.scheme_str(), uri.authority()) else {
            return Err(NOT_A_URL);
        };
        let has_port = host.as_str().len() > host.host().len();
        let path = uri.path().strip_suffix('/').unwrap_or(uri.path());
        let is_path = !path.split('/').skip(1).any(|segment| matches!(segment, "" | "." | ".."));
        if host.host().is_empty() || has_port && host.port_u16().is_none() || !is_path {
            return Err(NOT_A_URL);
        }
        let url = text.strip_suffix('/').unwrap_or(text);
        Ok(Self { url: url.to_owned(), host: host.as_str().to_owned(), path: path.to_owned() })
    }
}

/// The error for a string that is not a public URL.
const NOT_A_URL: &str =
    "must be an http or https URL without a query string, such as https://example.org/sandbox";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_a_plain_url() {
        for (text, url, host, path) in [
            ("https://example.org", "https://example.org", "example.org", ""),
            ("https://example.org/", "https://example.org", "example.org", ""),
            ("http://[::1]:8080/a/b/", "http://[::1]:8080/a/b", "[::1]:8080", "/a/b"),
            (
                "https://example.org/sandbox",
                "https://example.org/sandbox",
                "example.org",
                "/sandbox",
            ),
        ] {
            let parsed: PublicUrl = text.parse().unwrap();
            let parts = (&*parsed.to_string(), &*parsed.host, &*parsed.path);
            assert_eq!(parts, (url, host, path), "{text}");
        }
        for text in [
            "",
            "/sandbox",
            "example.org",
            "ftp://example.org",
            "https://",
            "https://example.org/?a",
            "https://example.org/#a",
            "https://user@example.org/",
            "https://example.org/a b",
            "https://example.org/\"",
            "https://example.org/<x>",
            "https://example.org:99999",
            "https://example.org:",
            "https://example.org/a/../b",
            "https://example.org/a//b",
            "https://example.org//",
            "https://example.org/%zz",
            "https://a;b,c.org/x",
        ] {
            assert_eq!(text.parse::<PublicUrl>(), Err(NOT_A_URL), "{text}");
        }
    }
}
