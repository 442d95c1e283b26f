//! Texts in charts: how wide they are, and cut to the room that there is.

/// The size of the text that names things, in pixels.
pub(crate) const SIZE: f64 = 13.0;

/// The size of the numbers of an axis, in pixels.
pub(crate) const SMALL: f64 = 12.0;

/// As much of a text as there is room for, in pixels at [`SIZE`].
pub(crate) fn shortened(text: &str, room: f64) -> String {
    if width_of(text) <= room {
        return text.into();
    }
    let mut width = width_of("…");
    let fits = |char: &char| {
        width += SIZE * em(*char);
        width <= room
    };
    let start: String = text.chars().take_while(fits).collect();
    format!("{}…", start.trim_end())
}

/// The width of a text in pixels at [`SIZE`], in a font that is as wide as any that is common.
pub(crate) fn width_of(text: &str) -> f64 {
    text.chars().map(|char| SIZE * em(char)).sum()
}

/// The width of a letter, in parts of the size of the font.
fn em(char: char) -> f64 {
    match char {
        'i' | 'l' | 'j' | 'I' | '.' | ',' | '\'' | ' ' | '\u{a0}' | '|' | ':' => 0.33,
        'f' | 't' | 'r' | '-' | '(' | ')' | '·' => 0.42,
        'W' | 'M' | 'm' | '%' | '@' | '…' => 1.0,
        'w' => 0.82,
        'A'..='Z' => 0.79,
        ' '..='~' => 0.65,
        // Latin, Greek and Cyrillic.
        '\0'..'\u{590}' => 0.8,
        // Hebrew and Arabic.
        '\0'..'\u{700}' => 0.85,
        // What keeps texts of two directions apart has no width.
        '\u{2066}'..='\u{2069}' => 0.0,
        _ => 1.1,
    }
}

/// A name beside other text: one that is written from right to left shall not take it along.
pub(crate) fn isolated(name: &str) -> String {
    let is_plain = name.trim_end_matches('…').is_ascii();
    if is_plain { name.into() } else { format!("\u{2068}{name}\u{2069}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_is_cut_to_its_room_with_an_ellipsis() {
        for (name, room, expected) in [
            ("Europe", 52.0, "Europe"),
            ("Europe", 45.0, "Eur…"),
            ("Europe", 1.0, "…"),
            ("界界界", 43.0, "界界界"),
            ("界界界", 42.0, "界界…"),
            ("WWWWWWWW", 60.0, "WWW…"),
            ("New York", 55.0, "New…"),
        ] {
            assert_eq!(shortened(name, room), expected, "{name} in {room}");
        }
    }

    proptest! {
        #[test]
        fn what_is_cut_fits(name: String, room in 13.0..300.0) {
            prop_assert!(width_of(&shortened(&name, room)) <= room + 1e-9);
        }
    }

    #[test]
    fn names_of_other_scripts_stay_apart_from_what_follows() {
        assert_eq!([isolated("Europe"), isolated("Eur…")], ["Europe", "Eur…"]);
        assert_eq!(isolated("أوروبا"), "\u{2068}أوروبا\u{2069}");
    }
}
