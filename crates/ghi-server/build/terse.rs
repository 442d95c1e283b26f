//! Stylesheets and scripts without what only their authors read: comments, indents and empty lines.

/// A stylesheet: a rule a line.
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
        .replace('}', "}\n")
}

/// A script: line by line, since a line's end may end a statement. Comments stand on lines of their own.
pub(crate) fn script(text: &str) -> String {
    let lines = lines(text).filter(|line| !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}
