//! List headers: elements, parameters, quality values and quotes.

use hyper::HeaderMap;
use hyper::header::HeaderName;

/// The trimmed elements of all lines of a list header, in order, without those that are not UTF-8.
pub(crate) fn elements(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    raw_elements(headers, name).filter_map(|element| str::from_utf8(element).ok())
}

/// The trimmed elements of all lines of a list header, in order, including those that are not UTF-8.
/// An open quote ends with its line.
pub(crate) fn raw_elements(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &[u8]> {
    let lines = headers.get_all(name).iter();
    let elements = lines.flat_map(|line| {
        let mut quotes = Quotes::default();
        line.as_bytes().split(move |byte| quotes.is_outside(char::from(*byte)) && *byte == b',')
    });
    elements.map(<[u8]>::trim_ascii)
}

/// The value of a parameter such as `name=value` or `name="value"`, if it has this name.
pub(crate) fn value_of<'a>(parameter: &'a str, name: &str) -> Option<&'a str> {
    let (found, value) = parameter.split_once('=')?;
    found.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
}

/// Splits an element into the part before its quality value and the value in thousandths:
/// `gzip;q=0.5` becomes `gzip` and 500. The default is 1000; an invalid value counts as 0, which
/// means "not acceptable".
pub(crate) fn quality(element: &str) -> (&str, u16) {
    let mut length = 0;
    for part in split_unquoted(element, ';') {
        // Anything after the quality value is ignored.
        if let Some(value) = value_of(part, "q") {
            return (
                element[..length].trim_end_matches(';').trim(),
                thousandths(value).unwrap_or(0),
            );
        }
        length += part.len() + 1;
    }
    (element.trim(), 1000)
}

/// Parses a quality value: 0 to 1 with at most three decimals.
fn thousandths(value: &str) -> Option<u16> {
    let (whole, decimals) = value.split_once('.').unwrap_or((value, ""));
    let has_form = matches!(whole, "0" | "1") && decimals.len() <= 3;
    if !has_form || !decimals.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let digits = whole.bytes().chain(decimals.bytes()).chain(*b"000").take(4);
    let thousandths = digits.fold(0, |sum, digit| 10 * sum + u16::from(digit - b'0'));
    (thousandths <= 1000).then_some(thousandths)
}

/// A media range without its parameters.
pub(crate) fn media_type(range: &str) -> &str {
    range.split(';').next().unwrap_or_default().trim()
}

/// Splits a string at the separators outside quotes.
pub(crate) fn split_unquoted(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quotes = Quotes::default();
    text.split(move |char| quotes.is_outside(char) && char == separator)
}

/// Whether a string opens a quote that it does not close.
pub(crate) fn has_open_quote(text: &str) -> bool {
    let mut quotes = Quotes::default();
    !text.chars().fold(true, |_, char| quotes.is_outside(char))
}

/// Tracks whether a position in a string is inside quotes.
#[derive(Default)]
struct Quotes {
    quoted: bool,
    escaped: bool,
}

impl Quotes {
    /// Reads the next character and returns whether the position after it is outside quotes.
    fn is_outside(&mut self, char: char) -> bool {
        self.quoted ^= char == '"' && !self.escaped;
        self.escaped = self.quoted && char == '\\' && !self.escaped;
        !self.quoted
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
            headers.append("x", hyper::header::HeaderValue::from_bytes(line).unwrap());
        }
        let name = || HeaderName::from_static("x");
        let all: [&[u8]; 6] = [b"a", b"\xff", b"b", b"\"\xff,c", b"d", b""];
        assert_eq!(raw_elements(&headers, name()).collect::<Vec<_>>(), all);
        assert_eq!(elements(&headers, name()).collect::<Vec<_>>(), ["a", "b", "d", ""]);
    }

    #[test]
    fn an_open_quote_is_detected() {
        let open = ["\"", "a=\"b", r#"a="b\""#, r#""a" ""#, r#""\\\""#];
        let closed = ["", "a", "\"\"", r#"a="b\"""#, r#"a\"b""#, r#""\\""#];
        assert_eq!(open.map(has_open_quote), [true; 5]);
        assert_eq!(closed.map(has_open_quote), [false; 6]);
    }

    #[test]
    fn parameter_names_are_case_insensitive() {
        assert_eq!(value_of("For = \"x\"", "for"), Some("x"));
        assert_eq!(value_of("for=x=y", "for"), Some("x=y"));
        assert_eq!([value_of("form=x", "for"), value_of("for", "for")], [None, None]);
    }

    #[test]
    fn a_quality_value_has_at_most_three_decimals() {
        for (element, expected) in [
            ("gzip", ("gzip", 1000)),
            ("gzip;q=1", ("gzip", 1000)),
            ("gzip;q=1.000", ("gzip", 1000)),
            ("gzip;q=0", ("gzip", 0)),
            ("gzip;q=0.", ("gzip", 0)),
            ("gzip;q=0.5", ("gzip", 500)),
            ("gzip ; Q=0.05", ("gzip", 50)),
            ("*;q=0.001", ("*", 1)),
            ("a/b;v=1;q=0.25", ("a/b;v=1", 250)),
            ("a/b; v=\";q=0\" ;q=0.125;x=y", ("a/b; v=\";q=0\"", 125)),
            ("a/b;quality=0", ("a/b;quality=0", 1000)),
            ("", ("", 1000)),
            (";q=0.5", ("", 500)),
            ("gzip;q=", ("gzip", 0)),
            ("gzip;q=.5", ("gzip", 0)),
            ("gzip;q=1.001", ("gzip", 0)),
            ("gzip;q=2", ("gzip", 0)),
            ("gzip;q=10", ("gzip", 0)),
            ("gzip;q=0.1234", ("gzip", 0)),
            ("gzip;q=-1", ("gzip", 0)),
            ("gzip;q=0.+5", ("gzip", 0)),
        ] {
            assert_eq!(quality(element), expected, "{element}");
        }
    }

    #[test]
    fn a_media_type_is_returned_without_its_parameters() {
        assert_eq!(media_type("text/plain ; version=0.0.4"), "text/plain");
        assert_eq!(media_type("*/*"), "*/*");
    }
}
