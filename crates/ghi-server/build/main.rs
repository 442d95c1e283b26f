//! Prepares at build time: the compressed script of the interactive reference, the methodology and the list
//! of operations as HTML, the compressed OpenAPI documents, and the pages' assets without comments.

mod oas30;
mod operations;
mod terse;

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

/// The methodology, which is also part of the documentation.
const METHODOLOGY: &str = "../../docs/methodology.md";

/// The OpenAPI document, version 3.1.
const OPENAPI: &str = "../../openapi.json";

/// The folder of the pages' assets.
const ASSETS: &str = "assets";

fn main() -> Result<(), Box<dyn Error>> {
    let target = env::var("OUT_DIR")?;
    let target = Path::new(&target);
    let script = scalar_api_reference::get_asset("scalar.js").ok_or("scalar.js not found")?;
    compress(&target.join("reference.js.gz"), &script)?;
    fs::write(target.join("methodology.html"), page(&fs::read_to_string(METHODOLOGY)?))?;
    let openapi = fs::read_to_string(OPENAPI)?;
    fs::write(target.join("operations.html"), page(&operations::operations(&openapi)?))?;
    compress(&target.join("openapi.json.gz"), openapi.as_bytes())?;
    compress(&target.join("openapi-3.0.json.gz"), oas30::oas30(&openapi)?.as_bytes())?;
    for entry in fs::read_dir(ASSETS)? {
        let path = entry?.path();
        let terse = match path.extension().and_then(|extension| extension.to_str()) {
            Some("css") => terse::stylesheet(&fs::read_to_string(&path)?),
            Some("js") => terse::script(&fs::read_to_string(&path)?),
            _ => continue,
        };
        fs::write(target.join(path.file_name().unwrap_or_default()), terse)?;
    }
    for source in ["build", ASSETS, METHODOLOGY, OPENAPI] {
        println!("cargo::rerun-if-changed={source}");
    }
    Ok(())
}

fn compress(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut gzip = GzEncoder::new(File::create(path)?, Compression::best());
    gzip.write_all(content)?;
    gzip.finish()?;
    Ok(())
}

/// Renders Markdown as HTML for a page of the server.
fn page(markdown: &str) -> String {
    let mut page = String::new();
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    html::push_html(&mut page, events.filter(|event| !is_link_to_file(event)));
    // Anything wider than a phone scrolls by itself, with the keyboard as well.
    page.replace(
        "<table>",
        "<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table>",
    )
    .replace("</table>", "</table></div>")
    .replace("<pre>", "<pre tabindex=\"0\">")
    .replace("<th>", "<th scope=\"col\">")
}

/// Removes links to files of the project, which are not on the server. The text has no other links.
fn is_link_to_file(event: &Event<'_>) -> bool {
    matches!(event, Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link))
}
