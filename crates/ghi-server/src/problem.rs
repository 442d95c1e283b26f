//! What goes wrong, and how the client learns of it: RFC 9457.

use std::borrow::Cow;

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// The longest `instance`, bytes.
const INSTANCE_MAX: usize = 256;

/// What a path may hold unescaped here: enough to recognise it, nothing that markup gives meaning.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'\'')
    .add(b'<')
    .add(b'>')
    .add(b'&')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'|')
    .add(b'\\')
    .add(b'^')
    .add(b'[')
    .add(b']')
    .add(b'#')
    .add(b'?');

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    InvalidParameter,
    UnknownRegion,
    NotFound,
    MethodNotAllowed,
    ClockOutOfRange,
}

impl Code {
    pub(crate) const ALL: [Self; 5] = [
        Self::InvalidParameter,
        Self::UnknownRegion,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::ClockOutOfRange,
    ];

    /// The word, the status, the title, and what the page behind `type` says.
    fn describe(self) -> (&'static str, StatusCode, &'static str, &'static str) {
        match self {
            Self::InvalidParameter => (
                "invalid_parameter",
                StatusCode::BAD_REQUEST,
                "A parameter is not valid",
                "A parameter of the query has a value outside its bounds, is given more than once, \
                 or is not UTF-8. The detail of the answer names the parameter and what it takes. \
                 Send the request again with the parameter mended.",
            ),
            Self::UnknownRegion => (
                "unknown_region",
                StatusCode::NOT_FOUND,
                "There is no such region",
                "The id in the path or in region_id is no region's. Ids are lower case and compared \
                 letter by letter. The detail of the answer names the known ids, and \
                 /v1/ghi/regions lists all of them.",
            ),
            Self::NotFound => (
                "not_found",
                StatusCode::NOT_FOUND,
                "There is nothing at this path",
                "No resource lives at the path of the request. /v1/ghi/metadata lists the paths of \
                 the API.",
            ),
            Self::MethodNotAllowed => (
                "method_not_allowed",
                StatusCode::METHOD_NOT_ALLOWED,
                "The API can only be read",
                "Every resource is read-only and takes GET, HEAD and OPTIONS, as the Allow header \
                 of the answer says. No request creates, changes or deletes anything.",
            ),
            Self::ClockOutOfRange => (
                "clock_out_of_range",
                StatusCode::SERVICE_UNAVAILABLE,
                "The server's clock is wrong",
                "The clock of the server stands before the year 1970 or after the year 9999, so it \
                 cannot tell which day's figures to publish. It answers again as soon as its clock \
                 is set right; nothing needs to be restarted.",
            ),
        }
    }

    pub(crate) fn word(self) -> &'static str {
        self.describe().0
    }

    pub(crate) fn status(self) -> StatusCode {
        self.describe().1
    }

    pub(crate) fn title(self) -> &'static str {
        self.describe().2
    }

    pub(crate) fn explanation(self) -> &'static str {
        self.describe().3
    }
}

/// A request that cannot be answered as it was meant.
#[derive(Debug)]
pub(crate) struct Problem {
    code: Code,
    detail: Cow<'static, str>,
}

impl Problem {
    pub(crate) fn invalid_parameter(detail: impl Into<Cow<'static, str>>) -> Self {
        Self { code: Code::InvalidParameter, detail: detail.into() }
    }

    pub(crate) fn unknown_region(detail: String) -> Self {
        Self { code: Code::UnknownRegion, detail: detail.into() }
    }

    pub(crate) fn not_found() -> Self {
        let detail = "Nothing lives at this path. /v1/ghi/metadata lists the paths of the API.";
        Self { code: Code::NotFound, detail: detail.into() }
    }

    pub(crate) fn method_not_allowed() -> Self {
        let detail = "This resource can only be read: use GET, HEAD or OPTIONS.";
        Self { code: Code::MethodNotAllowed, detail: detail.into() }
    }

    pub(crate) fn clock_out_of_range() -> Self {
        let detail = "The server's clock stands outside the years 1970 to 9999; try again once it is set right.";
        Self { code: Code::ClockOutOfRange, detail: detail.into() }
    }

    /// The answer to a request for this path.
    pub(crate) fn response(&self, path: &str) -> Response<Bytes> {
        let body = ghi_contract::Problem {
            type_: format!("/problems/{}", self.code.word()),
            title: self.code.title().into(),
            status: self.code.status().as_u16(),
            detail: self.detail.to_string(),
            instance: instance(path),
            code: self.code.word().into(),
        };
        let body = serde_json::to_vec(&body).expect("a problem is plain JSON");
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() = self.code.status();
        let json = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(CONTENT_TYPE, json);
        response
    }
}

/// The path, as far as it may be repeated.
fn instance(path: &str) -> String {
    let mut instance = utf8_percent_encode(path, ESCAPED).to_string();
    if instance.len() > INSTANCE_MAX {
        let split_escape = instance[INSTANCE_MAX - 2..INSTANCE_MAX].find('%');
        instance.truncate(split_escape.map_or(INSTANCE_MAX, |at| INSTANCE_MAX - 2 + at));
        instance.push_str("...");
    }
    instance
}
