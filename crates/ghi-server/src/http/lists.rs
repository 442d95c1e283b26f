//! Lists in headers: elements, parameters, quotes.

use hyper::HeaderMap;
use hyper::header::HeaderName;

/// The elements of all lines of a list header, in order and trimmed.
pub(crate) fn elements(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(name).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| split_unquoted(line, ',')).map(str::trim)
}

/// The value of a parameter such as `name=value`, `name="value"`, if that is its name.
pub(crate) fn value_of<'a>(parameter: &'a str, name: &str) -> Option<&'a str> {
    let (found, value) = parameter.split_once('=')?;
    found.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
}

/// The parts of a text between separators that stand outside quotes.
pub(crate) fn split_unquoted(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |char| {
        quoted ^= char == '"' && !escaped;
        escaped = quoted && char == '\\' && !escaped;
        char == separator && !quoted
    })
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
    fn a_value_is_found_by_its_name_in_any_case() {
        assert_eq!(value_of("For = \"x\"", "for"), Some("x"));
        assert_eq!(value_of("for=x=y", "for"), Some("x=y"));
        assert_eq!([value_of("form=x", "for"), value_of("for", "for")], [None, None]);
    }
}
