//! What a request asks for, parsed into types that cannot be wrong.

use std::borrow::Cow;

use ghi_contract::{ForecastDays, GLOBAL, paths};
use ghi_engine::{Costs, Day, Model, RegionIndex};
use memchr::{memchr, memchr2};
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
    /// What the documents call it by.
    pub(crate) fn region_id(self, model: &Model) -> &str {
        match self {
            Self::Global => GLOBAL,
            Self::Region(region) => &model.registry()[region.get()].id,
        }
    }

    /// What it cost on a day.
    pub(crate) fn costs(self, day: &Day) -> Costs {
        match self {
            Self::Global => day.global,
            Self::Region(region) => day.regions[region.get()],
        }
    }

    /// From the parameter `region_id`.
    pub(crate) fn parse(query: &Query<'_>, model: &Model) -> Result<Self, Problem> {
        match query.get("region_id")?.as_deref() {
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
    let decoded = || percent_decode(encoded.as_bytes()).decode_utf8().ok();
    let region = model.region(encoded).or_else(|| model.region(&decoded()?));
    region.ok_or_else(|| {
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

/// The colours of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the reader's system is set.
    Auto,
    Light,
    Dark,
}

impl Theme {
    /// The words of the parameter `theme`, the default first.
    pub(crate) const WORDS: [&str; 3] = ["auto", "light", "dark"];

    /// From the parameter `theme`.
    pub(crate) fn parse(query: &Query<'_>) -> Result<Self, Problem> {
        let [auto, light, dark] = Self::WORDS;
        match query.get("theme")?.as_deref() {
            None => Ok(Self::Auto),
            Some(word) if word == auto => Ok(Self::Auto),
            Some(word) if word == light => Ok(Self::Light),
            Some(word) if word == dark => Ok(Self::Dark),
            Some(_) => Err(Problem::invalid_parameter(format!(
                "theme must be {auto}, {light} or {dark}; without it, it is {auto}."
            ))),
        }
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

/// The parameters of a request, known to be UTF-8 once decoded.
pub(crate) struct Query<'a>(&'a str);

impl<'a> Query<'a> {
    pub(crate) fn parse(raw: Option<&'a str>) -> Result<Self, Problem> {
        let query = Self(raw.unwrap_or_default());
        let is_plain = !query.0.bytes().any(|byte| byte == b'%');
        let mut pairs = query.pairs();
        if is_plain || pairs.all(|(name, value)| decode(name).and(decode(value)).is_some()) {
            Ok(query)
        } else {
            Err(Problem::invalid_parameter(
                "The query is not valid UTF-8 once its percent-encoding is decoded.",
            ))
        }
    }

    /// The value of a parameter. Which of two the sender meant is not ours to guess.
    fn get(&self, name: &str) -> Result<Option<Cow<'a, str>>, Problem> {
        // Most queries are one parameter in plain letters and digits.
        if let Some(value) = self.0.strip_prefix(name).and_then(|rest| rest.strip_prefix('='))
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        {
            return Ok(Some(Cow::Borrowed(value)));
        }
        let is_it = |found: &str| found == name || decode(found).is_some_and(|found| found == name);
        let mut values = self.pairs().filter(|pair| is_it(pair.0)).map(|pair| pair.1);
        match (values.next(), values.next()) {
            (value, None) => Ok(value.and_then(decode)),
            _ => Err(Problem::invalid_parameter(format!(
                "{name} is given more than once; it may be given once."
            ))),
        }
    }

    /// The names and values as they came.
    fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let mut rest = Some(self.0);
        std::iter::from_fn(move || {
            let (pair, after) = split_at_byte(rest?, b'&');
            rest = after;
            let (name, value) = split_at_byte(pair, b'=');
            Some((name, value.unwrap_or_default()))
        })
    }
}

/// What stands before and after the first of an ASCII character. `split_once` takes twice the time
/// on texts as short as these.
fn split_at_byte(text: &str, byte: u8) -> (&str, Option<&str>) {
    match memchr(byte, text.as_bytes()) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// A name or a value as HTML forms encode it, if it is UTF-8.
fn decode(encoded: &str) -> Option<Cow<'_, str>> {
    if memchr2(b'%', b'+', encoded.as_bytes()).is_none() {
        return Some(Cow::Borrowed(encoded));
    }
    let spaced = encoded.replace('+', " ");
    let decoded = percent_decode(spaced.as_bytes()).decode_utf8().ok()?;
    Some(Cow::Owned(decoded.into_owned()))
}
