//! The methods of the Model Context Protocol for a server with tools.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use ghi_engine::visible;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::mcp::message::{INVALID_PARAMS, METHOD_NOT_FOUND, Message, error_line, reply_line};
use crate::mcp::tools::{TOOLS, Tool, ToolRequest};
use crate::show::table_file::TableFile;
use crate::source::{DocumentSource, in_time};

/// Instructions for assistants about all tools.
const INSTRUCTIONS: &str = "The Global HashCost Index: what it costs, in USD, to mine one coin of a proof-of-work currency, as minimum, average and maximum, worldwide (global) and by region. This is a sandbox, not market data: say so. Start with snapshot for today's costs; regions lists the ids that other tools accept; explain shows how a cost is calculated from difficulty, hardware and electricity. Dates and times are UTC.";

/// The revisions of the protocol that start with initialize, the latest last. Revision 2025-03-26 has batches,
/// which later revisions removed, so it is not supported; a client that requests it gets the one before.
const WITH_INITIALIZE: [&str; 3] = ["2024-11-05", "2025-06-18", "2025-11-25"];

/// The revision in which each request names its own revision, without initialize.
const WITHOUT_INITIALIZE: &str = "2026-07-28";

const REVISIONS: [&str; 4] =
    [WITH_INITIALIZE[0], WITH_INITIALIZE[1], WITH_INITIALIZE[2], WITHOUT_INITIALIZE];

/// The keys for the revision of a request and for the name and version of the server, in that revision.
const REVISION_OF_REQUEST: &str = "io.modelcontextprotocol/protocolVersion";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The error code for an unsupported revision.
const UNSUPPORTED_REVISION: i32 = -32022;

/// The maximum number of characters of a method name in a message.
const METHOD_MAX: usize = 64;

/// Serves the index as tools.
pub(super) struct ToolServer {
    source: DocumentSource,
    tools: Value,
    /// Locked while a document of up to several megabytes is fetched and sent, so that only one is in memory
    /// at a time.
    large_document: Arc<Mutex<()>>,
}

/// A call of a tool.
pub(super) struct ToolCall {
    /// The id of the request, as JSON.
    id: String,
    tool: &'static Tool,
    /// As JSON.
    arguments: String,
    result_type: Option<&'static str>,
}

/// The reply to a request.
pub(super) struct ReplyLine {
    pub(super) line: Vec<u8>,
    _large_document: Option<OwnedMutexGuard<()>>,
}

impl From<Vec<u8>> for ReplyLine {
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
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<HashMap<String, &'a RawValue>>,
}

impl Params<'_> {
    /// Returns whether the request names its own revision, or an error.
    fn is_without_initialize(&self) -> Result<bool, Value> {
        let requested = self.meta.as_ref().and_then(|meta| meta.get(REVISION_OF_REQUEST));
        let Some(requested) = requested else { return Ok(false) };
        let revision = serde_json::from_str::<String>(requested.get()).unwrap_or_default();
        if REVISIONS.contains(&&*revision) {
            return Ok(revision == WITHOUT_INITIALIZE);
        }
        let message = format!("unsupported protocol revision; use {WITHOUT_INITIALIZE}");
        let data = json!({"requested": requested, "supported": REVISIONS});
        Err(json!({"code": UNSUPPORTED_REVISION, "message": message, "data": data}))
    }
}

/// The result of a tool: its document or an error.
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
    pub(super) fn new(source: DocumentSource) -> Self {
        let data = source.kind_of_data_today();
        let tools = TOOLS.iter().map(|tool| tool.described(&data)).collect();
        Self { source, tools, large_document: Arc::default() }
    }

    /// Starts to handle a request. Returns the tool to call, or the reply as the error.
    pub(super) fn begin(&self, id: &str, request: &Message<'_>) -> Result<ToolCall, Vec<u8>> {
        let invalid = |message: String| error_line(id, INVALID_PARAMS, &message);
        let params: Params<'_> = serde_json::from_str(request.params)
            .map_err(|error| invalid(format!("invalid params: {error}")))?;
        let is_without_initialize =
            params.is_without_initialize().map_err(|error| reply_line(id, "error", &error))?;
        let result_type = is_without_initialize.then_some("complete");
        let mut result = match &*request.method {
            "initialize" => self.initialized(params.protocol_version.as_deref()),
            "server/discover" => self.discovered(),
            "ping" => json!({}),
            "tools/list" => json!({"tools": self.tools}),
            "tools/call" => {
                let name = params.name.ok_or_else(|| {
                    invalid("name is missing; expected the name of a tool".into())
                })?;
                let tool = Tool::find(&name).map_err(invalid)?;
                let arguments = params.arguments.map_or("{}", RawValue::get).to_owned();
                return Ok(ToolCall { id: id.into(), tool, arguments, result_type });
            }
            method => {
                let message = format!("unknown method '{}'", visible(method, METHOD_MAX));
                return Err(error_line(id, METHOD_NOT_FOUND, &message));
            }
        };
        if is_without_initialize {
            result["resultType"] = "complete".into();
            if matches!(&*request.method, "server/discover" | "tools/list") {
                // Requesting it again is cheap.
                result["ttlMs"] = 0.into();
                result["cacheScope"] = "private".into();
            }
        }
        Err(reply_line(id, "result", &result))
    }

    /// Selects the latest revision that is not later than the requested one. Dates sort as text.
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
        format!("{INSTRUCTIONS} {}, {}.", self.source.kind_of_data_today(), self.source.name())
    }

    /// Calls a tool and returns the reply.
    pub(super) async fn answer(self: Arc<Self>, call: ToolCall) -> ReplyLine {
        let ToolCall { id, tool, arguments, result_type } = call;
        let fetched = answered(in_time(async {
            let request = tool.request(&arguments)?;
            let mut large_document = None;
            if request.is_large() {
                large_document = Some(Arc::clone(&self.large_document).lock_owned().await);
            }
            Ok((self.fetch(request).await?, large_document))
        }));
        let (text, is_error, _large_document) = match fetched.await {
            Ok((text, large_document)) => (text, false, large_document),
            Err(message) => (message, true, None),
        };
        let content = [TextContent { r#type: "text", text: &text }];
        let structured_content = if is_error { None } else { serde_json::from_str(&text).ok() };
        let result = ToolResult { content, structured_content, is_error, result_type };
        ReplyLine { line: reply_line(&id, "result", &result), _large_document }
    }

    /// Fetches a document as one line of JSON.
    async fn fetch(&self, request: ToolRequest) -> Result<String, String> {
        let source = &self.source;
        let text = match request {
            ToolRequest::Document(resource) => source.json(&resource).await?,
            ToolRequest::Explanation(target) => source.file(&target).await?,
            ToolRequest::Curve { date, price } => {
                TableFile::fetch_curve(source, date, price).await?.json().to_string()
            }
            ToolRequest::Table(target) => {
                TableFile::fetch(source, &target).await?.json().to_string()
            }
        };
        // Valid JSON has line ends only between values.
        Ok(text.trim_end().replace(['\n', '\r'], " "))
    }
}

/// Turns a panic, which is a bug, into an error that is answered like any other.
async fn answered<T>(call: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let call = AssertUnwindSafe(call).catch_unwind().await;
    call.unwrap_or_else(|_| Err("internal error; standard error has the details".into()))
}

fn server_info() -> Value {
    let title = "Global HashCost Index (sandbox)";
    json!({"name": "ghi", "title": title, "version": env!("CARGO_PKG_VERSION")})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_answered() {
        let call = answered(async { if true { panic!("a bug") } else { Ok(()) } });
        let error = call.await.unwrap_err();
        assert_eq!(error, "internal error; standard error has the details");
    }
}
