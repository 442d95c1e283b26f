//! Scenarios from the start of the server (`--fail`), for clients that can't set a header.

use std::time::Instant;

use ghi_contract::paths;
use hyper::HeaderMap;
use hyper::header::HeaderValue;

use crate::http::prefer::{PREFER, preference};
use crate::scenarios::chaos::is_path_of;
use crate::scenarios::recovery::RecoveryKeys;
use crate::scenarios::requested::{Target, select};
use crate::scenarios::scenario::{Origin, Recovery, Scenario};

/// The preferences that a flag cannot have, and why.
const REFUSED: [(&str, &str); 3] = [
    ("key", "key has no effect here; times counts the requests for each path since the start"),
    ("return", "return has no effect here; use --snapshot-form"),
    ("handling", "handling has no effect here; preferences without effect are always rejected"),
];

/// The preferences of one flag.
#[derive(Debug)]
pub(crate) struct FailFlag {
    /// The only path they apply to, which may be that of a route, such as `/v1/ghi/regions/{id}`.
    path: Option<String>,
    preferences: HeaderMap,
}

impl FailFlag {
    /// Parses `PREFERENCES` or `PATH: PREFERENCES`.
    fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (path, preferences) = match text.split_once(':').filter(|_| text.starts_with('/')) {
            Some((path, preferences)) => (Some(path.trim_end()), preferences.trim()),
            None => (None, text),
        };
        let value = HeaderValue::from_str(preferences).ok().filter(|value| !value.is_empty());
        let value =
            value.ok_or("must be preferences such as code=503, times=2, or PATH: PREFERENCES")?;
        let path = path.map(|path| path.strip_suffix('/').unwrap_or(path).to_owned());
        Ok(Self { path, preferences: HeaderMap::from_iter([(PREFER, value)]) })
    }

    /// Checks that all preferences of a flag have an effect. `api_route` returns the route of a path of the
    /// API.
    pub(crate) fn check(
        text: &str,
        api_route: impl FnOnce(&str) -> Option<&'static str>,
    ) -> Result<(), String> {
        let Self { path, preferences } = Self::parse(text)?;
        let route = match &path {
            Some(path) => api_route(path).ok_or(
                "PATH must be a path of the API, such as /v1/ghi/history or /v1/ghi/regions/{id}",
            )?,
            // Every scenario is possible there.
            None => paths::HISTORY,
        };
        let refused = |name| preference(&preferences, name).is_some();
        if let Some((_, reason)) = REFUSED.into_iter().find(|(name, _)| refused(name)) {
            return Err(reason.into());
        }
        let (_, ignored) = select(&preferences, Target { route, is_head: false }, Origin::Flag);
        ignored.map_or(Ok(()), Err)
    }
}

/// The scenarios of all flags.
#[derive(Debug)]
pub(crate) struct FailFlags {
    /// Those with a path come first.
    flags: Vec<FailFlag>,
    counts: RecoveryKeys,
    start: Instant,
}

impl FailFlags {
    /// Returns the scenarios of valid flags.
    pub(crate) fn new(texts: &[String]) -> Self {
        let mut flags: Vec<_> =
            texts.iter().filter_map(|text| FailFlag::parse(text).ok()).collect();
        flags.sort_by_key(|flag| flag.path.is_none());
        Self { flags, counts: RecoveryKeys::default(), start: Instant::now() }
    }

    pub(crate) fn are_none(&self) -> bool {
        self.flags.is_empty()
    }

    /// Returns the scenario of a request without preferences: that of the first flag that has an effect on it.
    pub(crate) fn select(&self, path: &str, target: Target<'_>) -> Option<Scenario> {
        let of_path = |flag: &FailFlag| {
            flag.path.as_ref().is_none_or(|only| is_path_of(only, path, target.route))
        };
        let flags = self.flags.iter().enumerate().filter(|(_, flag)| of_path(flag));
        flags
            .map(|(number, flag)| self.scenario(number, flag, path, target))
            .find(Scenario::has_effect)
    }

    fn scenario(&self, number: usize, flag: &FailFlag, path: &str, target: Target<'_>) -> Scenario {
        let (scenario, _) = select(&flag.preferences, target, Origin::Flag);
        let Some(Recovery { times, .. }) = scenario.recovery else { return scenario };
        // The requests are always counted as at the start, so none is forgotten after a while.
        match self.counts.count(path, &number.to_string(), times, self.start) {
            true => scenario,
            false => scenario.recovered(),
        }
    }
}
