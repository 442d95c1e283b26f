//! The `Prefer` header (RFC 7240).

use std::borrow::Cow;

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use crate::http::lists::{raw_elements, split_unquoted};

pub(crate) const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The response header that lists the preferences that were applied.
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The maximum number of preferences read from a request.
pub(crate) const PREFERENCES_MAX: usize = 64;

/// A preference of a request.
pub(crate) struct Preference<'a> {
    pub(crate) name: &'a str,
    /// Empty if it is missing or malformed.
    pub(crate) value: Cow<'a, str>,
    /// Whether parameters follow the value: `code=500; x=y`.
    pub(crate) has_parameters: bool,
}

/// Returns the value of a preference, or an empty string if the value is missing or malformed. If a
/// name occurs more than once, the first one counts.
pub(crate) fn preference<'a>(headers: &'a HeaderMap, name: &str) -> Option<Cow<'a, str>> {
    let mut all = preferences(headers).take(PREFERENCES_MAX);
    all.find_map(|found| found.name.eq_ignore_ascii_case(name).then_some(found.value))
}

/// Returns the preferences of a request, including empty ones. One that is not UTF-8 has the name `?`.
pub(crate) fn preferences(headers: &HeaderMap) -> impl Iterator<Item = Preference<'_>> {
    raw_elements(headers, PREFER).map(|element| {
        let mut parts = split_unquoted(str::from_utf8(element).unwrap_or("?"), ';');
        let preference = parts.next().unwrap_or_default();
        let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
        let value = unquoted(value.trim()).unwrap_or_default();
        Preference { name: name.trim(), value, has_parameters: parts.next().is_some() }
    })
}

/// Unquotes a value, which must be quoted completely or not at all.
fn unquoted(value: &str) -> Option<Cow<'_, str>> {
    let Some(rest) = value.strip_prefix('"') else {
        return (!value.contains('"')).then_some(Cow::Borrowed(value));
    };
    let (mut text, mut chars) = (String::new(), rest.chars());
    loop {
        match chars.next()? {
            '"' => return chars.as_str().is_empty().then_some(Cow::Owned(text)),
            '\\' => text.push(chars.next()?),
            other => text.push(other),
        }
    }
}

/// Removes `Preference-Applied`, if the preferences in it have lost their effect.
pub(crate) fn clear_applied(headers: &mut HeaderMap) {
    headers.remove(PREFERENCE_APPLIED);
}

/// Adds a preference to `Preference-Applied`.
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
