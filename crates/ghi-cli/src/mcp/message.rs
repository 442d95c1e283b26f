//! Messages from an assistant: JSON-RPC 2.0, one per line.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::error::Category;
use serde_json::json;
use serde_json::value::RawValue;

/// The error codes of JSON-RPC.
const PARSE_ERROR: i32 = -32700;
pub(super) const INVALID_REQUEST: i32 = -32600;
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
pub(super) const INVALID_PARAMS: i32 = -32602;

/// The maximum length of a request id in bytes: it is stored until the reply is sent.
const ID_MAX: usize = 1_024;

/// The id of a reply to a message without one, as JSON.
pub(super) const NO_ID: &str = "null";

/// A request, or a notification if it has no id.
pub(super) struct Message<'a> {
    /// A string or a number, as JSON.
    pub(super) id: Option<&'a str>,
    pub(super) method: String,
    /// The parameters, as JSON.
    pub(super) params: &'a str,
}

/// The parameters of the notification that cancels a request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled<'a> {
    #[serde(borrow)]
    request_id: &'a RawValue,
}

/// The members of all messages.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// Reads a member, which may be null.
fn present<'de, D: Deserializer<'de>>(member: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(member).map(Some)
}

impl<'a> Message<'a> {
    /// Reads a line. Returns `None` if it needs no action, and the error line to send if it is not a valid message.
    pub(super) fn read(line: &'a [u8]) -> Result<Option<Self>, Vec<u8>> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        let envelope: Envelope<'a> = serde_json::from_slice(line).map_err(|error| {
            let not_json = "each line must be a JSON message";
            match error.classify() {
                Category::Data => invalid(NO_ID),
                _ => error_line(NO_ID, PARSE_ERROR, not_json),
            }
        })?;
        let is_current = envelope.jsonrpc.is_some_and(|version| version.get() == "\"2.0\"");
        let params = envelope.params.map_or("{}", RawValue::get);
        let id = envelope.id.map(RawValue::get);
        match envelope.method {
            Some(method) if id.is_none_or(|id| is_current && is_id(id)) => {
                Ok(Some(Self { id, method, params }))
            }
            // A reply, although no request was sent to the assistant.
            None if envelope.result.is_some() || envelope.error.is_some() => Ok(None),
            _ => Err(invalid(id.unwrap_or(NO_ID))),
        }
    }

    /// Returns the id of the request that this notification cancels, as JSON.
    pub(super) fn cancelled(&self) -> Option<&'a str> {
        let cancelled: Option<Cancelled<'a>> = serde_json::from_str(self.params).ok();
        let cancelled = cancelled.filter(|_| self.method == "notifications/cancelled");
        cancelled.map(|cancelled| cancelled.request_id.get())
    }
}

/// Returns the id to the assistant, whatever it is, so that it can tell which message is invalid.
fn invalid(id: &str) -> Vec<u8> {
    let is_short = !id.starts_with(['[', '{']) && id.len() <= ID_MAX;
    let message = "a message must be a JSON-RPC 2.0 object with jsonrpc, id, method and params; an id must be a string of at most 1,024 bytes or a non-negative integer";
    error_line(if is_short { id } else { NO_ID }, INVALID_REQUEST, message)
}

fn is_id(json: &str) -> bool {
    let is_text = json.starts_with('"') && json.len() <= ID_MAX + "\"\"".len();
    is_text || json.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the error line for a request.
pub(super) fn error_line(id: &str, code: i32, message: &str) -> Vec<u8> {
    reply_line(id, "error", &json!({"code": code, "message": message}))
}

/// Returns the line that replies to a request with its result or error.
pub(super) fn reply_line(id: &str, member: &str, value: &impl Serialize) -> Vec<u8> {
    let mut line = format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":"#).into_bytes();
    serde_json::to_writer(&mut line, value).expect("keys are strings");
    line.extend(b"}\n");
    line
}
