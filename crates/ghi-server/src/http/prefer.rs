//! The `Prefer` header (RFC 7240).

use std::borrow::Cow;

use hyper::HeaderMap;
use hyper::header::HeaderName;

use crate::http::lists::{add_elements, elements, name_and_value, split_unquoted};

pub(crate) const PREFER: HeaderName = HeaderName::from_static("prefer");

pub(crate) const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

const PREFERENCES_MAX: usize = 64;

pub(crate) struct Preference<'a> {
    pub(crate) name: &'a str,
    /// Empty if it is missing or malformed.
    pub(crate) value: Cow<'a, str>,
    /// Whether parameters follow the value: `code=500; x=y`.
    pub(crate) has_parameters: bool,
}

/// Returns the preferences of a request.
pub(crate) fn preferences(headers: &HeaderMap) -> impl Iterator<Item = Preference<'_>> {
    let elements = elements(headers, PREFER).take(PREFERENCES_MAX);
    elements.filter(|element| !element.is_empty()).map(|element| {
        let mut parts = split_unquoted(element, ';');
        let (name, value) = name_and_value(parts.next().unwrap_or_default());
        let has_parameters = parts.next().is_some();
        Preference { name, value: value.unwrap_or_default(), has_parameters }
    })
}

/// Returns the value of a preference. If a name occurs more than once, the first one counts.
pub(crate) fn preference<'a>(headers: &'a HeaderMap, name: &str) -> Option<Cow<'a, str>> {
    let found = preferences(headers).find(|found| found.name.eq_ignore_ascii_case(name));
    found.map(|found| found.value)
}

pub(crate) fn add_applied(headers: &mut HeaderMap, preferences: &str) {
    add_elements(headers, PREFERENCE_APPLIED, preferences);
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn prefer(lines: &[&'static str]) -> HeaderMap {
        lines.iter().map(|line| (PREFER, HeaderValue::from_static(line))).collect()
    }

    #[track_caller]
    fn check(lines: &[&'static str], expected: Option<&str>) {
        assert_eq!(preference(&prefer(lines), "return").as_deref(), expected, "{lines:?}");
    }

    #[test]
    fn the_first_preference_with_a_name_counts() {
        check(&[], None);
        check(&["wait=10"], None);
        check(&["return=minimal"], Some("minimal"));
        check(&["RETURN = \"minimal\" ; x=y"], Some("minimal"));
        check(&["wait=10, return=minimal", "return=representation"], Some("minimal"));
        check(&["return, return=minimal"], Some(""));
        check(&["x=\"return=minimal\""], None);
        check(&["x=\", return=minimal"], None);
        check(&[r#"return="mini\mal""#], Some("minimal"));
        check(&[r#"return="minimal"#], Some(""));
        check(&[r#"return=""minimal"""#], Some(""));
        check(&["return;x=y, return=minimal"], Some(""));
    }

    #[test]
    fn at_most_64_preferences_are_read() {
        for (before, expected) in [(PREFERENCES_MAX - 1, Some("minimal")), (PREFERENCES_MAX, None)]
        {
            let line = format!("{}return=minimal", ",".repeat(before));
            let headers = [(PREFER, HeaderValue::try_from(line).unwrap())].into_iter().collect();
            assert_eq!(preference(&headers, "return").as_deref(), expected, "after {before}");
        }
    }

    #[test]
    fn applied_preferences_are_listed() {
        let mut headers = HeaderMap::new();
        add_applied(&mut headers, "return=minimal");
        add_applied(&mut headers, "delay=5");
        assert_eq!(headers[PREFERENCE_APPLIED], "return=minimal, delay=5");
    }
}
