//! For machines that look around: the OpenAPI document, the API catalog, llms.txt, robots.txt.

use std::sync::LazyLock;

use ghi_contract::paths::METADATA;
use hyper::header::{HeaderValue, LINK};
use serde_json::{Value, json};

use crate::http::caching::StaticContent;
use crate::http::paths;
use crate::routes::context::{Answer, Context};
use crate::routes::operations;

/// The OpenAPI document, as it is committed. A test generates it anew and compares.
pub const OPENAPI: &str = include_str!("../../../../openapi.json");

const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

/// The OpenAPI document.
pub(crate) fn openapi(context: &Context<'_>) -> Answer {
    static CONTENT: LazyLock<StaticContent> =
        LazyLock::new(|| StaticContent::new("application/json", OPENAPI));
    Ok(CONTENT.respond(context.headers))
}

/// Where the API and its descriptions are: RFC 9727.
pub(crate) fn api_catalog(context: &Context<'_>) -> Answer {
    static CONTENT: LazyLock<StaticContent> = LazyLock::new(|| {
        let catalog = json!({"linkset": [
            {
                "anchor": paths::API_CATALOG,
                "item": [{"href": METADATA}],
            },
            {
                "anchor": METADATA,
                "service-desc": [{"href": paths::OPENAPI, "type": "application/json"}],
                "service-doc": [{"href": paths::DOCS, "type": "text/html"}],
                "service-meta": [{"href": METADATA, "type": "application/json"}],
                "status": [{"href": paths::READYZ, "type": "application/json"}],
            },
        ]});
        let profile =
            "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
        StaticContent::new(profile, catalog.to_string())
    });
    static LINK_TO_SELF: LazyLock<HeaderValue> = LazyLock::new(|| {
        let link = format!("<{}>; rel=\"api-catalog\"", paths::API_CATALOG);
        HeaderValue::try_from(link).expect("a path is visible ASCII")
    });
    let mut response = CONTENT.respond(context.headers);
    response.headers_mut().append(LINK, LINK_TO_SELF.clone());
    Ok(response)
}

/// The service in a few words, for assistants.
pub(crate) fn llms(context: &Context<'_>) -> Answer {
    static CONTENT: LazyLock<StaticContent> =
        LazyLock::new(|| StaticContent::new(PLAIN_TEXT, llms_text()));
    Ok(CONTENT.respond(context.headers))
}

/// What the OpenAPI document says of the operations, in prose.
fn llms_text() -> String {
    let document: Value = serde_json::from_str(OPENAPI).expect("the committed document is JSON");
    let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let about = text_of(&document["info"]["description"]);
    let about = about.split("\n\n").next().unwrap_or_default();
    let mut text = format!("# {}\n\n> {about}\n", text_of(&document["info"]["title"]));
    let mut chapter = String::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        let operation = &item["get"];
        let tag = text_of(&operation["tags"][0]);
        if tag == operations::TAG {
            continue;
        }
        if tag != chapter {
            text += &format!("\n## {tag}\n\n");
            chapter = tag;
        }
        // A path with a parameter in it is not a link.
        let link =
            if path.contains('{') { format!("`{path}`") } else { format!("[{path}]({path})") };
        let [summary, description] =
            ["summary", "description"].map(|field| text_of(&operation[field]));
        text += &format!("- {link}: {summary}. {description}");
        // Those by reference are the same for every operation.
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let names: Vec<&str> =
            parameters.filter_map(|parameter| parameter["name"].as_str()).collect();
        if !names.is_empty() {
            text += &format!(" Takes `{}`.", names.join("`, `"));
        }
        text.push('\n');
    }
    let [openapi, docs, dashboard] = [paths::OPENAPI, paths::DOCS, paths::DASHBOARD];
    text + &format!(
        "\n## Descriptions\n\n\
         - [{openapi}]({openapi}): every operation, parameter, answer and error\n\
         - [{docs}]({docs}): the same for people, with requests to send\n\
         - [{dashboard}]({dashboard}): today's figures as a page\n"
    )
}

/// What crawlers may read: everything but what is for operators.
pub(crate) fn robots(context: &Context<'_>) -> Answer {
    static CONTENT: LazyLock<StaticContent> = LazyLock::new(|| {
        let for_operators = [paths::HEALTHZ, paths::READYZ, paths::METRICS];
        let rules = for_operators.map(|path| format!("Disallow: {path}\n")).concat();
        StaticContent::new(PLAIN_TEXT, format!("User-agent: *\n{rules}"))
    });
    Ok(CONTENT.respond(context.headers))
}
