//! What a deployment is asked.

use std::borrow::Cow;

use ghi_client::Resource;
use ghi_contract::paths;
use reqwest::Method;

/// A request, below the base address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Tells requests apart that are sent more than once on purpose.
    occasion: u8,
}

impl Request {
    pub(crate) fn get(target: impl Into<String>) -> Self {
        Self { method: Method::GET, target: target.into(), headers: Vec::new(), occasion: 0 }
    }

    /// The request for a document of the contract.
    pub(crate) fn document(resource: &Resource) -> Self {
        Self::get(resource.target())
    }

    pub(crate) fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same request, sent once more.
    pub(crate) fn again(self) -> Self {
        Self { occasion: self.occasion + 1, ..self }
    }

    /// What it asks, whatever the region or the parameters: `GET /v1/ghi/regions/{id}`.
    pub(crate) fn endpoint(&self) -> String {
        let path = self.target.split('?').next().unwrap_or_default();
        let details = paths::REGION_DETAIL.trim_end_matches("{id}");
        let path = if path.starts_with(details) { paths::REGION_DETAIL } else { path };
        format!("{} {path}", self.method)
    }

    /// A line of a shell that sends the same.
    pub(crate) fn curl(&self, base_url: &str) -> String {
        let method = match self.method {
            Method::GET => String::new(),
            Method::HEAD => " -I".into(),
            ref method => format!(" -X {method}"),
        };
        let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}"));
        let headers: String = headers.map(|line| format!(" -H {}", quoted(&line))).collect();
        format!("curl -si{method}{headers} {}", quoted(&format!("{base_url}{}", self.target)))
    }
}

/// A word of a shell.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/%".contains(&byte);
    match word.bytes().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_can_be_typed_into_a_shell() {
        let base = "http://x";
        assert_eq!(Request::get("/v1").curl(base), "curl -si http://x/v1");
        let request = Request::get("/v1?a=b").method(Method::POST).header("prefer", "it's");
        assert_eq!(request.curl(base), r"curl -si -X POST -H 'prefer: it'\''s' 'http://x/v1?a=b'");
        assert_eq!(Request::get("/").method(Method::HEAD).curl(base), "curl -si -I http://x/");
    }
}
