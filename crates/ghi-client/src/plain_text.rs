//! Texts from elsewhere.

/// The longest text that is taken over from elsewhere, letters.
const TEXT_MAX: usize = 1_000;

/// A text from elsewhere in one line that does nothing to a terminal.
pub(crate) fn plain(text: &str) -> String {
    let visible = |char: char| if char.is_control() { ' ' } else { char };
    text.chars().take(TEXT_MAX).map(visible).collect()
}
