//! The base URL of a server.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;

/// The base URL of a server, without a trailing slash.
#[derive(Clone, Debug)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// Returns the URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path of the URL, without a trailing slash.
    pub fn path(&self) -> &str {
        let authority = self.0.find("://").map_or(0, |scheme| scheme + 3);
        self.0[authority..].find('/').map_or("", |path| &self.0[authority + path..])
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for BaseUrl {
    type Err = InvalidBaseUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = match text.contains("://") {
            true => InvalidBaseUrl::NotABaseUrl,
            false => InvalidBaseUrl::MissingScheme,
        };
        let url = Url::parse(text).map_err(|_| invalid)?;
        // A password would appear in error messages.
        let is_plain = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !is_plain {
            return Err(invalid);
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }
}

/// Why a string is not a base URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidBaseUrl {
    /// `http://` or `https://` is missing.
    #[error("must start with http:// or https://, such as http://127.0.0.1:8000")]
    MissingScheme,
    /// The text is not a URL, or it has another scheme or parts other than host, port and path.
    #[error(
        "must be an http or https URL without a user name, query string or fragment, such as http://127.0.0.1:8000 or https://example.org/sandbox"
    )]
    NotABaseUrl,
}
