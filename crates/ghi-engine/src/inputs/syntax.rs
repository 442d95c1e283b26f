//! What is said where a text is no TOML: what people really write, and how it is written right.

use toml::de::Error;

use crate::number;

/// Quotes that word processors put in place of the plain ones.
const TYPOGRAPHIC_QUOTES: [char; 8] = ['“', '”', '„', '‟', '‘', '’', '«', '»'];

/// The messages about a text, each with the byte that it is about: one a line.
///
/// The parser goes on behind an error, but not always on its feet. So the first error is reported
/// whatever it is, and those behind it only where it is clear what was meant.
pub(super) fn messages(text: &str, errors: Vec<Error>) -> Vec<(usize, String)> {
    if !errors.is_empty() && text.trim_start().starts_with('{') {
        let start = text.len() - text.trim_start().len();
        return vec![(start, "the file is JSON; it must be TOML: name = value".to_owned())];
    }
    let mut errors: Vec<(usize, Error)> = errors
        .into_iter()
        .map(|error| (error.span().map_or(0, |span| span.start).min(text.len()), error))
        .collect();
    errors.sort_by_key(|(at, _)| *at);
    let mut messages: Vec<(usize, String)> = Vec::new();
    let (mut reported_to, mut in_second_table) = (0, false);
    let mut single_regions = single_regions(text).peekable();
    let has_single_regions = single_regions.peek().is_some();
    for (at, error) in errors {
        if at < reported_to {
            continue;
        }
        let line = Line::at(text, at);
        reported_to = line.end;
        let is_twice = error.message().contains(TWICE);
        // The fields of a table that stands twice stand twice as well.
        if is_twice && in_second_table && !line.whole().starts_with('[') {
            continue;
        }
        in_second_table |= is_twice && line.whole().starts_with('[');
        let is_region = matches!(&*header(&line.whole()), "[region]" | "[[region]]");
        if is_twice && is_region && has_single_regions {
            // Which of them the parser refuses is a matter of their order: the single brackets are
            // to blame.
            messages.extend(single_regions.by_ref());
            continue;
        }
        let message = match line.slip(error.message()) {
            Some(slip) => slip,
            None if messages.is_empty() => line.parser_message(error.message()),
            None => continue,
        };
        messages.push((at, message));
    }
    messages
}

/// A line of the text, parted where the parser stopped.
struct Line<'a> {
    before: &'a str,
    behind: &'a str,
    /// Where the next line begins.
    end: usize,
}

impl<'a> Line<'a> {
    fn at(text: &'a str, at: usize) -> Self {
        let at = text.floor_char_boundary(at);
        // At the end of a line, the parser may mean the line that ends there.
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        Self { before: &text[start..at], behind: &text[at..end], end: end + 1 }
    }

    fn whole(&self) -> String {
        format!("{}{}", self.before, self.behind).trim().to_owned()
    }

    /// The key and the value at which the parser stopped.
    fn key_and_value(&self) -> Option<(String, String)> {
        let line = format!("{}{}", self.before, self.behind);
        let equals = self.before.rfind('=').or_else(|| line.find('='))?;
        let key_start = line[..equals].rfind(['{', ',']).map_or(0, |before| before + 1);
        let value = line[equals + 1..].trim_start();
        let ends = [value.find('#'), value.find('}'), value.find(", ")];
        let end = ends.into_iter().flatten().min().unwrap_or(value.len());
        Some((line[key_start..equals].trim().to_owned(), value[..end].trim_end().to_owned()))
    }

    /// What was meant, where that is clear.
    fn slip(&self, parser_message: &str) -> Option<String> {
        let line = self.whole();
        if line.starts_with([';', '%']) || line.starts_with("//") || line.starts_with("--") {
            return Some(format!("a comment begins with #, but this line with {}", first(&line)));
        }
        if parser_message.contains(TWICE) {
            return Some(second_time(&line));
        }
        let Some((key, value)) = self.key_and_value() else {
            return no_equals(&line);
        };
        if let Some(slip) = self.quotes(parser_message) {
            return Some(format!("{key}: {slip}"));
        }
        let comment = ["//", ";", "--"].into_iter().find_map(|mark| {
            let (value, comment) = value.split_once(&format!(" {mark}"))?;
            (is_value(value.trim_end()) && !comment.is_empty()).then_some(mark)
        });
        if let Some(mark) = comment {
            return Some(format!("{key}: a comment begins with #, but here with {mark}"));
        }
        if let Some(end) = value.chars().last().filter(|end| ";,".contains(*end))
            && let value = value.trim_end_matches([';', ',', ' '])
            && is_value(value)
        {
            return Some(format!(
                "{key} has a \"{end}\" behind its value; it is written {key} = {value}"
            ));
        }
        if line.contains(TYPOGRAPHIC_QUOTES) && value.starts_with(TYPOGRAPHIC_QUOTES) {
            return Some(format!(
                "{key} has typographic quotes; a text stands in plain ones: \"{}\"",
                value.trim_matches(TYPOGRAPHIC_QUOTES)
            ));
        }
        if value.is_empty() {
            return Some(format!("{key} has no value behind its ="));
        }
        if let Some(slip) = number::slip(&value) {
            return Some(format!("{key}: {slip}"));
        }
        if value.starts_with(char::is_alphabetic) && !value.contains(['"', '\'']) {
            return Some(format!(
                "{key} is {value} without quotes; a text stands in quotes: \"{value}\""
            ));
        }
        None
    }

    /// What is wrong within quotes, or with them.
    fn quotes(&self, parser_message: &str) -> Option<&'static str> {
        if ["escaped value", "unicode"].iter().any(|word| parser_message.contains(word)) {
            return Some(BACKSLASH);
        }
        let is_open = ["invalid basic string", "invalid literal string"];
        let has_no_end = is_open.iter().any(|words| parser_message.starts_with(words))
            && self.behind.trim().is_empty();
        has_no_end.then_some("a quote has no end; a text stands between two quotes on one line")
    }

    /// What the parser says, with the field or table that it speaks of; in our words where its own
    /// would mislead.
    fn parser_message(&self, message: &str) -> String {
        if let Some((key, value)) = self.key_and_value()
            && !value.starts_with(['"', '\'', '[', '{'])
        {
            return match number::plain(&value) {
                Some(_) => {
                    format!("{key} cannot be read; a bracket or a quote before it may have no end")
                }
                None => format!("{key} is {value}; a value must be a number, or a text in quotes"),
            };
        }
        let message = message.trim_end().replace('\n', ", ");
        let line = self.whole();
        let subject = line.split('=').next().unwrap_or_default().trim();
        match subject {
            "" => message,
            _ => format!("{}: {message}", subject.chars().take(SUBJECT_MAX).collect::<String>()),
        }
    }
}

/// What is said of a backslash between double quotes: in most cases it is of a path.
pub(super) const BACKSLASH: &str =
    "in double quotes a backslash begins an escape; a path is written with /, or in single quotes";

/// What the parser says of a key that stands there already.
const TWICE: &str = "duplicate key";

/// Whether a text is a value that could stand there.
fn is_value(text: &str) -> bool {
    let is_quoted = |quote| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
    number::plain(text).is_some() || is_quoted('"') || is_quoted('\'')
}

/// A field without its equals sign.
fn no_equals(line: &str) -> Option<String> {
    if let Some((key, value)) = line.split_once(':') {
        let (key, value) = (key.trim(), value.trim());
        return Some(format!("{key} is followed by a colon; it is written {key} = {value}"));
    }
    let (key, value) = line.split('#').next()?.trim().split_once([' ', '\t'])?;
    let value = value.trim();
    is_value(value).then(|| format!("{key} has no =; it is written {key} = {value}"))
}

/// How much of a line is repeated before the parser's own message, characters.
const SUBJECT_MAX: usize = 32;

fn first(line: &str) -> char {
    line.chars().next().unwrap_or_default()
}

/// A line without its comment, and a header without the spaces that it may have.
fn header(line: &str) -> String {
    let line = line.split('#').next().unwrap_or_default().trim();
    if line.starts_with('[') { line.replace([' ', '\t'], "") } else { line.to_owned() }
}

/// The regions that are written as one table.
fn single_regions(text: &str) -> impl Iterator<Item = (usize, String)> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line)
    });
    lines.filter(|(_, line)| header(line) == "[region]").map(|(at, _)| (at, single("region")))
}

/// What is said of one table where there must be a list of them.
pub(super) fn single(name: &str) -> String {
    format!(
        "[{name}] is one table, but there is a list of them; each {name} is written [[{name}]], in double brackets"
    )
}

/// A field or a table that stands there already.
fn second_time(line: &str) -> String {
    let header = header(line);
    if header.starts_with('[') {
        return format!("{header} stands here for the second time; each table must stand once");
    }
    let key = header.split('=').next().unwrap_or_default().trim();
    format!("{key} stands here for the second time; each field must stand once in its table")
}
