//! Messages from an assistant: JSON-RPC 2.0, one per line.

use jsonrpsee_types::{ErrorCode, ErrorObject, Id, Notification, Request, TwoPointZero};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use serde_json::value::RawValue;

/// The maximum length of a request id in bytes: it is stored until the reply is sent.
const ID_MAX: usize = 1_024;

/// A message that may need an action.
pub(super) enum Message<'a> {
    Request(Request<'a>),
    /// The request with this id is cancelled.
    Cancelled(Id<'static>),
    /// Not a message; contains the error line to send.
    Invalid(Vec<u8>),
    /// Needs no action.
    Ignored,
}

/// The parameters of the notification that cancels a request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled<'a> {
    #[serde(borrow)]
    request_id: Id<'a>,
}

/// The members that distinguish messages other than requests.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

impl<'a> Message<'a> {
    pub(super) fn read(line: &'a [u8]) -> Self {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Self::Ignored;
        }
        if let Ok(request) = serde_json::from_slice::<Request<'_>>(line) {
            return match &request.id {
                Id::Null => Self::invalid(None),
                Id::Str(id) if id.len() > ID_MAX => Self::invalid(None),
                _ => Self::Request(request),
            };
        }
        match serde_json::from_slice(line) {
            Ok(Envelope { method: Some(_), id: None, .. }) => Self::notification(line),
            // A reply, although the assistant was sent no request.
            Ok(Envelope { result: Some(_), .. } | Envelope { error: Some(_), .. }) => Self::Ignored,
            Ok(Envelope { id, .. }) => Self::invalid(id),
            Err(error) if error.classify() == Category::Data => Self::invalid(None),
            Err(_) => {
                let message = "each line must be a JSON message";
                let error = error_object(ErrorCode::ParseError, message);
                Self::Invalid(error_line(&Id::Null, &error))
            }
        }
    }

    /// Returns the id to the assistant, whatever it is, so that it can tell which message is invalid.
    fn invalid(id: Option<&RawValue>) -> Self {
        let id = id.filter(|id| !id.get().starts_with(['[', '{']) && id.get().len() <= ID_MAX);
        let message = "a message must be a JSON-RPC 2.0 object with jsonrpc, id, method and params; an id must be a string of at most 1,024 bytes or a non-negative integer";
        Self::Invalid(error_line(&id, &error_object(ErrorCode::InvalidRequest, message)))
    }

    fn notification(line: &[u8]) -> Self {
        let cancelled = serde_json::from_slice::<Notification<'_, &RawValue>>(line)
            .ok()
            .filter(|notification| notification.method == "notifications/cancelled")
            .and_then(|notification| {
                serde_json::from_str::<Cancelled<'_>>(notification.params.get()).ok()
            });
        cancelled
            .map_or(Self::Ignored, |cancelled| Self::Cancelled(cancelled.request_id.into_owned()))
    }
}

pub(super) fn error_object(code: ErrorCode, message: impl Into<String>) -> ErrorObject<'static> {
    ErrorObject::owned(code.code(), message, None::<()>)
}

/// Returns the error line for a line that is too long.
pub(super) fn overlong_line(max: usize) -> Vec<u8> {
    let message = format!("a line must have at most {max} bytes");
    error_line(&Id::Null, &error_object(ErrorCode::InvalidRequest, message))
}

/// Returns the error line for a request.
pub(super) fn error_line(id: &impl Serialize, error: &ErrorObject<'_>) -> Vec<u8> {
    line(&Response::<_, ()> { jsonrpc: TwoPointZero, id, result: None, error: Some(error) })
}

/// Returns the result line for a request.
pub(super) fn result_line(id: &Id<'_>, result: &impl Serialize) -> Vec<u8> {
    line(&Response { jsonrpc: TwoPointZero, id, result: Some(result), error: None })
}

#[derive(Serialize)]
struct Response<'a, I, R> {
    jsonrpc: TwoPointZero,
    id: &'a I,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ErrorObject<'a>>,
}

fn line(message: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("keys are strings");
    line.push(b'\n');
    line
}
