//! What a link to a page says where it is pasted.

use jiff::civil::Date;

/// A title and a description, for previews of links.
pub(crate) struct Preview {
    pub(crate) title: String,
    pub(crate) description: String,
    /// Those of the title, which can be cut.
    pub(crate) names: Vec<String>,
}

/// A date as titles have it.
pub(crate) fn short(date: Date) -> String {
    date.strftime("%-d %b %Y").to_string()
}
