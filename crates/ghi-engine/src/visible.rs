//! Text from elsewhere, as it may be shown to people.

/// Whether a character steers the text around it instead of showing: controls, line and paragraph
/// separators, marks and overrides of the writing direction; and noncharacters, which no document
/// may carry.
pub(crate) fn is_invisible(char: char) -> bool {
    let is_noncharacter =
        matches!(char, '\u{fdd0}'..='\u{fdef}') || u32::from(char) & 0xfffe == 0xfffe;
    char.is_control()
        || is_noncharacter
        || matches!(char, '\u{ad}' | '\u{61c}' | '\u{3164}' | '\u{e0000}'..='\u{e007f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A text as one visible line of at most so many characters, three dots not counted: it can neither
/// end a line nor steer a terminal, and no other space looks like the plain one. Letters of any
/// script stay as they are. What is too long loses its middle, since messages begin with what is wrong and end with what would be right.
///
/// ```
/// use ghi_engine::visible;
///
/// assert_eq!(visible("Zürich\u{1b}[31m\n", 80), r"Zürich\u{1b}[31m\n");
/// assert_eq!(visible("abcdefgh", 4), "ab...gh");
/// ```
pub fn visible(text: &str, max: usize) -> String {
    let whole = escaped_within(text.chars(), max);
    if whole.len() == text.chars().take(max + 1).count() {
        return whole.concat();
    }
    let start = escaped_within(text.chars(), max / 2);
    let mut end = escaped_within(text.chars().rev(), max / 2);
    end.reverse();
    format!("{}...{}", start.concat(), end.concat())
}

/// As many characters from the first on, escaped, as find room.
fn escaped_within(chars: impl Iterator<Item = char>, max: usize) -> Vec<String> {
    // A space that is not the plain one looks like it, and may be just what is wrong.
    let looks_plain = |char: char| char.is_whitespace() && char != ' ';
    let escaped = chars.map(|char| match is_invisible(char) || looks_plain(char) {
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
