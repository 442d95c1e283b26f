//! The address that paths are appended to.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;

/// The address of a deployment, without a slash at its end.
///
/// ```
/// use ghi_client::BaseUrl;
///
/// let url: BaseUrl = "https://example.org/sandbox/".parse()?;
/// assert_eq!((url.as_str(), url.path()), ("https://example.org/sandbox", "/sandbox"));
/// assert!("localhost:8000".parse::<BaseUrl>().is_err());
/// # Ok::<(), ghi_client::InvalidBaseUrl>(())
/// ```
#[derive(Clone, Debug)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// The whole address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its path, without a slash at its end.
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
        let url = Url::parse(text).map_err(|_| InvalidBaseUrl)?;
        // A password would appear in error messages.
        let is_plain = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !is_plain {
            return Err(InvalidBaseUrl);
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }
}

/// The text is not a base address; the message says what is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be an http or https URL without user, query and fragment, such as http://127.0.0.1:8000 or https://example.org/sandbox"
)]
pub struct InvalidBaseUrl;
