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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cut_to_its_room_with_an_ellipsis() {
        for (name, letters, expected) in [
            ("Europe", 6, "Europe"),
            ("Europe", 5, "Euro…"),
            ("Europe", 1, "…"),
            ("界界界", 6, "界界界"),
            ("界界界", 5, "界界…"),
            ("界界界", 4, "界…"),
            ("a界b界", 6, "a界b界"),
            ("a界b界", 5, "a界b…"),
        ] {
            assert_eq!(shortened(name, letters), expected, "{name} in {letters}");
        }
    }

    #[test]
    fn dollars_are_no_formula() {
        assert_eq!(literal("$x$"), "\\$x\\$");
    }
}
