//! What a request asks for, parsed into types that cannot be wrong.

use std::borrow::Cow;

use ghi_contract::{ForecastDays, GLOBAL, paths};
use ghi_engine::{Model, RegionIndex};
use percent_encoding::percent_decode;

use crate::problem::Problem;

/// How many known ids an answer names.
const IDS_NAMED: usize = 20;

/// What a history is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole network.
    Global,
    /// One region.
    Region(RegionIndex),
}

impl Scope {
    /// From the parameter `region_id`.
    pub(crate) fn parse(query: &Query<'_>, model: &Model) -> Result<Self, Problem> {
        match query.get("region_id")? {
            None | Some(GLOBAL) => Ok(Self::Global),
            Some(id) => match model.region(id) {
                Some(region) => Ok(Self::Region(region)),
                None => Err(Problem::unknown_region(format!(
                    "No region has this region_id. It takes {GLOBAL}, or an id as {} lists them: {}.",
                    paths::REGIONS,
                    known_ids(model)
                ))),
            },
        }
    }
}

/// From the path's `{id}`, percent-encoded as it came.
pub(crate) fn region_of_path(encoded: &str, model: &Model) -> Result<RegionIndex, Problem> {
    let decoded = percent_decode(encoded.as_bytes()).decode_utf8().ok();
    decoded.and_then(|id| model.region(&id)).ok_or_else(|| {
        Problem::unknown_region(format!(
            "No region has this id. {} lists the known ones: {}.",
            paths::REGIONS,
            known_ids(model)
        ))
    })
}

/// From the parameter `forecast_days`.
pub(crate) fn forecast_days(query: &Query<'_>) -> Result<ForecastDays, Problem> {
    match query.get("forecast_days")? {
        None => Ok(ForecastDays::default()),
        Some(text) => text.parse().map_err(|invalid| {
            Problem::invalid_parameter(format!(
                "forecast_days {invalid}; without it, the forecast is for {} days.",
                ForecastDays::DEFAULT
            ))
        }),
    }
}

fn known_ids(model: &Model) -> String {
    let registry = model.registry();
    let named = registry.iter().take(IDS_NAMED).map(|region| &*region.id);
    let ids = named.collect::<Vec<_>>().join(", ");
    match registry.len().saturating_sub(IDS_NAMED) {
        0 => ids,
        more => format!("{ids} and {more} more"),
    }
}

/// The parameters of a request, decoded, in the order in which they came.
pub(crate) struct Query<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Query<'a> {
    pub(crate) fn parse(raw: Option<&'a str>) -> Result<Self, Problem> {
        let Some(raw) = raw else { return Ok(Self(Vec::new())) };
        let pairs = raw.split('&').filter(|pair| !pair.is_empty());
        pairs
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                Some((decode(name)?, decode(value)?))
            })
            .collect::<Option<_>>()
            .map(Self)
            .ok_or_else(|| {
                Problem::invalid_parameter(
                    "The query is not valid UTF-8 once its percent-encoding is decoded.",
                )
            })
    }

    /// The value of a parameter. Which of two the sender meant is not ours to guess.
    fn get(&self, name: &str) -> Result<Option<&str>, Problem> {
        let mut values = self.0.iter().filter(|pair| pair.0 == name).map(|pair| &*pair.1);
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            _ => Err(Problem::invalid_parameter(format!(
                "{name} is given more than once; it may be given once."
            ))),
        }
    }
}

/// A name or a value as HTML forms encode it, if it is UTF-8.
fn decode(encoded: &str) -> Option<Cow<'_, str>> {
    if encoded.contains('+') {
        let spaced = encoded.replace('+', " ");
        let decoded = percent_decode(spaced.as_bytes()).decode_utf8().ok()?;
        Some(Cow::Owned(decoded.into_owned()))
    } else {
        percent_decode(encoded.as_bytes()).decode_utf8().ok()
    }
}
