//! The methods of the Model Context Protocol that a server with tools has.

use std::sync::Arc;

use ghi_engine::visible;
use jsonrpsee_types::{ErrorCode, ErrorObject, Id, Request};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::mcp::message::{error_line, error_object, result_line};
use crate::mcp::schemas::Schemas;
use crate::mcp::tools::{TOOLS, Tool, ToolArguments, ToolRequest};
use crate::source::{DocumentSource, in_time};

/// What assistants should know of all tools.
const INSTRUCTIONS: &str = "The Global HashCost Index: what it costs, in USD, to mine one coin of a proof-of-work currency, as minimum, average and maximum, worldwide (global) and by region. The figures are synthetic, those of a sandbox: say so, and do not present them as market data. Begin with snapshot for today's costs; regions lists the ids that other tools take; explain shows how a cost follows from difficulty, hardware and electricity. Days and times are UTC.";

/// The revisions of the protocol that begin with initialize, the latest last. One between them, 2025-03-26, has
/// batches, which were removed again; a client that requests it gets the one before.
const WITH_INITIALIZE: [&str; 3] = ["2024-11-05", "2025-06-18", "2025-11-25"];

/// The revision in which each request names its revision, and nothing is agreed on before.
const WITHOUT_INITIALIZE: &str = "2026-07-28";

const REVISIONS: [&str; 4] =
    [WITH_INITIALIZE[0], WITH_INITIALIZE[1], WITH_INITIALIZE[2], WITHOUT_INITIALIZE];

/// The key of a server's name and version in that revision.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The code for an unknown revision.
const UNSUPPORTED_REVISION: i32 = -32022;

/// The longest name of a method that a message repeats, characters.
const METHOD_MAX: usize = 64;

/// The index as tools.
pub(super) struct ToolServer {
    source: DocumentSource,
    tools: Value,
    /// Held while a document that may have megabytes is fetched and sent, so that they are in memory one
    /// at a time.
    large_document: Arc<Mutex<()>>,
}

/// What a request leads to.
pub(super) enum Step {
    /// The line that answers it.
    Reply(Vec<u8>),
    Fetch(Fetch),
}

/// A call of a tool whose document is to be fetched.
pub(super) struct Fetch {
    pub(super) id: Id<'static>,
    request: ToolRequest,
    result_type: Option<&'static str>,
}

/// The line that answers a request.
pub(super) struct Reply {
    pub(super) line: Vec<u8>,
    _large_document: Option<OwnedMutexGuard<()>>,
}

impl From<Vec<u8>> for Reply {
    fn from(line: Vec<u8>) -> Self {
        Self { line, _large_document: None }
    }
}

/// The parameters of all methods.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    protocol_version: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<ToolArguments<'a>>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    revision: Option<&'a RawValue>,
}

impl Params<'_> {
    /// Whether the request names the revision itself.
    fn is_without_initialize(&self) -> Result<bool, ErrorObject<'static>> {
        let Some(requested) = self.meta.as_ref().and_then(|meta| meta.revision) else {
            return Ok(false);
        };
        let revision = serde_json::from_str::<String>(requested.get()).unwrap_or_default();
        if REVISIONS.contains(&&*revision) {
            return Ok(revision == WITHOUT_INITIALIZE);
        }
        let message = format!("unsupported revision of the protocol; use {WITHOUT_INITIALIZE}");
        let data = json!({"requested": requested, "supported": REVISIONS});
        Err(ErrorObject::owned(UNSUPPORTED_REVISION, message, Some(data)))
    }
}

/// The result of a tool: its document, or what is wrong.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolResult<'a> {
    content: [TextContent<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a RawValue>,
    is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
}

#[derive(Serialize)]
struct TextContent<'a> {
    r#type: &'static str,
    text: &'a str,
}

impl ToolServer {
    pub(super) fn new(source: DocumentSource) -> Result<Self, String> {
        let schemas = Schemas::new()?;
        let tools = TOOLS.iter().map(|tool| tool.described(&schemas));
        let tools = tools.collect::<Result<Value, _>>()?;
        Ok(Self { source, tools, large_document: Arc::default() })
    }

    /// Answers a request, or says which document answers it.
    pub(super) fn begin(&self, request: &Request<'_>) -> Step {
        let refused = |error| Step::Reply(error_line(&request.id, &error));
        self.step(request).unwrap_or_else(refused)
    }

    fn step(&self, request: &Request<'_>) -> Result<Step, ErrorObject<'static>> {
        let params = request.params.as_ref().map_or("{}", |params| params.get());
        let params: Params<'_> = serde_json::from_str(params)
            .map_err(|error| invalid(format!("invalid params: {error}")))?;
        let is_without_initialize = params.is_without_initialize()?;
        let result_type = is_without_initialize.then_some("complete");
        let mut result = match &*request.method {
            "initialize" => self.initialized(params.protocol_version.as_deref()),
            "server/discover" => self.discovered(),
            "ping" => json!({}),
            "tools/list" => json!({"tools": self.tools}),
            "tools/call" => return call(&request.id, &params, result_type),
            method => {
                let message = format!("unknown method '{}'", visible(method, METHOD_MAX));
                return Err(error_object(ErrorCode::MethodNotFound, message));
            }
        };
        if is_without_initialize {
            result["resultType"] = "complete".into();
            if matches!(&*request.method, "server/discover" | "tools/list") {
                // It costs nothing to request it again.
                result["ttlMs"] = 0.into();
                result["cacheScope"] = "private".into();
            }
        }
        Ok(Step::Reply(result_line(&request.id, &result)))
    }

    /// Agrees on the latest revision that is not later than the requested one: dates sort as text.
    fn initialized(&self, requested: Option<&str>) -> Value {
        let [.., latest] = WITH_INITIALIZE;
        let is_known = |known: &&str| requested.is_some_and(|requested| *known <= requested);
        json!({
            "protocolVersion": WITH_INITIALIZE.into_iter().rfind(is_known).unwrap_or(latest),
            "capabilities": {"tools": {}},
            "serverInfo": server_info(),
            "instructions": self.instructions(),
        })
    }

    fn discovered(&self) -> Value {
        json!({
            "supportedVersions": REVISIONS,
            "capabilities": {"tools": {}},
            "instructions": self.instructions(),
            "_meta": {SERVER_INFO: server_info()},
        })
    }

    fn instructions(&self) -> String {
        format!("{INSTRUCTIONS} Source: {}.", self.source.name())
    }

    /// Fetches a document and answers with it.
    pub(super) async fn fetch(self: Arc<Self>, fetch: Fetch) -> Reply {
        let Fetch { id, request, result_type } = fetch;
        let fetched = in_time(async {
            let mut large_document = None;
            if request.is_large() {
                large_document = Some(Arc::clone(&self.large_document).lock_owned().await);
            }
            Ok((self.document(&request).await?, large_document))
        });
        match fetched.await {
            Ok((text, _large_document)) => match serde_json::from_str::<&RawValue>(&text) {
                Ok(document) => {
                    let line = tool_line(&id, &text, Some(document), result_type);
                    Reply { line, _large_document }
                }
                Err(error) => tool_line(&id, &error.to_string(), None, result_type).into(),
            },
            Err(message) => tool_line(&id, &message, None, result_type).into(),
        }
    }

    /// A document as one line.
    async fn document(&self, request: &ToolRequest) -> Result<String, String> {
        let text = match request {
            ToolRequest::Document(resource) => self.source.json(resource).await?,
            ToolRequest::Explanation { region_id, date } => {
                self.source.explanation_json(region_id, *date).await?
            }
        };
        // In valid JSON, line ends are between values only.
        let is_one_line = !text.trim_end().contains(['\n', '\r']);
        Ok(if is_one_line { text } else { text.replace(['\n', '\r'], " ") })
    }
}

fn call(
    id: &Id<'_>,
    params: &Params<'_>,
    result_type: Option<&'static str>,
) -> Result<Step, ErrorObject<'static>> {
    let name = params.name.as_deref().ok_or_else(|| invalid("name is missing: that of a tool"))?;
    let tool = Tool::find(name).map_err(invalid)?;
    Ok(match tool.request(params.arguments.as_ref()) {
        Ok(request) => Step::Fetch(Fetch { id: id.clone().into_owned(), request, result_type }),
        // The assistant reads it, and can call again.
        Err(message) => Step::Reply(tool_line(id, &message, None, result_type)),
    })
}

/// The line with the result of a tool: its document, or what is wrong.
fn tool_line(
    id: &Id<'_>,
    text: &str,
    document: Option<&RawValue>,
    result_type: Option<&'static str>,
) -> Vec<u8> {
    let content = [TextContent { r#type: "text", text: text.trim_end() }];
    let is_error = document.is_none();
    let result = ToolResult { content, structured_content: document, is_error, result_type };
    result_line(id, &result)
}

fn server_info() -> Value {
    let title = "Global HashCost Index (sandbox)";
    json!({"name": "ghi", "title": title, "version": env!("CARGO_PKG_VERSION")})
}

fn invalid(message: impl Into<String>) -> ErrorObject<'static> {
    error_object(ErrorCode::InvalidParams, message)
}
