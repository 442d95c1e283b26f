//! Problem documents (RFC 9457): every error that the server returns.

use std::borrow::Cow;

use ghi_contract::paths::METADATA;
use ghi_engine::suggestion;
use hyper::header::{ACCEPT, ALLOW, CONNECTION, HeaderValue, RETRY_AFTER, VARY};
use hyper::{Response, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::http::paths;
use crate::http::site::{ALLOWED_METHODS, Site};
use crate::net::Content;

/// The longest `instance` in bytes.
const INSTANCE_MAX: usize = 256;
/// The longest name of an unknown parameter that a page repeats, in bytes.
const NAME_MAX: usize = 40;

/// The characters escaped in `instance`: the path stays recognisable, and nothing in it is markup.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'%').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    InvalidParameter,
    UnknownParameter,
    UnknownPreference,
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

pub(crate) struct Description {
    /// The stable code for programs.
    pub(crate) code: &'static str,
    pub(crate) status: StatusCode,
    pub(crate) title: &'static str,
    /// The text of the page that `type` links to.
    pub(crate) explanation: &'static str,
}

/// Every kind of problem, in the order of [`Code`].
pub(crate) static KINDS: [Description; 13] = [
    kind(
        ("invalid_parameter", StatusCode::BAD_REQUEST, "Invalid parameter"),
        "A query parameter is out of range, given more than once, or not valid UTF-8. The detail names the parameter \
         and the values it accepts. Correct the parameter and send the request again.",
    ),
    kind(
        ("unknown_parameter", StatusCode::BAD_REQUEST, "Unknown parameter"),
        "The query has a parameter that this path does not accept. Pages, charts and files under /export reject \
         unknown parameters, so that a misspelled name is not ignored. With --strict-parameters, the whole API \
         rejects them, and so does any request with Prefer: handling=strict. The detail lists the parameters that \
         the path accepts.",
    ),
    kind(
        ("unknown_preference", StatusCode::BAD_REQUEST, "Unknown preference"),
        "The request has Prefer: handling=strict, and another preference is unknown, has a value that this path does \
         not accept, or requires another preference that is missing. The detail says what is accepted. Without \
         handling=strict, such preferences are ignored.",
    ),
    kind(
        ("unknown_region", StatusCode::NOT_FOUND, "Unknown region"),
        "No region has the id given in the path or in region_id. Ids are lowercase and case-sensitive. The detail \
         lists known ids, and /v1/ghi/regions lists them all.",
    ),
    kind(
        ("not_found", StatusCode::NOT_FOUND, "No such path"),
        "The server has no resource at this path. /v1/ghi/metadata lists the paths of the API.",
    ),
    kind(
        ("method_not_allowed", StatusCode::METHOD_NOT_ALLOWED, "The API is read-only"),
        "Every resource is read-only and accepts only GET, HEAD and OPTIONS; see the Allow header. No request \
         creates, changes or deletes anything.",
    ),
    kind(
        ("bad_request", StatusCode::BAD_REQUEST, "Malformed HTTP request"),
        "The request breaks a rule of HTTP, which the detail names: a missing, repeated or invalid Host header; a \
         line that does not end in CR LF; a target that is not a path or an http(s) URL, or that contains a user \
         name; a fragment or unescaped non-ASCII characters in the target; or a Transfer-Encoding other than \
         chunked. Clients that use an HTTP library never see this error.",
    ),
    kind(
        ("uri_too_long", StatusCode::URI_TOO_LONG, "The request target is too long"),
        "The path and query together are longer than the server accepts. The detail names the limit.",
    ),
    kind(
        ("rate_limited", StatusCode::TOO_MANY_REQUESTS, "Too many requests"),
        "This client's address has exceeded its rate limit, or all clients together have reached a limit on test \
         scenarios; the detail says which. RateLimit-Policy states the limit, and Retry-After how many seconds to \
         wait. The data changes once a day, so a client that caches responses for as long as Cache-Control allows \
         and then revalidates with If-None-Match needs few requests.",
    ),
    kind(
        ("internal", StatusCode::INTERNAL_SERVER_ERROR, "Internal server error"),
        "This request triggered a bug in the server. Please report it with the X-Request-Id of the response, which \
         identifies the request in the server's log. Other requests are not affected.",
    ),
    kind(
        ("draining", StatusCode::SERVICE_UNAVAILABLE, "The server is shutting down"),
        "The server is draining: it finishes the remaining requests and then shuts down. Its load balancer should \
         send new requests to another replica.",
    ),
    kind(
        ("busy", StatusCode::SERVICE_UNAVAILABLE, "The server is busy"),
        "The server limits how many responses it prepares at a time, in total and per client. This applies to long \
         tables, and to pages, charts and explanations with parameters. Retry-After says when to try again. Other \
         requests are not affected.",
    ),
    kind(
        ("no_figures", StatusCode::SERVICE_UNAVAILABLE, "No data for this date"),
        "This server's data comes from its operator's dated series, which do not cover a date that this response \
         needs. The server never makes up missing data. The detail gives the date and the range of dates with data. \
         Data becomes available when the operator adds rows and reloads the inputs; Retry-After says when to try \
         again.",
    ),
];

const fn kind(
    (code, status, title): (&'static str, StatusCode, &'static str),
    explanation: &'static str,
) -> Description {
    Description { code, status, title, explanation }
}

impl Description {
    /// The first sentence of the explanation, for lists.
    pub(crate) fn first_sentence(&self) -> &'static str {
        let end = self.explanation.find(". ").map_or(self.explanation.len(), |end| end + 1);
        &self.explanation[..end]
    }
}

/// Every code.
#[cfg(feature = "internals")]
pub fn codes() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.code)
}

/// An error to return to the client.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) code: Code,
    detail: Cow<'static, str>,
    /// `Retry-After` in seconds.
    pub(crate) retry_after: Option<u64>,
    /// Whether a client that accepts HTML would have received a page instead.
    varies_by_accept: bool,
}

impl Problem {
    /// `detail` says what is wrong with the request, and what is allowed.
    pub(crate) fn new(code: Code, detail: impl Into<Cow<'static, str>>) -> Self {
        let retry_after = match code {
            Code::RateLimited | Code::Busy => Some(1),
            // Operators reload inputs by hand.
            Code::NoFigures => Some(60),
            _ => None,
        };
        Self { code, detail: detail.into(), retry_after, varies_by_accept: false }
    }

    pub(crate) fn invalid_parameter(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::InvalidParameter, detail)
    }

    pub(crate) fn unknown_parameter(known: &[&str]) -> Self {
        let detail = format!("The query has an unknown parameter; this path {}.", accepts(known));
        Self::new(Code::UnknownParameter, detail)
    }

    /// A parameter that a page does not have. The name is repeated only if it cannot be anything but a name.
    pub(crate) fn unknown_parameter_of_page(name: &str, known: &[&str]) -> Self {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let is_name = (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(is_plain);
        let found = match suggestion(name, known) {
            _ if !is_name => "of this name".into(),
            None => format!("\"{name}\""),
            Some(nearest) => format!("\"{name}\"; the nearest is \"{nearest}\""),
        };
        let detail = format!("This page has no parameter {found}. It {}.", accepts(known));
        Self::new(Code::UnknownParameter, detail)
    }

    pub(crate) fn not_found() -> Self {
        let detail = format!("No such path. {METADATA} lists the paths of the API.");
        Self::new(Code::NotFound, detail)
    }

    pub(crate) fn method_not_allowed() -> Self {
        Self::new(Code::MethodNotAllowed, "This resource is read-only; use GET, HEAD or OPTIONS.")
    }

    pub(crate) fn rate_limited(limit: &str, retry_after_seconds: u64) -> Self {
        let detail = format!("{limit}; try again in {retry_after_seconds} s.");
        let retry_after = Some(retry_after_seconds);
        Self { retry_after, ..Self::new(Code::RateLimited, detail) }
    }

    /// Marks that a client that accepts HTML would have received a page instead.
    pub(crate) fn varying_by_accept(self) -> Self {
        Self { varies_by_accept: true, ..self }
    }

    pub(crate) fn describe(&self) -> &'static Description {
        &KINDS[self.code as usize]
    }

    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// The problem document, as the response to a request for this path.
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

    /// Sets the headers that tell a client how to proceed; they are the same for JSON and HTML.
    pub(crate) fn set_headers(&self, response: &mut Response<Content>) {
        let headers = response.headers_mut();
        if self.code == Code::MethodNotAllowed {
            headers.insert(ALLOW, ALLOWED_METHODS);
        }
        // After a malformed request it is unclear where the next one starts, and a client over its limit
        // should not hold a connection as well.
        if matches!(self.code, Code::BadRequest | Code::RateLimited) {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if self.varies_by_accept {
            headers.insert(VARY, ACCEPT.into());
        }
    }
}

fn accepts(known: &[&str]) -> String {
    match known {
        [] => "accepts no parameters".into(),
        known => format!("accepts only {}", known.join(", ")),
    }
}

/// The path, escaped and shortened.
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
    fn each_code_has_the_description_with_its_name() {
        let codes = [
            Code::InvalidParameter,
            Code::UnknownParameter,
            Code::UnknownPreference,
            Code::UnknownRegion,
            Code::NotFound,
            Code::MethodNotAllowed,
            Code::BadRequest,
            Code::UriTooLong,
            Code::RateLimited,
            Code::Internal,
            Code::Draining,
            Code::Busy,
            Code::NoFigures,
        ];
        assert_eq!(codes.len(), KINDS.len());
        for code in codes {
            let name = format!("{code:?}").to_lowercase();
            assert_eq!(KINDS[code as usize].code.replace('_', ""), name);
        }
    }

    #[test]
    fn an_instance_is_never_cut_inside_an_escape() {
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
