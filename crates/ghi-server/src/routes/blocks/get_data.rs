//! How to get the data of a block: the URL in what people paste it into, and files.

use askama::Template;

use crate::http::paths;
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

/// A line to be copied, with one URL or several in it.
struct Snippet {
    label: &'static str,
    before: &'static str,
    paths: Vec<String>,
    between: &'static str,
    after: &'static str,
}

struct File {
    label: String,
    path: String,
    is_download: bool,
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
            paths: vec![path.clone()],
            between: "",
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
            let (path, is_download) = (format!("{}{}", site.prefix(), path?), label != "JSON");
            Some(File { label: label.into(), path, is_download })
        });
        Self { of, base: site.copied_url(""), snippets, files: files.collect() }
    }

    /// A block that shows where the costs of a region or of all come from.
    pub(crate) fn of_derivation(site: &Site, of: &'static str, region_id: &str) -> Self {
        let of_region = |path| Some(format!("{path}?region_id={region_id}"));
        Self::new(site, of, of_region(paths::EXPLAIN_JSON), of_region(paths::EXPLAIN_CSV), None)
    }

    /// A block whose data are two tables, each with the name of what it is of.
    pub(crate) fn of_two(site: &Site, of: &'static str, tables: [(&str, String); 2]) -> Self {
        let paths = || tables.iter().map(|table| table.1.clone()).collect();
        let snippet = |label, before, between, after| Snippet {
            label,
            before,
            paths: paths(),
            between,
            after,
        };
        let snippets = vec![
            snippet("curl", "curl \"", "\" \"", "\""),
            snippet(
                "Python",
                "import pandas; data = pandas.concat(map(pandas.read_csv, [\"",
                "\", \"",
                "\"]))",
            ),
            snippet(
                "JavaScript",
                "const tables = await Promise.all([\"",
                "\", \"",
                "\"].map(async (url) => (await fetch(url)).text()))",
            ),
            snippet("Spreadsheet", "={IMPORTDATA(\"", "\"); IMPORTDATA(\"", "\")}"),
        ];
        let files = tables.iter().map(|(name, path)| File {
            label: format!("CSV, {name}"),
            path: format!("{}{path}", site.prefix()),
            is_download: true,
        });
        Self { of, base: site.copied_url(""), snippets, files: files.collect() }
    }
}
