//! Machine-readable descriptions: the OpenAPI document, llms.txt, robots.txt.

use ghi_contract::paths::SNAPSHOT;
use serde_json::{Value, json};

use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::operations::probes;

/// The committed OpenAPI document. A test checks that it is current.
pub const OPENAPI: &str = include_str!("../../../../../openapi.json");

/// The same as OpenAPI 3.0, for generators without OpenAPI 3.1 support.
pub const OPENAPI_3_0: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi-3.0.json"));

const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

pub(crate) fn openapi(context: &Context<'_>) -> HandlerResult {
    document(context, paths::OPENAPI, OPENAPI)
}

pub(crate) fn openapi_3_0(context: &Context<'_>) -> HandlerResult {
    document(context, paths::OPENAPI_3_0, OPENAPI_3_0)
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

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("the document is JSON")
}

pub(crate) fn llms(context: &Context<'_>) -> HandlerResult {
    Ok(context.fixed_file((paths::LLMS, ""), PLAIN_TEXT, || llms_text(context.site)))
}

/// Describes the operations of the OpenAPI document in prose.
fn llms_text(site: &Site) -> String {
    let document = parsed(OPENAPI);
    let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let about = text_of(&document["info"]["description"]);
    let about = about.split("\n\n").next().unwrap_or_default();
    let mut text = format!("# {}\n\n> {about}\n", text_of(&document["info"]["title"]));
    let mut chapter = String::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        let operation = &item["get"];
        let tag = text_of(&operation["tags"][0]);
        if tag == probes::TAG {
            continue;
        }
        if tag != chapter {
            text += &format!("\n## {tag}\n\n");
            chapter = tag;
        }
        // A path with a parameter in it is not a link.
        let link = match path.contains('{') {
            true => format!("`{}`", site.url(path)),
            false => format!("[{path}]({})", site.url(path)),
        };
        let [summary, description] =
            ["summary", "description"].map(|field| text_of(&operation[field]));
        text += &format!("- {link}: {summary}. {description}");
        // Parameters by reference are the same for every operation.
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let names: Vec<&str> = parameters
            .filter_map(|parameter| parameter["name"].as_str())
            .filter(|name| *name != "Prefer")
            .collect();
        if !names.is_empty() {
            text += &format!(" Parameters: `{}`.", names.join("`, `"));
        }
        text.push('\n');
    }
    // The snapshot's description is the most complete.
    let prefer = document["paths"][SNAPSHOT]["get"]["parameters"].as_array();
    let prefer = prefer.into_iter().flatten().find(|parameter| parameter["name"] == "Prefer");
    let prefer = prefer.map(|prefer| text_of(&prefer["description"])).unwrap_or_default();
    text += "\n## The `Prefer` header, accepted by all of these\n\n";
    // Skips the introductory line of the list.
    for line in prefer.lines().skip(1).filter(|line| !line.is_empty()) {
        text += &format!("- {}\n", line.trim_start_matches("- "));
    }
    text += "\n## Descriptions\n\n";
    for (path, what) in DESCRIPTIONS {
        text += &format!("- [{path}]({}): {what}\n", site.url(path));
    }
    text
}

const DESCRIPTIONS: [(&str, &str); 7] = [
    (paths::OPENAPI, "every operation, parameter, response and error"),
    (paths::OPENAPI_3_0, "the same as OpenAPI 3.0, for client generators without 3.1 support"),
    (paths::DOCS, "the interactive API reference"),
    (paths::DASHBOARD, "today's costs as a web page"),
    (paths::EXPLAIN, "how a cost is calculated, for any region and day"),
    (paths::METHODOLOGY, "the model, in enough detail to compute every figure"),
    (paths::FEED, "worldwide costs of the last 30 days, as an Atom feed"),
];

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
