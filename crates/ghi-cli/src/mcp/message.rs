//! What an assistant sends: a message of JSON-RPC 2.0 in each line.

use jsonrpsee_types::{ErrorCode, ErrorObject, Id, Notification, Request, TwoPointZero};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// A message, as far as it wants something.
pub(super) enum Message {
    Request(Asked),
    /// A request that needs no answer any more.
    Cancelled(Id<'static>),
    /// What is no message; it is told so.
    Wrong(String),
    /// What wants nothing.
    Other,
}

/// A request.
pub(super) struct Asked {
    pub(super) id: Id<'static>,
    pub(super) method: String,
    /// None where they are something other than an object.
    pub(super) params: Option<Map<String, Value>>,
}

/// The parameters of the notification that takes a request back.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled<'a> {
    #[serde(borrow)]
    request_id: Id<'a>,
}

impl Message {
    pub(super) fn read(line: &[u8]) -> Self {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Self::Other;
        }
        if let Ok(request) = serde_json::from_slice::<Request<'_>>(line)
            && request.id != Id::Null
        {
            let params = request
                .params
                .map_or_else(|| Some(Map::new()), |params| serde_json::from_str(params.get()).ok());
            let method = request.method.into_owned();
            return Self::Request(Asked { id: request.id.into_owned(), method, params });
        }
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            let error = refusal(ErrorCode::ParseError, "a line must be a message in JSON");
            return Self::Wrong(answer(&Id::Null, Err(error)));
        };
        if message.get("method").is_some() && message.get("id").is_none() {
            return Self::notified(line);
        }
        // Nothing is asked of it, so it answers nothing.
        if message.get("result").is_some() || message.get("error").is_some() {
            return Self::Other;
        }
        let said = "a message must be an object of JSON-RPC 2.0: jsonrpc, id, method, params; an id is a string or a whole number from 0";
        // Whatever the id is, it is how the other side knows what is refused.
        let id = message.get("id").filter(|id| id.is_string() || id.is_number());
        let error = refusal(ErrorCode::InvalidRequest, said);
        Self::Wrong(answer(id.unwrap_or(&Value::Null), Err(error)))
    }

    fn notified(line: &[u8]) -> Self {
        let cancelled = serde_json::from_slice::<Notification<'_, &RawValue>>(line)
            .ok()
            .filter(|notification| notification.method == "notifications/cancelled")
            .and_then(|notification| {
                serde_json::from_str::<Cancelled<'_>>(notification.params.get()).ok()
            });
        cancelled
            .map_or(Self::Other, |cancelled| Self::Cancelled(cancelled.request_id.into_owned()))
    }
}

/// Why a request is not answered.
pub(super) fn refusal(code: ErrorCode, message: impl Into<String>) -> ErrorObject<'static> {
    ErrorObject::owned(code.code(), message, None::<()>)
}

/// The line that answers a request.
pub(super) fn answer(id: &impl Serialize, result: Result<Value, ErrorObject<'static>>) -> String {
    let response = match result {
        Ok(result) => json!({"jsonrpc": TwoPointZero, "id": id, "result": result}),
        Err(error) => json!({"jsonrpc": TwoPointZero, "id": id, "error": error}),
    };
    response.to_string()
}
