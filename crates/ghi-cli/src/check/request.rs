//! A request to the server.

use std::borrow::Cow;

use ghi_client::Resource;
use ghi_contract::paths;
use reqwest::Method;

/// A request, relative to the base URL.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CheckRequest {
    pub(crate) method: Method,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Whether the response is recorded, so that other rules get it without another request.
    pub(crate) is_recorded: bool,
}

impl CheckRequest {
    pub(crate) fn get(target: impl Into<String>) -> Self {
        let headers = Vec::new();
        Self { method: Method::GET, target: target.into(), headers, is_recorded: true }
    }

    pub(crate) fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Does not record the response, which may be large and is needed by one rule only.
    pub(crate) fn unrecorded(self) -> Self {
        Self { is_recorded: false, ..self }
    }

    /// Returns the method and path, with `{id}` for the region: `GET /v1/ghi/regions/{id}`.
    pub(crate) fn endpoint(&self) -> String {
        let path = self.target.split('?').next().unwrap_or_default();
        let details = paths::REGION_DETAIL.trim_end_matches("{id}");
        let path = if path.starts_with(details) { paths::REGION_DETAIL } else { path };
        format!("{} {path}", self.method)
    }

    /// Returns the request as a shell command.
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

impl From<&Resource> for CheckRequest {
    fn from(resource: &Resource) -> Self {
        Self::get(resource.target())
    }
}

/// Quotes a word for the shell if necessary.
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
    fn a_request_can_be_pasted_into_a_shell() {
        let base = "http://x";
        assert_eq!(CheckRequest::get("/v1").curl(base), "curl -si http://x/v1");
        let request = CheckRequest::get("/v1?a=b").method(Method::POST).header("prefer", "it's");
        assert_eq!(request.curl(base), r"curl -si -X POST -H 'prefer: it'\''s' 'http://x/v1?a=b'");
        assert_eq!(CheckRequest::get("/").method(Method::HEAD).curl(base), "curl -si -I http://x/");
    }
}
