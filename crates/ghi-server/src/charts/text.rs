//! Texts in charts, cut to the room that there is.

/// A text as the library draws it letter by letter: what stands between dollars is a formula to it.
pub(super) fn literal(text: &str) -> String {
    text.replace('$', "\\$")
}

/// As much of a name as there is room for.
pub(super) fn shortened(name: &str, letters: usize) -> String {
    if width_of(name) <= letters {
        return name.into();
    }
    let mut width = 0;
    let fits = |char: &char| {
        width += width_of(char.encode_utf8(&mut [0; 4]));
        width < letters
    };
    name.chars().take_while(fits).chain(['…']).collect()
}

/// The width of a text in narrow letters: those of other scripts can be twice as wide.
pub(super) fn width_of(text: &str) -> usize {
    text.chars().map(|char| if char.is_ascii() { 1 } else { 2 }).sum()
}
