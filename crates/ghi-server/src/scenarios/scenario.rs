//! Scenarios, and the tables of all failures and changes that a request can select.

use std::time::Duration;

use hyper::StatusCode;

use crate::clock::Moment;
use crate::http::problem::Code;
use crate::scenarios::altered::Alteration;

/// The `Retry-After` of a requested error, in seconds. It is short, so that a test that waits for it is quick.
pub(super) const RETRY_AFTER_SECONDS: u64 = 1;

/// The preference that turns anything that would be ignored into an error.
pub(super) const STRICT: &str = "handling=strict";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) origin: Origin,
    pub(crate) failure: Option<Failure>,
    /// The `Retry-After` of the error, if it is not the usual one: seconds, `date` or `none`.
    pub(crate) retry_after: Option<String>,
    pub(crate) figures: Option<Figures>,
    pub(crate) at: Option<Moment>,
    pub(crate) delay: Option<Duration>,
    /// How many requests get the failure, the delay and the changed costs: of those with the key, or else of all.
    pub(crate) times: Option<u8>,
    pub(crate) key: Option<String>,
    /// Whether a preference or parameter that would be ignored is an error.
    pub(crate) is_strict: bool,
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

/// A change to the costs, the same in every document: its preference, and today's costs as a percentage of
/// the real ones, or `None` if all days have today's costs.
pub(crate) type Figures = (&'static str, Option<u64>);

pub(crate) const FIGURES: [Figures; 3] =
    [("figures=spike", Some(125)), ("figures=drop", Some(75)), ("figures=flat", None)];

/// Every failure that a request can select, with the preference that selects it.
pub(crate) const FAILURES: [(&str, Failure); 17] = [
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

impl Failure {
    pub(super) fn preference(self) -> &'static str {
        let found = FAILURES.iter().find(|(_, failure)| *failure == self);
        found.map_or("", |(preference, _)| preference)
    }
}

impl Scenario {
    pub(super) fn has_effect(&self) -> bool {
        *self != Self { origin: self.origin, ..Self::default() }
    }

    pub(crate) fn origin(&self) -> &'static str {
        match self.origin {
            Origin::Request => "request",
            Origin::Flag => "fail",
            Origin::Chaos => "chaos",
        }
    }

    /// Returns the label it is counted under: the part of the scenario that changed the response most.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self { failure: Some(failure), .. } => failure.preference(),
            Self { figures: Some((preference, _)), .. } => preference,
            Self { at: Some(_), .. } => "at",
            Self { delay: Some(_), .. } => "delay",
            _ => STRICT,
        }
    }

    /// Returns the seconds until a rate limit that it simulates allows requests again.
    pub(crate) fn retry_after_seconds(&self) -> u64 {
        let selected = self.retry_after.as_ref().and_then(|text| text.parse().ok());
        selected.unwrap_or(RETRY_AFTER_SECONDS)
    }
}
