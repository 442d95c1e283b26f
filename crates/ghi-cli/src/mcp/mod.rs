//! `ghi mcp`: a server of the Model Context Protocol (MCP) for AI assistants.
//!
//! Messages are JSON-RPC 2.0, one per line.

mod server;
mod tools;

use std::collections::HashMap;
use std::io::{self, BufRead, ErrorKind, IsTerminal, Read};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use crate::mcp::server::{Params, Reply, ToolServer};
use crate::output::print_error;
use crate::signals::{Signals, runtime};
use crate::source::{DocumentSource, SourceArgs};

/// The maximum length of a line in bytes. A call has a few hundred.
const LINE_MAX: u64 = 1 << 20;

/// The maximum number of calls at once. While that many run, no further line is read.
const CALLS_MAX: usize = 16;

/// The maximum length of a request id in bytes: it is stored until the reply is sent.
const ID_MAX: usize = 1_024;

/// The error codes of JSON-RPC.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: SourceArgs,
}

/// Serves an assistant over stdin and stdout until they are closed or a signal arrives.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let server = ToolServer::new(DocumentSource::open(&args.source)?);
    if io::stdin().is_terminal() {
        print_error("waiting for Model Context Protocol messages on stdin; press Ctrl-D to exit");
    }
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let mut signals = Signals::watch().map_err(|error| format!("cannot start: {error}"))?;
        let (sender, lines) = mpsc::channel(1);
        tokio::task::spawn_blocking(move || read_lines(io::stdin().lock(), &sender));
        tokio::select! {
            served = serve(server, lines) => served.map_err(|error| format!("cannot continue: {error}")),
            _ = signals.next() => Ok(()),
        }
    });
    // A thread that waits for input from a terminal would keep the process running.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
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

/// Handles messages. Replies are sent as soon as they are ready; after the last message, the remaining replies
/// are sent.
async fn serve(server: ToolServer, mut lines: mpsc::Receiver<InputLine>) -> io::Result<()> {
    let server = Arc::new(server);
    let mut stdout = tokio::io::stdout();
    let mut calls = JoinSet::new();
    let mut handles: HashMap<String, AbortHandle> = HashMap::new();
    loop {
        let reply = tokio::select! {
            Some(line) = lines.recv(), if calls.len() < CALLS_MAX => match read(line?) {
                Ok(Message::Request { id, method, params }) => {
                    handles.retain(|_, call| !call.is_finished());
                    let key = id.to_string();
                    handles.insert(key, calls.spawn(Arc::clone(&server).answer(id, method, *params)));
                    continue;
                }
                Ok(Message::Cancellation(id)) => {
                    handles.remove(&id.to_string()).inspect(AbortHandle::abort);
                    continue;
                }
                Ok(Message::Other) => continue,
                Err(reply) => reply,
            },
            Some(done) = calls.join_next() => match done {
                Ok(reply) => reply,
                // A cancelled call has no reply.
                Err(_) => continue,
            },
            else => return Ok(()),
        };
        let written = async {
            stdout.write_all(&reply.line).await?;
            stdout.flush().await
        };
        match written.await {
            // The assistant has closed the pipe.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
}

enum Message {
    Request {
        id: Value,
        method: String,
        params: Box<Params>,
    },
    /// Cancels the request with this id.
    Cancellation(Value),
    /// Needs no action: an empty line, another notification, or a reply, although no request was sent.
    Other,
}

/// Reads a line. Returns the reply to an invalid message as the error.
fn read(line: Option<Vec<u8>>) -> Result<Message, Reply> {
    let refused = |id, code, message: &str| Reply::new(id, "error", &error(code, message));
    let Some(line) = line else {
        let message = format!("a line must have at most {LINE_MAX} bytes");
        return Err(refused(&Value::Null, INVALID_REQUEST, &message));
    };
    if line.trim_ascii().is_empty() {
        return Ok(Message::Other);
    }
    let mut message: Value = serde_json::from_slice(&line)
        .map_err(|_| refused(&Value::Null, PARSE_ERROR, "each line must be a JSON message"))?;
    let params = message.get_mut("params").map_or_else(|| json!({}), Value::take);
    let is_reply = message.get("result").or(message.get("error")).is_some();
    match (message["method"].as_str(), message.get("id")) {
        (None, _) if is_reply => Ok(Message::Other),
        (Some("notifications/cancelled"), None) => {
            Ok(Message::Cancellation(params["requestId"].clone()))
        }
        (Some(_), None) => Ok(Message::Other),
        (Some(method), Some(id)) if message["jsonrpc"] == "2.0" && is_id(id) => {
            let params = serde_json::from_value(params).map_err(|error| {
                refused(id, INVALID_PARAMS, &format!("invalid params: {error}"))
            })?;
            Ok(Message::Request { id: id.clone(), method: method.into(), params })
        }
        (_, id) => {
            // Returning the id, whatever it is, tells the assistant which message is invalid.
            let is_short =
                |id: &&Value| !id.is_array() && !id.is_object() && id.to_string().len() <= ID_MAX;
            let message = "a message must be a JSON-RPC 2.0 object with jsonrpc, id, method and params; an id must be a string of at most 1,024 bytes or a non-negative integer";
            Err(refused(id.filter(is_short).unwrap_or(&Value::Null), INVALID_REQUEST, message))
        }
    }
}

fn is_id(id: &Value) -> bool {
    id.is_u64() || id.as_str().is_some_and(|text| text.len() <= ID_MAX)
}

fn error(code: i32, message: &str) -> Value {
    json!({"code": code, "message": message})
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
}
