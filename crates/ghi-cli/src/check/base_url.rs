//! Where a deployment is.

use std::fmt;
use std::str::FromStr;

use ghi_contract::paths;
use reqwest::Url;

/// The base address of a deployment: http or https, without a slash at its end.
#[derive(Clone, Debug)]
pub(crate) struct BaseUrl(String);

impl BaseUrl {
    /// Its path, without a slash at its end.
    pub(crate) fn path(&self) -> &str {
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
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or("it takes an http or https URL, such as http://127.0.0.1:8000")?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("the API needs no credentials: leave out the user and password".into());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("it takes a URL without query and fragment".into());
        }
        let base = url.as_str().trim_end_matches('/');
        if base.contains(paths::PREFIX) || format!("{base}/").ends_with(paths::PREFIX) {
            return Err("it takes what comes before /v1/ghi, such as http://127.0.0.1:8000".into());
        }
        Ok(Self(base.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_has_a_path_or_none() {
        for (text, base, path) in [
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000", ""),
            ("HTTP://Example.org/", "http://example.org", ""),
            ("https://example.org/a/b/", "https://example.org/a/b", "/a/b"),
        ] {
            let url: BaseUrl = text.parse().unwrap();
            assert_eq!((&*url.to_string(), url.path()), (base, path));
        }
        for text in [
            "",
            "localhost:8000",
            "127.0.0.1:8000",
            "ftp://example.org",
            "http://",
            "http://user:secret@example.org",
            "http://example.org/?a=b",
            "http://example.org/#a",
            "http://example.org/v1/ghi",
            "http://example.org/v1/ghi/",
            "http://example.org/v1/ghi/snapshot",
        ] {
            assert!(text.parse::<BaseUrl>().is_err(), "{text}");
        }
    }
}
