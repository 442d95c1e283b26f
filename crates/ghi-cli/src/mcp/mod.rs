//! `ghi mcp`: a server of the Model Context Protocol (MCP) for AI assistants.
//!
//! Messages are JSON-RPC 2.0, one per line.

mod tools;

use std::collections::HashMap;
use std::io::{self, BufRead, ErrorKind, IsTerminal, Read};
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use futures_util::FutureExt;
use ghi_engine::visible;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::io::AsyncWriteExt;
use tokio::sync::{Mutex, OwnedMutexGuard, mpsc};
use tokio::task::{AbortHandle, JoinSet};

use crate::mcp::tools::{NAME_MAX, TOOLS, Tool};
use crate::output::print_error;
use crate::signals::until_signal;
use crate::source::{DocumentSource, SourceArgs, in_time};

const INSTRUCTIONS: &str = "The Global HashCost Index: what it costs, in USD, to mine one coin of a proof-of-work currency, as minimum, average and maximum, worldwide (global) and by region. This is a sandbox, not market data: say so. Start with snapshot for today's costs; regions lists the ids that other tools accept; explain shows how a cost is calculated from difficulty, hardware and electricity. Dates and times are UTC.";

/// The revisions of the protocol. The last one has no initialize: each request names its own revision. Revision
/// 2025-03-26 has batches, which later revisions removed, so it is not supported; a client that requests it gets
/// the one before.
const REVISIONS: [&str; 4] = ["2024-11-05", "2025-06-18", "2025-11-25", WITHOUT_INITIALIZE];
const WITHOUT_INITIALIZE: &str = "2026-07-28";

/// The maximum length of a line in bytes. A call has a few hundred.
const LINE_MAX: u64 = 1 << 20;

/// The maximum number of calls at once. While that many run, no further line is read.
const CALLS_MAX: usize = 16;

/// The maximum length of a request id in bytes: it is stored until the reply is sent.
const ID_MAX: usize = 1_024;

/// The error codes of JSON-RPC, and one of MCP.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;
const UNSUPPORTED_REVISION: i32 = -32022;

/// Serves an assistant over stdin and stdout until they are closed or a signal arrives.
pub(crate) fn run(args: &SourceArgs) -> Result<ExitCode, String> {
    let server = ToolServer::new(DocumentSource::open(args)?);
    if io::stdin().is_terminal() {
        print_error("waiting for Model Context Protocol messages on stdin; press Ctrl-D to exit");
    }
    let (sender, lines) = mpsc::channel(1);
    thread::spawn(move || read_lines(io::stdin().lock(), &sender));
    match until_signal(serve(server, lines))? {
        // With a broken pipe, the assistant has closed it.
        Ok(Err(error)) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot continue: {error}"))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// A line, or `None` if it was too long and was skipped.
type InputLine = io::Result<Option<Vec<u8>>>;

/// Sends the lines of an input, in bounded memory.
fn read_lines(mut input: impl BufRead, lines: &mpsc::Sender<InputLine>) {
    let mut next = || {
        let mut line = Vec::new();
        let length = input.by_ref().take(LINE_MAX + 1).read_until(b'\n', &mut line)?;
        let is_too_long = length as u64 > LINE_MAX && !line.ends_with(b"\n");
        if is_too_long {
            input.skip_until(b'\n')?;
        }
        Ok((length > 0).then(|| Some(line).filter(|_| !is_too_long)))
    };
    while let Some(line) = next().transpose() {
        let is_last = line.is_err();
        if lines.blocking_send(line).is_err() || is_last {
            return;
        }
    }
}

/// Handles messages, and sends each reply as soon as it is ready.
async fn serve(server: ToolServer, mut lines: mpsc::Receiver<InputLine>) -> io::Result<()> {
    let server = Arc::new(server);
    let mut stdout = tokio::io::stdout();
    let (mut calls, mut handles) = (JoinSet::new(), HashMap::new());
    loop {
        let reply = tokio::select! {
            Some(line) = lines.recv(), if calls.len() < CALLS_MAX => {
                handle(line?, &server, &mut calls, &mut handles).err()
            }
            // A cancelled call has no reply.
            Some(done) = calls.join_next() => done.ok(),
            else => return Ok(()),
        };
        if let Some(reply) = reply {
            stdout.write_all(&reply.bytes).await?;
            stdout.flush().await?;
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    protocol_version: Option<String>,
    name: Option<String>,
    arguments: Option<Value>,
    #[serde(rename = "_meta")]
    meta: Option<Map<String, Value>>,
}

/// Starts the call that a line requests, or cancels one. Ignores empty lines, other notifications, and replies,
/// although no request was sent. The error is the reply to an invalid message.
fn handle(
    line: Option<Vec<u8>>,
    server: &Arc<ToolServer>,
    calls: &mut JoinSet<OutputLine>,
    handles: &mut HashMap<String, AbortHandle>,
) -> Result<(), OutputLine> {
    let refused = |id, code, message: &str| OutputLine::new(id, "error", &error(code, message));
    let Some(line) = line else {
        let message = format!("a line must have at most {LINE_MAX} bytes");
        return Err(refused(&Value::Null, INVALID_REQUEST, &message));
    };
    if line.trim_ascii().is_empty() {
        return Ok(());
    }
    let mut message: Value = serde_json::from_slice(&line)
        .map_err(|_| refused(&Value::Null, PARSE_ERROR, "each line must be a JSON message"))?;
    let params = message.get_mut("params").map_or_else(|| json!({}), Value::take);
    let is_id = |id: &Value| id.is_u64() || id.as_str().is_some_and(|text| text.len() <= ID_MAX);
    match (message["method"].as_str(), message.get("id")) {
        (Some("notifications/cancelled"), None) => {
            handles.remove(&params["requestId"].to_string()).inspect(AbortHandle::abort);
        }
        (Some(_), None) => {}
        (None, _) if message.get("result").or(message.get("error")).is_some() => {}
        (Some(method), Some(id)) if message["jsonrpc"] == "2.0" && is_id(id) => {
            let params = serde_json::from_value(params).map_err(|error| {
                refused(id, INVALID_PARAMS, &format!("invalid params: {error}"))
            })?;
            let call = Arc::clone(server).answer(id.clone(), method.to_owned(), params);
            handles.retain(|_, call| !call.is_finished());
            handles.insert(id.to_string(), calls.spawn(call));
        }
        (_, id) => {
            // Returning the id, whatever it is, tells the assistant which message is invalid.
            let is_short =
                |id: &&Value| !id.is_array() && !id.is_object() && id.to_string().len() <= ID_MAX;
            let message = "a message must be a JSON-RPC 2.0 object with jsonrpc, id, method and params; an id must be a string of at most 1,024 bytes or a non-negative integer";
            let id = id.filter(is_short).unwrap_or(&Value::Null);
            return Err(refused(id, INVALID_REQUEST, message));
        }
    }
    Ok(())
}

fn error(code: i32, message: &str) -> Value {
    json!({"code": code, "message": message})
}

struct OutputLine {
    bytes: Vec<u8>,
    /// Held until the line is sent.
    _large_document: Option<OwnedMutexGuard<()>>,
}

impl OutputLine {
    /// Creates the reply to the request with this id, whose member is `result` or `error`.
    fn new(id: &Value, member: &str, value: &impl Serialize) -> Self {
        let mut bytes = format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":"#).into_bytes();
        serde_json::to_writer(&mut bytes, value).expect("keys are strings");
        bytes.extend(b"}\n");
        Self { bytes, _large_document: None }
    }
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

struct ToolServer {
    source: DocumentSource,
    instructions: String,
    tools: Value,
    /// Locked while a document of several megabytes is fetched and sent, so that only one is in memory.
    large_document: Arc<Mutex<()>>,
}

impl ToolServer {
    fn new(source: DocumentSource) -> Self {
        let data = source.kind_of_data_today();
        let instructions = format!("{INSTRUCTIONS} {data}, {}.", source.name());
        let tools = TOOLS.iter().map(|tool| tool.described(&data)).collect();
        Self { source, instructions, tools, large_document: Arc::default() }
    }

    /// Answers a request, even if a bug makes it panic.
    async fn answer(self: Arc<Self>, id: Value, method: String, params: Params) -> OutputLine {
        let replied = without_panic(self.reply(&id, &method, params)).await;
        replied.unwrap_or_else(|error| OutputLine::new(&id, "error", &error))
    }

    async fn reply(&self, id: &Value, method: &str, params: Params) -> Result<OutputLine, Value> {
        let revision = params
            .meta
            .as_ref()
            .and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"));
        if let Some(requested) = revision.filter(|named| REVISIONS.iter().all(|it| it != *named)) {
            let message = format!("unsupported protocol revision; use {WITHOUT_INITIALIZE}");
            let data = json!({"requested": requested, "supported": REVISIONS});
            return Err(json!({"code": UNSUPPORTED_REVISION, "message": message, "data": data}));
        }
        let is_without_initialize = revision.is_some_and(|named| named == WITHOUT_INITIALIZE);
        let title = "Global HashCost Index (sandbox)";
        let server_info =
            json!({"name": "ghi", "title": title, "version": env!("CARGO_PKG_VERSION")});
        let mut result = match method {
            "initialize" => json!({
                "protocolVersion": agreed_revision(params.protocol_version.as_deref()),
                "capabilities": {"tools": {}},
                "serverInfo": server_info,
                "instructions": self.instructions,
            }),
            "server/discover" => json!({
                "supportedVersions": REVISIONS,
                "capabilities": {"tools": {}},
                "instructions": self.instructions,
                "_meta": {"io.modelcontextprotocol/serverInfo": server_info},
            }),
            "ping" => json!({}),
            "tools/list" => json!({"tools": self.tools}),
            "tools/call" => {
                let result_type = is_without_initialize.then_some("complete");
                return self.call(id, params, result_type).await;
            }
            _ => {
                let message = format!("unknown method '{}'", visible(method, NAME_MAX));
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
        Ok(OutputLine::new(id, "result", &result))
    }

    /// Calls a tool and replies with its document, or with its error as text.
    async fn call(
        &self,
        id: &Value,
        params: Params,
        result_type: Option<&'static str>,
    ) -> Result<OutputLine, Value> {
        let name = params.name.ok_or("name is missing; expected the name of a tool".to_owned());
        let tool = name.and_then(|name| Tool::find(&name));
        let tool = tool.map_err(|message| error(INVALID_PARAMS, &message))?;
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
        Ok(OutputLine { _large_document, ..OutputLine::new(id, "result", &result) })
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

    #[test]
    fn an_overlong_line_is_skipped_and_the_next_is_read() {
        let longest = "x".repeat(LINE_MAX as usize);
        let text = format!("a\n\n{longest}\n{longest}x\nb\n{longest}{longest}");
        for capacity in [1 << 10, 4 << 20] {
            let (sender, mut lines) = mpsc::channel(10);
            read_lines(io::BufReader::with_capacity(capacity, text.as_bytes()), &sender);
            drop(sender);
            let whole = [Some("a"), Some(""), Some(&*longest), None, Some("b"), None];
            for expected in whole {
                let line = lines.blocking_recv().unwrap().unwrap();
                assert!(line.as_deref().map(<[u8]>::trim_ascii) == expected.map(str::as_bytes));
            }
            assert!(lines.blocking_recv().is_none());
        }
    }

    #[tokio::test]
    async fn a_panic_is_answered() {
        let reply = without_panic(async { if true { panic!("a bug") } else { Ok(()) } });
        let error = reply.await.unwrap_err();
        assert_eq!(error["message"], "internal error; standard error has the details");
    }
}
