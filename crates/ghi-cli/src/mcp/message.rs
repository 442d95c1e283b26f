//! What an assistant sends: one JSON-RPC 2.0 message per line.

use jsonrpsee_types::{ErrorCode, ErrorObject, Id, Notification, Request, TwoPointZero};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use serde_json::value::RawValue;

/// The longest id of a request, bytes: it is stored while the request is answered.
const ID_MAX: usize = 1_024;

/// A message, as far as something follows from it.
pub(super) enum Message<'a> {
    Request(Request<'a>),
    /// The request with this id is no longer wanted.
    Cancelled(Id<'static>),
    /// Not a message; the line that says so.
    Invalid(Vec<u8>),
    /// Nothing follows from it.
    Ignored,
}

/// The parameters of the notification that cancels a request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled<'a> {
    #[serde(borrow)]
    request_id: Id<'a>,
}

/// The members that tell apart messages that are not requests.
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
            // Nothing was requested of the assistant.
            Ok(Envelope { result: Some(_), .. } | Envelope { error: Some(_), .. }) => Self::Ignored,
            Ok(Envelope { id, .. }) => Self::invalid(id),
            Err(error) if error.classify() == Category::Data => Self::invalid(None),
            Err(_) => {
                let message = "a line must be a message in JSON";
                let error = error_object(ErrorCode::ParseError, message);
                Self::Invalid(error_line(&Id::Null, &error))
            }
        }
    }

    /// Whatever the id is, the assistant knows by it which message is refused.
    fn invalid(id: Option<&RawValue>) -> Self {
        let id = id.filter(|id| !id.get().starts_with(['[', '{']) && id.get().len() <= ID_MAX);
        let message = "a message must be an object of JSON-RPC 2.0: jsonrpc, id, method, params; an id is a string of at most 1,024 bytes or a whole number from 0";
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

/// The line that answers a line of more bytes than this.
pub(super) fn overlong_line(max: usize) -> Vec<u8> {
    let message = format!("a line must have at most {max} bytes");
    error_line(&Id::Null, &error_object(ErrorCode::InvalidRequest, message))
}

/// The line that refuses a request.
pub(super) fn error_line(id: &impl Serialize, error: &ErrorObject<'_>) -> Vec<u8> {
    line(&Response::<_, ()> { jsonrpc: TwoPointZero, id, result: None, error: Some(error) })
}

/// The line that answers a request.
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
