//! Scenarios, and the tables of all preferences, failures and changed costs.

use hyper::StatusCode;

use crate::http::problem::{Code, Problem};
use crate::scenarios::altered::Alteration;

/// The `Retry-After` of a requested error, in seconds. It is short, so that a test that waits for it is quick.
pub(super) const RETRY_AFTER_SECONDS: u64 = 1;

/// The preferences with the values that they accept, in the order in which responses list them.
pub(super) const PREFERENCES: [(&str, &str); 10] = [
    ("code", "400, 404, 429, 500, 502, 503 or 504"),
    (
        "break",
        r#""truncate", "json", "cut", "drip" or "reset"; also "extra" under /v1/ghi, "null", "missing" or "string" in documents with costs, and "gap" in a history"#,
    ),
    ("retry-after", r#"0 to 86400, "date" or "none""#),
    ("figures", r#""spike", "drop" or "flat", and only in documents with costs"#),
    ("at", "a UTC time such as 2026-11-15T12:00:00Z or a date, from 1970-01-01 to 9999-12-31"),
    ("delay", "0 to 10000 milliseconds"),
    ("times", "1 to 100"),
    ("key", "1 to 64 letters, digits, - and _"),
    ("return", r#""minimal" or "representation""#),
    ("handling", r#""strict" or "lenient""#),
];

/// The preferences of a request, a flag or chaos that have an effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(super) origin: Origin,
    /// Names and valid values, in the order of [`PREFERENCES`].
    pub(super) values: Vec<(&'static str, String)>,
    /// Why the first preference without effect has none, if there is one.
    pub(super) ignored: Option<String>,
}

/// Who chose a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    #[default]
    Request,
    Flag,
    Chaos,
}

/// A way in which a response fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Code(Code),
    /// The response is the error page of a proxy, with this status.
    ProxyError(StatusCode),
    /// The body ends before its declared length.
    Truncate,
    NotJson,
    /// The connection ends after the head.
    Cut,
    Drip,
    /// The connection is reset before the first byte.
    Reset,
    Altered(Alteration),
}

/// The changes to the costs, the same in every document: today's costs as a percentage of the real ones, or `None` if
/// all days have today's costs.
pub(super) const FIGURES: [(&str, Option<u64>); 3] =
    [("figures=spike", Some(125)), ("figures=drop", Some(75)), ("figures=flat", None)];

/// Every failure that a request can select, with the preference that selects it.
pub(super) const FAILURES: [(&str, Failure); 17] = [
    ("code=400", Failure::Code(Code::InvalidParameter)),
    ("code=404", Failure::Code(Code::UnknownRegion)),
    ("code=429", Failure::Code(Code::RateLimited)),
    ("code=500", Failure::Code(Code::Internal)),
    ("code=502", Failure::ProxyError(StatusCode::BAD_GATEWAY)),
    ("code=503", Failure::Code(Code::NoFigures)),
    ("code=504", Failure::ProxyError(StatusCode::GATEWAY_TIMEOUT)),
    ("break=truncate", Failure::Truncate),
    ("break=json", Failure::NotJson),
    ("break=cut", Failure::Cut),
    ("break=drip", Failure::Drip),
    ("break=reset", Failure::Reset),
    ("break=null", Failure::Altered(Alteration::Null)),
    ("break=missing", Failure::Altered(Alteration::Missing)),
    ("break=string", Failure::Altered(Alteration::String)),
    ("break=extra", Failure::Altered(Alteration::Extra)),
    ("break=gap", Failure::Altered(Alteration::Gap)),
];

/// Finds a preference in one of the tables.
pub(super) fn find<T: Copy>(table: &[(&str, T)], name: &str, value: &str) -> Option<T> {
    let preference = format!("{name}={value}");
    table.iter().find(|(known, _)| *known == preference).map(|(_, found)| *found)
}

impl Scenario {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(given, _)| *given == name).map(|(_, value)| &**value)
    }

    /// Returns a value that is a number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    pub(super) fn failure(&self) -> Option<Failure> {
        self.values.iter().find_map(|(name, value)| find(&FAILURES, name, value))
    }

    /// Returns whether a preference or parameter that would be ignored is an error.
    pub(crate) fn is_strict(&self) -> bool {
        self.get("handling").is_some()
    }

    /// Fails if a preference would be ignored.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        let Some(reason) = &self.ignored else { return Ok(()) };
        Err(Problem::new(Code::UnknownPreference, format!("In Prefer, {reason}.")))
    }

    pub(super) fn has_effect(&self) -> bool {
        !self.values.is_empty()
    }

    pub(crate) fn origin(&self) -> &'static str {
        match self.origin {
            Origin::Request => "request",
            Origin::Flag => "fail",
            Origin::Chaos => "chaos",
        }
    }

    /// Returns the label it is counted under: the preference that changed the response most.
    pub(crate) fn kind(&self) -> String {
        match self.values.first() {
            Some((name @ ("at" | "delay"), _)) => String::from(*name),
            first => first.map_or(String::new(), |(name, value)| format!("{name}={value}")),
        }
    }

    /// Returns the seconds until a rate limit that it simulates allows requests again.
    pub(crate) fn retry_after_seconds(&self) -> u64 {
        self.number("retry-after").unwrap_or(RETRY_AFTER_SECONDS)
    }
}
