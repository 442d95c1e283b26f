//! For machines that look around: what there is, and where.

use std::sync::LazyLock;

use bytes::Bytes;
use ghi_contract::paths;
use hyper::Response;
use hyper::header::{HeaderValue, LINK};
use serde_json::json;

use crate::api::Ask;
use crate::conditional::{of_the_program, tag};
use crate::openapi::{self, operations};
use crate::problem::Problem;

type Answer = Result<Response<Bytes>, Problem>;

/// A text that is made once.
struct Text {
    content: Bytes,
    tag: HeaderValue,
}

impl Text {
    fn new(content: impl Into<Bytes>) -> Self {
        let content = content.into();
        let tag = tag(&content);
        Self { content, tag }
    }

    fn respond(&self, ask: &Ask<'_>, content_type: &'static str) -> Response<Bytes> {
        of_the_program(ask.headers, content_type, self.content.clone(), self.tag.clone())
    }
}

/// The description of the API.
pub(crate) fn openapi(ask: &Ask<'_>) -> Answer {
    static TEXT: LazyLock<Text> = LazyLock::new(|| Text::new(openapi::openapi()));
    Ok(TEXT.respond(ask, "application/json"))
}

/// Where the API and its descriptions are: RFC 9727.
pub(crate) fn api_catalog(ask: &Ask<'_>) -> Answer {
    static TEXT: LazyLock<Text> = LazyLock::new(|| {
        let catalog = json!({"linkset": [
            {
                "anchor": "/.well-known/api-catalog",
                "item": paths::AVAILABLE_ENDPOINTS.map(|path| json!({"href": path})),
            },
            {
                "anchor": paths::METADATA,
                "service-desc": [{"href": "/openapi.json", "type": "application/json"}],
                "service-doc": [{"href": "/docs", "type": "text/html"}],
                "service-meta": [{"href": paths::METADATA, "type": "application/json"}],
                "status": [{"href": "/readyz", "type": "application/json"}],
            },
        ]});
        Text::new(catalog.to_string())
    });
    let profile = "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
    let mut response = TEXT.respond(ask, profile);
    let link = HeaderValue::from_static("</.well-known/api-catalog>; rel=\"api-catalog\"");
    response.headers_mut().append(LINK, link);
    Ok(response)
}

/// The service in a few words, for assistants.
pub(crate) fn llms(ask: &Ask<'_>) -> Answer {
    static TEXT: LazyLock<Text> = LazyLock::new(|| {
        let mut text = format!("# {}\n\n> {}\n", openapi::TITLE, openapi::IN_SHORT);
        let mut chapter = String::new();
        for operation in operations() {
            if operation.chapter != chapter {
                text += &format!("\n## {}\n\n", operation.chapter);
                chapter = operation.chapter;
            }
            let (path, summary, description) =
                (operation.path, operation.summary, operation.description);
            text += &format!("- [{path}]({path}): {summary}. {description}\n");
        }
        text += "\n## Descriptions\n\n\
                 - [/openapi.json](/openapi.json): every operation, parameter, answer and error\n\
                 - [/docs](/docs): the same for people, with requests to send\n\
                 - [/](/): today's figures as a page\n";
        Text::new(text)
    });
    Ok(TEXT.respond(ask, "text/plain; charset=utf-8"))
}

/// What crawlers may read: everything but what is for operators.
pub(crate) fn robots(ask: &Ask<'_>) -> Answer {
    static TEXT: LazyLock<Text> = LazyLock::new(|| {
        Text::new("User-agent: *\nDisallow: /healthz\nDisallow: /readyz\nDisallow: /metrics\n")
    });
    Ok(TEXT.respond(ask, "text/plain; charset=utf-8"))
}
