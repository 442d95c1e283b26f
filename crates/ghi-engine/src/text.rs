//! Text in messages: escaped input, lists of names, and suggestions for misspelled names.

const SUGGESTION_MAX: usize = 48;

/// Whether a character has no glyph of its own: controls, line and paragraph separators, marks and
/// overrides of the writing direction, and noncharacters, which no document may contain.
pub fn is_invisible(char: char) -> bool {
    let is_noncharacter =
        matches!(char, '\u{fdd0}'..='\u{fdef}') || u32::from(char) & 0xfffe == 0xfffe;
    char.is_control()
        || is_noncharacter
        || matches!(char, '\u{ad}' | '\u{61c}' | '\u{3164}' | '\u{e0000}'..='\u{e007f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Escapes untrusted text for display on one line, so that it cannot end the line or control a terminal.
/// Unusual spaces are escaped as well; letters of any script are not. The result has at most `max` characters,
/// plus three dots if it was shortened: in the middle, because messages begin with the problem and end with
/// the allowed values.
///
/// ```
/// use ghi_engine::visible;
///
/// assert_eq!(visible("Zürich\u{1b}[31m\n", 80), r"Zürich\u{1b}[31m\n");
/// assert_eq!(visible("abcdefgh", 4), "ab...gh");
/// ```
pub fn visible(text: &str, max: usize) -> String {
    let whole = escaped_prefix(text.chars(), max);
    if whole.len() == text.chars().take(max + 1).count() {
        return whole.concat();
    }
    let start = escaped_prefix(text.chars(), max / 2);
    let mut end = escaped_prefix(text.chars().rev(), max / 2);
    end.reverse();
    format!("{}...{}", start.concat(), end.concat())
}

/// The first characters, escaped, that fit into `max` characters.
fn escaped_prefix(chars: impl Iterator<Item = char>, max: usize) -> Vec<String> {
    // An unusual space looks like a plain one, and may be the very problem.
    let is_unusual_space = |char: char| char.is_whitespace() && char != ' ';
    let escaped = chars.map(|char| match is_invisible(char) || is_unusual_space(char) {
        true => char.escape_default().to_string(),
        false => char.to_string(),
    });
    let mut length = 0;
    let fits = |piece: &String| {
        length += piece.chars().count();
        length <= max
    };
    escaped.take_while(fits).collect()
}

/// Finds the known name that a misspelled or abbreviated one probably means.
pub fn suggestion<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    if name.chars().nth(SUGGESTION_MAX).is_some() {
        return None;
    }
    let name = name.to_lowercase();
    let distance = |known: &&str| strsim::osa_distance(&name, known);
    let closest = known.iter().copied().min_by_key(distance)?;
    if distance(&closest) <= 1.max(name.chars().count() / 3) {
        return Some(closest);
    }
    known.iter().copied().find(|known| name.len() >= 3 && known.starts_with(&name))
}

/// Joins words as in a sentence: `a, b and c`.
pub fn listed(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match &names[..] {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [names @ .., last] => format!("{} and {last}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_name_gets_a_suggestion_and_an_unrelated_one_does_not() {
        let known = ["hashrate_eh", "overhead", "fee_usd"];
        for (name, expected) in [
            ("overhaed", Some("overhead")),
            ("ovrehaed", Some("overhead")),
            ("Overhead", Some("overhead")),
            ("hashrate", Some("hashrate_eh")),
            ("fee_us", Some("fee_usd")),
            ("fee-usd", Some("fee_usd")),
            ("colour", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(suggestion(name, &known), expected, "{name}");
        }
        assert_eq!(suggestion(&"overhead".repeat(9), &known), None);
    }

    #[test]
    fn names_are_listed_as_in_a_sentence() {
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
    }
}
