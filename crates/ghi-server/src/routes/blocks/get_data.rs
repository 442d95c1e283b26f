//! Code to copy and files to download, for a block's data.

use askama::Template;

use crate::http::paths;
use crate::http::site::Site;

/// A box with them, closed at first.
#[derive(Template)]
#[template(path = "blocks/get_data.html")]
pub(crate) struct GetData {
    /// The subject of the data, such as `the history`.
    of: &'static str,
    /// The tool of each line of code, and the line.
    lines: Vec<(&'static str, String)>,
    /// Labels and paths.
    files: Vec<(&'static str, String)>,
}

impl GetData {
    /// Offers a document, and optionally a table and an image, as paths with their queries.
    pub(crate) fn document(
        site: &Site,
        of: &'static str,
        json: &str,
        csv: Option<&str>,
        svg: Option<&str>,
    ) -> Self {
        let url = site.copied_url(json);
        let sheet = match csv {
            Some(csv) => format!("=IMPORTDATA(\"{}\")", site.copied_url(csv)),
            None => format!("=WEBSERVICE(\"{url}\")"),
        };
        let code = [
            format!("curl \"{url}\""),
            format!("import requests; data = requests.get(\"{url}\").json()"),
            format!("const data = await (await fetch(\"{url}\")).json()"),
            sheet,
        ];
        Self::new(site, of, code, [("JSON", Some(json)), ("CSV", csv), ("SVG", svg)])
    }

    /// Offers a table and an image.
    pub(crate) fn table(site: &Site, of: &'static str, csv: &str, svg: &str) -> Self {
        let url = site.copied_url(csv);
        let code = [
            format!("curl \"{url}\""),
            format!("import pandas; data = pandas.read_csv(\"{url}\")"),
            format!("const table = await (await fetch(\"{url}\")).text()"),
            format!("=IMPORTDATA(\"{url}\")"),
        ];
        Self::new(site, of, code, [("CSV", Some(csv)), ("SVG", Some(svg))])
    }

    /// Offers the calculation of the costs of a scope.
    pub(crate) fn derivation(site: &Site, of: &'static str, region_id: &str) -> Self {
        let [json, csv] = [paths::EXPLAIN_JSON, paths::EXPLAIN_CSV]
            .map(|path| format!("{path}?region_id={region_id}"));
        Self::document(site, of, &json, Some(&csv), None)
    }

    fn new<const N: usize>(
        site: &Site,
        of: &'static str,
        code: [String; 4],
        files: [(&'static str, Option<&str>); N],
    ) -> Self {
        let file = |(label, path): (&'static str, Option<&str>)| {
            Some((label, format!("{}{}", site.prefix(), path?)))
        };
        let tools = ["curl", "Python", "JavaScript", "Spreadsheet"];
        let lines = std::iter::zip(tools, code).collect();
        Self { of, lines, files: files.into_iter().filter_map(file).collect() }
    }
}
