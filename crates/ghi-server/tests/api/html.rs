//! Reads pages by CSS selectors, as a browser does.

use scraper::{ElementRef, Html, Selector};

/// Returns what a function reads from each element.
pub(crate) fn elements<T>(
    html: &str,
    selector: &str,
    read: impl Fn(ElementRef<'_>) -> T,
) -> Vec<T> {
    Html::parse_document(html).select(&Selector::parse(selector).unwrap()).map(read).collect()
}

pub(crate) fn text(element: ElementRef<'_>) -> String {
    element.text().collect::<String>().trim().to_owned()
}

pub(crate) fn texts(html: &str, selector: &str) -> Vec<String> {
    elements(html, selector, text)
}

/// Returns the values of an attribute, of the elements that have it.
pub(crate) fn attributes(html: &str, selector: &str, name: &str) -> Vec<String> {
    let values = elements(html, selector, |element| element.attr(name).map(str::to_owned));
    values.into_iter().flatten().collect()
}

/// Returns the texts of the cells of each row.
pub(crate) fn rows(html: &str, selector: &str) -> Vec<Vec<String>> {
    elements(html, selector, |row| row.child_elements().map(text).collect())
}

/// Returns the machine-readable numbers in the elements.
pub(crate) fn marked(html: &str, selector: &str) -> Vec<String> {
    attributes(html, &format!("{selector} data"), "value")
}
