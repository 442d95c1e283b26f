//! How to get the data of a block: the URL in what people paste it into, and files.

use askama::Template;

use crate::http::site::Site;

/// A control that opens.
#[derive(Template)]
#[template(path = "blocks/get_data.html")]
pub(crate) struct GetData {
    /// What the data are of: "the history".
    of: &'static str,
    base: String,
    snippets: Vec<Snippet>,
    files: Vec<File>,
}

/// A line to be copied, with the URL in it.
struct Snippet {
    label: &'static str,
    before: &'static str,
    path: String,
    after: &'static str,
}

struct File {
    label: &'static str,
    path: String,
}

impl GetData {
    /// A block whose data are a document, a table, or both, and perhaps a picture: paths from the
    /// site's root, with their queries.
    pub(crate) fn new(
        site: &Site,
        of: &'static str,
        json: Option<String>,
        csv: Option<String>,
        svg: Option<String>,
    ) -> Self {
        let snippet = |label, before, path: &String, after| Snippet {
            label,
            before,
            path: path.clone(),
            after,
        };
        let mut snippets = Vec::new();
        // Of two, the table is what spreadsheets and data frames read; else it is the document.
        match (&json, &csv) {
            (Some(json), _) => snippets.extend([
                snippet("curl", "curl \"", json, "\""),
                snippet("Python", "import requests; data = requests.get(\"", json, "\").json()"),
                snippet("JavaScript", "const data = await (await fetch(\"", json, "\")).json()"),
            ]),
            (None, Some(csv)) => snippets.extend([
                snippet("curl", "curl \"", csv, "\""),
                snippet("Python", "import pandas; data = pandas.read_csv(\"", csv, "\")"),
                snippet("JavaScript", "const table = await (await fetch(\"", csv, "\")).text()"),
            ]),
            (None, None) => {}
        }
        match (&csv, &json) {
            (Some(csv), _) => {
                snippets.push(snippet("Spreadsheet", "=IMPORTDATA(\"", csv, "\")"));
            }
            (None, Some(json)) => {
                snippets.push(snippet("Spreadsheet", "=WEBSERVICE(\"", json, "\")"));
            }
            (None, None) => {}
        }
        let files = [("JSON", json), ("CSV", csv), ("SVG", svg)];
        let files = files.into_iter().filter_map(|(label, path)| {
            Some(File { label, path: format!("{}{}", site.prefix(), path?) })
        });
        Self { of, base: site.copied_url(""), snippets, files: files.collect() }
    }
}
