//! Code to copy and files to download, for a block's data.

use askama::Template;

use crate::http::site::Site;

/// A box with code to copy and files to download, closed at first.
#[derive(Template)]
#[template(path = "blocks/get_data.html")]
pub(crate) struct GetData {
    /// The subject of the data, such as `the history`.
    of: &'static str,
    /// The URL of the document or, without one, of the table.
    url: String,
    is_document: bool,
    table_url: Option<String>,
    /// Formats and paths.
    files: Vec<(&'static str, String)>,
}

impl GetData {
    /// Offers paths with their queries by format: a document or a table or both, and possibly an image.
    pub(crate) fn new(site: &Site, of: &'static str, files: &[(&'static str, &str)]) -> Self {
        let url_of = |wanted| {
            let file = files.iter().find(|(format, _)| *format == wanted);
            file.map(|(_, path)| site.copied_url(path))
        };
        let (document_url, table_url) = (url_of("JSON"), url_of("CSV"));
        let is_document = document_url.is_some();
        let url = document_url.or(table_url.clone()).unwrap_or_default();
        let file = |(format, path): &(_, &str)| (*format, format!("{}{path}", site.prefix()));
        Self { of, url, is_document, table_url, files: files.iter().map(file).collect() }
    }
}
