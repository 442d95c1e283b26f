//! Removes comments, indentation and empty lines from stylesheets and scripts.

/// Minifies a stylesheet into one line.
pub(crate) fn stylesheet(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once("*/").map_or("", |(_, rest)| rest));
    let text: String = std::iter::once(first).chain(rest).collect();
    let text: String = lines(&text).collect();
    text.replace("{ ", "{")
        .replace(" {", "{")
        .replace("; }", "}")
        .replace(";}", "}")
        .replace(": ", ":")
        .replace("; ", ";")
        .replace(", ", ",")
        .replace(" > ", ">")
        .replace(":0.", ":.")
        .replace(" 0.", " .")
        .replace(",0.", ",.")
        .replace(":-0.", ":-.")
}

/// Operators and punctuation that need no spaces in a script. They are replaced inside strings too, so no string may
/// depend on these spaces.
const SPACED: [&str; 20] = [
    " => ", " = ", " === ", " !== ", " += ", " && ", " || ", " ?? ", " ? ", " : ", " + ", " - ",
    " * ", " / ", " <= ", ", ", ": ", " {", "{ ", " }",
];

/// Minifies a script. Comments are on their own lines. A line break stays if it may end a statement, and no
/// string spans several lines.
pub(crate) fn script(text: &str) -> String {
    let lines = lines(text).filter(|line| !line.starts_with("//"));
    let end = |line: &str| if line.ends_with([';', ',', '{', '(', '[']) { "" } else { "\n" };
    let script: String = lines.flat_map(|line| [line, end(line)]).collect();
    SPACED.iter().fold(script, |script, spaced| script.replace(spaced, spaced.trim()))
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}
