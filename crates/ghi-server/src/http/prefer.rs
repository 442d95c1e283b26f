//! The `Prefer` header (RFC 7240).

use std::borrow::Cow;

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

use crate::http::lists::{elements, split_unquoted};

pub(crate) const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The response header that lists the preferences that were applied.
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The maximum number of preferences read from a request.
const PREFERENCES_MAX: usize = 64;

/// Returns the value of a preference, or an empty string if the value is missing or malformed. If a
/// name occurs more than once, the first one counts.
pub(crate) fn preference<'a>(headers: &'a HeaderMap, name: &str) -> Option<Cow<'a, str>> {
    let mut all = preferences(headers);
    all.find_map(|(found, value)| found.eq_ignore_ascii_case(name).then_some(value))
}

/// Returns the names of the preferences, with their values as in [`preference`].
pub(crate) fn preferences(headers: &HeaderMap) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
    elements(headers, PREFER).take(PREFERENCES_MAX).filter_map(|preference| {
        let without_parameters = split_unquoted(preference, ';').next()?;
        let (name, value) = without_parameters.split_once('=').unwrap_or((without_parameters, ""));
        Some((name.trim(), unquoted(value.trim()).unwrap_or_default()))
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
