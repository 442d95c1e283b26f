//! Machine-readable descriptions: the OpenAPI document, llms.txt, robots.txt.

use std::io::Read;
use std::sync::LazyLock;

use askama::Template;
use flate2::read::GzDecoder;
use ghi_contract::paths::SNAPSHOT;
use serde_json::{Value, json};

use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::operations::probes;

/// The committed OpenAPI document. A test checks that it is current.
pub static OPENAPI: LazyLock<String> =
    LazyLock::new(|| decompressed(include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz"))));

/// The same as OpenAPI 3.0, for generators without OpenAPI 3.1 support.
pub static OPENAPI_3_0: LazyLock<String> = LazyLock::new(|| {
    decompressed(include_bytes!(concat!(env!("OUT_DIR"), "/openapi-3.0.json.gz")))
});

const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

pub(crate) fn openapi(context: &Context<'_>) -> HandlerResult {
    document(context, paths::OPENAPI, &OPENAPI)
}

pub(crate) fn openapi_3_0(context: &Context<'_>) -> HandlerResult {
    document(context, paths::OPENAPI_3_0, &OPENAPI_3_0)
}

/// Serves a built-in document without line breaks, and with the server's public URL if it has one.
fn document(context: &Context<'_>, path: &'static str, text: &str) -> HandlerResult {
    Ok(context.fixed_file((path, ""), "application/json", || {
        let mut document = parsed(text);
        if !context.site.url("").is_empty() {
            document["servers"] = json!([{ "url": context.site.url("") }]);
        }
        document.to_string()
    }))
}

fn decompressed(gzip: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(gzip).read_to_string(&mut text).expect("the gzip stream is valid");
    text
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("the document is JSON")
}

pub(crate) fn llms(context: &Context<'_>) -> HandlerResult {
    Ok(context.fixed_file((paths::LLMS, ""), PLAIN_TEXT, || llms_text(context.site)))
}

/// The operations of the OpenAPI document in prose.
#[derive(Template)]
#[template(path = "llms.txt")]
struct Llms<'a> {
    site: &'a Site,
    document: &'a Value,
    /// The paths and operations with the same tag.
    chapters: Vec<&'a [(&'a String, &'a Value)]>,
}

fn llms_text(site: &Site) -> String {
    let document = &parsed(&OPENAPI);
    let paths = document["paths"].as_object().into_iter().flatten();
    let operations = paths.map(|(path, item)| (path, &item["get"]));
    let operations: Vec<_> = operations.filter(|(_, it)| it["tags"][0] != probes::TAG).collect();
    let chapters = operations.chunk_by(|(_, a), (_, b)| a["tags"] == b["tags"]).collect();
    Llms { site, document, chapters }.to_string()
}

impl Llms<'_> {
    fn about(&self) -> &str {
        let text = self.document["info"]["description"].as_str().unwrap_or_default();
        text.split("\n\n").next().unwrap_or_default()
    }

    /// Returns the parameters of an operation, except those by reference, which are the same for all.
    fn parameters(&self, operation: &Value) -> String {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let names = parameters.filter_map(|parameter| parameter["name"].as_str());
        let names = names.filter(|name| *name != "Prefer").map(|name| format!("`{name}`"));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Returns the list of preferences, without the line that introduces it. The snapshot's is the most complete.
    fn preferences(&self) -> impl Iterator<Item = &str> {
        let parameters = self.document["paths"][SNAPSHOT]["get"]["parameters"].as_array();
        let mut parameters = parameters.into_iter().flatten();
        let prefer = parameters.find(|parameter| parameter["name"] == "Prefer");
        let text = prefer.and_then(|prefer| prefer["description"].as_str()).unwrap_or_default();
        let lines = text.lines().skip(1).filter(|line| !line.is_empty());
        lines.map(|line| line.trim_start_matches("- "))
    }
}

/// Serves the rules for crawlers: everything is allowed except the operators' paths.
pub(crate) fn robots(context: &Context<'_>) -> HandlerResult {
    let make = || {
        let for_operators = [paths::HEALTHZ, paths::READYZ, paths::METRICS];
        let prefix = context.site.prefix();
        let rules = for_operators.map(|path| format!("Disallow: {prefix}{path}\n")).concat();
        format!("User-agent: *\n{rules}")
    };
    Ok(context.fixed_file((paths::ROBOTS, ""), PLAIN_TEXT, make))
}
