//! List headers: elements, parameters, quality values and quotes.

use std::borrow::Cow;

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

/// Returns the trimmed elements of all lines of a list header, in order. An open quote ends with its line. An
/// element that is not UTF-8 becomes `?`, which has no meaning in any header.
pub(crate) fn elements(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let elements = headers.get_all(name).iter().flat_map(|line| {
        let mut is_outside = quote_tracker();
        line.as_bytes().split(move |byte| is_outside(char::from(*byte)) && *byte == b',')
    });
    elements.map(|element| str::from_utf8(element.trim_ascii()).unwrap_or("?"))
}

pub(crate) fn add_elements(headers: &mut HeaderMap, name: HeaderName, elements: &str) {
    let before = headers.get(&name).and_then(|value| value.to_str().ok());
    let all = before.map_or(elements.to_owned(), |before| format!("{before}, {elements}"));
    headers.insert(name, HeaderValue::try_from(all).expect("elements are visible ASCII"));
}

/// Splits a parameter such as `name=value` or `name="value"`. The value is empty if it is missing, and `None` if there
/// are quotes anywhere else.
pub(crate) fn name_and_value(parameter: &str) -> (&str, Option<Cow<'_, str>>) {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    let value = unquoted(value.trim()).filter(|_| !name.contains('"'));
    (name.trim(), value)
}

pub(crate) fn value_of<'a>(parameter: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let (found, value) = name_and_value(parameter);
    value.filter(|_| found.eq_ignore_ascii_case(name))
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

/// Returns an element without its parameters, and its quality value in thousandths: `gzip;q=0.5` becomes
/// `gzip` and 500. The default is 1000; an invalid value counts as 0, which means "not acceptable".
pub(crate) fn quality(element: &str) -> (&str, u16) {
    let mut parts = split_unquoted(element, ';');
    let name = parts.next().unwrap_or_default().trim();
    let value = parts.find_map(|parameter| value_of(parameter, "q"));
    let is_valid = |value: &f32| (0.0..=1.0).contains(value);
    let value = value.map_or(Some(1.0), |value| value.parse().ok().filter(is_valid));
    (name, (1000.0 * value.unwrap_or(0.0)) as u16)
}

/// Returns the highest quality that a list header gives one of these names, if it has any of them.
pub(crate) fn best_quality(headers: &HeaderMap, header: HeaderName, names: &[&str]) -> Option<u16> {
    let ranked = elements(headers, header).map(quality);
    let is_named = |found: &str| names.iter().any(|name| name.eq_ignore_ascii_case(found));
    ranked.filter(|(found, _)| is_named(found)).map(|(_, quality)| quality).max()
}

pub(crate) fn split_unquoted(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut is_outside = quote_tracker();
    text.split(move |char| is_outside(char) && char == separator)
}

/// Returns a function that reads the next character of a text and returns whether the position after it is outside
/// quotes.
fn quote_tracker() -> impl FnMut(char) -> bool {
    let (mut is_quoted, mut is_escaped) = (false, false);
    move |char| {
        is_quoted ^= char == '"' && !is_escaped;
        is_escaped = is_quoted && char == '\\' && !is_escaped;
        !is_quoted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, parts: &[&str]) {
        assert_eq!(split_unquoted(text, ',').collect::<Vec<_>>(), parts, "{text}");
    }

    #[test]
    fn separators_count_only_outside_quotes() {
        check("a,b", &["a", "b"]);
        check("", &[""]);
        check(r#""a,b",c"#, &[r#""a,b""#, "c"]);
        check(r#"x="a",y="b,c",d"#, &[r#"x="a""#, r#"y="b,c""#, "d"]);
    }

    #[test]
    fn a_backslash_escapes_only_within_quotes() {
        check(r#""a\",b",c"#, &[r#""a\",b""#, "c"]);
        check(r#""a\\",b"#, &[r#""a\\""#, "b"]);
        check(r#""a\\\",b",c"#, &[r#""a\\\",b""#, "c"]);
        check(r#"a\,b"#, &[r#"a\"#, "b"]);
        check(r#"\"a,b",c"#, &[r#"\"a,b""#, "c"]);
    }

    #[test]
    fn elements_that_are_not_utf8_are_split_too() {
        let mut headers = HeaderMap::new();
        for line in [&b"a, \xff,b"[..], b"\"\xff,c", b" d\t,"] {
            headers.append("x", HeaderValue::from_bytes(line).unwrap());
        }
        let name = || HeaderName::from_static("x");
        let all = ["a", "?", "b", "?", "d", ""];
        assert_eq!(elements(&headers, name()).collect::<Vec<_>>(), all);
    }

    #[test]
    fn a_parameter_with_quotes_around_anything_but_its_value_is_malformed() {
        let open = ["\"", "a=\"b", r#"a="b\""#, r#""a" ""#, r#""\\\""#, r#"a"=b"#];
        for parameter in open.into_iter().chain([r#"a\"b""#, r#""a""#, r#"a="b"c"#, r#"a=b"c""#]) {
            assert_eq!(name_and_value(parameter).1, None, "{parameter}");
        }
        for (parameter, value) in [("", ""), ("a", ""), ("a=\"\"", ""), (r#"a="b\"\c""#, "b\"c")] {
            assert_eq!(name_and_value(parameter).1.as_deref(), Some(value), "{parameter}");
        }
    }

    #[test]
    fn parameter_names_are_case_insensitive() {
        for (parameter, expected) in [
            ("For = \"x\"", Some("x")),
            ("for=x=y", Some("x=y")),
            ("for", Some("")),
            ("form=x", None),
        ] {
            assert_eq!(value_of(parameter, "for").as_deref(), expected, "{parameter}");
        }
    }

    #[test]
    fn a_quality_value_is_a_number_from_0_to_1() {
        for (element, expected) in [
            ("gzip", ("gzip", 1000)),
            ("gzip;q=1", ("gzip", 1000)),
            ("gzip;q=1.000", ("gzip", 1000)),
            ("gzip;q=0", ("gzip", 0)),
            ("gzip;q=0.", ("gzip", 0)),
            ("gzip;q=0.5", ("gzip", 500)),
            ("gzip ; Q=0.05", ("gzip", 50)),
            ("*;q=0.001", ("*", 1)),
            ("a/b;v=1;q=0.25", ("a/b", 250)),
            ("a/b; v=\";q=0\" ;q=0.125;x=y", ("a/b", 125)),
            ("a/b ;quality=0", ("a/b", 1000)),
            ("", ("", 1000)),
            (";q=0.5", ("", 500)),
            ("gzip;q=", ("gzip", 0)),
            ("gzip;q=1.001", ("gzip", 0)),
            ("gzip;q=2", ("gzip", 0)),
            ("gzip;q=10", ("gzip", 0)),
            ("gzip;q=-1", ("gzip", 0)),
            ("gzip;q=0.+5", ("gzip", 0)),
        ] {
            assert_eq!(quality(element), expected, "{element}");
        }
    }
}
