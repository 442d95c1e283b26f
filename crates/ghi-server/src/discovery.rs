//! For machines that look around: what there is, and where.

use std::sync::LazyLock;

use bytes::Bytes;
use ghi_contract::paths;
use hyper::Response;
use hyper::header::{HeaderValue, LINK};
use serde_json::json;

use crate::api::Ask;
use crate::conditional::Standing;
use crate::openapi::{self, IN_SHORT, TITLE};
use crate::operations;
use crate::problem::Problem;

const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

type Answer = Result<Response<Bytes>, Problem>;

/// The description of the API.
pub(crate) fn openapi(ask: &Ask<'_>) -> Answer {
    static TEXT: LazyLock<Standing> =
        LazyLock::new(|| Standing::new("application/json", openapi::openapi()));
    Ok(TEXT.respond(ask.headers))
}

/// Where the API and its descriptions are: RFC 9727.
pub(crate) fn api_catalog(ask: &Ask<'_>) -> Answer {
    static TEXT: LazyLock<Standing> = LazyLock::new(|| {
        let catalog = json!({"linkset": [
            {
                "anchor": "/.well-known/api-catalog",
                "item": [{"href": paths::METADATA}],
            },
            {
                "anchor": paths::METADATA,
                "service-desc": [{"href": "/openapi.json", "type": "application/json"}],
                "service-doc": [{"href": "/docs", "type": "text/html"}],
                "service-meta": [{"href": paths::METADATA, "type": "application/json"}],
                "status": [{"href": operations::READYZ, "type": "application/json"}],
            },
        ]});
        let profile =
            "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
        Standing::new(profile, catalog.to_string())
    });
    let mut response = TEXT.respond(ask.headers);
    let link = HeaderValue::from_static("</.well-known/api-catalog>; rel=\"api-catalog\"");
    response.headers_mut().append(LINK, link);
    Ok(response)
}

/// The service in a few words, for assistants.
pub(crate) fn llms(ask: &Ask<'_>) -> Answer {
    static TEXT: LazyLock<Standing> = LazyLock::new(|| {
        let mut text = format!("# {TITLE}\n\n> {IN_SHORT}\n");
        let mut chapter = String::new();
        for words in openapi::all_words() {
            if words.chapter == operations::OPERATION {
                continue;
            }
            if words.chapter != chapter {
                text += &format!("\n## {}\n\n", words.chapter);
                chapter = words.chapter;
            }
            // What has a parameter in its path is no link.
            let path = match &*words.path {
                path if path.contains('{') => format!("`{path}`"),
                path => format!("[{path}]({path})"),
            };
            text += &format!("- {path}: {}. {}", words.summary, words.description);
            if !words.parameters.is_empty() {
                text += &format!(" Takes `{}`.", words.parameters.join("`, `"));
            }
            text.push('\n');
        }
        text += "\n## Descriptions\n\n\
                 - [/openapi.json](/openapi.json): every operation, parameter, answer and error\n\
                 - [/docs](/docs): the same for people, with requests to send\n\
                 - [/](/): today's figures as a page\n";
        Standing::new(PLAIN_TEXT, text)
    });
    Ok(TEXT.respond(ask.headers))
}

/// What crawlers may read: everything but what is for operators.
pub(crate) fn robots(ask: &Ask<'_>) -> Answer {
    static TEXT: LazyLock<Standing> = LazyLock::new(|| {
        let for_operators = [operations::HEALTHZ, operations::READYZ, operations::METRICS];
        let rules = for_operators.map(|path| format!("Disallow: {path}\n")).concat();
        Standing::new(PLAIN_TEXT, format!("User-agent: *\n{rules}"))
    });
    Ok(TEXT.respond(ask.headers))
}
