//! Problems: what goes wrong, as RFC 9457 has it.

use std::borrow::Cow;

use ghi_contract::paths::METADATA;
use hyper::header::{ACCEPT, ALLOW, CONNECTION, HeaderValue, RETRY_AFTER, VARY};
use hyper::{Response, StatusCode};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::http::common_headers::ALLOWED_METHODS;
use crate::http::paths;
use crate::http::site::Site;
use crate::net::Content;

/// The longest `instance`, bytes.
const INSTANCE_MAX: usize = 256;

/// When to ask again for figures that there are none of, seconds: operators reload inputs by hand.
const RETRY_AFTER_RELOAD: u64 = 60;

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
    UnknownParameter,
    UnknownRegion,
    NotFound,
    MethodNotAllowed,
    BadRequest,
    UriTooLong,
    RateLimited,
    Internal,
    Draining,
    Busy,
    NoFigures,
}

/// What a kind of problem is called, and what it means.
pub(crate) struct Description {
    kind: Code,
    /// The code, as programs compare it.
    pub(crate) code: &'static str,
    pub(crate) status: StatusCode,
    pub(crate) title: &'static str,
    /// The text of the page behind `type`.
    pub(crate) explanation: &'static str,
}

/// Every kind of problem.
pub(crate) static KINDS: [Description; 12] = [
    Description {
        kind: Code::InvalidParameter,
        code: "invalid_parameter",
        status: StatusCode::BAD_REQUEST,
        title: "A parameter is not valid",
        explanation: "A parameter of the query has a value outside its bounds, is given more than once, \
         or is not UTF-8. The detail of the answer names the parameter and what it takes. \
         Send the request again with the parameter corrected.",
    },
    Description {
        kind: Code::UnknownParameter,
        code: "unknown_parameter",
        status: StatusCode::BAD_REQUEST,
        title: "There is no such parameter",
        explanation: "The query has a parameter that the path does not take. As a rule that is ignored; \
         this server was started with --strict-parameters, so that a misspelt name is \
         noticed. The detail of the answer names the parameters that the path takes.",
    },
    Description {
        kind: Code::UnknownRegion,
        code: "unknown_region",
        status: StatusCode::NOT_FOUND,
        title: "There is no such region",
        explanation: "No region has the id in the path or in region_id. Ids are lower case and compared \
         letter by letter. The detail of the answer names the known ids, and \
         /v1/ghi/regions lists all of them.",
    },
    Description {
        kind: Code::NotFound,
        code: "not_found",
        status: StatusCode::NOT_FOUND,
        title: "There is nothing at this path",
        explanation: "No resource lives at the path of the request. /v1/ghi/metadata lists the paths of \
         the API.",
    },
    Description {
        kind: Code::MethodNotAllowed,
        code: "method_not_allowed",
        status: StatusCode::METHOD_NOT_ALLOWED,
        title: "The API can only be read",
        explanation: "Every resource is read-only and takes GET, HEAD and OPTIONS, as the Allow header \
         of the answer says. No request creates, changes or deletes anything.",
    },
    Description {
        kind: Code::BadRequest,
        code: "bad_request",
        status: StatusCode::BAD_REQUEST,
        title: "The request is not valid HTTP",
        explanation: "HTTP forbids something about the request: it has no Host header or more than one, \
         the Host is not a host with an optional port, a line does not end in CR and LF, \
         the target is neither a path nor an http or https address without a user, the \
         target has a fragment or characters beyond ASCII that are not percent-encoded, or \
         Transfer-Encoding is not a single chunked. The detail of the answer says which. \
         Clients that build requests with an HTTP library never see this.",
    },
    Description {
        kind: Code::UriTooLong,
        code: "uri_too_long",
        status: StatusCode::URI_TOO_LONG,
        title: "The request target is too long",
        explanation: "The path and the query together are longer than anything the API takes. The \
         detail of the answer names the limit.",
    },
    Description {
        kind: Code::RateLimited,
        code: "rate_limited",
        status: StatusCode::TOO_MANY_REQUESTS,
        title: "Too many requests",
        explanation: "The client's address has exceeded its rate limit, or all clients together a bound \
         of scenarios, as the detail says. RateLimit-Policy has the \
         rule, Retry-After the seconds to wait. Figures change once a day: a client that \
         keeps an answer as long as Cache-Control says, and asks with If-None-Match after \
         that, has no need of many requests.",
    },
    Description {
        kind: Code::Internal,
        code: "internal",
        status: StatusCode::INTERNAL_SERVER_ERROR,
        title: "The server failed",
        explanation: "The server has a defect that this request met. X-Request-Id of the answer names \
         the request in the server's log; please report it. Other requests are \
         not affected.",
    },
    Description {
        kind: Code::Draining,
        code: "draining",
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "The server is shutting down",
        explanation: "The server is draining: it answers the requests that still come, and then shuts \
         down. Its load balancer should send new ones elsewhere.",
    },
    Description {
        kind: Code::Busy,
        code: "busy",
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "The server is busy",
        explanation: "The server prepares a bounded number of long responses at a time, in all and for \
         each client: long ranges of days, and pages of networks with many regions. \
         Retry-After says when to try again. Other requests are not affected.",
    },
    Description {
        kind: Code::NoFigures,
        code: "no_figures",
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "There are no figures of this day",
        explanation: "The server publishes an index on dated series, and they do not cover a day that \
         this answer needs: it lies before their first row, or too long after their last. \
         Nothing is invented in its place. The detail of the answer names the day and the \
         days that are covered. Figures are there again as soon as the operator has added \
         rows and reloaded the inputs; Retry-After says when to ask again.",
    },
];

impl Description {
    /// The explanation as far as a list has it.
    pub(crate) fn first_sentence(&self) -> &'static str {
        let end = self.explanation.find(". ").map_or(self.explanation.len(), |end| end + 1);
        &self.explanation[..end]
    }
}

impl Code {
    pub(crate) fn describe(self) -> &'static Description {
        let description = KINDS.iter().find(|description| description.kind == self);
        description.expect("every code is in the table")
    }
}

/// Every code, as programs compare it.
#[cfg(feature = "internals")]
pub fn codes() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.code)
}

/// A request that cannot be answered as it was meant.
#[derive(Debug)]
pub(crate) struct Problem {
    code: Code,
    detail: Cow<'static, str>,
    /// When to try again, seconds.
    retry_after: Option<u64>,
    /// Whether a client whose `Accept` names pages would have got one.
    varies_by_accept: bool,
}

impl Problem {
    fn new(code: Code, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { code, detail: detail.into(), retry_after: None, varies_by_accept: false }
    }

    /// A problem that there is not, for a client that is to be tested with one.
    pub(crate) fn provoked(code: Code, detail: String, retry_after: Option<u64>) -> Self {
        Self { retry_after, ..Self::new(code, detail) }
    }

    pub(crate) fn invalid_parameter(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::InvalidParameter, detail)
    }

    /// A parameter that its path does not take, where that is not ignored.
    pub(crate) fn unknown_parameter(known: &[&str]) -> Self {
        let takes = match known {
            [] => "takes no parameters".into(),
            known => format!("takes {} and no other", known.join(", ")),
        };
        Self::new(
            Code::UnknownParameter,
            format!("The query has an unknown parameter: this path {takes}."),
        )
    }

    pub(crate) fn unknown_region(detail: String) -> Self {
        Self::new(Code::UnknownRegion, detail)
    }

    pub(crate) fn not_found() -> Self {
        let detail = format!("Nothing lives at this path. {METADATA} lists the paths of the API.");
        Self::new(Code::NotFound, detail)
    }

    /// Nothing else lives on the socket for probes.
    pub(crate) fn not_a_probe() -> Self {
        let [healthz, readyz, metrics] = [paths::HEALTHZ, paths::READYZ, paths::METRICS];
        let detail = format!("This socket serves {healthz}, {readyz} and {metrics} alone.");
        Self::new(Code::NotFound, detail)
    }

    pub(crate) fn method_not_allowed() -> Self {
        let detail = "This resource can only be read: use GET, HEAD or OPTIONS.";
        Self::new(Code::MethodNotAllowed, detail)
    }

    pub(crate) fn bad_request(detail: &'static str) -> Self {
        Self::new(Code::BadRequest, detail)
    }

    pub(crate) fn uri_too_long(limit: usize) -> Self {
        let detail = format!("Path and query are longer than {limit} bytes together.");
        Self::new(Code::UriTooLong, detail)
    }

    pub(crate) fn rate_limited(retry_after_seconds: u64) -> Self {
        let detail =
            format!("This address sends too many requests; try again in {retry_after_seconds} s.");
        let retry_after = Some(retry_after_seconds);
        Self { retry_after, ..Self::new(Code::RateLimited, detail) }
    }

    /// A bound that all clients share is reached.
    pub(crate) fn bound_reached(bound: &str, retry_after_seconds: u64) -> Self {
        let detail = format!("{bound}; try again in {retry_after_seconds} s.");
        let retry_after = Some(retry_after_seconds);
        Self { retry_after, ..Self::new(Code::RateLimited, detail) }
    }

    pub(crate) fn internal() -> Self {
        Self::new(Code::Internal, "The server failed to answer this request.")
    }

    pub(crate) fn draining() -> Self {
        let detail = "The server is shutting down; send new requests elsewhere.";
        Self::new(Code::Draining, detail)
    }

    /// As many long responses are being prepared as may be.
    pub(crate) fn busy() -> Self {
        let detail = "The server is preparing too many long responses; try again in 1 s.";
        Self { retry_after: Some(1), ..Self::new(Code::Busy, detail) }
    }

    /// A day that dated series do not cover.
    pub(crate) fn no_figures(detail: String) -> Self {
        Self { retry_after: Some(RETRY_AFTER_RELOAD), ..Self::new(Code::NoFigures, detail) }
    }

    /// The same where a client whose `Accept` names pages would have got one.
    pub(crate) fn varying_by_accept(self) -> Self {
        Self { varies_by_accept: true, ..self }
    }

    /// The description of its kind.
    pub(crate) fn describe(&self) -> &'static Description {
        self.code.describe()
    }

    /// Whether there is no data for the day.
    pub(crate) fn is_no_data(&self) -> bool {
        self.code == Code::NoFigures
    }

    /// What was wrong with the request, and what would be right.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// The answer to a request for this path.
    pub(crate) fn response(&self, site: &Site, path: &str) -> Response<Content> {
        let Description { code, status, title, .. } = *self.describe();
        let body = ghi_contract::ProblemDocument {
            type_: site.url(&paths::PROBLEM.replace("{code}", code)),
            title: title.into(),
            status: status.as_u16(),
            detail: self.detail.to_string(),
            instance: format!("{}{}", site.prefix(), instance(path)),
            code: code.into(),
        };
        let body = serde_json::to_vec(&body).expect("a problem is plain JSON");
        let mut response = site.response(status, "application/problem+json", body);
        self.set_headers(&mut response);
        response
    }

    /// Sets the headers that say what to do next, whatever form the problem is sent in.
    pub(crate) fn set_headers(&self, response: &mut Response<Content>) {
        match self.code {
            Code::MethodNotAllowed => response.headers_mut().insert(ALLOW, ALLOWED_METHODS),
            // Where it is unclear what a request is, it is unclear where the next one starts. And who
            // asks too much shall not hold a connection as well.
            Code::BadRequest | Code::RateLimited => {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"))
            }
            _ => None,
        };
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        if self.varies_by_accept {
            response.headers_mut().insert(VARY, ACCEPT.into());
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, kept: usize) {
        let whole = utf8_percent_encode(path, ESCAPED).to_string();
        let dots = if kept < whole.len() { "..." } else { "" };
        assert_eq!(instance(path), format!("{}{dots}", &whole[..kept]));
    }

    #[test]
    fn an_instance_is_cut_where_no_escape_is_split() {
        let letters = |count: usize| "a".repeat(count);
        check("/v1", 3);
        check(&letters(256), 256);
        check(&letters(257), 256);
        check(&format!("{}%41{}", letters(150), letters(150)), 256);
        check(&format!("{}%41{}", letters(253), letters(9)), 256);
        check(&format!("{}%41{}", letters(254), letters(9)), 254);
        check(&format!("{}%41{}", letters(255), letters(9)), 255);
        check(&format!("{}%41{}", letters(256), letters(9)), 256);
        check("<>", 6);
    }
}
