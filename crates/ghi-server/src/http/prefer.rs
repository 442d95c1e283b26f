//! The `Prefer` header, RFC 7240.

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use crate::http::lists::{elements, split_unquoted, value_of};

/// The header that a request states its preferences with.
pub(crate) const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The header that names the preferences which a response follows.
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The value of a preference, empty where it has none. Of several that have the name, the first
/// counts, wherever it stands.
pub(crate) fn preference<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    elements(headers, PREFER).find_map(|preference| {
        let without_parameters = split_unquoted(preference, ';').next()?.trim();
        let is_bare = without_parameters.eq_ignore_ascii_case(name);
        value_of(without_parameters, name).or(is_bare.then_some(""))
    })
}

/// Names one more preference that a response follows.
pub(crate) fn add_applied(headers: &mut HeaderMap, preference: &str) {
    let before = headers.get(PREFERENCE_APPLIED).and_then(|value| value.to_str().ok());
    let all = match before {
        Some(before) => HeaderValue::try_from(format!("{before}, {preference}")),
        None => HeaderValue::from_str(preference),
    };
    if let Ok(all) = all {
        headers.insert(PREFERENCE_APPLIED, all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefer(lines: &[&'static str]) -> HeaderMap {
        lines.iter().map(|line| (PREFER, HeaderValue::from_static(line))).collect()
    }

    #[track_caller]
    fn check(lines: &[&'static str], expected: Option<&str>) {
        assert_eq!(preference(&prefer(lines), "return"), expected, "{lines:?}");
    }

    #[test]
    fn the_first_preference_of_a_name_counts_wherever_it_stands() {
        check(&[], None);
        check(&["wait=10"], None);
        check(&["return=minimal"], Some("minimal"));
        check(&["RETURN = \"minimal\" ; x=y"], Some("minimal"));
        check(&["wait=10, return=minimal", "return=representation"], Some("minimal"));
        check(&["return, return=minimal"], Some(""));
        check(&["x=\"return=minimal\""], None);
        check(&["x=\", return=minimal"], None);
    }

    #[test]
    fn applied_preferences_are_listed() {
        let mut headers = HeaderMap::new();
        add_applied(&mut headers, "return=minimal");
        add_applied(&mut headers, "delay=5");
        assert_eq!(headers[PREFERENCE_APPLIED], "return=minimal, delay=5");
    }
}
