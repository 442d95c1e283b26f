//! Makes at build time what never changes: the script of the interactive reference, compressed, the
//! methodology and the list of operations as HTML, and the OpenAPI document in the version before.

mod oas30;
mod operations;

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

/// The one text of the methodology, which is read in the project and on the server.
const METHODOLOGY: &str = "../../docs/methodology.md";

/// The OpenAPI document, version 3.1.
const OPENAPI: &str = "../../openapi.json";

fn main() -> Result<(), Box<dyn Error>> {
    let target = env::var("OUT_DIR")?;
    let target = Path::new(&target);
    let script = scalar_api_reference::get_asset("scalar.js").ok_or("there is no scalar.js")?;
    let script_file = File::create(target.join("reference.js.gz"))?;
    let mut gzip = GzEncoder::new(script_file, Compression::best());
    gzip.write_all(&script)?;
    gzip.finish()?;
    fs::write(target.join("methodology.html"), page(&fs::read_to_string(METHODOLOGY)?))?;
    let openapi = fs::read_to_string(OPENAPI)?;
    fs::write(target.join("operations.html"), page(&operations::operations(&openapi)?))?;
    fs::write(target.join("openapi-3.0.json"), oas30::oas30(&openapi)?)?;
    for source in ["build", METHODOLOGY, OPENAPI] {
        println!("cargo::rerun-if-changed={source}");
    }
    Ok(())
}

/// Markdown as HTML that stands on a page of the server.
fn page(markdown: &str) -> String {
    let mut page = String::new();
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    html::push_html(&mut page, events.filter(|event| !is_link_to_file(event)));
    // What is wider than a phone is scrolled by itself, with the keyboard as well.
    page.replace(
        "<table>",
        "<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table>",
    )
    .replace("</table>", "</table></div>")
    .replace("<pre>", "<pre tabindex=\"0\">")
    .replace("<th>", "<th scope=\"col\">")
}

/// Files of the project are not on the server. No other links stand in the text.
fn is_link_to_file(event: &Event<'_>) -> bool {
    matches!(event, Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link))
}
