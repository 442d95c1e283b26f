//! Lists in headers: elements, parameters, quotes.

use hyper::HeaderMap;
use hyper::header::HeaderName;

/// The elements of all lines of a list header that are text, in order and trimmed.
pub(crate) fn elements(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    raw_elements(headers, name).filter_map(|element| str::from_utf8(element).ok())
}

/// The elements of all lines of a list header, in order and trimmed, whatever their bytes. A quote
/// that a line leaves open ends with the line.
pub(crate) fn raw_elements(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &[u8]> {
    let lines = headers.get_all(name).iter();
    let elements = lines.flat_map(|line| {
        let mut quotes = Quotes::default();
        line.as_bytes().split(move |byte| quotes.is_outside(char::from(*byte)) && *byte == b',')
    });
    elements.map(<[u8]>::trim_ascii)
}

/// The value of a parameter such as `name=value`, `name="value"`, if that is its name.
pub(crate) fn value_of<'a>(parameter: &'a str, name: &str) -> Option<&'a str> {
    let (found, value) = parameter.split_once('=')?;
    found.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
}

/// The parts of a text between separators that stand outside quotes.
pub(crate) fn split_unquoted(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quotes = Quotes::default();
    text.split(move |char| quotes.is_outside(char) && char == separator)
}

/// Whether a text opens a quote that it does not close.
pub(crate) fn has_open_quote(text: &str) -> bool {
    let mut quotes = Quotes::default();
    !text.chars().fold(true, |_, char| quotes.is_outside(char))
}

/// Where in a text one is: within quotes or outside.
#[derive(Default)]
struct Quotes {
    quoted: bool,
    escaped: bool,
}

impl Quotes {
    /// Whether one is outside after the next character.
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
    fn separators_count_outside_quotes_alone() {
        check("a,b", &["a", "b"]);
        check("", &[""]);
        check(r#""a,b",c"#, &[r#""a,b""#, "c"]);
        check(r#"x="a",y="b,c",d"#, &[r#"x="a""#, r#"y="b,c""#, "d"]);
    }

    #[test]
    fn a_backslash_escapes_within_quotes_alone() {
        check(r#""a\",b",c"#, &[r#""a\",b""#, "c"]);
        check(r#""a\\",b"#, &[r#""a\\""#, "b"]);
        check(r#""a\\\",b",c"#, &[r#""a\\\",b""#, "c"]);
        check(r#"a\,b"#, &[r#"a\"#, "b"]);
        check(r#"\"a,b",c"#, &[r#"\"a,b""#, "c"]);
    }

    #[test]
    fn elements_are_split_whatever_their_bytes() {
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
    fn a_quote_that_is_left_open_is_noticed() {
        let open = ["\"", "a=\"b", r#"a="b\""#, r#""a" ""#, r#""\\\""#];
        let closed = ["", "a", "\"\"", r#"a="b\"""#, r#"a\"b""#, r#""\\""#];
        assert_eq!(open.map(has_open_quote), [true; 5]);
        assert_eq!(closed.map(has_open_quote), [false; 6]);
    }

    #[test]
    fn a_value_is_found_by_its_name_in_any_case() {
        assert_eq!(value_of("For = \"x\"", "for"), Some("x"));
        assert_eq!(value_of("for=x=y", "for"), Some("x=y"));
        assert_eq!([value_of("form=x", "for"), value_of("for", "for")], [None, None]);
    }
}
