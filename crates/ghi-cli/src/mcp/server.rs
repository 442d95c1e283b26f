//! The methods of the protocol for a server with tools.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use ghi_engine::visible;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::mcp::tools::{TOOLS, Tool};
use crate::mcp::{INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, error};
use crate::source::{DocumentSource, in_time};

const INSTRUCTIONS: &str = "The Global HashCost Index: what it costs, in USD, to mine one coin of a proof-of-work currency, as minimum, average and maximum, worldwide (global) and by region. This is a sandbox, not market data: say so. Start with snapshot for today's costs; regions lists the ids that other tools accept; explain shows how a cost is calculated from difficulty, hardware and electricity. Dates and times are UTC.";

/// The revisions of the protocol. The last one has no initialize: each request names its own revision. Revision
/// 2025-03-26 has batches, which later revisions removed, so it is not supported; a client that requests it gets
/// the one before.
const REVISIONS: [&str; 4] = ["2024-11-05", "2025-06-18", "2025-11-25", WITHOUT_INITIALIZE];
const WITHOUT_INITIALIZE: &str = "2026-07-28";

/// The keys for the revision of a request and for the name and version of the server, in that revision.
const REVISION_OF_REQUEST: &str = "io.modelcontextprotocol/protocolVersion";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

const UNSUPPORTED_REVISION: i32 = -32022;

/// The maximum number of characters of a method name in a message.
const METHOD_MAX: usize = 64;

pub(super) struct ToolServer {
    source: DocumentSource,
    tools: Value,
    /// Locked while a document of up to several megabytes is fetched and sent, so that only one is in memory
    /// at a time.
    large_document: Arc<Mutex<()>>,
}

pub(super) struct Reply {
    pub(super) line: Vec<u8>,
    /// Held until the line is sent.
    _large_document: Option<OwnedMutexGuard<()>>,
}

impl Reply {
    /// Creates a reply to the request with this id, whose member is `result` or `error`.
    pub(super) fn new(id: &Value, member: &str, value: &impl Serialize) -> Self {
        let mut line = format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":"#).into_bytes();
        serde_json::to_writer(&mut line, value).expect("keys are strings");
        line.extend(b"}\n");
        Self { line, _large_document: None }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    protocol_version: Option<String>,
    name: Option<String>,
    arguments: Option<Value>,
    #[serde(rename = "_meta")]
    meta: Option<Map<String, Value>>,
}

/// The result of a tool: its document or an error.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolResult<'a> {
    content: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a RawValue>,
    is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
}

impl ToolServer {
    pub(super) fn new(source: DocumentSource) -> Self {
        let data = source.kind_of_data_today();
        let tools = TOOLS.iter().map(|tool| tool.described(&data)).collect();
        Self { source, tools, large_document: Arc::default() }
    }

    /// Answers a request, even if a bug makes it panic.
    pub(super) async fn answer(
        self: Arc<Self>,
        id: Value,
        method: String,
        params: Params,
    ) -> Reply {
        let replied = without_panic(self.reply(&id, &method, params)).await;
        replied.unwrap_or_else(|error| Reply::new(&id, "error", &error))
    }

    async fn reply(&self, id: &Value, method: &str, params: Params) -> Result<Reply, Value> {
        let revision = params.meta.as_ref().and_then(|meta| meta.get(REVISION_OF_REQUEST));
        if let Some(requested) = revision.filter(|named| REVISIONS.iter().all(|it| it != *named)) {
            let message = format!("unsupported protocol revision; use {WITHOUT_INITIALIZE}");
            let data = json!({"requested": requested, "supported": REVISIONS});
            return Err(json!({"code": UNSUPPORTED_REVISION, "message": message, "data": data}));
        }
        let is_without_initialize = revision.is_some_and(|named| named == WITHOUT_INITIALIZE);
        let instructions = || {
            format!("{INSTRUCTIONS} {}, {}.", self.source.kind_of_data_today(), self.source.name())
        };
        let server_info = || {
            let title = "Global HashCost Index (sandbox)";
            json!({"name": "ghi", "title": title, "version": env!("CARGO_PKG_VERSION")})
        };
        let mut result = match method {
            "initialize" => json!({
                "protocolVersion": agreed_revision(params.protocol_version.as_deref()),
                "capabilities": {"tools": {}},
                "serverInfo": server_info(),
                "instructions": instructions(),
            }),
            "server/discover" => json!({
                "supportedVersions": REVISIONS,
                "capabilities": {"tools": {}},
                "instructions": instructions(),
                "_meta": {SERVER_INFO: server_info()},
            }),
            "ping" => json!({}),
            "tools/list" => json!({"tools": self.tools}),
            "tools/call" => {
                let result_type = is_without_initialize.then_some("complete");
                return self.call(id, params, result_type).await;
            }
            _ => {
                let message = format!("unknown method '{}'", visible(method, METHOD_MAX));
                return Err(error(METHOD_NOT_FOUND, &message));
            }
        };
        if is_without_initialize {
            result["resultType"] = "complete".into();
            if matches!(method, "server/discover" | "tools/list") {
                // Requesting it again is cheap.
                result["ttlMs"] = 0.into();
                result["cacheScope"] = "private".into();
            }
        }
        Ok(Reply::new(id, "result", &result))
    }

    /// Calls a tool and replies with its document, or with its error as text.
    async fn call(
        &self,
        id: &Value,
        params: Params,
        result_type: Option<&'static str>,
    ) -> Result<Reply, Value> {
        let missing = || error(INVALID_PARAMS, "name is missing; expected the name of a tool");
        let tool = Tool::find(&params.name.ok_or_else(missing)?);
        let tool = tool.map_err(|unknown| error(INVALID_PARAMS, &unknown))?;
        let fetched = in_time(async {
            let large_document = match tool.is_large() {
                true => Some(Arc::clone(&self.large_document).lock_owned().await),
                false => None,
            };
            let arguments = params.arguments.unwrap_or_else(|| json!({}));
            Ok((tool.fetch(&self.source, arguments).await?, large_document))
        });
        let (text, is_error, _large_document) = match fetched.await {
            Ok((text, large_document)) => (text, false, large_document),
            Err(message) => (message, true, None),
        };
        let content = json!([{"type": "text", "text": text}]);
        let structured_content = if is_error { None } else { serde_json::from_str(&text).ok() };
        let result = ToolResult { content, structured_content, is_error, result_type };
        Ok(Reply { _large_document, ..Reply::new(id, "result", &result) })
    }
}

/// Selects the latest revision that is not later than the requested one. Dates sort as text.
fn agreed_revision(requested: Option<&str>) -> &'static str {
    let [with_initialize @ .., _] = REVISIONS;
    let is_known = |known: &&str| requested.is_some_and(|requested| *known <= requested);
    with_initialize.into_iter().rfind(is_known).unwrap_or(with_initialize[2])
}

/// Turns a panic, which is a bug, into an error that is answered like any other.
async fn without_panic<T>(reply: impl Future<Output = Result<T, Value>>) -> Result<T, Value> {
    let internal = "internal error; standard error has the details";
    let reply = AssertUnwindSafe(reply).catch_unwind().await;
    reply.unwrap_or_else(|_| Err(error(INTERNAL_ERROR, internal)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_answered() {
        let reply = without_panic(async { if true { panic!("a bug") } else { Ok(()) } });
        let error = reply.await.unwrap_err();
        assert_eq!(error["message"], "internal error; standard error has the details");
    }
}
